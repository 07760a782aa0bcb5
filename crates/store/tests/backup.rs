//! Copies of a store, and rows carried from one store to another.

use serde_json::{Value, json};
use serval_store::{FinishedBatch, ImportedRows, NewTask, Store, StoreError, TaskFilter};

fn open() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(folder.path()).expect("a new store");
    (folder, store)
}

fn enqueue(store: &Store, new: Value, payload: Option<&str>) -> u32 {
    let new = NewTask {
        payload: payload.map(|text| text.as_bytes().to_vec()),
        ..serde_json::from_value(new).expect("a task")
    };
    store
        .write_wait(move |tx| tx.enqueue(&new))
        .expect("written")
        .uid
}

fn finish(store: &Store, task: u32) {
    let start = store.read_wait(|tx| tx.next_batch()).expect("read");
    let batch = json!({
        "uid": start.uid, "startedAt": start.started_at, "details": {"n": 1}, "stats": {"m": 2},
        "strategy": "s", "tasks": [{"uid": task, "status": "failed", "error": {"code": "c", "message": "m"}}],
    });
    let batch: FinishedBatch = serde_json::from_value(batch).expect("a batch");
    store
        .write_wait(move |tx| tx.finish_batch(&batch))
        .expect("written");
}

/// A store with an ended and two waiting tasks, a batch and records.
fn sample() -> (tempfile::TempDir, Store) {
    let (folder, store) = open();
    let swap = json!({"type": "indexSwap", "mentions": ["a", "b"], "details": {"swaps": []}});
    finish(&store, enqueue(&store, swap, None));
    let import = json!({"type": "documentAdditionOrUpdate", "indexUid": "a", "content": {"k": 1}, "customMetadata": "x"});
    enqueue(&store, import, Some("{\"id\":1}\n"));
    enqueue(&store, json!({"type": "snapshotCreation"}), None);
    store
        .write_wait(|tx| tx.put_record("keys", "k", "{\"a\":[1]}"))
        .expect("written");
    (folder, store)
}

fn shown(store: &Store) -> Value {
    let tasks = store.read_wait(|tx| tx.tasks(&TaskFilter::default()));
    let batches = store.read_wait(|tx| tx.batches(&TaskFilter::default()));
    json!([tasks.expect("read").results, batches.expect("read").results])
}

fn rows(store: &Store) -> ImportedRows {
    let (tasks, last) = store
        .read_wait(|tx| tx.dumped_tasks(None, 100, 10))
        .expect("read");
    assert_eq!(last, Some(2));
    let (batches, _) = store
        .read_wait(|tx| tx.dumped_batches(None, 10))
        .expect("read");
    let json = format!(
        "{{\"tasks\":[{}],\"batches\":[{}]}}",
        tasks.join(","),
        batches.join(",")
    );
    serde_json::from_str(&json).expect("rows")
}

#[test]
fn a_copy_holds_everything_but_the_snapshot_that_waits() {
    let (folder, store) = sample();
    let copied = folder.path().join("copy");
    std::fs::create_dir(&copied).expect("made");
    store
        .copy_to(&copied.join("server.sqlite"))
        .expect("copied");
    let copy = Store::open(&copied).expect("opens");
    let all = shown(&store);
    let kept: Vec<&Value> = all[0].as_array().expect("tasks")[1..].iter().collect();
    assert_eq!(shown(&copy)[0], json!(kept));
    assert_eq!(shown(&copy)[1], all[1]);
    assert_eq!(copy.read_wait(|tx| tx.next_task_uid()), Ok(3));
    let payload = copy.read_wait(|tx| tx.runnable_tasks(&[1])).expect("read");
    assert_eq!(payload[0].payload.as_deref(), Some("{\"id\":1}\n"));
    let twice = store.copy_to(&copied.join("server.sqlite"));
    assert!(twice.is_err(), "what is there is not overwritten");
}

#[test]
fn dumped_rows_make_the_same_store_again_and_uids_go_on() {
    let (_folder, store) = sample();
    let (_other_folder, other) = open();
    let rows = rows(&store);
    other
        .write_wait(move |tx| tx.import(&rows))
        .expect("imported");
    assert_eq!(shown(&other), shown(&store));
    let of_b: TaskFilter = serde_json::from_value(json!({"indexUids": ["b"]})).expect("a filter");
    let found = other.read_wait(move |tx| tx.matching_tasks(&of_b));
    assert_eq!(found.expect("read").n_uids(), 1);
    let content = other
        .read_wait(|tx| tx.queued_tasks(None, 10))
        .expect("read");
    assert_eq!(
        content[0].content.as_ref().map(|json| json.get()),
        Some("{\"k\":1}")
    );
    assert_eq!(enqueue(&other, json!({"type": "t"}), None), 3);
    assert_eq!(other.read_wait(|tx| tx.next_batch()).expect("read").uid, 1);
}

#[test]
fn pages_of_a_dump_follow_each_other_and_end_before_the_bound() {
    let (_folder, store) = open();
    for _ in 0..5 {
        enqueue(&store, json!({"type": "t"}), None);
    }
    let page = |after, before| {
        store
            .read_wait(move |tx| tx.dumped_tasks(after, before, 2))
            .expect("read")
    };
    assert_eq!(page(None, 4).1, Some(1));
    assert_eq!(page(Some(1), 4).1, Some(3));
    assert_eq!(page(Some(3), 4), (Vec::new(), None));
}

#[test]
fn rows_that_contradict_each_other_are_refused_and_leave_nothing() {
    let (_folder, store) = open();
    let task = |uid: u32, status: &str| json!({"uid": uid, "status": status, "type": "t", "enqueuedAt": "2024-01-01T00:00:00Z"});
    for tasks in [
        json!([task(0, "succeeded"), task(0, "failed")]),
        json!([task(0, "processing")]),
        json!([task(u32::MAX, "failed")]),
    ] {
        let rows: ImportedRows = serde_json::from_value(json!({"tasks": tasks})).expect("rows");
        let refused = store.write_wait(move |tx| tx.import(&rows));
        assert!(matches!(refused, Err(StoreError::Invalid(_))));
    }
    assert_eq!(store.read_wait(|tx| tx.n_tasks()), Ok(0));
}

#[test]
fn all_records_are_listed_by_namespace_and_key() {
    let (_folder, store) = sample();
    let records = store.read_wait(|tx| tx.all_records()).expect("read");
    assert_eq!(
        serde_json::to_value(records).expect("JSON"),
        json!([{"namespace": "keys", "key": "k", "value": {"a": [1]}}])
    );
}

#[test]
fn a_compacted_store_is_smaller_says_the_same_and_takes_writes() {
    let (folder, store) = sample();
    let long = "x".repeat(4000);
    for _ in 0..100 {
        let task = json!({"type": "dumpCreation", "details": {"text": long}});
        finish(&store, enqueue(&store, task, None));
    }
    let forgotten = json!({
        "uid": 101, "startedAt": "2024-01-01T00:00:00Z", "details": {}, "stats": {},
        "strategy": "s", "tasks": [], "forgottenTasks": [[3, 102]],
    });
    let batch: FinishedBatch = serde_json::from_value(forgotten).expect("a batch");
    store
        .write_wait(move |tx| tx.finish_batch(&batch))
        .expect("written");
    let before = shown(&store);
    let (old, new) = store.compact().expect("compacted");
    assert!(new.total < old.total, "{} of {}", new.total, old.total);
    assert_eq!(new.total, new.used);
    assert_eq!(shown(&store), before);
    enqueue(&store, json!({"type": "dumpCreation"}), None);
    let after = shown(&store);
    drop(store);
    let reopened = Store::open(folder.path()).expect("opens");
    assert_eq!(shown(&reopened), after);
}

/// Pages are lines in memory, and the settings among the details of a task may be as long as a body.
#[test]
fn a_dump_reads_few_tasks_at_once_where_they_are_long() {
    let (_folder, store) = open();
    let long = "x".repeat(10 << 20);
    for _ in 0..5 {
        let task = json!({"type": "settingsUpdate", "details": {"synonyms": {"a": [long]}}});
        enqueue(&store, task, None);
    }
    let mut uids = Vec::new();
    let mut after = None;
    loop {
        let page = store.read_wait(move |tx| tx.dumped_tasks(after, 100, 1000));
        let (lines, last) = page.expect("read");
        assert!(lines.len() <= 2, "{} tasks", lines.len());
        if last.is_none() {
            break;
        }
        for line in lines {
            let task: Value = serde_json::from_str(&line).expect("a task");
            uids.push(task["uid"].as_u64());
        }
        after = last;
    }
    assert_eq!(uids, (0..5).map(Some).collect::<Vec<_>>());
}
