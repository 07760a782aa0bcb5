//! Builds the next generation with other attribute columns and everything else as it is.
//!
//! Words, forward index, stored documents and deletions are files that never change: the next
//! generation gets them as further names of the same files. Only columns are written, each segment
//! by itself, so that documents keep their places.
//!
//! # Cost
//! Every living document is read and walked once; nothing is tokenised or compressed. Columns that
//! exceed their part of the memory are written in parts, which are then merged.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use tantivy::directory::{FileSlice, TerminatingWrite};
use tantivy::index::SegmentComponent;

use super::extract::Extractor;
use super::indexing_rules::IndexingRules;
use super::rebuild::RebuildError;
use crate::document::PrimaryKey;
use crate::document::raw_document::RawDocument;
use crate::index::{BatchControl, BatchStep, Index, IndexError, IndexMeta, SegmentView, Snapshot};
use crate::storage::attribute_file::{AttributeBuilder, AttributeReader};
use crate::storage::attribute_merge::{Part, merge_attributes};
use crate::storage::attribute_plugin;
use crate::storage::column_merge::NewIds;
use crate::storage::directory::write_synced;
use crate::storage::document_codec::dictionary_path;
use crate::storage::generation::{self, Generation};
use crate::storage::mapped_files::map_unnamed;
use crate::storage::sealed::seal;
use crate::storage::writer::Writer;
use crate::vectors::carry_over;

/// One part of so many of the memory is for columns.
const MEMORY_SHARE: usize = 4;
/// Documents between two looks at how large the columns are.
const CHECK_LEN: u32 = 1024;

/// Makes a generation with the documents of a snapshot and the columns that the settings in
/// `meta` ask for, which learns the names of those that are new; the caller commits.
pub(super) fn rebuild_columns(
    snapshot: &Snapshot,
    meta: &mut IndexMeta,
    index: &Index,
) -> Result<(Arc<Generation>, Writer), RebuildError> {
    let old = snapshot.generation();
    let path = generation::next(index.path(), Some(old.path()));
    if path.exists() {
        fs::remove_dir_all(&path).map_err(IndexError::from)?;
    }
    fs::create_dir_all(&path).map_err(IndexError::from)?;
    let built = link_unchanged(snapshot, &path)
        .map_err(RebuildError::from)
        .and_then(|()| {
            let next = Generation::open(path.clone()).map_err(IndexError::from)?;
            next.watch_stop(index.control().stop_watch());
            write_columns(&next, snapshot, meta, index)?;
            next.load_dictionaries(meta.n_dictionaries)
                .map_err(IndexError::from)?;
            let memory_bytes = index.options().indexing_memory_bytes;
            let writer = next.writer(memory_bytes).map_err(IndexError::from)?;
            Ok((Arc::new(next), writer))
        });
    if built.is_err() {
        // What cannot be removed now is removed when the index is opened the next time.
        let _ = fs::remove_dir_all(&path);
    }
    built
}

/// Puts all that stays as it is into the folder of the next generation, with a `meta.json` that
/// names the segments of the snapshot.
fn link_unchanged(snapshot: &Snapshot, to: &Path) -> Result<(), IndexError> {
    let from = snapshot.generation().path();
    let segments: Vec<&Arc<SegmentView>> = snapshot.segments().collect();
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        let stays = name.to_str().and_then(|name| name.split_once('.'));
        let stays = stays.is_some_and(|(id, ending)| {
            !ending.ends_with("del")
                && ending != attribute_plugin::EXTENSION
                && segments.iter().any(|segment| segment.file_name() == id)
        });
        if stays {
            link(&from.join(&name), &to.join(&name))?;
        }
    }
    for segment in &segments {
        if let Some(deletions) = segment.deletions_path() {
            link(&from.join(&deletions), &to.join(&deletions))?;
        }
    }
    let meta = snapshot.meta();
    for number in 1..=usize::from(meta.n_dictionaries) {
        link(&dictionary_path(from, number), &dictionary_path(to, number))?;
    }
    carry_over(from, to, &meta.vectors)?;
    let mut commit = snapshot.generation().index().load_metas()?;
    commit.segments = segments.iter().map(|segment| segment.meta()).collect();
    let commit = serde_json::to_vec(&commit)
        .map_err(|error| IndexError::Corrupt(format!("the list of segments: {error}")))?;
    Ok(write_synced(&to.join(generation::META), &seal(&commit))?)
}

/// Gives a file one more name; copies it where the file system knows no such names.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    fs::copy(from, to)?;
    fs::File::open(to)?.sync_data()
}

fn write_columns(
    next: &Generation,
    snapshot: &Snapshot,
    meta: &mut IndexMeta,
    index: &Index,
) -> Result<(), RebuildError> {
    let rules = IndexingRules::for_columns(&meta.settings);
    let primary_key = PrimaryKey::new(meta.primary_key.as_deref().unwrap_or_default());
    let control = index.control();
    control.enter(
        BatchStep::ExtractingDocuments,
        snapshot.documents().len() as u64,
    );
    let mut columns = SegmentColumns {
        snapshot,
        folder: next.path(),
        extractor: Extractor::new(&rules, (*meta.fields).clone()),
        primary_key,
        control,
        memory_bytes: index.options().indexing_memory_bytes / MEMORY_SHARE,
    };
    for segment in snapshot.segments() {
        let component = SegmentComponent::Custom(attribute_plugin::EXTENSION.to_owned());
        let file = next
            .index()
            .segment(segment.meta())
            .open_write(component)
            .map_err(|error| IndexError::from(tantivy::TantivyError::from(error)))?;
        let written = columns.write(segment, file)?;
        written.terminate().map_err(IndexError::from)?;
    }
    // Coordinates have names of their own, which are met here first.
    meta.fields = Arc::new(columns.extractor.into_fields());
    Ok(())
}

/// Makes the columns of one segment after the other, from stored documents.
struct SegmentColumns<'a> {
    snapshot: &'a Snapshot,
    folder: &'a Path,
    extractor: Extractor<'a>,
    primary_key: PrimaryKey,
    control: &'a BatchControl,
    /// Bytes of columns kept before they are written as a part.
    memory_bytes: usize,
}

impl SegmentColumns<'_> {
    fn write<W: Write>(&mut self, segment: &SegmentView, out: W) -> Result<W, RebuildError> {
        let n_docs = segment.max_doc();
        let mut columns = AttributeBuilder::default();
        let mut parts = Vec::new();
        for local in 0..n_docs {
            if local % CHECK_LEN == 0 && columns.mem_usage() > self.memory_bytes {
                let full = std::mem::take(&mut columns);
                parts.push(write_part(full, n_docs, self.folder).map_err(IndexError::from)?);
            }
            self.push(segment, local, &mut columns)?;
        }
        if parts.is_empty() {
            return Ok(columns.write(n_docs, out).map_err(IndexError::from)?);
        }
        parts.push(write_part(columns, n_docs, self.folder).map_err(IndexError::from)?);
        Ok(merge_attributes(&parts, n_docs, self.folder, out).map_err(IndexError::from)?)
    }

    /// Adds the values of a document, if it lives.
    fn push(
        &mut self,
        segment: &SegmentView,
        local: u32,
        columns: &mut AttributeBuilder,
    ) -> Result<(), RebuildError> {
        let Some(id) = segment.living(local) else {
            return Ok(());
        };
        self.control.advance()?;
        let json = self.snapshot.stored_document(segment, local)?;
        self.snapshot.generation().count_read(json.len());
        let damaged = || IndexError::Corrupt(format!("document {id} is no JSON"));
        let text = std::str::from_utf8(&json).map_err(|_| damaged())?;
        let mut document = RawDocument::parse(text).map_err(|_| damaged())?;
        let external_id = self.primary_key.external_id(&document)?.into_owned();
        let row = self.extractor.columns(&external_id, &mut document)?;
        columns.push(local, &row);
        Ok(())
    }
}

/// Writes columns of a segment into a file of their own.
fn write_part(columns: AttributeBuilder, n_docs: u32, folder: &Path) -> io::Result<Part> {
    let file = BufWriter::new(tempfile::tempfile_in(folder)?);
    let file = columns.write(n_docs, file)?.into_inner();
    let file = file.map_err(io::IntoInnerError::into_error)?;
    let bytes = FileSlice::new(Arc::new(map_unnamed(&file)?));
    Ok(Part {
        attributes: AttributeReader::open(&bytes)?,
        new_ids: NewIds::Same,
    })
}
