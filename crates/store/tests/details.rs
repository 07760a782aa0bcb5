//! Pages of tasks and batches with long contents, and the details that a batch takes from its tasks.

mod support;

use serde_json::json;
use serval_store::{BatchStart, CurrentBatch, NewTask, Store, TaskFilter};
use support::{enqueue, finished, open};

fn enqueue_five(store: &Store, new: &NewTask) {
    for _ in 0..5 {
        let new = new.clone();
        let enqueued = store.write_wait(move |tx| tx.enqueue(&new));
        enqueued.expect("writable");
    }
}

#[test]
fn pages_of_waiting_tasks_are_bounded_by_their_contents_and_leave_none_out() {
    let (_folder, store) = open();
    let text = serde_json::value::to_raw_value(&"x".repeat(6 << 20)).expect("JSON");
    let new = NewTask {
        content: Some(text),
        ..NewTask::of_kind("documentDeletion")
    };
    enqueue_five(&store, &new);
    let page = |after| {
        let queued = store.read_wait(move |tx| tx.queued_tasks(after, 1000));
        let uids = queued.expect("readable").into_iter().map(|task| task.uid);
        uids.collect::<Vec<_>>()
    };
    assert_eq!(page(None), [0, 1, 2]);
    assert_eq!(page(Some(2)), [3, 4]);
    assert_eq!(page(Some(4)), [0; 0]);
}

#[test]
fn pages_of_tasks_with_very_long_details_end_early_and_lead_to_the_next() {
    let (_folder, store) = open();
    let text = serde_json::value::to_raw_value(&"x".repeat(70 << 20)).expect("JSON");
    let new = NewTask {
        details: Some(text),
        ..NewTask::of_kind("settingsUpdate")
    };
    enqueue_five(&store, &new);
    let page = |from: Option<u32>| {
        let filter = TaskFilter {
            from,
            reverse: true,
            ..TaskFilter::default()
        };
        let page = store.read_wait(move |tx| tx.tasks(&filter));
        let page = page.expect("readable");
        let uids: Vec<u32> = page.results.iter().map(|task| task.uid).collect();
        (uids, page.next, page.total)
    };
    assert_eq!(page(None), (vec![0, 1], Some(2), 5));
    assert_eq!(page(Some(2)), (vec![2, 3], Some(4), 5));
    assert_eq!(page(Some(4)), (vec![4], None, 5));
}

#[test]
fn pages_of_batches_with_very_long_details_end_early_and_lead_to_the_next() {
    let (_folder, store) = open();
    let details = json!({ "stopWords": "x".repeat(70 << 20) });
    for uid in 0..3 {
        enqueue(&store, "settingsUpdate", None);
        let tasks = json!([{ "uid": uid, "status": "succeeded" }]);
        finished(&store, json!({ "details": details, "tasks": tasks })).expect("it fits");
    }
    enqueue(&store, "settingsUpdate", None);
    let start: BatchStart = store.read_wait(|tx| tx.next_batch()).expect("readable");
    let empty = serde_json::value::to_raw_value(&json!({})).expect("JSON");
    let running = CurrentBatch::new(start, vec![3], &empty, &empty, "s");
    store.set_current(Some(running));
    let page = |from: Option<u32>, reverse| {
        let filter = TaskFilter {
            from,
            reverse,
            ..TaskFilter::default()
        };
        let page = store.read_wait(move |tx| tx.batches(&filter));
        let page = page.expect("readable");
        let uids: Vec<u32> = page.results.iter().map(|batch| batch.uid).collect();
        (uids, page.next, page.total)
    };
    assert_eq!(page(None, false), (vec![3, 2, 1], Some(0), 4));
    assert_eq!(page(Some(0), false), (vec![0], None, 4));
    assert_eq!(page(None, true), (vec![0, 1], Some(2), 4));
    assert_eq!(page(Some(2), true), (vec![2, 3], None, 4));
}

fn batches_details(store: &Store) -> Vec<String> {
    let page = store.read_wait(|tx| tx.batches(&TaskFilter::default()));
    let batches = page.expect("readable").results.into_iter();
    batches
        .map(|batch| batch.details.get().to_owned())
        .collect()
}

#[test]
fn details_of_a_batch_are_taken_from_tasks_behind_those_that_are_given() {
    let (_folder, store) = open();
    for details in [r#"{"a":[1, 2],"b":null}"#, r#"{"a":"x","c":{}}"#] {
        let new = NewTask {
            details: serde_json::from_str(details).expect("JSON"),
            ..NewTask::of_kind("settingsUpdate")
        };
        let enqueued = store.write_wait(move |tx| tx.enqueue(&new));
        enqueued.expect("writable");
    }
    let taken = json!([["b", 0], ["a", 1], ["missing", 1], ["c", 7]]);
    finished(&store, json!({"takenDetails": taken})).expect("the end of a batch");
    let both = json!({"details": {"counted": 1}, "takenDetails": [["a", 0], ["c", 1]]});
    finished(&store, both).expect("the end of a batch");
    assert_eq!(
        batches_details(&store),
        [
            r#"{"counted":1,"a":[1, 2],"c":{}}"#,
            r#"{"b":null,"a":"x"}"#
        ]
    );
}

#[test]
fn details_come_with_a_task_that_is_run_or_ended_unless_it_changes_settings() {
    let (_folder, store) = open();
    for kind in ["documentDeletion", "settingsUpdate"] {
        let new = NewTask {
            details: serde_json::from_str(r#"{"n":1}"#).expect("JSON"),
            ..NewTask::of_kind(kind)
        };
        let enqueued = store.write_wait(move |tx| tx.enqueue(&new));
        enqueued.expect("writable");
    }
    let known = [Some(r#"{"n":1}"#.to_owned()), None];
    let text = |raw: Box<serde_json::value::RawValue>| raw.get().to_owned();
    let run = store.read_wait(|tx| tx.runnable_tasks(&[0, 1, 2]));
    let run = run.expect("readable").into_iter();
    assert_eq!(
        run.map(|task| task.details.map(text)).collect::<Vec<_>>(),
        known
    );
    let ended = store.read_wait(|tx| tx.endable_tasks(&[0, 1, 2]));
    let ended = ended.expect("readable").into_iter();
    assert_eq!(
        ended.map(|task| task.details.map(text)).collect::<Vec<_>>(),
        known
    );
}
