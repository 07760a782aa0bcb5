//! Builds the next generation from the stored documents, for settings that change words or columns.
//!
//! Searches go on with the old generation meanwhile. Documents keep their numbers.

use std::sync::Arc;

use super::extract::Extractor;
use super::indexing_rules::IndexingRules;
use super::vectors::{StageError, VectorsChange};
use crate::batch::OperationError;
use crate::document::raw_document::RawDocument;
use crate::document::{DocumentError, PrimaryKey};
use crate::index::{BatchStep, Index, IndexError, IndexMeta, Snapshot};
use crate::storage::generation::{self, Generation};
use crate::storage::writer::Writer;
use crate::vectors::{Embedding, VECTORS, carry_over};

/// Why a generation could not be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RebuildError {
    /// A stored document does not fit the new settings.
    #[error(transparent)]
    Document(#[from] OperationError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl From<StageError> for RebuildError {
    fn from(error: StageError) -> Self {
        match error {
            StageError::Operation { error, .. } => Self::Document(error),
            StageError::Index(error) => Self::Index(error),
        }
    }
}

impl From<DocumentError> for RebuildError {
    fn from(error: DocumentError) -> Self {
        Self::Document(error.into())
    }
}

/// Writes all documents of a snapshot into a new generation under the settings in `meta`, which
/// is brought up to date; the caller commits. Vectors change as the settings ask for.
pub(crate) fn rebuild(
    snapshot: &Snapshot,
    meta: &mut IndexMeta,
    embedding: Option<Embedding>,
    index: &Index,
) -> Result<(Arc<Generation>, Writer), RebuildError> {
    let path = generation::next(index.path(), Some(snapshot.generation().path()));
    if path.exists() {
        std::fs::remove_dir_all(&path).map_err(IndexError::from)?;
    }
    let next = Generation::open(path).map_err(IndexError::from)?;
    next.watch_stop(index.control().stop_watch());
    let vectors = VectorsChange::new(snapshot, meta);
    let built = change_vectors(&vectors, snapshot, meta, &next, embedding)
        .and_then(|()| write_all(&next, snapshot, meta, index, &vectors));
    match built {
        Ok(writer) => Ok((Arc::new(next), writer)),
        Err(error) => {
            next.mark_obsolete();
            Err(error)
        }
    }
}

/// Carries the files of vectors over and makes those that the settings ask for.
fn change_vectors(
    vectors: &VectorsChange,
    snapshot: &Snapshot,
    meta: &mut IndexMeta,
    next: &Generation,
    embedding: Option<Embedding>,
) -> Result<(), RebuildError> {
    let from = snapshot.generation().path();
    carry_over(from, next.path(), &meta.vectors).map_err(IndexError::from)?;
    Ok(vectors.apply(snapshot, meta, next.path(), embedding)?)
}

fn write_all(
    next: &Generation,
    snapshot: &Snapshot,
    meta: &mut IndexMeta,
    index: &Index,
    vectors: &VectorsChange,
) -> Result<Writer, RebuildError> {
    for dictionary in snapshot.generation().codec().dictionaries() {
        next.add_dictionary(dictionary.to_vec())
            .map_err(IndexError::from)?;
    }
    let memory_bytes = index.options().indexing_memory_bytes;
    let writer = next.writer(memory_bytes).map_err(IndexError::from)?;
    let rules = IndexingRules::new(&meta.settings);
    let mut extractor = Extractor::new(&rules, (*meta.fields).clone());
    let primary_key = PrimaryKey::new(meta.primary_key.as_deref().unwrap_or_default());
    let rewrites = vectors.rewrites_documents(snapshot);
    let control = index.control();
    let n_documents = snapshot.documents().len() as u64;
    control.enter(BatchStep::ExtractingDocuments, n_documents);
    let in_flight = index.in_flight();
    for id in snapshot.documents() {
        control.advance()?;
        let json = snapshot.document(id)?;
        snapshot.generation().count_read(json.len());
        let damaged = || IndexError::Corrupt(format!("document {id} is no JSON"));
        let text = std::str::from_utf8(&json).map_err(|_| damaged())?;
        let member;
        let mut document = RawDocument::parse(text).map_err(|_| damaged())?;
        if rewrites {
            member = vectors.member(snapshot, id, &document)?;
            document.set(VECTORS, member.as_deref().map(Into::into));
        }
        let external_id = primary_key.external_id(&document)?.into_owned();
        let mut indexed = extractor.extract(id, &external_id, &mut document)?;
        control.admit(&mut indexed, &in_flight)?;
        writer
            .add_document(Box::new(indexed))
            .map_err(IndexError::from)?;
    }
    meta.fields = Arc::new(extractor.into_fields());
    meta.n_dictionaries = next.codec().n_dictionaries();
    Ok(writer)
}
