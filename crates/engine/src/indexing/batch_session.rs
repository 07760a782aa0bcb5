//! Applies one batch: plans its operations in order, commits once, survives what fails.
//!
//! Most batches are one commit. Two kinds of operation need the state before them on disk: a
//! deletion by filter, and settings that rebuild the index. What came before them in the batch is
//! then committed first, with the results so far, so that a crash never applies anything twice.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::checked_addition::CheckedAddition;
use super::document_source::{self, DocumentSource};
use super::emit::{EmitError, emit};
use super::indexing_rules::IndexingRules;
use super::operation::{
    AdditionMethod, Batch, Operation, OperationError, OperationKind, OperationOutcome,
    OperationResult, Payload,
};
use super::payload_bytes::PayloadBytes;
use super::stage_vectors::stage_vectors;
use super::write_plan::WritePlan;
use crate::docset::DocSet;
use crate::document::{DocumentError, PrimaryKey};
use crate::index::{Index, IndexError, IndexMeta, LastBatch, Snapshot, now};
use crate::storage::generation::Writer;
use crate::vectors::remove_unnamed;

/// Evaluates a filter, in its JSON form, on a snapshot.
pub type EvaluateFilter<'f> = &'f dyn Fn(&Snapshot, &Value) -> Result<DocSet, OperationError>;

/// A batch in progress; holds the index's writer.
pub(crate) struct BatchSession<'i> {
    pub(super) index: &'i Index,
    pub(super) writer: &'i mut Option<Writer>,
    batch: &'i Batch,
    evaluate: EvaluateFilter<'i>,
    pub(super) snapshot: Snapshot,
    pub(super) meta: IndexMeta,
    pub(super) plan: WritePlan,
    payloads: Vec<PayloadBytes>,
    /// Operation of each payload.
    payload_operations: Vec<usize>,
    results: Vec<OperationResult>,
    /// Number of results that are on disk.
    n_committed: usize,
    /// Operations known to fail only once their documents are extracted.
    doomed: Vec<(usize, OperationError)>,
}

/// Why a step of a batch cannot be taken.
pub(super) enum Failure {
    /// The operation is at fault.
    Operation(OperationError),
    /// The index failed.
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
    }
}

impl<'i> BatchSession<'i> {
    /// Starts on the last commit.
    pub(crate) fn new(
        index: &'i Index,
        writer: &'i mut Option<Writer>,
        batch: &'i Batch,
        evaluate: EvaluateFilter<'i>,
    ) -> Result<Self, IndexError> {
        let snapshot = index.refresh()?;
        Ok(Self {
            index,
            writer,
            batch,
            evaluate,
            meta: snapshot.meta().clone(),
            plan: WritePlan::new(&snapshot),
            snapshot,
            payloads: Vec::new(),
            payload_operations: Vec::new(),
            results: Vec::new(),
            n_committed: 0,
            doomed: Vec::new(),
        })
    }

    /// Applies all operations and commits.
    pub(crate) fn run(mut self) -> Result<Vec<OperationResult>, IndexError> {
        let batch = self.batch;
        for (number, operation) in batch.operations.iter().enumerate() {
            self.apply(number, operation)?;
        }
        if self.n_committed < self.results.len() || batch.operations.is_empty() {
            self.commit()?;
        }
        Ok(self.results)
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
            OperationKind::DocumentDeletion { ids, filter } => {
                let mut n_deleted = 0;
                if let Some(filter) = filter {
                    n_deleted += self.plan_deletion_by_filter(filter)?;
                }
                for id in ids {
                    n_deleted += u64::from(self.plan.delete(&self.snapshot, id));
                }
                Ok(Some(succeeded(None, Some(n_deleted))))
            }
            OperationKind::DocumentClear => Ok(Some(succeeded(None, Some(self.plan.clear())))),
            OperationKind::SettingsUpdate { settings } => self.change_settings(operation, settings),
            OperationKind::PrimaryKeyUpdate { primary_key } => {
                if let Some(name) = primary_key {
                    self.declare_primary_key(name)?;
                }
                Ok(Some(succeeded(None, None)))
            }
        }
    }

    /// Checks every document of an addition, then plans all of them; the number of different ones.
    fn plan_addition(
        &mut self,
        number: usize,
        declared: Option<&str>,
        payload: &Payload,
        (method, skip_creation): (AdditionMethod, bool),
    ) -> Result<u64, Failure> {
        let bytes = PayloadBytes::open(payload)?;
        let checks_geo = IndexingRules::new(&self.meta.settings).is_geo_faceted();
        let payload = self.payloads.len() as u32;
        let known = self.meta.primary_key.as_deref();
        let CheckedAddition {
            primary_key,
            documents,
        } = CheckedAddition::check(&bytes, payload, known, declared, checks_geo)?;
        if let Some(key) = primary_key {
            self.set_primary_key(key.name());
        }
        let ids: FxHashSet<&str> = documents.iter().map(|(id, _)| id.as_ref()).collect();
        let n_indexed = ids.len() as u64;
        for (id, location) in documents {
            self.plan
                .add(&self.snapshot, id, location, method, skip_creation);
        }
        self.payloads.push(bytes);
        self.payload_operations.push(number);
        Ok(n_indexed)
    }

    fn plan_deletion_by_filter(&mut self, filter: &Value) -> Result<u64, Failure> {
        if !self.plan.is_empty() {
            self.commit()?;
        }
        let documents = (self.evaluate)(&self.snapshot, filter)?;
        let key = PrimaryKey::new(self.meta.primary_key.as_deref().unwrap_or_default());
        let mut n_deleted = 0;
        for id in &documents {
            let json = self.snapshot.document(id)?;
            let document = document_source::parse(document_source::text_of(&json)?)?;
            let external_id = key.external_id(&document)?;
            n_deleted += u64::from(self.plan.delete(&self.snapshot, &external_id));
        }
        Ok(n_deleted)
    }

    fn declare_primary_key(&mut self, name: &str) -> Result<(), Failure> {
        match self.meta.primary_key.as_deref() {
            Some(current) if current == name => return Ok(()),
            Some(current) if self.plan.n_living() > 0 => {
                return Err(DocumentError::PrimaryKeyExists(current.to_owned()).into());
            }
            _ => {}
        }
        self.meta.primary_key = None;
        self.set_primary_key(name);
        Ok(())
    }

    fn set_primary_key(&mut self, name: &str) {
        if self.meta.primary_key.is_none() {
            self.meta.primary_key = Some(name.to_owned());
            if self.meta.fields.is_empty() {
                Arc::make_mut(&mut self.meta.fields).insert(name);
            }
        }
    }

    /// Puts everything planned on disk, dropping operations whose documents prove unusable.
    pub(super) fn commit(&mut self) -> Result<(), IndexError> {
        let memory = self.index.options().indexing_memory_bytes;
        loop {
            let mut writer = match self.writer.take() {
                Some(writer) => writer,
                None => self.snapshot.generation().writer(memory)?,
            };
            let source = DocumentSource {
                payloads: &self.payloads,
                snapshot: &self.snapshot,
            };
            let generation = self.snapshot.generation();
            let emitted = if self.plan.is_empty() {
                Ok(())
            } else {
                stage_vectors(&self.plan, &source, &mut self.meta, self.index.embedding()).and_then(
                    |()| emit(&self.plan, &source, generation, &mut writer, &mut self.meta),
                )
            };
            match emitted {
                Ok(()) => {
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
            }
        }
        self.snapshot = self.index.refresh()?;
        remove_unnamed(self.snapshot.generation().path(), &self.meta.vectors)?;
        self.plan = WritePlan::new(&self.snapshot);
        self.payloads.clear();
        self.payload_operations.clear();
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
        self.plan = WritePlan::new(&self.snapshot);
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
        self.index.write_commit(writer, &self.meta)?;
        self.n_committed = self.results.len();
        Ok(())
    }
}
