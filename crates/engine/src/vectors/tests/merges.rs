//! Large merges of files of vectors run beside batches.

use std::cell::RefCell;

use serde_json::{Value, json};

use super::{Fixture, add, user_provided};
use crate::index::Snapshot;
use crate::vectors::EmbedderFiles;
use crate::vectors::index_vectors::directory_in;

const DIMENSIONS: u32 = 1024;
/// Rows of a batch: four batches are more than what a batch merges by itself.
const ROWS: u32 = 600;

/// Documents whose vectors all differ.
fn documents(ids: std::ops::Range<u32>, salt: u32) -> Vec<Value> {
    let vector = |id: u32| -> Vec<u32> {
        // None is all zeros, which would have no direction.
        let number = |at| 1 + (id + salt) * 31 % 97 + at * (id + salt) % 89;
        (0..DIMENSIONS).map(number).collect()
    };
    ids.map(|id| json!({"id": id, "_vectors": {"e": [vector(id)]}}))
        .collect()
}

/// Names of the files with rows that the last commit names.
fn named(fixture: &Fixture) -> Vec<String> {
    named_in(&fixture.index.snapshot())
}

fn named_in(snapshot: &Snapshot) -> Vec<String> {
    let files = snapshot.meta().vectors.embedders.get("e");
    let index = files.and_then(|files: &EmbedderFiles| files.index.as_ref());
    let names = index.expect("some vectors").file_names();
    names.map(str::to_owned).collect()
}

/// Four batches, after which a large merge is due.
fn with_merge_due() -> Fixture {
    let fixture = Fixture::new(user_provided(DIMENSIONS as usize));
    for batch in 0..4 {
        let ids = batch * ROWS..(batch + 1) * ROWS;
        fixture.succeed(add("replace", &documents(ids, 0)));
    }
    fixture
}

fn nearest(fixture: &Fixture, id: u32) -> Vec<Value> {
    let documents = documents(id..id + 1, 0);
    let vector = &documents[0]["_vectors"]["e"][0];
    fixture
        .ids(json!({"vector": vector, "hybrid": {"embedder": "e", "semanticRatio": 1}, "limit": 5}))
}

#[test]
fn a_large_merge_is_taken_in_when_it_ends_without_another_batch() {
    let fixture = with_merge_due();
    let answer = nearest(&fixture, 700);
    assert_eq!(answer[0], json!(700));
    let last_batch = fixture.index.snapshot().meta().last_batch.clone();
    fixture.index.wait_for_merges().expect("no failure");
    assert_eq!(named(&fixture).len(), 1, "four became one");
    assert_eq!(nearest(&fixture, 700), answer);
    assert_eq!(fixture.index.snapshot().meta().last_batch, last_batch);
    assert_eq!(fixture.index.check().expect("checked").damaged, []);
    let fixture = fixture.reopened();
    assert_eq!(named(&fixture).len(), 1);
    assert_eq!(fixture.n_files(), 2, "a file of rows and one of statuses");
    assert_eq!(nearest(&fixture, 700), answer);
}

#[test]
fn a_large_merge_is_taken_in_with_all_that_changes_meanwhile() {
    let fixture = with_merge_due();
    let answer = nearest(&fixture, 700);
    // One document goes, one gets another vector, before or after the merge is taken in.
    let replaced = json!({"id": 3, "_vectors": {"e": [vec![1; DIMENSIONS as usize]]}});
    let results = fixture.apply(&[
        json!({"type": "documentDeletion", "ids": ["1800"]}),
        add("replace", &[replaced]),
    ]);
    assert_eq!(results, [Ok(()), Ok(())]);
    fixture.index.wait_for_merges().expect("no failure");
    let check = |fixture: &Fixture| {
        assert_eq!(named(fixture).len(), 2, "four became one, and one is new");
        assert_eq!(nearest(fixture, 700), answer);
        assert!(!nearest(fixture, 1800).contains(&json!(1800)));
        assert_ne!(nearest(fixture, 3)[0], json!(3));
        let embedded = fixture.index.snapshot().vectors().embedded().len();
        assert_eq!(embedded as u32, 4 * ROWS - 1);
    };
    check(&fixture);
    assert_eq!(fixture.index.check().expect("checked").damaged, []);
    check(&fixture.reopened());
}

#[test]
fn a_batch_that_runs_when_a_large_merge_ends_takes_it_in_with_its_own_commit() {
    let fixture = Fixture::new(user_provided(DIMENSIONS as usize));
    for batch in 0..3 {
        let ids = batch * ROWS..(batch + 1) * ROWS;
        fixture.succeed(add("replace", &documents(ids, 0)));
    }
    // The batch is held until the merge that its first part makes due has ended.
    let mut first = add("replace", &documents(3 * ROWS..4 * ROWS, 0));
    first["taskUid"] = json!(1);
    let second = json!({"taskUid": 2, "type": "documentDeletion", "filter": "id = 1"});
    let batch = json!({"batchUid": 77, "operations": [first, second]});
    let batch = serde_json::from_value(batch).expect("a batch");
    let before = RefCell::default();
    let hold = |snapshot: &Snapshot, _: &Value| {
        before.replace(named_in(snapshot));
        while !fixture.index.vector_merges().has_ended() {
            std::thread::yield_now();
        }
        let first = snapshot.find("1").expect("read");
        Ok(first.into_iter().collect())
    };
    fixture.index.apply_batch(&batch, &hold).expect("applied");
    let (before, after) = (before.take(), named(&fixture));
    assert_eq!((before.len(), after.len()), (4, 2), "one and the deletion");
    assert!(after.iter().all(|name| !before.contains(name)));
    fixture.index.wait_for_merges().expect("no failure");
    assert!(!nearest(&fixture, 1).contains(&json!(1)));
    assert_eq!(nearest(&fixture, 700)[0], json!(700));
}

#[test]
fn what_a_merge_left_in_a_crash_goes_when_the_index_is_opened_again() {
    let fixture = with_merge_due();
    fixture.index.wait_for_merges().expect("no failure");
    let snapshot = fixture.index.snapshot();
    let left = directory_in(snapshot.generation().path()).join(".merging/left-over");
    std::fs::write(&left, "rows").expect("written");
    drop(snapshot);
    let fixture = fixture.reopened();
    assert!(!left.exists());
    assert_eq!(fixture.n_files(), 2, "a file of rows and one of statuses");
}

#[test]
fn an_index_that_is_closed_while_a_large_merge_runs_is_opened_as_it_was() {
    let fixture = with_merge_due().reopened();
    assert!([1, 4].contains(&named(&fixture).len()));
    assert_eq!(fixture.n_files(), named(&fixture).len() + 1);
    assert_eq!(nearest(&fixture, 700)[0], json!(700));
}

#[test]
fn a_merge_of_a_generation_that_is_replaced_is_forgotten() {
    let fixture = with_merge_due();
    let settings = json!({"stopWords": ["the"]});
    fixture.succeed(json!({"type": "settingsUpdate", "settings": settings}));
    fixture.index.wait_for_merges().expect("no failure");
    fixture.succeed(add("replace", &documents(0..2, 5)));
    fixture.index.wait_for_merges().expect("no failure");
    assert_eq!(fixture.index.check().expect("checked").damaged, []);
    assert_eq!(nearest(&fixture, 700)[0], json!(700));
}
