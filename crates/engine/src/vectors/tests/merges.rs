//! Large merges of files of vectors run beside batches.

use serde_json::{Value, json};

use super::{Fixture, add, user_provided};
use crate::vectors::EmbedderFiles;

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
    let snapshot = fixture.index.snapshot();
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
fn a_large_merge_is_taken_over_by_the_next_commit_with_all_that_changed_meanwhile() {
    let fixture = with_merge_due();
    let before = named(&fixture);
    assert_eq!(before.len(), 4, "the batch did not wait for the merge");
    let answer = nearest(&fixture, 700);
    assert_eq!(answer[0], json!(700));
    fixture.index.wait_for_merges().expect("no failure");
    assert_eq!(named(&fixture), before, "nothing changes without a commit");
    // One document goes, one gets another vector, in the commit that takes the merge over.
    let replaced = json!({"id": 3, "_vectors": {"e": [vec![1; DIMENSIONS as usize]]}});
    let results = fixture.apply(&[
        json!({"type": "documentDeletion", "ids": ["1800"]}),
        add("replace", &[replaced]),
    ]);
    assert_eq!(results, [Ok(()), Ok(())]);
    let after = named(&fixture);
    assert_eq!(after.len(), 2, "four became one, and one is new");
    assert!(after.iter().all(|name| !before.contains(name)));
    let check = |fixture: &Fixture| {
        assert_eq!(nearest(fixture, 700), answer);
        assert!(!nearest(fixture, 1800).contains(&json!(1800)));
        assert_ne!(nearest(fixture, 3)[0], json!(3));
        let embedded = fixture.index.snapshot().vectors().embedded().len();
        assert_eq!(embedded as u32, 4 * ROWS - 1);
    };
    check(&fixture);
    assert_eq!(fixture.index.check().expect("checked").damaged, []);
    // Rows, statuses, and the folder of merges.
    assert_eq!(fixture.n_files(), 4);
    check(&fixture.reopened());
}

#[test]
fn a_merge_that_no_commit_took_over_leaves_nothing_when_the_index_is_opened_again() {
    let fixture = with_merge_due();
    fixture.index.wait_for_merges().expect("no failure");
    let before = named(&fixture);
    let fixture = fixture.reopened();
    assert_eq!(named(&fixture), before);
    assert_eq!(
        fixture.n_files(),
        5,
        "four files of rows and one of statuses"
    );
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
