//! Brings an index of an older format to the present one: a new generation is made of the stored
//! documents, so that whatever else a format may hold need not be understood.
//!
//! # Invariants
//! 1. The index is of the older format until the new generation is on disk as a whole; what was
//!    begun before is removed by the next try.
//! 2. Documents keep their numbers, so that files of vectors are carried over as they are.
//! 3. Settings, times and the last batch are those of the older commit.
//!
//! # Cost
//! That of indexing all documents once, on one thread, and the disk space of a second index.

use std::path::Path;
use std::sync::Arc;

use super::extract::Extractor;
use super::indexing_rules::IndexingRules;
use crate::document::PrimaryKey;
use crate::document::raw_document::RawDocument;
use crate::index::{
    BatchControl, FORMAT_VERSION, IndexError, IndexMeta, IndexOptions, Shared, Snapshot,
    StoredDocuments, commit_of, in_flight_of, write_commit,
};
use crate::ranking::Stop;
use crate::storage::generation::{self, Generation};
use crate::storage::writer::Writer;
use crate::vectors::carry_over;

/// Brings the index in a folder, which is not open, to the present format. Tells whether it was
/// of an older one.
///
/// # Errors
/// [`IndexError::Aborted`] when `stop` asked for it, [`IndexError::Version`] when the format is a
/// newer one, otherwise what failed. The index is as it was then.
pub fn upgrade_index(path: &Path, options: IndexOptions, stop: &Stop) -> Result<bool, IndexError> {
    let current = generation::current(path)?.ok_or_else(|| IndexError::Missing(path.to_owned()))?;
    let mut meta = commit_of(&current)?;
    if meta.format_version >= FORMAT_VERSION {
        return meta.check_version().map(|()| false);
    }
    generation::remove_others(path, &current)?;
    let next = Arc::new(Generation::open(generation::next(path, Some(&current)))?);
    let built = write_generation(&current, &next, &mut meta, options, stop)
        // One that cannot be read is never named.
        .and_then(|()| {
            let budget = Shared::default().budget(options.search_memory);
            Snapshot::load(&next, None, &budget)
        })
        .and_then(|_| Ok(generation::set_current(path, next.path())?));
    match built {
        Ok(()) => {
            generation::remove_others(path, next.path())?;
            Ok(true)
        }
        Err(error) => {
            if generation::current(path)?.as_deref() != Some(next.path()) {
                next.mark_obsolete();
            }
            Err(if stop.is_stopped() {
                IndexError::Aborted
            } else {
                error
            })
        }
    }
}

fn write_generation(
    from: &Path,
    next: &Generation,
    meta: &mut IndexMeta,
    options: IndexOptions,
    stop: &Stop,
) -> Result<(), IndexError> {
    let documents = StoredDocuments::open(from, meta.n_dictionaries)?;
    carry_over(from, next.path(), &meta.vectors)?;
    for dictionary in documents.codec().dictionaries() {
        next.add_dictionary(dictionary.to_vec())?;
    }
    let writer = next.writer(options.indexing_memory_bytes)?;
    write_documents(&documents, next, meta, &writer, options, stop)?;
    meta.format_version = FORMAT_VERSION;
    let mut writer = writer;
    write_commit(&mut writer, meta, &BatchControl::default())?;
    Ok(writer.wait_merging_threads()?)
}

fn write_documents(
    documents: &StoredDocuments,
    next: &Generation,
    meta: &mut IndexMeta,
    writer: &Writer,
    options: IndexOptions,
    stop: &Stop,
) -> Result<(), IndexError> {
    let codec = next.codec();
    let rules = IndexingRules::new(&meta.settings);
    let mut extractor = Extractor::new(&rules, (*meta.fields).clone());
    let primary_key = PrimaryKey::new(meta.primary_key.as_deref().unwrap_or_default());
    let in_flight = in_flight_of(options);
    let is_stopped = || stop.is_stopped();
    documents.for_each(|id, text| {
        let damaged = |reason: String| IndexError::Corrupt(format!("document {id}: {reason}"));
        let mut document = RawDocument::parse(text).map_err(|error| damaged(error.to_string()))?;
        let external_id = primary_key
            .external_id(&document)
            .map_err(|error| damaged(error.to_string()))?
            .into_owned();
        let extracted = extractor.extract(id, &external_id, &mut document);
        let mut indexed = extracted.map_err(|error| damaged(error.to_string()))?;
        let share = in_flight.share(indexed.mem_usage(), &is_stopped);
        indexed.share = share.filter(|_| !is_stopped());
        if indexed.share.is_none() {
            return Err(IndexError::Aborted);
        }
        writer.add_document(Box::new(indexed))?;
        Ok(())
    })?;
    meta.fields = Arc::new(extractor.into_fields());
    meta.n_dictionaries = codec.n_dictionaries();
    Ok(())
}
