//! Batches that several threads write.

use serde_json::{Value, json};

use super::super::Index;
use super::{documents_of, error_code, evaluate, is_success, replace, settings, update};
use crate::batch::{Batch, OperationResult};
use crate::index::IndexOptions;

/// Enough for several chunks.
const N_DOCUMENTS: u32 = 1_500;

fn index_with(threads: usize, directory: &tempfile::TempDir) -> Index {
    let options = IndexOptions {
        indexing_threads: threads,
        ..super::small()
    };
    Index::create(&directory.path().join("index"), Some("id"), options).expect("a new index")
}

fn apply(index: &Index, uid: u64, operations: &Value) -> Vec<OperationResult> {
    let mut operations = operations.clone();
    let tasks = operations.as_array_mut().expect("a list").iter_mut();
    for (number, operation) in tasks.enumerate() {
        operation["taskUid"] = json!(number);
    }
    let batch: Batch = serde_json::from_value(json!({"batchUid": uid, "operations": operations}))
        .expect("a batch");
    index
        .apply_batch(&batch, &evaluate)
        .expect("the index works")
}

/// Every few documents bring names that none before them has, and some a place.
fn document(id: u32, round: u32) -> Value {
    let place = (id % 7 == 3).then(|| json!({"lat": id % 90, "lng": round}));
    json!({
        "id": id, "title": format!("title {id} of round {round}"), "_geo": place,
        format!("field{}", id / 40): {"deep": id, format!("name{}", id / 90): [id, "text"]},
        format!("round{round}"): id % 7,
    })
}

#[test]
fn several_threads_write_what_one_writes() {
    let folders = [
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    ];
    let [one, several] = [index_with(1, &folders[0]), index_with(3, &folders[1])];
    let round = |number: u32, ids: std::ops::Range<u32>| -> Vec<Value> {
        ids.map(|id| document(id, number)).collect()
    };
    let half = N_DOCUMENTS / 2;
    let batches = [
        json!([settings(json!({"filterableAttributes": ["_geo", "late"]}))]),
        json!([replace(&round(0, 0..N_DOCUMENTS))]),
        json!([
            update(&round(1, half..N_DOCUMENTS + half)),
            {"type": "documentDeletion", "ids": ["3", "700", "1600"]},
            replace(&round(2, 200..half)),
        ]),
    ];
    for (uid, operations) in batches.iter().enumerate() {
        let results = apply(&one, uid as u64, operations);
        assert!(results.iter().all(is_success), "{results:?}");
        assert_eq!(apply(&several, uid as u64, operations), results);
        let (expected, found) = (one.snapshot(), several.snapshot());
        assert_eq!(found.meta().fields, expected.meta().fields);
        assert_eq!(
            found.meta().field_distribution,
            expected.meta().field_distribution
        );
        assert_eq!(documents_of(&found), documents_of(&expected));
    }
    for index in [&one, &several] {
        // A name that comes later has the values of its documents, not those of a coordinate.
        apply(index, 9, &json!([replace(&[json!({"id": 0, "late": 7})])]));
        let snapshot = index.snapshot();
        let late = snapshot.field_id("late").expect("a field that was seen");
        let column = snapshot.attribute(late).expect("a column");
        assert_eq!(column.exists().len(), 1);
        assert_eq!(column.equal_number(7.0), column.exists());
    }
    let [several, one] = [several, one].map(|index| index.snapshot().documents().len());
    assert_eq!(several, one);
}

#[test]
fn a_document_that_one_thread_cannot_write_refuses_its_operation_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = index_with(3, &folder);
    let good: Vec<Value> = (0..N_DOCUMENTS).map(|id| document(id, 0)).collect();
    let mut wide = json!({"id": "wide"});
    for number in 0..70_000 {
        wide[format!("f{number}")] = json!(1);
    }
    let mut bad = good.clone();
    bad.insert(N_DOCUMENTS as usize / 2, wide);
    let results = apply(&index, 1, &json!([replace(&bad), replace(&good)]));
    assert_eq!(
        error_code(&results[0]),
        "max_fields_limit_exceeded",
        "{results:?}"
    );
    assert!(is_success(&results[1]), "{results:?}");
    assert_eq!(documents_of(&index.snapshot()).len(), good.len());
}
