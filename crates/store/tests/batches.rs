//! The end of a batch, the registry, history, records and the lock.

mod support;

use serde_json::json;
use serval_store::{BatchStart, CurrentBatch, NewTask, Store, StoreError, TaskFilter};
use support::{enqueue, finished, open};

fn uids(store: &Store, filter: serde_json::Value) -> Vec<u32> {
    let filter: TaskFilter = serde_json::from_value(filter).expect("a filter");
    let page = store
        .read_wait(move |tx| tx.tasks(&filter))
        .expect("readable");
    page.results.iter().map(|task| task.uid).collect()
}

#[test]
fn a_second_store_on_the_same_folder_is_refused_until_the_first_is_closed() {
    let (folder, mut store) = open();
    let refused = Store::open(folder.path()).map(drop);
    assert!(matches!(refused, Err(StoreError::Locked(_))));
    store.close();
    assert_eq!(store.read_wait(|tx| tx.n_tasks()), Err(StoreError::Closed));
    Store::open(folder.path()).expect("free again");
}

#[test]
fn a_failed_or_crashed_command_leaves_no_trace_and_does_not_harm_its_group() {
    let (_folder, store) = open();
    let failed = store.write_wait(|tx| -> Result<(), StoreError> {
        tx.enqueue(&NewTask::of_kind("lost"))?;
        Err(StoreError::Invalid("no".into()))
    });
    assert_eq!(failed, Err(StoreError::Invalid("no".into())));
    let crashed = store.write_wait(|tx| -> Result<(), StoreError> {
        tx.enqueue(&NewTask::of_kind("lost"))?;
        panic!("ouch");
    });
    assert_eq!(crashed, Err(StoreError::Crashed("ouch".into())));
    assert_eq!(
        enqueue(&store, "kept", None).uid,
        0,
        "the uid was given back"
    );
    assert_eq!(store.read_wait(|tx| tx.n_tasks()), Ok(1));
}

#[test]
fn a_batch_ends_whole_or_not_at_all() {
    let (_folder, store) = open();
    enqueue(&store, "x", Some("a"));
    let create = json!({ "op": "create", "uid": "a", "directory": "d", "primaryKey": null });
    let outcome = json!({ "uid": 0, "status": "succeeded", "details": { "n": 1 } });
    let unknown = json!({ "uid": 7, "status": "succeeded" });
    let refused = finished(
        &store,
        json!({ "tasks": [outcome, unknown], "registry": [create] }),
    );
    assert!(matches!(refused, Err(StoreError::Invalid(_))));
    assert_eq!(store.read_wait(|tx| tx.indexes()), Ok(vec![]));
    assert_eq!(
        store.read_wait(|tx| tx.next_batch().map(|start| start.uid)),
        Ok(0)
    );

    finished(&store, json!({ "tasks": [outcome], "registry": [create] })).expect("it fits");
    let task = store
        .read_wait(|tx| tx.task(0))
        .expect("readable")
        .expect("there");
    assert_eq!(
        (task.status.as_str(), task.batch_uid),
        ("succeeded", Some(0))
    );
    assert!(task.duration.is_some());
    let index = store
        .read_wait(|tx| tx.index("a"))
        .expect("readable")
        .expect("there");
    assert_eq!(index.created_at, index.updated_at);
    assert_eq!(Some(index.created_at), task.finished_at);
    let again = finished(&store, json!({ "tasks": [outcome] }));
    assert!(
        matches!(again, Err(StoreError::Invalid(_))),
        "an ended task does not end again"
    );
}

#[test]
fn the_running_batch_is_laid_over_the_answers() {
    let (_folder, store) = open();
    for kind in ["x", "x", "y"] {
        enqueue(&store, kind, Some("a"));
    }
    let start: BatchStart = store.read_wait(|tx| tx.next_batch()).expect("readable");
    let object = serde_json::value::RawValue::from_string("{}".into()).expect("JSON");
    store.set_current(Some(CurrentBatch::new(
        start,
        vec![1, 0],
        &object,
        &object,
        "s",
    )));

    assert_eq!(uids(&store, json!({ "statuses": ["processing"] })), [1, 0]);
    assert_eq!(uids(&store, json!({ "statuses": ["enqueued"] })), [2]);
    assert_eq!(
        uids(&store, json!({ "statuses": ["enqueued", "processing"] })),
        [2, 1, 0]
    );
    assert_eq!(uids(&store, json!({ "batchUids": [0] })), [1, 0]);
    assert_eq!(
        uids(&store, json!({ "afterStartedAt": "2000-01-01T00:00:00Z" })),
        [1, 0]
    );
    assert_eq!(
        uids(&store, json!({ "afterStartedAt": "2200-01-01T00:00:00Z" })),
        [] as [u32; 0]
    );
    let batches = |filter: serde_json::Value| {
        let filter: TaskFilter = serde_json::from_value(filter).expect("a filter");
        store
            .read_wait(move |tx| tx.batches(&filter))
            .expect("readable")
            .total
    };
    assert_eq!(batches(json!({})), 1);
    assert_eq!(batches(json!({ "types": ["y"] })), 0);
    assert_eq!(batches(json!({ "uids": [1], "indexUids": ["a"] })), 1);
    assert_eq!(batches(json!({ "statuses": ["enqueued"] })), 0);
    store.set_current(None);
    assert_eq!(batches(json!({})), 0);
    assert_eq!(
        uids(&store, json!({ "statuses": ["processing"] })),
        [] as [u32; 0]
    );
}

#[test]
fn a_swap_carries_the_older_history_with_it() {
    let (_folder, store) = open();
    enqueue(&store, "x", Some("a"));
    enqueue(&store, "x", Some("b"));
    let details = json!({ "swaps": [{ "indexes": ["a", "c"], "rename": false }] }).to_string();
    let old_swap = NewTask {
        mentions: vec!["a".into(), "c".into()],
        details: serde_json::value::RawValue::from_string(details).ok(),
        ..NewTask::of_kind("indexSwap")
    };
    store
        .write_wait(move |tx| tx.enqueue(&old_swap))
        .expect("writable");
    enqueue(&store, "indexSwap", None);
    enqueue(&store, "x", Some("a"));
    let create = |uid| json!({ "op": "create", "uid": uid, "directory": uid, "primaryKey": null });
    let swap = json!({ "op": "swap", "a": "a", "b": "b", "beforeTask": 3 });
    finished(
        &store,
        json!({ "registry": [create("a"), create("b"), swap] }),
    )
    .expect("it fits");

    assert_eq!(uids(&store, json!({ "indexUids": ["a"] })), [4, 1]);
    assert_eq!(uids(&store, json!({ "indexUids": ["b"] })), [0]);
    let task = store
        .read_wait(|tx| tx.task(2))
        .expect("readable")
        .expect("there");
    let details = task.details.expect("kept");
    assert_eq!(
        details.get(),
        r#"{"swaps":[{"indexes":["b","c"],"rename":false}]}"#
    );
    let index = store
        .read_wait(|tx| tx.index("a"))
        .expect("readable")
        .expect("there");
    assert_eq!(index.directory, "b");
}

#[test]
fn forgetting_spares_what_has_not_ended_and_drops_empty_batches() {
    let (_folder, store) = open();
    for _ in 0..4 {
        enqueue(&store, "x", Some("a"));
    }
    let done = |uid| json!({ "uid": uid, "status": "succeeded" });
    finished(&store, json!({ "tasks": [done(0), done(1)] })).expect("it fits");
    finished(
        &store,
        json!({ "tasks": [done(2)], "forgottenTasks": [[0, 3]] }),
    )
    .expect("it fits");

    assert_eq!(uids(&store, json!({})), [3], "the one that waits stays");
    let batch = store.read_wait(|tx| tx.batch(0)).expect("readable");
    assert!(batch.is_none());
    assert_eq!(enqueue(&store, "x", None).uid, 4, "uids are not used again");
}

#[test]
fn tasks_of_hidden_indexes_are_not_seen() {
    let (_folder, store) = open();
    enqueue(&store, "x", Some("ab"));
    enqueue(&store, "x", Some("b"));
    let swap = NewTask {
        mentions: vec!["ab".into(), "b".into()],
        ..NewTask::of_kind("indexSwap")
    };
    store
        .write_wait(move |tx| tx.enqueue(&swap))
        .expect("writable");
    enqueue(&store, "taskDeletion", None);

    assert_eq!(uids(&store, json!({ "visibleIndexes": ["a*"] })), [0]);
    assert_eq!(uids(&store, json!({ "visibleIndexes": ["*"] })), [1, 0]);
    assert_eq!(
        uids(&store, json!({ "visibleIndexes": [] })),
        [] as [u32; 0]
    );
    assert_eq!(
        uids(
            &store,
            json!({ "visibleIndexes": ["b"], "indexUids": ["ab"] })
        ),
        [] as [u32; 0]
    );
}

#[test]
fn records_are_kept_by_namespace_and_key() {
    let (folder, mut store) = open();
    store
        .write_wait(|tx| tx.put_record("keys", "b", "1"))
        .expect("writable");
    store
        .write_wait(|tx| tx.put_record("keys", "a", "2"))
        .expect("writable");
    store
        .write_wait(|tx| tx.put_record("keys", "b", "3"))
        .expect("writable");
    store
        .write_wait(|tx| tx.put_record("hooks", "a", "4"))
        .expect("writable");
    store.close();
    let store = Store::open(folder.path()).expect("free again");
    let records = store.read_wait(|tx| tx.records("keys")).expect("readable");
    assert_eq!(
        records,
        [("a".into(), "2".into()), ("b".into(), "3".into())]
    );
    assert_eq!(
        store.write_wait(|tx| tx.delete_record("keys", "a")),
        Ok(true)
    );
    assert_eq!(
        store.write_wait(|tx| tx.delete_record("keys", "a")),
        Ok(false)
    );
    assert_eq!(store.read_wait(|tx| tx.record("keys", "a")), Ok(None));
}

#[test]
fn failed_tasks_that_are_reopened_wait_again_and_their_batch_has_never_been() {
    let (_folder, store) = open();
    let (kept, first, second) = (
        enqueue(&store, "indexCreation", Some("a")),
        enqueue(&store, "upgradeDatabase", None),
        enqueue(&store, "upgradeDatabase", None),
    );
    let failed = |uid: u32| json!({"uid": uid, "status": "failed", "error": {"code": "internal"}});
    finished(&store, json!({"tasks": [failed(kept.uid)]})).expect("ended");
    finished(
        &store,
        json!({"tasks": [failed(first.uid), failed(second.uid)]}),
    )
    .expect("ended");
    let n_reopened = store.write_wait(|tx| tx.reopen_failed("upgradeDatabase"));
    assert_eq!(n_reopened, Ok(2));
    assert_eq!(uids(&store, json!({"statuses": ["enqueued"]})), [2, 1]);
    assert_eq!(uids(&store, json!({"statuses": ["failed"]})), [0]);
    let next = store.read_wait(|tx| tx.next_batch()).expect("readable");
    assert_eq!(next.uid, 1);
    let succeeded = json!({"uid": 1, "status": "succeeded"});
    finished(&store, json!({"tasks": [succeeded]})).expect("ended");
    let none = store.write_wait(|tx| tx.reopen_failed("upgradeDatabase"));
    assert_eq!(none, Ok(0));
    let next = store.read_wait(|tx| tx.next_batch()).expect("readable");
    assert_eq!(next.uid, 2);
}

#[test]
fn a_batch_is_never_given_the_uid_of_a_later_one_by_reopening() {
    let (_folder, store) = open();
    let upgrade = enqueue(&store, "upgradeDatabase", None);
    let other = enqueue(&store, "indexCreation", Some("a"));
    let failed = json!({"uid": upgrade.uid, "status": "failed", "error": {"code": "internal"}});
    finished(&store, json!({"tasks": [failed]})).expect("ended");
    finished(
        &store,
        json!({"tasks": [{"uid": other.uid, "status": "succeeded"}]}),
    )
    .expect("ended");
    let n_reopened = store.write_wait(|tx| tx.reopen_failed("upgradeDatabase"));
    assert_eq!(n_reopened, Ok(1));
    let next = store.read_wait(|tx| tx.next_batch()).expect("readable");
    assert_eq!(next.uid, 2);
}
