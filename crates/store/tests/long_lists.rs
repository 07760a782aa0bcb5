//! Long lists of what tasks are asked for: scattered uids, as those of one of several indexes are, and
//! the indexes that a key may see.

mod support;

use serde_json::json;
use serval_store::{NewTask, TaskFilter, UidRanges};
use support::{enqueue, finished, open};

const N_TASKS: u32 = 30_000;

/// Every other task of a long history can be named, found and forgotten.
#[test]
fn scattered_tasks_are_found_and_forgotten() {
    let (_folder, store) = open();
    store
        .write_wait(|tx| {
            let new = NewTask::of_kind("documentAdditionOrUpdate");
            (0..N_TASKS).try_for_each(|_| tx.enqueue(&new).map(drop))
        })
        .expect("writable");
    let done: Vec<_> = (0..N_TASKS)
        .map(|uid| json!({ "uid": uid, "status": "succeeded" }))
        .collect();
    finished(&store, json!({ "tasks": done })).expect("a batch that ends");

    let chosen = UidRanges::from_uids((0..N_TASKS).step_by(2).collect());
    let filter = TaskFilter {
        uid_ranges: Some(chosen.clone()),
        ..TaskFilter::default()
    };
    let found = store.read_wait(move |tx| tx.matching_tasks(&filter));
    assert_eq!(found.as_ref(), Ok(&chosen));

    finished(&store, json!({ "forgottenTasks": chosen })).expect("a batch that ends");
    assert_eq!(
        store.read_wait(|tx| tx.n_tasks()),
        Ok(u64::from(N_TASKS / 2))
    );
}

/// A key may see more indexes than SQLite takes levels of an expression.
#[test]
fn tasks_of_thousands_of_visible_indexes_are_listed() {
    let (_folder, store) = open();
    for index in ["index-1", "index-1999", "other"] {
        enqueue(&store, "documentAdditionOrUpdate", Some(index));
    }
    let filter = TaskFilter {
        visible_indexes: Some((0..5000).map(|n| format!("index-{n}")).collect()),
        ..TaskFilter::default()
    };
    let page = store.read_wait(move |tx| tx.tasks(&filter));
    let uids: Vec<u32> = page
        .expect("a page")
        .results
        .iter()
        .map(|task| task.uid)
        .collect();
    assert_eq!(uids, [1, 0]);
}
