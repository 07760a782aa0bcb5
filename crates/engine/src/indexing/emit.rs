//! Writes a plan through tantivy's writer, up to but not including the commit.

use std::collections::BTreeMap;
use std::sync::Arc;

use tantivy::Term;

use super::batch_control::BatchControl;
use super::document_source::DocumentSource;
use super::extract::{ExtractError, Extractor};
use super::indexing_rules::IndexingRules;
use super::operation::OperationError;
use super::stage_vectors::kept_member;
use super::write_plan::{Content, WritePlan};
use crate::document::raw_document::RawDocument;
use crate::index::{IndexError, IndexMeta};
use crate::storage::document_codec::{self, MAX_SAMPLE_BYTES, MAX_SAMPLES, MIN_SAMPLES};
use crate::storage::generation::{Generation, Writer};
use crate::storage::schema::Fields;
use crate::vectors::VECTORS;

/// Bytes of one document used for training.
const SAMPLE_BYTES: usize = 4 << 10;

/// Why a plan could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmitError {
    /// A document of this payload turned out to be unusable: its operation has to go.
    #[error("payload {payload}: {error}")]
    Operation { payload: u32, error: OperationError },
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Writes every planned document and brings `meta` up to date.
pub(crate) fn emit(
    plan: &WritePlan,
    source: &DocumentSource<'_>,
    generation: &Generation,
    writer: &mut Writer,
    meta: &mut IndexMeta,
    control: &BatchControl,
) -> Result<(), EmitError> {
    train_dictionary(plan, source, generation, meta).map_err(IndexError::from)?;
    let codec = generation.codec();
    let mut encoder = codec.encoder().map_err(IndexError::from)?;
    let rules = IndexingRules::new(&meta.settings);
    let mut extractor = Extractor::new(&rules, (*meta.fields).clone());
    let mut distribution = Distribution::new(meta, plan.is_cleared());
    let segment_error = |error: tantivy::TantivyError| EmitError::Index(error.into());
    if plan.is_cleared() {
        writer.delete_all_documents().map_err(segment_error)?;
    }
    for write in plan.writes() {
        control.advance()?;
        let stored = source.stored_under(&write.content)?;
        if let Some(committed) = write.committed {
            writer.delete_term(Term::from_field_text(Fields::new().id, &write.external_id));
            match &stored {
                Some(text) => distribution.forget(text.as_bytes())?,
                None => distribution.forget(&source.snapshot.document(committed)?)?,
            }
        }
        let failed = |error: OperationError| EmitError::Operation {
            payload: payload_of(&write.content),
            error,
        };
        let member;
        let document = source
            .document(&write.content, stored.as_deref())
            .map_err(|error| failed(error.into()))?;
        let Some(mut document) = document else {
            continue;
        };
        if document.get(VECTORS).is_some() {
            let embedders = &meta.settings.embedders;
            member = kept_member(write, stored.as_deref(), source, embedders).map_err(failed)?;
            document.set(VECTORS, member.as_deref());
        }
        let indexed = match extractor.extract(
            write.doc_id,
            &write.external_id,
            &mut document,
            &mut encoder,
        ) {
            Ok(indexed) => indexed,
            Err(ExtractError::Document(error)) => return Err(failed(error.into())),
            Err(ExtractError::Io(error)) => return Err(IndexError::from(error).into()),
        };
        distribution.count(&document, 1);
        if let Err(error) = writer.add_document(indexed) {
            // The worker has died; ending the commit tells what of.
            let cause = writer.prepare_commit().err().unwrap_or(error);
            return Err(segment_error(cause));
        }
    }
    meta.fields = Arc::new(extractor.into_fields());
    meta.field_distribution = Arc::new(distribution.finish());
    meta.n_dictionaries = codec.n_dictionaries();
    Ok(())
}

/// The payload whose operation is to blame for a document.
pub(super) fn payload_of(content: &Content) -> u32 {
    content.texts().last().map_or(u32::MAX, |last| last.payload)
}

/// Number of documents that have each top-level field.
struct Distribution {
    counts: BTreeMap<String, u64>,
}

impl Distribution {
    fn new(meta: &IndexMeta, is_cleared: bool) -> Self {
        let counts = if is_cleared {
            BTreeMap::new()
        } else {
            (*meta.field_distribution).clone()
        };
        Self { counts }
    }

    fn forget(&mut self, document: &[u8]) -> Result<(), IndexError> {
        let damaged = |error: &dyn std::fmt::Display| {
            IndexError::Corrupt(format!("a stored document: {error}"))
        };
        let text = std::str::from_utf8(document).map_err(|error| damaged(&error))?;
        let document = RawDocument::parse(text).map_err(|error| damaged(&error))?;
        self.count(&document, -1);
        Ok(())
    }

    fn count(&mut self, document: &RawDocument<'_>, change: i64) {
        for (name, _) in &document.entries {
            if name == VECTORS {
                continue;
            }
            match self.counts.get_mut(&**name) {
                Some(count) => *count = count.saturating_add_signed(change),
                None if change > 0 => {
                    self.counts.insert(name.to_string(), 1);
                }
                None => {}
            }
        }
    }

    fn finish(mut self) -> BTreeMap<String, u64> {
        self.counts.retain(|_, count| *count > 0);
        self.counts
    }
}

/// Trains the index's dictionary on the first batch that is large enough.
fn train_dictionary(
    plan: &WritePlan,
    source: &DocumentSource<'_>,
    generation: &Generation,
    meta: &IndexMeta,
) -> std::io::Result<()> {
    if generation.codec().n_dictionaries() > meta.n_dictionaries {
        // Left by a batch that failed after training: as good as a new one.
        return Ok(());
    }
    let n_writes = plan.writes().len();
    if meta.n_dictionaries > 0 || n_writes < MIN_SAMPLES {
        return Ok(());
    }
    let mut samples = Vec::new();
    let mut lengths = Vec::new();
    for write in plan.writes().iter().step_by(n_writes.div_ceil(MAX_SAMPLES)) {
        let Content::Text(location) = &write.content else {
            continue;
        };
        let Ok(text) = source.text(*location) else {
            continue;
        };
        let sample = &text.as_bytes()[..text.len().min(SAMPLE_BYTES)];
        if samples.len() + sample.len() > MAX_SAMPLE_BYTES {
            break;
        }
        samples.extend_from_slice(sample);
        lengths.push(sample.len());
    }
    if let Some(dictionary) = document_codec::train(&samples, &lengths) {
        generation.add_dictionary(dictionary)?;
    }
    Ok(())
}
