//! Behaviour of a whole index on disk, compared with naive evaluations of its documents.

mod attributes;
mod damage;
mod durability;
mod editions;
mod measures;
mod merged_files;
mod naive;
mod operations;
mod settings_work;
mod shared;
mod stopped_batches;
mod summaries;
mod threads;
mod typed_rows;
mod upgrade;
mod words;

use std::path::Path;

use serde_json::{Value, json};

use super::{Index, IndexOptions, SearchMemory, Snapshot};
use crate::batch::{Batch, OperationError, OperationOutcome, OperationResult};
use crate::docset::{DocId, DocSet};

/// An index in a directory of its own.
pub(super) struct Fixture {
    pub(super) index: Index,
    directory: tempfile::TempDir,
    next_batch: std::cell::Cell<u64>,
}

fn small() -> IndexOptions {
    IndexOptions {
        indexing_memory_bytes: 15_000_000,
        indexing_threads: 1,
        search_memory: SearchMemory::exactly(1 << 20),
    }
}

/// Filters of tests are lists of external ids.
fn evaluate(snapshot: &Snapshot, filter: &Value) -> Result<DocSet, OperationError> {
    let ids = filter
        .as_array()
        .ok_or_else(|| OperationError::new("invalid_document_filter", "expected a list"))?;
    Ok(ids
        .iter()
        .filter_map(|id| snapshot.find(id.as_str()?).expect("read"))
        .collect())
}

impl Fixture {
    pub(super) fn new(primary_key: Option<&str>) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let index = Index::create(&directory.path().join("index"), primary_key, small())
            .expect("a new index");
        Self {
            index,
            directory,
            next_batch: std::cell::Cell::new(1),
        }
    }

    pub(super) fn path(&self) -> std::path::PathBuf {
        self.directory.path().join("index")
    }

    /// Closes the index and opens it again.
    pub(super) fn reopened(self) -> Self {
        let Self {
            index,
            directory,
            next_batch,
        } = self;
        drop(index);
        let index = open(&directory.path().join("index"));
        Self {
            index,
            directory,
            next_batch,
        }
    }

    /// Applies operations as one batch.
    pub(super) fn apply(&self, operations: Value) -> Vec<OperationResult> {
        let uid = self.next_batch.get();
        self.next_batch.set(uid + 1);
        let mut operations = operations;
        for (number, operation) in operations
            .as_array_mut()
            .expect("a list")
            .iter_mut()
            .enumerate()
        {
            operation["taskUid"] = json!(uid * 100 + number as u64);
        }
        let batch: Batch =
            serde_json::from_value(json!({"batchUid": uid, "operations": operations}))
                .expect("a batch");
        self.index
            .apply_batch(&batch, &evaluate)
            .expect("the index works")
    }

    /// Adds documents and expects success.
    pub(super) fn add(&self, documents: &[Value]) {
        let results = self.apply(json!([replace(documents)]));
        assert!(is_success(&results[0]), "{results:?}");
    }

    /// All documents in order of number.
    pub(super) fn documents(&self) -> Vec<(DocId, Value)> {
        documents_of(&self.index.snapshot())
    }
}

pub(super) fn open(path: &Path) -> Index {
    Index::open(path, small()).expect("the index opens")
}

pub(super) fn documents_of(snapshot: &Snapshot) -> Vec<(DocId, Value)> {
    let read = |id| {
        let json = snapshot
            .document(id)
            .expect("a living document is readable");
        (
            id,
            serde_json::from_slice(&json).expect("stored documents are JSON"),
        )
    };
    snapshot.documents().iter().map(read).collect()
}

/// With a value of every kind that an index keeps.
pub(super) fn document(number: u32) -> Value {
    json!({
        "id": number,
        "title": format!("some words of title {number}"),
        "tag": [format!("tag {}", number % 7), number % 5],
        "_geo": {"lat": f64::from(number % 90), "lng": f64::from(number % 180)},
        "_vectors": {"own": [f64::from(number), 1.0, 0.5]},
    })
}

pub(super) fn lines(documents: &[Value]) -> String {
    documents
        .iter()
        .map(|document| format!("{document}\n"))
        .collect()
}

pub(super) fn replace(documents: &[Value]) -> Value {
    json!({
        "type": "documentAdditionOrUpdate", "method": "replace",
        "payload": {"inline": lines(documents)},
    })
}

pub(super) fn update(documents: &[Value]) -> Value {
    json!({
        "type": "documentAdditionOrUpdate", "method": "update",
        "payload": {"inline": lines(documents)},
    })
}

pub(super) fn settings(settings: Value) -> Value {
    json!({"type": "settingsUpdate", "settings": settings})
}

pub(super) fn is_success(result: &OperationResult) -> bool {
    matches!(result.outcome, OperationOutcome::Succeeded { .. })
}

pub(super) fn error_code(result: &OperationResult) -> &str {
    match &result.outcome {
        OperationOutcome::Failed { error } => &error.code,
        OperationOutcome::Succeeded { .. } => "",
    }
}
