//! What stays after a close, a crash between writes, and a change of generation.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::{Index, IndexError};
use super::{Fixture, documents_of, evaluate, is_success, open, settings, small};
use crate::storage::document_codec::dictionary_path;

fn document(number: u32) -> Value {
    json!({"id": number, "title": format!("title {number}"), "tag": number % 3})
}

#[test]
fn a_snapshot_keeps_its_state_while_the_index_moves_on() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&[document(1), document(2)]);
    let before = fixture.index.snapshot();
    let state = documents_of(&before);
    fixture.apply(json!([{"type": "documentDeletion", "ids": ["1"]}]));
    fixture.apply(json!([settings(json!({"filterableAttributes": ["tag"]}))]));
    fixture.index.compact().expect("the merge succeeds");
    assert_eq!(documents_of(&before), state);
    assert!(before.contains_word("1"));
    assert!(!fixture.index.snapshot().contains_word("1"));
    assert_eq!(fixture.documents(), [(1, document(2))]);
}

#[test]
fn a_replaced_generation_goes_when_nobody_reads_it() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&[document(1)]);
    let before = fixture.index.snapshot();
    fixture.apply(json!([settings(json!({"filterableAttributes": ["tag"]}))]));
    assert!(fixture.path().join("000001").exists());
    drop(before);
    assert!(!fixture.path().join("000001").exists());
    assert!(fixture.path().join("000002").exists());
}

#[test]
fn a_rebuild_equals_an_index_that_had_the_settings_from_the_start() {
    let change = settings(json!({"stopWords": ["title"], "sortableAttributes": ["tag"]}));
    let documents: Vec<Value> = (0..300).map(document).collect();
    let early = Fixture::new(Some("id"));
    early.apply(json!([change]));
    early.add(&documents);
    let late = Fixture::new(Some("id"));
    late.add(&documents);
    late.apply(json!([change]));
    let (early, late) = (early.index.snapshot(), late.index.snapshot());
    assert_eq!(documents_of(&early), documents_of(&late));
    assert_eq!(early.meta().fields, late.meta().fields);
    assert_eq!(
        early.words_with_prefix("", 1000),
        late.words_with_prefix("", 1000)
    );
    let tag = early.field_id("tag").expect("seen");
    let column = |snapshot: &super::Snapshot| {
        snapshot
            .attribute(tag)
            .expect("faceted")
            .counts(snapshot.documents())
    };
    assert_eq!(column(&early), column(&late));
}

#[test]
fn a_crash_after_a_dictionary_and_before_its_commit_leaves_the_last_commit() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&[document(1)]);
    let generation = fixture.path().join("000001");
    fs::write(dictionary_path(&generation, 1), b"half a dictionary").expect("written");
    let orphan = generation.join("0123456789abcdef0123456789abcdef.idx");
    fs::write(&orphan, b"half a segment").expect("written");
    let unfinished = generation.join("meta.json.new");
    fs::write(&unfinished, b"half a commit").expect("written");
    let fixture = fixture.reopened();
    assert!(!orphan.exists() && !unfinished.exists());
    assert_eq!(fixture.documents(), [(0, document(1))]);
    fixture.add(&(1..300).map(document).collect::<Vec<_>>());
    let fixture = fixture.reopened();
    assert_eq!(fixture.documents().len(), 299);
}

#[test]
fn a_generation_left_half_built_is_removed() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&[document(1)]);
    let half = fixture.path().join("000002");
    fs::create_dir(&half).expect("created");
    fs::write(half.join("meta.json"), b"{").expect("written");
    let fixture = fixture.reopened();
    assert!(!half.exists());
    fixture.apply(json!([settings(json!({"stopWords": ["title"]}))]));
    assert_eq!(fixture.reopened().documents(), [(0, document(1))]);
}

#[test]
fn an_index_is_created_once_and_must_exist_to_be_opened() {
    let fixture = Fixture::new(Some("id"));
    let again = Index::create(&fixture.path(), None, small());
    assert!(matches!(again, Err(IndexError::Exists(_))));
    let missing = Index::open(&fixture.path().join("nowhere"), small());
    assert!(matches!(missing, Err(IndexError::Missing(_))));
}

#[test]
fn the_last_batch_is_known_after_a_reopening() {
    let fixture = Fixture::new(Some("id"));
    let results = fixture.apply(json!([
        super::replace(&[document(1)]),
        super::replace(&[json!({})])
    ]));
    let created = fixture.index.snapshot().meta().created_at.clone();
    let fixture = fixture.reopened();
    let snapshot = fixture.index.snapshot();
    let last = snapshot.meta().last_batch.clone().expect("committed");
    assert_eq!((last.uid, last.results), (1, results));
    assert_eq!(snapshot.meta().created_at, created);
}

#[test]
fn many_small_batches_end_in_few_segments() {
    let fixture = Fixture::new(Some("id"));
    for number in 0..30 {
        fixture.add(&[document(number % 20)]);
    }
    fixture.index.wait_for_merges().expect("merges succeed");
    assert!(fixture.index.snapshot().n_segments() <= 6);
    assert_eq!(fixture.documents().len(), 20);
    drop(fixture.index);
    assert_eq!(
        documents_of(&open(&fixture.directory.path().join("index")).snapshot()).len(),
        20
    );
}

#[test]
fn copied_files_open_as_the_same_index_and_hold_nothing_else() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&(0..50).map(document).collect::<Vec<_>>());
    let reader = fixture.index.snapshot();
    fixture.apply(json!([settings(json!({"filterableAttributes": ["tag"]}))]));
    fixture.apply(json!([{"type": "documentDeletion", "ids": ["7"]}]));
    let copy = tempfile::tempdir().expect("a temporary folder");
    let files = fixture
        .index
        .with_settled_files(|files| {
            for file in files {
                let target = copy.path().join(file);
                fs::create_dir_all(target.parent().expect("a folder"))?;
                fs::copy(fixture.index.path().join(file), target)?;
            }
            Ok(files.to_vec())
        })
        .expect("copied");
    let outside = files
        .iter()
        .filter(|file| !file.starts_with("000002") && file.to_str() != Some("CURRENT"));
    assert_eq!(outside.count(), 0, "{files:?}");
    drop(reader);
    assert_eq!(
        documents_of(&open(copy.path()).snapshot()),
        fixture.documents()
    );
    fixture.add(&[document(7)]);
    assert_eq!(fixture.documents().len(), 50);
}

#[test]
fn a_deletion_succeeds_where_a_crash_left_its_file() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&(0..30).map(document).collect::<Vec<_>>());
    let fixture = fixture.reopened();
    let copy = tempfile::tempdir().expect("a folder");
    let copied = copy.path().join("index");
    let generation = copied.join("000001");
    fs::create_dir_all(&generation).expect("a folder");
    let files = |job: &dyn Fn(&PathBuf)| {
        let settled = fixture.index.with_settled_files(|files| {
            files.iter().for_each(job);
            Ok(())
        });
        settled.expect("the files");
    };
    let take = |file: &PathBuf| {
        fs::copy(fixture.path().join(file), copied.join(file)).expect("a copy");
    };
    files(&take);
    let deletion = json!([{"type": "documentDeletion", "ids": ["3"]}]);
    fixture.apply(deletion.clone());
    let is_deletions = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "del");
    let n_left = std::cell::Cell::new(0);
    files(&|file| {
        if is_deletions(file) {
            n_left.set(n_left.get() + 1);
            take(file);
        }
    });
    assert_eq!(n_left.get(), 1);
    let index = open(&copied);
    let mut batch = json!({"batchUid": 9, "operations": deletion});
    batch["operations"][0]["taskUid"] = json!(9);
    let batch = serde_json::from_value(batch).expect("a batch");
    let results = index
        .apply_batch(&batch, &evaluate)
        .expect("the index works");
    assert!(is_success(&results[0]), "{results:?}");
    assert_eq!(documents_of(&index.snapshot()).len(), 29);
}
