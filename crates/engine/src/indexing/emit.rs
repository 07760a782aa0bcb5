//! Writes a plan through tantivy's writer, up to but not including the commit.
//!
//! A plan of more than one chunk is written by several threads when there may be several. Names are
//! then numbered before, by one thread, so that numbers do not depend on who comes first.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::document_source::DocumentSource;
use super::emit_worker::EmitWorker;
use super::extract::Extractor;
use super::field_counts::FieldCounts;
use super::indexing_rules::IndexingRules;
use super::payload_bytes::PayloadBytes;
use super::write_plan::{Content, WritePlan};
use crate::batch::OperationError;
use crate::document::FieldIds;
use crate::index::{BatchControl, IndexError, IndexMeta, Snapshot};
use crate::storage::document_codec::{self, MAX_SAMPLE_BYTES, MAX_SAMPLES, MIN_SAMPLES};
use crate::storage::generation::Generation;
use crate::storage::in_flight::InFlight;
use crate::storage::writer::Writer;

/// Documents that a thread takes at a time.
const CHUNK_LEN: usize = 256;
/// Bytes of one document used for training.
const SAMPLE_BYTES: usize = 4 << 10;

/// Samples between two times that mapped pages are given back.
const SAMPLES_PER_RELEASE: usize = 32;

/// Why a plan could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmitError {
    /// A document of this payload turned out to be unusable: its operation has to go.
    #[error("payload {payload}: {error}")]
    Operation { payload: u32, error: OperationError },
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The thread that builds segments has died; ending the commit tells what of.
    #[error(transparent)]
    Writer(IndexError),
}

/// What all threads that write a plan share.
pub(crate) struct Emission<'a> {
    pub(crate) plan: &'a WritePlan,
    pub(crate) payloads: &'a [PayloadBytes],
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) writer: &'a Writer,
    pub(crate) control: &'a BatchControl,
    /// Threads to use at most.
    pub(crate) n_threads: usize,
    /// What may wait for the writer.
    pub(crate) in_flight: &'a Arc<InFlight>,
}

/// Writes every planned document and brings `meta` up to date.
pub(crate) fn emit(emission: &Emission<'_>, meta: &mut IndexMeta) -> Result<(), EmitError> {
    let plan = emission.plan;
    let generation = emission.snapshot.generation();
    let source = emission.source();
    train_dictionary(plan, &source, generation, meta).map_err(IndexError::from)?;
    if plan.is_cleared() {
        let cleared = emission.writer.delete_all_documents();
        cleared.map_err(IndexError::from)?;
    }
    let rules = IndexingRules::new(&meta.settings);
    let n_chunks = plan.len().div_ceil(CHUNK_LEN);
    let n_threads = emission.n_threads.min(n_chunks).max(1);
    let (fields, changes) = if n_threads == 1 {
        let fields = (*meta.fields).clone();
        let mut worker = EmitWorker::new(emission, &rules, fields, meta)?;
        (0..plan.len()).try_for_each(|index| worker.write(&plan.write(index)))?;
        worker.finish()
    } else {
        let fields = number_names(emission, meta)?;
        let changes = emit_in_parallel(
            emission,
            n_threads,
            |fields| EmitWorker::new(emission, &rules, fields, meta),
            &fields,
        )?;
        (fields, changes)
    };
    let before = if plan.is_cleared() {
        BTreeMap::new()
    } else {
        (*meta.field_distribution).clone()
    };
    meta.fields = Arc::new(fields);
    meta.field_distribution = Arc::new(changes.applied_to(before));
    meta.n_dictionaries = generation.codec().n_dictionaries();
    Ok(())
}

/// Numbers all names of a plan in order of first sight, as threads that each see a part cannot.
fn number_names(emission: &Emission<'_>, meta: &IndexMeta) -> Result<FieldIds, EmitError> {
    let rules = IndexingRules::for_names(&meta.settings);
    let mut extractor = Extractor::new(&rules, (*meta.fields).clone());
    let source = emission.source();
    let plan = emission.plan;
    for write in (0..plan.len()).map(|index| plan.write(index)) {
        emission.control.check()?;
        let stored = source.stored_under(&write.content)?;
        // What is wrong with a document is found when it is written.
        if let Ok(Some(mut document)) = source.document(&write.content, stored.as_deref()) {
            let _ = extractor.columns(write.external_id, &mut document);
        }
    }
    Ok(extractor.into_fields())
}

/// Writes a plan in chunks, each by the thread that comes for it first. Of several failures the
/// one that stands first in the plan counts.
fn emit_in_parallel<'w>(
    emission: &Emission<'_>,
    n_threads: usize,
    worker: impl Fn(FieldIds) -> Result<EmitWorker<'w>, EmitError> + Sync,
    fields: &FieldIds,
) -> Result<FieldCounts, EmitError> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut worker = worker(fields.clone()).map_err(|error| (0, error))?;
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            let (plan, start) = (emission.plan, chunk * CHUNK_LEN);
            if start >= plan.len() {
                return Ok(worker.finish().1);
            }
            let end = plan.len().min(start + CHUNK_LEN);
            let written = (start..end).try_for_each(|index| worker.write(&plan.write(index)));
            if let Err(error) = written {
                next.store(usize::MAX / (2 * CHUNK_LEN), Ordering::Relaxed);
                return Err((chunk, error));
            }
        }
    };
    let mut changes = FieldCounts::default();
    let mut failure: Option<(usize, EmitError)> = None;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(run)).collect();
        for thread in threads {
            match thread.join() {
                Ok(Ok(counts)) => changes.add(&counts),
                Ok(Err((chunk, error))) => {
                    if failure.as_ref().is_none_or(|(first, _)| chunk < *first) {
                        failure = Some((chunk, error));
                    }
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    failure.map_or(Ok(changes), |(_, error)| Err(error))
}

impl Emission<'_> {
    /// The texts of the batch, for one thread.
    pub(super) const fn source(&self) -> DocumentSource<'_> {
        DocumentSource::new(self.payloads, self.snapshot)
    }
}

/// The payload whose operation is to blame for a document.
pub(super) fn payload_of(content: &Content) -> u32 {
    content.texts().last().map_or(u32::MAX, |last| last.payload)
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
    let n_writes = plan.len();
    if meta.n_dictionaries > 0 || n_writes < MIN_SAMPLES {
        return Ok(());
    }
    let mut samples = Vec::new();
    let mut lengths = Vec::new();
    for index in (0..n_writes).step_by(n_writes.div_ceil(MAX_SAMPLES)) {
        let Content::Text(location) = plan.write(index).content else {
            continue;
        };
        let Ok(text) = source.text(location) else {
            continue;
        };
        let sample = &text.as_bytes()[..text.len().min(SAMPLE_BYTES)];
        if samples.len() + sample.len() > MAX_SAMPLE_BYTES {
            break;
        }
        samples.extend_from_slice(sample);
        lengths.push(sample.len());
        // Each look at a place far from the last one maps some pages around it.
        if lengths.len().is_multiple_of(SAMPLES_PER_RELEASE) {
            source.release();
            plan.release();
        }
    }
    if let Some(dictionary) = document_codec::train(&samples, &lengths) {
        generation.add_dictionary(dictionary)?;
    }
    Ok(())
}
