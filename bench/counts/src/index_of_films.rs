//! An index in a folder of its own, and the batches that change it.

use serde_json::{Value, json};
use serval_engine::batch::{Batch, OperationError};
use serval_engine::docset::DocSet;
use serval_engine::index::{Index, IndexOptions, Snapshot};
use tempfile::TempDir;

/// An index that goes away with its folder.
pub(crate) struct IndexOfFilms {
    pub(crate) index: Index,
    _folder: TempDir,
}

impl IndexOfFilms {
    /// An empty index with the settings that the operations need.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let index = Index::create(folder.path(), Some("id"), IndexOptions::default());
        let films = Self {
            index: index.expect("a new index"),
            _folder: folder,
        };
        // Under valgrind a search takes long; one that is cut off by time would do less.
        films.change(&json!({
            "searchCutoffMs": 3_600_000,
            "searchableAttributes": ["title", "overview", "genres"],
            "filterableAttributes": ["genres", "year", "decade", "_geo"],
            "sortableAttributes": ["year", "title", "_geo"],
            "embedders": {"plain": {"source": "userProvided", "dimensions": 16}},
        }));
        films
    }

    /// Adds documents or replaces them, and waits for merges that this asks for.
    pub(crate) fn add(&self, lines: &[String]) {
        let payload = json!({"inline": lines.join("\n")});
        self.apply(
            json!({"type": "documentAdditionOrUpdate", "method": "replace", "payload": payload}),
        );
    }

    /// Deletes documents.
    pub(crate) fn delete(&self, ids: &[String]) {
        self.apply(json!({"type": "documentDeletion", "ids": ids}));
    }

    /// Changes settings.
    pub(crate) fn change(&self, settings: &Value) {
        self.apply(json!({"type": "settingsUpdate", "settings": settings}));
    }

    fn apply(&self, mut operation: Value) {
        operation["taskUid"] = json!(1);
        let batch = json!({"batchUid": 1, "operations": [operation]});
        let batch: Batch = serde_json::from_value(batch).expect("a batch");
        let results = self.index.apply_batch(&batch, &no_filter).expect("applied");
        let failed = serde_json::to_value(&results).expect("JSON")[0]["error"].clone();
        assert!(failed.is_null(), "{failed}");
        self.index.wait_for_merges().expect("merged");
    }
}

fn no_filter(_: &Snapshot, _: &Value) -> Result<DocSet, OperationError> {
    Ok(DocSet::empty())
}
