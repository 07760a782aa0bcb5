//! The task queue. Its threads commit as many writes together as have come meanwhile, so each write
//! here waits for the one before: one commit for each.

use std::hint::black_box;

use serde_json::json;
use serval_store::{NewTask, Store, TaskFilter};

use crate::meter::Meter;

const TASKS: usize = 50;

/// Counts them.
pub(crate) fn count(meter: &mut Meter) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(folder.path()).expect("a new store");
    meter.repeat("queue.enqueue", || {
        for _ in 0..TASKS {
            let task = task();
            store
                .write_wait(move |tx| tx.enqueue(&task))
                .expect("written");
        }
    });
    meter.repeat("queue.list", || {
        for _ in 0..TASKS {
            let page = store.read_wait(|tx| tx.tasks(&TaskFilter::default()));
            black_box(page.expect("read"));
        }
    });
}

fn task() -> NewTask {
    let task = json!({
        "type": "documentAdditionOrUpdate",
        "indexUid": "films",
        "details": {"receivedDocuments": 1, "indexedDocuments": null},
        "content": {"method": "replace", "primaryKey": null},
    });
    NewTask {
        payload: Some(br#"{"id":1,"title":"a changed title"}"#.to_vec()),
        ..serde_json::from_value(task).expect("a task")
    }
}
