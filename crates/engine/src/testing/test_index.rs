//! A real index in a folder that goes away with it.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::batch::{Batch, OperationOutcome};
use crate::index::{Index, IndexOptions, Snapshot};

/// An index with the primary key `id`.
pub(crate) struct TestIndex {
    index: Index,
    /// Last: goes after the index.
    _folder: TempDir,
}

impl TestIndex {
    /// An index with a partial settings object applied and documents added.
    pub(crate) fn new(settings: Value, documents: &[Value]) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let options = IndexOptions {
            indexing_memory_bytes: 32 << 20,
            indexing_threads: 2,
            ..IndexOptions::default()
        };
        let index =
            Index::create(&folder.path().join("index"), Some("id"), options).expect("a new index");
        let created = Self {
            index,
            _folder: folder,
        };
        created.apply(json!({"type": "settingsUpdate", "settings": settings}));
        created.add(documents);
        created
    }

    /// Adds documents or replaces them.
    pub(crate) fn add(&self, documents: &[Value]) {
        let lines: String = documents
            .iter()
            .map(|document| format!("{document}\n"))
            .collect();
        self.apply(json!({
            "type": "documentAdditionOrUpdate", "method": "replace", "payload": {"inline": lines},
        }));
    }

    /// Applies one operation, given without `taskUid`, which must succeed.
    pub(crate) fn apply(&self, mut operation: Value) {
        operation["taskUid"] = json!(0);
        let batch: Batch =
            serde_json::from_value(json!({"batchUid": 0, "operations": [operation]}))
                .expect("a batch");
        let evaluate = |snapshot: &Snapshot, filter: &Value| {
            crate::fetch::filter_docs(snapshot, filter)
                .map_err(|error| crate::batch::OperationError::new(error.code, error.message))
        };
        let results = self
            .index
            .apply_batch(&batch, &evaluate)
            .expect("an applied batch");
        assert!(
            results
                .iter()
                .all(|r| matches!(r.outcome, OperationOutcome::Succeeded { .. })),
            "{results:?}"
        );
    }

    /// The current state.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.index.snapshot()
    }

    /// The current state as whoever opens the index now sees it: nothing is remembered.
    pub(crate) fn opened_anew(&self) -> Snapshot {
        let generation = std::sync::Arc::clone(self.index.snapshot().generation());
        self.index.load(&generation).expect("a snapshot")
    }

    /// Merges all segments.
    pub(crate) fn compact(&self) {
        self.index.compact().expect("a merge");
    }
}
