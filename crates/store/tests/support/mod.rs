//! A store to try, and tasks and batches in it.

use serde_json::json;
use serval_store::{FinishedBatch, NewTask, Store, StoreError, Task};

pub(crate) fn open() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(folder.path()).expect("a new store");
    (folder, store)
}

pub(crate) fn enqueue(store: &Store, kind: &str, index_uid: Option<&str>) -> Task {
    let index_uid = index_uid.map(ToOwned::to_owned);
    let new = NewTask {
        index_uid,
        ..NewTask::of_kind(kind)
    };
    store
        .write_wait(move |tx| tx.enqueue(&new))
        .expect("writable")
}

pub(crate) fn finished(store: &Store, json: serde_json::Value) -> Result<(), StoreError> {
    let start = store.read_wait(|tx| tx.next_batch())?;
    let mut batch = json!({
        "uid": start.uid, "startedAt": start.started_at, "details": {}, "stats": {},
        "strategy": "s", "tasks": [], "registry": [],
    });
    for (key, value) in json.as_object().expect("an object") {
        batch[key] = value.clone();
    }
    let batch: FinishedBatch = serde_json::from_value(batch).expect("a batch");
    store
        .write_wait(move |tx| tx.finish_batch(&batch))
        .map(drop)
}
