//! Behaviour of vectors in whole indexes.

mod embedded;
mod merges;
mod naive;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::batch::{Batch, OperationError, OperationOutcome};
use crate::index::{Index, IndexOptions, SearchMemory, Snapshot};
use crate::request::SearchRequest;
use crate::search::{IndexView, QueryConfigs, search};

struct Fixture {
    index: Index,
    folder: TempDir,
}

fn options() -> IndexOptions {
    IndexOptions {
        indexing_memory_bytes: 15_000_000,
        indexing_threads: 1,
        search_memory: SearchMemory::exactly(1 << 20),
    }
}

impl Fixture {
    fn new(settings: Value) -> Self {
        let folder = TempDir::new().expect("a folder");
        let index =
            Index::create(&folder.path().join("index"), Some("id"), options()).expect("an index");
        let fixture = Self { index, folder };
        fixture.succeed(json!({"type": "settingsUpdate", "settings": settings}));
        fixture
    }

    fn reopened(self) -> Self {
        let Self { index, folder } = self;
        drop(index);
        let index = Index::open(&folder.path().join("index"), options()).expect("the index opens");
        Self { index, folder }
    }

    fn apply(&self, operations: &[Value]) -> Vec<Result<(), OperationError>> {
        let mut operations = operations.to_vec();
        for (number, operation) in operations.iter_mut().enumerate() {
            operation["taskUid"] = json!(number);
        }
        let batch: Batch = serde_json::from_value(json!({"batchUid": 1, "operations": operations}))
            .expect("a batch");
        let evaluate = |snapshot: &Snapshot, filter: &Value| {
            crate::fetch::filter_docs(snapshot, filter)
                .map_err(|error| OperationError::new(error.code, error.message))
        };
        let results = self.index.apply_batch(&batch, &evaluate).expect("applied");
        let outcome = |outcome| match outcome {
            OperationOutcome::Succeeded { .. } => Ok(()),
            OperationOutcome::Failed { error } => Err(error),
        };
        results
            .into_iter()
            .map(|result| outcome(result.outcome))
            .collect()
    }

    fn succeed(&self, operation: Value) {
        assert_eq!(self.apply(&[operation]), [Ok(())]);
    }

    fn fail(&self, operation: Value) -> OperationError {
        let results = self.apply(&[operation]);
        results
            .into_iter()
            .next()
            .expect("a result")
            .expect_err("refused")
    }

    fn answer(&self, request: Value) -> Value {
        let request: SearchRequest = serde_json::from_value(request).expect("a request");
        let view = IndexView::new(self.index.snapshot(), &QueryConfigs::default());
        let answer = search(&view, &request).expect("an answer");
        serde_json::from_slice(&answer).expect("JSON")
    }

    fn ids(&self, request: Value) -> Vec<Value> {
        let answer = self.answer(request);
        let hits = answer["hits"].as_array().expect("hits").iter();
        hits.map(|hit| hit["id"].clone()).collect()
    }

    /// `_vectors` of each document, by order of numbers.
    fn vectors(&self) -> Vec<Value> {
        let answer = self.answer(json!({"retrieveVectors": true, "limit": 100}));
        let hits = answer["hits"].as_array().expect("hits").iter();
        hits.map(|hit| hit["_vectors"].clone()).collect()
    }

    fn n_files(&self) -> usize {
        let generation = self.index.snapshot().generation().path().join("vectors");
        std::fs::read_dir(generation).map_or(0, Iterator::count)
    }
}

fn add(method: &str, documents: &[Value]) -> Value {
    let lines: String = documents
        .iter()
        .map(|document| format!("{document}\n"))
        .collect();
    json!({
        "type": "documentAdditionOrUpdate", "method": method, "payload": {"inline": lines},
    })
}

fn user_provided(dimensions: usize) -> Value {
    json!({"embedders": {"e": {"source": "userProvided", "dimensions": dimensions}}})
}

fn shown(embeddings: Value, regenerate: bool) -> Value {
    json!({"e": {"embeddings": embeddings, "regenerate": regenerate}})
}

#[test]
fn vectors_survive_updates_of_other_fields_and_restarts() {
    let fixture = Fixture::new(user_provided(2));
    fixture.succeed(add(
        "replace",
        &[
            json!({"id": 1, "_vectors": {"e": [1, 2], "other": [9]}}),
            json!({"id": 2, "_vectors": {"e": null}}),
        ],
    ));
    fixture.succeed(add("update", &[json!({"id": 1, "text": "changed"})]));
    let fixture = fixture.reopened();
    let first = json!({"other": [9], "e": {"embeddings": [[1.0, 2.0]], "regenerate": false}});
    assert_eq!(fixture.vectors(), [first, shown(json!([]), false)]);
    let stored = fixture.index.snapshot().document(0).expect("a document");
    assert_eq!(
        String::from_utf8(stored).expect("text"),
        r#"{"id":1,"_vectors":{"other":[9]},"text":"changed"}"#
    );
}

#[test]
fn what_several_additions_of_a_batch_say_about_one_document_counts_in_order() {
    let fixture = Fixture::new(user_provided(1));
    let results = fixture.apply(&[
        add("replace", &[json!({"id": 1, "_vectors": {"e": [1]}})]),
        add("replace", &[json!({"id": 1, "text": "no word of vectors"})]),
        add("update", &[json!({"id": 2, "_vectors": {"e": [2]}})]),
        add("update", &[json!({"id": 2, "_vectors": {"e": [3]}})]),
    ]);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(
        fixture.vectors(),
        [shown(json!([[1.0]]), false), shown(json!([[3.0]]), false)]
    );
}

/// Documents 1 and 2 with a vector each.
fn two_with_vectors() -> Fixture {
    let fixture = Fixture::new(user_provided(1));
    fixture.succeed(add(
        "replace",
        &[
            json!({"id": 1, "_vectors": {"e": [1]}}),
            json!({"id": 2, "_vectors": {"e": [2]}}),
        ],
    ));
    fixture
}

#[test]
fn a_document_put_in_the_place_of_a_deleted_one_has_only_its_own_vectors() {
    let fixture = two_with_vectors();
    let results = fixture.apply(&[
        json!({"type": "documentDeletion", "ids": ["1"]}),
        add("replace", &[json!({"id": 3, "_vectors": {"e": null}})]),
        json!({"type": "documentDeletion", "ids": ["2"]}),
        add("replace", &[json!({"id": 2})]),
    ]);
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 3);
    let message = &results[3].as_ref().expect_err("no vectors").message;
    assert!(
        message.contains("no vectors provided for document `2`"),
        "{message}"
    );
    assert_eq!(fixture.vectors(), [shown(json!([]), false)]);
    assert_eq!(fixture.index.snapshot().embedding_counts(), (0, 0));
}

#[test]
fn a_document_that_comes_again_keeps_its_vectors_whichever_place_it_gets() {
    let fixture = two_with_vectors();
    let results = fixture.apply(&[
        json!({"type": "documentDeletion", "ids": ["2", "1"]}),
        add("replace", &[json!({"id": 2, "_vectors": {"e": [3]}})]),
    ]);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(fixture.vectors(), [shown(json!([[3.0]]), false)]);
    assert_eq!(fixture.index.snapshot().embedding_counts(), (1, 1));
}

#[test]
fn an_addition_with_a_wrong_vector_fails_alone_and_whole() {
    let fixture = Fixture::new(user_provided(2));
    let results = fixture.apply(&[
        add("replace", &[json!({"id": 1, "_vectors": {"e": [1, 2]}})]),
        add(
            "replace",
            &[
                json!({"id": 2, "_vectors": {"e": [1, 2]}}),
                json!({"id": 3, "_vectors": {"e": [[1, 2], [1, 2, 3]]}}),
            ],
        ),
        add("replace", &[json!({"id": 4, "_vectors": {"e": [[3, 4]]}})]),
    ]);
    let codes: Vec<Option<&str>> = results
        .iter()
        .map(|result| result.as_ref().err().map(|error| error.code.as_str()))
        .collect();
    assert_eq!(codes, [None, Some("invalid_vector_dimensions"), None]);
    assert_eq!(fixture.ids(json!({})), [1, 4]);
}

#[test]
fn vectors_go_back_into_documents_with_their_embedder_and_come_again() {
    let fixture = Fixture::new(user_provided(2));
    fixture.succeed(add(
        "replace",
        &[
            json!({"id": 1, "_vectors": {"e": [[1, 0], [0, 1]]}}),
            json!({"id": 2, "_vectors": {"e": null}}),
        ],
    ));
    let remove = json!({"type": "settingsUpdate", "settings": {"embedders": {"e": null}}});
    fixture.succeed(remove);
    assert_eq!(
        fixture.vectors(),
        [
            shown(json!([[1.0, 0.0], [0.0, 1.0]]), false),
            shown(json!([]), false)
        ]
    );
    assert_eq!(fixture.index.snapshot().embedding_counts(), (0, 0));
    fixture.succeed(json!({"type": "settingsUpdate", "settings": user_provided(2)}));
    assert_eq!(fixture.index.snapshot().embedding_counts(), (2, 1));
    let stored = fixture.index.snapshot().document(0).expect("a document");
    assert_eq!(String::from_utf8(stored).expect("text"), r#"{"id":1}"#);
}

#[test]
fn settings_that_stored_vectors_do_not_fit_are_refused_and_change_nothing() {
    let fixture = Fixture::new(user_provided(2));
    fixture.succeed(add(
        "replace",
        &[json!({"id": 1, "_vectors": {"e": [1, 2]}})],
    ));
    let error = fixture.fail(json!({"type": "settingsUpdate", "settings": user_provided(3)}));
    assert_eq!(error.code, "invalid_vector_dimensions");
    assert_eq!(fixture.vectors(), [shown(json!([[1.0, 2.0]]), false)]);
    let snapshot = fixture.index.snapshot();
    assert_eq!(snapshot.settings().embedders["e"]["dimensions"], json!(2));
}

#[test]
fn quantization_keeps_the_signs_and_cannot_be_undone() {
    let fixture = Fixture::new(user_provided(3));
    fixture.succeed(add(
        "replace",
        &[json!({"id": 1, "_vectors": {"e": [5, -2, 0.5]}})],
    ));
    let quantize = |on: bool| json!({"type": "settingsUpdate", "settings": {"embedders": {"e": {"binaryQuantized": on}}}});
    fixture.succeed(quantize(true));
    assert_eq!(fixture.vectors(), [shown(json!([[1.0, -1.0, 1.0]]), false)]);
    assert_eq!(
        fixture.fail(quantize(false)).code,
        "invalid_settings_embedders"
    );
}

#[test]
fn vectors_outlive_a_rebuild_and_go_with_all_documents() {
    let fixture = Fixture::new(user_provided(1));
    fixture.succeed(add("replace", &[json!({"id": 1, "_vectors": {"e": [1]}})]));
    fixture.succeed(json!({"type": "settingsUpdate", "settings": {"stopWords": ["the"]}}));
    assert_eq!(fixture.vectors(), [shown(json!([[1.0]]), false)]);
    fixture.succeed(json!({"type": "documentClear"}));
    assert_eq!(fixture.index.snapshot().embedding_counts(), (0, 0));
    assert_eq!(fixture.n_files(), 0);
}

#[test]
fn files_that_no_commit_names_do_not_pile_up_and_old_snapshots_read_on() {
    let fixture = Fixture::new(user_provided(1));
    fixture.succeed(add("replace", &[json!({"id": 1, "_vectors": {"e": [1]}})]));
    let before = fixture.index.snapshot();
    for n in 0..40 {
        fixture.succeed(add(
            "replace",
            &[json!({"id": 1, "_vectors": {"e": [n + 2]}})],
        ));
    }
    assert!(fixture.n_files() < 12, "{} files", fixture.n_files());
    let set = before.vectors().get("e").expect("vectors").clone();
    assert_eq!(set.vectors(0), [[1.0]]);
}
