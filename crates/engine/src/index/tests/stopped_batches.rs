//! Batches that are asked to stop.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::super::IndexError;
use super::{Fixture, evaluate, lines, replace, settings};
use crate::batch::{Batch, OperationResult};
use crate::index::BatchStep;

fn documents(n: u32) -> Vec<Value> {
    let document = |id| json!({"id": id, "title": format!("title {id} of many words"), "n": id});
    (0..n).map(document).collect()
}

fn batch(uid: u64, mut operations: Value) -> Batch {
    for operation in operations.as_array_mut().expect("a list") {
        operation["taskUid"] = json!(uid);
    }
    serde_json::from_value(json!({"batchUid": uid, "operations": operations})).expect("a batch")
}

/// Applies a batch that stops at the first place that `is_time` says.
pub(super) fn stopped_when(
    fixture: &Fixture,
    operations: Value,
    is_time: impl Fn(BatchStep, u64) -> bool + Send + 'static,
) -> Result<Vec<OperationResult>, IndexError> {
    fixture.index.control().stop_once(Box::new(is_time));
    fixture
        .index
        .apply_batch(&batch(1000, operations), &evaluate)
}

/// Applies a batch and asks it to stop some time after it entered a step, or too late.
fn stopped_after(
    fixture: &Fixture,
    operations: Value,
    wanted: BatchStep,
) -> Result<Vec<OperationResult>, IndexError> {
    let batch = batch(1000, operations);
    let is_done = AtomicBool::new(false);
    let index = &fixture.index;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let progress = index.batch_progress();
                if progress.is_some_and(|at| at.step == wanted) {
                    index.abort_batch(1000);
                    return;
                }
                std::thread::yield_now();
            }
        });
        let results = index.apply_batch(&batch, &evaluate);
        is_done.store(true, Ordering::Relaxed);
        results
    })
}

#[test]
fn a_batch_stopped_while_it_indexes_leaves_nothing() {
    let mut fixture = Fixture::new(Some("id"));
    fixture.add(&documents(10));
    let before = fixture.documents();
    let meta = fixture.index.snapshot().meta().clone();
    let many = documents(20_000);
    let is_time = |step, finished| step == BatchStep::ExtractingDocuments && finished > 500;
    let results = stopped_when(&fixture, json!([replace(&many)]), is_time);
    assert!(matches!(results, Err(IndexError::Aborted)), "{results:?}");
    assert!(fixture.index.batch_progress().is_none());
    assert_eq!(fixture.documents(), before);
    assert_eq!(fixture.index.snapshot().meta().last_batch, meta.last_batch);
    fixture = fixture.reopened();
    assert_eq!(fixture.documents(), before);
    fixture.add(&many[..300]);
    assert_eq!(fixture.documents().len(), 300);
}

#[test]
fn a_batch_can_be_stopped_before_it_begins_and_only_that_one() {
    let fixture = Fixture::new(Some("id"));
    fixture.index.abort_batch(7);
    let other = batch(6, json!([replace(&documents(1))]));
    fixture
        .index
        .apply_batch(&other, &evaluate)
        .expect("not asked to stop");
    let wanted = batch(7, json!([replace(&documents(5))]));
    let results = fixture.index.apply_batch(&wanted, &evaluate);
    assert!(matches!(results, Err(IndexError::Aborted)), "{results:?}");
    assert_eq!(fixture.documents().len(), 1);
    fixture
        .index
        .apply_batch(&wanted, &evaluate)
        .expect("asked once only");
    assert_eq!(fixture.documents().len(), 5);
}

#[test]
fn a_rebuild_that_is_stopped_changes_no_setting() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&documents(5_000));
    let change = settings(json!({"stopWords": ["title"]}));
    let is_time = |step, finished| step == BatchStep::ExtractingDocuments && finished > 100;
    let results = stopped_when(&fixture, json!([change]), is_time);
    assert!(matches!(results, Err(IndexError::Aborted)), "{results:?}");
    let snapshot = fixture.index.snapshot();
    assert!(snapshot.settings().stop_words.is_empty());
    assert!(snapshot.contains_word("title"));
    assert!(!fixture.path().join("000002").exists());
    fixture.apply(json!([change]));
    assert!(!fixture.index.snapshot().contains_word("title"));
}

#[test]
fn a_rebuild_that_is_stopped_while_it_commits_leaves_no_files() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&documents(500));
    let change = settings(json!({"stopWords": ["title"]}));
    let is_time = |step, _| step == BatchStep::WritingSegments;
    let results = stopped_when(&fixture, json!([change]), is_time);
    assert!(matches!(results, Err(IndexError::Aborted)), "{results:?}");
    assert!(!fixture.path().join("000002").exists());
    fixture.apply(json!([change]));
    assert!(!fixture.index.snapshot().contains_word("title"));
}

#[test]
fn an_edition_that_is_stopped_has_not_failed() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&documents(50));
    let before = fixture.documents();
    let slow = json!({"type": "documentEdition", "function": "for i in 0..200000 { doc.n += 1 }"});
    let is_time = |_, finished| finished > 1;
    let results = stopped_when(&fixture, json!([slow]), is_time);
    assert!(matches!(results, Err(IndexError::Aborted)), "{results:?}");
    assert_eq!(fixture.documents(), before);
}

#[test]
fn what_a_stopped_batch_has_committed_is_told() {
    let fixture = Fixture::new(Some("id"));
    let operations = json!([
        {"type": "documentAdditionOrUpdate", "method": "replace",
         "payload": {"inline": lines(&documents(3))}},
        {"type": "documentDeletion", "filter": ["1"]},
        replace(&documents(20_000)),
    ]);
    let is_time = |step, finished| step == BatchStep::ExtractingDocuments && finished > 500;
    let results = stopped_when(&fixture, operations, is_time).expect("a part is committed");
    assert_eq!(results.len(), 1);
    assert_eq!(fixture.documents().len(), 3);
    let last = fixture.index.snapshot().meta().last_batch.clone();
    assert_eq!(last.map(|last| last.results), Some(results));
}

#[test]
fn a_batch_stopped_at_any_step_is_there_as_a_whole_or_not_at_all() {
    let steps = [
        BatchStep::ComputingChanges,
        BatchStep::ExtractingDocuments,
        BatchStep::WritingSegments,
        BatchStep::Committing,
    ];
    let mut fixture = Fixture::new(Some("id"));
    fixture.add(&documents(300));
    let many = documents(8_000);
    for (round, wanted) in steps.into_iter().cycle().take(12).enumerate() {
        let before = fixture.documents();
        let part = &many[..many.len() - round];
        let operations = json!([{"type": "documentClear"}, replace(part)]);
        let results = stopped_after(&fixture, operations, wanted);
        let after = fixture.documents();
        match results {
            Ok(results) => {
                assert_eq!(results.len(), 2);
                assert_eq!(after.len(), part.len(), "a stop that came too late");
                fixture.apply(json!([{"type": "documentClear"}, replace(&many[..300])]));
            }
            Err(IndexError::Aborted) => assert_eq!(after, before, "stopped at {wanted:?}"),
            Err(error) => panic!("stopped at {wanted:?}: {error}"),
        }
        if round % 4 == 3 {
            fixture = fixture.reopened();
        }
        fixture.add(&documents(20));
    }
}
