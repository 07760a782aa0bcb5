//! Editing documents of an index by functions.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{Fixture, error_code, is_success, settings};
use crate::batch::{OperationOutcome, OperationResult};

fn edition(function: &str) -> Value {
    json!({"type": "documentEdition", "function": function})
}

fn counts(result: &OperationResult) -> (Option<u64>, Option<u64>) {
    match result.outcome {
        OperationOutcome::Succeeded {
            edited_documents,
            deleted_documents,
            ..
        } => (edited_documents, deleted_documents),
        OperationOutcome::Failed { .. } => panic!("{result:?}"),
    }
}

fn with_documents() -> Fixture {
    let fixture = Fixture::new(Some("id"));
    let documents: Vec<Value> = (0..5)
        .map(|id| json!({"id": id, "kind": "red thing", "n": id * 10}))
        .collect();
    fixture.add(&documents);
    fixture
}

#[test]
fn a_function_changes_deletes_and_leaves_documents() {
    let fixture = with_documents();
    let function = "if doc.n == 0 { doc = () } else if doc.n > 20 { doc.kind = context.kind }";
    let mut operation = edition(function);
    operation["context"] = json!({"kind": "blue thing"});
    let results = fixture.apply(json!([operation]));
    assert_eq!(counts(&results[0]), (Some(2), Some(1)));
    let kinds = [(1, "red"), (2, "red"), (3, "blue"), (4, "blue")];
    let expected = kinds.map(|(id, kind)| {
        let kind = format!("{kind} thing");
        (id, json!({"id": id, "kind": kind, "n": id * 10}))
    });
    assert_eq!(fixture.documents(), expected);
    assert!(fixture.index.snapshot().contains_word("blue"));
    let again = fixture.apply(json!([edition("doc.n")]));
    assert_eq!(counts(&again[0]), (Some(0), Some(0)));
}

#[test]
fn a_crash_in_the_middle_would_leave_no_file_behind() {
    let fixture = with_documents();
    let files = |path: &Path| -> BTreeSet<OsString> {
        let entries = fs::read_dir(path).expect("a folder");
        entries
            .map(|entry| entry.expect("an entry").file_name())
            .collect()
    };
    let before = files(&fixture.path());
    let seen = Arc::new(Mutex::new(before.clone()));
    let (path, during) = (fixture.path(), Arc::clone(&seen));
    fixture.index.control().stop_once(Box::new(move |_, _| {
        during.lock().expect("a lock").extend(files(&path));
        false
    }));
    let results = fixture.apply(json!([edition("doc.n += 1")]));
    assert_eq!(counts(&results[0]), (Some(5), Some(0)));
    assert_eq!(*seen.lock().expect("a lock"), before);
}

#[test]
fn a_filter_chooses_the_documents() {
    let fixture = with_documents();
    let mut operation = edition("doc.seen = true");
    operation["filter"] = json!(["1", "3", "7"]);
    let results = fixture.apply(json!([operation]));
    assert_eq!(counts(&results[0]), (Some(2), Some(0)));
    let documents = fixture.documents();
    let mut seen = documents
        .iter()
        .filter(|(_, document)| document["seen"] == true);
    assert_eq!(seen.clone().count(), 2);
    assert!(seen.all(|(id, _)| *id == 1 || *id == 3));
}

#[test]
fn a_function_that_fails_on_one_document_leaves_all_as_they_were() {
    let fixture = with_documents();
    fixture.apply(json!([settings(json!({"filterableAttributes": ["_geo"]}))]));
    let before = fixture.documents();
    for (function, code) in [
        (
            "doc.n = 1; if doc.id == 3 { doc.id = 7 }",
            "edit_documents_by_function_error",
        ),
        (
            "doc.n = 1; if doc.id == 3 { doc.remove(\"id\") }",
            "edit_documents_by_function_error",
        ),
        (
            "doc.n = 1; if doc.id == 3 { doc.n = nothing }",
            "edit_documents_by_function_error",
        ),
        (
            "doc.n = 1; if doc.id == 3 { doc = 3 }",
            "edit_documents_by_function_error",
        ),
        ("doc._geo = #{ lat: 100 }", "invalid_document_geo_field"),
    ] {
        let results = fixture.apply(json!([edition(function)]));
        assert_eq!(error_code(&results[0]), code, "{function}");
        assert_eq!(fixture.documents(), before, "{function}");
    }
}

#[test]
fn a_function_sees_what_came_before_it_in_its_batch() {
    let fixture = with_documents();
    let results = fixture.apply(json!([
        {"type": "documentDeletion", "ids": ["0"]},
        edition("doc.n += 1"),
        edition("doc.n += 1"),
        {"type": "documentDeletion", "ids": ["1"]},
    ]));
    assert!(results.iter().all(is_success), "{results:?}");
    let documents = fixture.documents();
    let n: Vec<&Value> = documents
        .iter()
        .map(|(_, document)| &document["n"])
        .collect();
    assert_eq!(n, [22, 32, 42]);
}

#[test]
fn an_empty_index_has_nothing_to_edit() {
    let fixture = Fixture::new(None);
    let results = fixture.apply(json!([edition("doc.n = 1")]));
    assert_eq!(counts(&results[0]), (Some(0), Some(0)));
}
