//! Applies one batch: plans its operations in order, commits once, survives what fails.
//!
//! Most batches are one commit. Two kinds of operation need the state before them on disk: a
//! deletion by filter, and settings that rebuild the index. What came before them in the batch is
//! then committed first, with the results so far, so that a crash never applies anything twice.

use serde_json::Value;

use super::document_source::DocumentSource;
use super::emit::{Emission, EmitError, emit};
use super::payload_bytes::PayloadBytes;
use super::settings_file::read_settings;
use super::vectors::stage_vectors;
use super::write_plan::WritePlan;
use crate::batch::{
    Batch, Operation, OperationError, OperationKind, OperationOutcome, OperationResult,
};
use crate::docset::DocSet;
use crate::document::DocumentError;
use crate::index::{BatchStep, Index, IndexError, IndexMeta, LastBatch, Snapshot, now};
use crate::storage::writer::Writer;
use crate::vectors::remove_unnamed;

/// Evaluates a filter, in its JSON form, on a snapshot.
pub type EvaluateFilter<'f> = &'f dyn Fn(&Snapshot, &Value) -> Result<DocSet, OperationError>;

/// A batch in progress; holds the index's writer.
pub(super) struct BatchSession<'i> {
    pub(super) index: &'i Index,
    pub(super) writer: &'i mut Option<Writer>,
    batch: &'i Batch,
    pub(super) evaluate: EvaluateFilter<'i>,
    pub(super) snapshot: Snapshot,
    pub(super) meta: IndexMeta,
    pub(super) plan: WritePlan,
    pub(super) payloads: Vec<PayloadBytes>,
    /// Operation of each payload.
    pub(super) payload_operations: Vec<usize>,
    results: Vec<OperationResult>,
    /// Number of results that are on disk.
    pub(super) n_committed: usize,
    /// Operations known to fail only once their documents are extracted.
    doomed: Vec<(usize, OperationError)>,
}

/// Why an operation was not applied.
pub(super) enum Failure {
    /// It is to blame itself.
    Operation(OperationError),
    /// The index failed, or the batch is to stop.
    Index(IndexError),
}

impl From<DocumentError> for Failure {
    fn from(error: DocumentError) -> Self {
        Self::Operation(error.into())
    }
}

impl From<OperationError> for Failure {
    fn from(error: OperationError) -> Self {
        Self::Operation(error)
    }
}

impl<E: Into<IndexError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Index(error.into())
    }
}

pub(super) const fn succeeded(indexed: Option<u64>, deleted: Option<u64>) -> OperationOutcome {
    OperationOutcome::Succeeded {
        indexed_documents: indexed,
        deleted_documents: deleted,
        edited_documents: None,
    }
}

/// An empty plan. Texts that others replace count for vectors only.
pub(super) fn plan_over(index: &Index, snapshot: &Snapshot, meta: &IndexMeta) -> WritePlan {
    let memory_bytes = index.options().indexing_memory_bytes;
    WritePlan::new(snapshot, !meta.settings.embedders.is_empty(), memory_bytes)
}

impl<'i> BatchSession<'i> {
    /// Starts on the last commit.
    pub(super) fn new(
        index: &'i Index,
        writer: &'i mut Option<Writer>,
        batch: &'i Batch,
        evaluate: EvaluateFilter<'i>,
    ) -> Result<Self, IndexError> {
        let snapshot = index.refresh()?;
        let meta = snapshot.meta().clone();
        Ok(Self {
            index,
            writer,
            batch,
            evaluate,
            plan: plan_over(index, &snapshot, &meta),
            meta,
            snapshot,
            payloads: Vec::new(),
            payload_operations: Vec::new(),
            results: Vec::new(),
            n_committed: 0,
            doomed: Vec::new(),
        })
    }

    /// Applies all operations and commits.
    ///
    /// # Errors
    /// When the index fails, or the batch is asked to stop, before anything of it is committed.
    /// Once something is, the answer is the results of what is committed; those of the others are
    /// missing after that wish, and say what failed after a failure.
    pub(super) fn run(mut self) -> Result<Vec<OperationResult>, IndexError> {
        let Err(error) = self.apply_all() else {
            return Ok(self.results);
        };
        // Once a batch is to stop no file can be written, which looks like a failing disk.
        let is_stopped = match error {
            IndexError::Aborted => true,
            IndexError::Io(_) | IndexError::Segment(_) => self.index.control().is_stopped(),
            _ => false,
        };
        match is_stopped {
            true if self.n_committed > 0 => {
                self.results.truncate(self.n_committed);
                Ok(self.results)
            }
            true => Err(IndexError::Aborted),
            false if self.n_committed > 0 => {
                self.results.truncate(self.n_committed);
                let error = OperationError::new(error.code(), error.to_string());
                for operation in &self.batch.operations[self.n_committed..] {
                    let error = error.clone();
                    self.report(operation, OperationOutcome::Failed { error });
                }
                Ok(self.results)
            }
            false => Err(error),
        }
    }

    fn apply_all(&mut self) -> Result<(), IndexError> {
        let batch = self.batch;
        for (number, operation) in batch.operations.iter().enumerate() {
            self.index.control().check()?;
            self.apply(number, operation)?;
        }
        if self.n_committed < self.results.len() || batch.operations.is_empty() {
            self.commit()?;
        }
        Ok(())
    }

    fn apply(&mut self, number: usize, operation: &Operation) -> Result<(), IndexError> {
        let doomed = self.doomed.iter().find(|(doomed, _)| *doomed == number);
        let outcome = match doomed {
            Some((_, error)) => Err(Failure::Operation(error.clone())),
            None => self.apply_kind(number, operation),
        };
        match outcome {
            // A rebuild reports and commits by itself.
            Ok(None) => {}
            Ok(Some(outcome)) => self.report(operation, outcome),
            Err(Failure::Operation(error)) => {
                self.report(operation, OperationOutcome::Failed { error });
            }
            Err(Failure::Index(error)) => return Err(error),
        }
        Ok(())
    }

    pub(super) fn report(&mut self, operation: &Operation, outcome: OperationOutcome) {
        self.results.push(OperationResult {
            task_uid: operation.task_uid,
            outcome,
        });
    }

    fn apply_kind(
        &mut self,
        number: usize,
        operation: &Operation,
    ) -> Result<Option<OperationOutcome>, Failure> {
        match &operation.kind {
            OperationKind::DocumentAdditionOrUpdate {
                method,
                primary_key,
                payload,
                skip_creation,
            } => {
                let n_indexed = self.plan_addition(
                    number,
                    primary_key.as_deref(),
                    payload,
                    (*method, *skip_creation),
                )?;
                Ok(Some(succeeded(Some(n_indexed), None)))
            }
            OperationKind::DocumentDeletion {
                ids,
                ids_file,
                filter,
            } => {
                let mut n_deleted = 0;
                if let Some(filter) = filter {
                    n_deleted += self.plan_deletion_by_filter(filter)?;
                }
                for id in ids {
                    n_deleted += u64::from(self.plan.delete(&self.snapshot, id)?);
                }
                if let Some(path) = ids_file {
                    n_deleted += self.plan_deletion_of_file(path)?;
                }
                Ok(Some(succeeded(None, Some(n_deleted))))
            }
            OperationKind::DocumentEdition(edition) => self.plan_edition(number, edition).map(Some),
            OperationKind::DocumentClear => Ok(Some(succeeded(None, Some(self.plan.clear())))),
            OperationKind::SettingsUpdate {
                settings,
                settings_file,
            } => match settings_file {
                Some(path) => self.change_settings(operation, &read_settings(path)?),
                None => self.change_settings(operation, settings),
            },
            OperationKind::PrimaryKeyUpdate { primary_key } => {
                if let Some(name) = primary_key {
                    self.declare_primary_key(name)?;
                }
                Ok(Some(succeeded(None, None)))
            }
        }
    }

    /// Puts everything planned on disk, dropping operations whose documents prove unusable.
    pub(super) fn commit(&mut self) -> Result<(), IndexError> {
        let memory = self.index.options().indexing_memory_bytes;
        loop {
            self.plan.end_planning();
            let mut writer = match self.writer.take() {
                Some(writer) => writer,
                None => self.snapshot.generation().writer(memory)?,
            };
            writer.put_merges_off(true);
            let source = DocumentSource::new(&self.payloads, &self.snapshot);
            let emitted = if self.plan.is_empty() {
                Ok(())
            } else {
                let control = self.index.control();
                let embedding = self.index.embedding();
                let n_writes = self.plan.len() as u64;
                control.enter(BatchStep::ExtractingEmbeddings, n_writes);
                let emission = Emission {
                    plan: &self.plan,
                    payloads: &self.payloads,
                    snapshot: &self.snapshot,
                    writer: &writer,
                    control,
                    n_threads: self.index.options().indexing_threads,
                    in_flight: &self.index.in_flight(),
                };
                stage_vectors(&self.plan, &source, &mut self.meta, embedding, control).and_then(
                    |()| {
                        control.enter(BatchStep::ExtractingDocuments, n_writes);
                        emit(&emission, &mut self.meta)
                    },
                )
            };
            match emitted {
                Ok(()) => {
                    self.take_over_vectors()?;
                    self.commit_payload(&mut writer)?;
                    *self.writer = Some(writer);
                    break;
                }
                Err(EmitError::Operation { payload, error }) => {
                    writer.rollback()?;
                    *self.writer = Some(writer);
                    self.replan_without(payload, error)?;
                }
                // The writer goes with whatever it was given; nothing of it was committed.
                Err(EmitError::Index(error)) => return Err(error),
                Err(EmitError::Writer(error)) => {
                    return Err(writer.prepare_commit().err().map_or(error, Into::into));
                }
            }
        }
        self.snapshot = self.index.refresh()?;
        let generation = self.snapshot.generation().path();
        remove_unnamed(generation, &self.meta.vectors)?;
        self.index.start_vector_merge(&self.snapshot);
        self.plan = plan_over(self.index, &self.snapshot, &self.meta);
        self.payloads.clear();
        self.payload_operations.clear();
        Ok(())
    }

    /// Lets the commit name the file of a merge of vectors that has ended.
    fn take_over_vectors(&mut self) -> Result<(), IndexError> {
        let merges = self.index.vector_merges();
        let generation = self.snapshot.generation().path();
        let vectors = self.snapshot.vectors();
        merges.adopt(generation, vectors, &mut self.meta.vectors)?;
        Ok(())
    }

    /// Plans the uncommitted operations again without the one that owns a payload.
    fn replan_without(&mut self, payload: u32, error: OperationError) -> Result<(), IndexError> {
        let culprit = self
            .payload_operations
            .get(payload as usize)
            .copied()
            .ok_or_else(|| {
                IndexError::Corrupt(format!("a stored document cannot be indexed: {error}"))
            })?;
        let n_planned = self.results.len();
        self.doomed.push((culprit, error));
        self.meta = self.snapshot.meta().clone();
        self.plan = plan_over(self.index, &self.snapshot, &self.meta);
        self.payloads.clear();
        self.payload_operations.clear();
        self.results.truncate(self.n_committed);
        let batch = self.batch;
        for number in self.n_committed..n_planned {
            self.apply(number, &batch.operations[number])?;
        }
        Ok(())
    }

    /// Commits what the writer holds, with the meta data and the results so far.
    pub(super) fn commit_payload(&mut self, writer: &mut Writer) -> Result<(), IndexError> {
        let changed = self.results[self.n_committed..]
            .iter()
            .any(|result| matches!(result.outcome, OperationOutcome::Succeeded { .. }));
        if changed {
            self.meta.updated_at = self.batch.finished_at.clone().unwrap_or_else(now);
        }
        self.meta.last_batch = Some(LastBatch {
            uid: self.batch.batch_uid,
            results: self.results.clone(),
        });
        writer.put_merges_off(self.index.control().is_followed());
        self.index.write_commit(writer, &self.meta)?;
        self.n_committed = self.results.len();
        Ok(())
    }
}
