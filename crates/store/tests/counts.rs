//! Numbers of tasks.

use serde_json::json;
use serde_json::value::RawValue;
use serval_store::{CurrentBatch, NewTask, Store};

fn enqueue(store: &Store, kind: &str, index_uid: Option<&str>) {
    let new = NewTask {
        index_uid: index_uid.map(ToOwned::to_owned),
        ..NewTask::of_kind(kind)
    };
    store
        .write_wait(move |tx| tx.enqueue(&new))
        .expect("writable");
}

#[test]
fn tasks_are_counted_by_status_kind_and_index_and_those_that_run_apart() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(folder.path()).expect("a new store");
    let counts = |store: &Store| {
        let counts = store.read_wait(|tx| tx.task_counts()).expect("readable");
        serde_json::to_value(counts).expect("JSON")
    };
    let nothing = json!({ "statuses": {}, "types": {}, "indexes": {} });
    assert_eq!(counts(&store), nothing);

    enqueue(&store, "indexCreation", Some("a"));
    enqueue(&store, "settingsUpdate", Some("a"));
    enqueue(&store, "dumpCreation", None);
    let kinds = json!({ "indexCreation": 1, "settingsUpdate": 1, "dumpCreation": 1 });
    let waiting = json!({ "statuses": { "enqueued": 3 }, "types": kinds, "indexes": { "a": 2 } });
    assert_eq!(counts(&store), waiting);

    let start = store.read_wait(|tx| tx.next_batch()).expect("readable");
    let empty = RawValue::from_string("{}".to_owned()).expect("JSON");
    store.set_current(Some(CurrentBatch::new(
        start,
        vec![0, 1],
        &empty,
        &empty,
        "s",
    )));
    assert_eq!(
        counts(&store)["statuses"],
        json!({ "enqueued": 1, "processing": 2 })
    );
}
