//! Behaviour of vectors in whole indexes.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    DocumentTemplate, DocumentTemplates, Embedding, EmbeddingError, EmbeddingSource, TemplateField,
};
use crate::index::{Index, IndexOptions, Snapshot};
use crate::indexing::{Batch, OperationError, OperationOutcome};
use crate::search::{IndexView, QueryConfigs, SearchRequest, search};

struct Fixture {
    index: Index,
    folder: TempDir,
}

fn options() -> IndexOptions {
    IndexOptions {
        indexing_memory_bytes: 15_000_000,
        cache_bytes: 1 << 20,
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

#[test]
fn a_document_put_in_the_place_of_a_deleted_one_has_only_its_own_vectors() {
    let fixture = Fixture::new(user_provided(1));
    fixture.succeed(add(
        "replace",
        &[
            json!({"id": 1, "_vectors": {"e": [1]}}),
            json!({"id": 2, "_vectors": {"e": [2]}}),
        ],
    ));
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

/// Vectors of the length of a text and its number of letters `a`; templates name one field.
#[derive(Default)]
struct Letters(Mutex<Vec<String>>);

impl EmbeddingSource for Letters {
    fn embed(
        &self,
        _embedder: &str,
        _settings: &str,
        texts: Vec<String>,
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        if texts.iter().any(|text| text == "boom") {
            return Err(EmbeddingError::new("the service is down"));
        }
        let vector = |text: &String| {
            let n_letters = text.chars().filter(|letter| *letter == 'a').count();
            vec![text.len() as f32, n_letters as f32]
        };
        let vectors = texts.iter().map(vector).collect();
        self.0.lock().expect("alone").extend(texts);
        Ok(vectors)
    }
}

struct FieldTemplates;

impl DocumentTemplates for FieldTemplates {
    fn parse(&self, template: &str) -> Result<Box<dyn DocumentTemplate>, String> {
        Ok(Box::new(FieldTemplate(template.to_owned())))
    }
}

struct FieldTemplate(String);

impl DocumentTemplate for FieldTemplate {
    fn render(&self, document: &Value, _fields: &[TemplateField]) -> Result<String, String> {
        let value = document.get(&self.0).and_then(Value::as_str);
        value
            .map(str::to_owned)
            .ok_or_else(|| format!("no `{}`", self.0))
    }
}

fn embedding() -> (Fixture, Arc<Letters>) {
    let fixture = Fixture::new(json!({}));
    let letters = Arc::new(Letters::default());
    fixture.index.set_embedding(Embedding {
        source: letters.clone(),
        templates: Arc::new(FieldTemplates),
    });
    (fixture, letters)
}

fn rest(template: &str, more: Value) -> Value {
    let mut embedder = json!({
        "source": "rest", "url": "u", "request": 1, "response": 1, "documentTemplate": template,
    });
    let object = embedder.as_object_mut().expect("an object");
    object.extend(more.as_object().expect("an object").clone());
    json!({"type": "settingsUpdate", "settings": {"embedders": {"e": embedder}}})
}

#[test]
fn documents_without_vectors_are_embedded_and_again_only_when_their_text_changes() {
    let (fixture, letters) = embedding();
    let asked = || std::mem::take(&mut *letters.0.lock().expect("alone"));
    fixture.succeed(rest("text", json!({})));
    fixture.succeed(add(
        "replace",
        &[
            json!({"id": 1, "text": "banana"}),
            json!({"id": 2, "text": "given", "_vectors": {"e": [7, 7]}}),
            json!({"id": 3, "text": "none", "_vectors": {"e": null}}),
        ],
    ));
    assert_eq!(asked(), ["banana"]);
    assert_eq!(
        fixture.vectors(),
        [
            shown(json!([[6.0, 3.0]]), true),
            shown(json!([[7.0, 7.0]]), false),
            shown(json!([]), false),
        ]
    );
    fixture.succeed(add("update", &[json!({"id": 1, "other": "x"})]));
    assert_eq!(asked(), [""; 0]);
    fixture.succeed(add(
        "update",
        &[
            json!({"id": 1, "text": "ananas"}),
            json!({"id": 2, "text": "x"}),
        ],
    ));
    assert_eq!(asked(), ["ananas"]);
    fixture.succeed(add(
        "update",
        &[json!({"id": 2, "_vectors": {"e": {"regenerate": true}}, "text": "y"})],
    ));
    assert_eq!(asked(), ["y"]);
}

#[test]
fn a_change_of_the_template_or_the_source_embeds_what_it_must() {
    let (fixture, letters) = embedding();
    let asked = || std::mem::take(&mut *letters.0.lock().expect("alone"));
    fixture.succeed(rest("a", json!({})));
    fixture.succeed(add(
        "replace",
        &[
            json!({"id": 1, "a": "same", "b": "same"}),
            json!({"id": 2, "a": "one", "b": "two"}),
            json!({"id": 3, "a": "one", "b": "two", "_vectors": {"e": [1, 1]}}),
        ],
    ));
    asked();
    fixture.succeed(rest("b", json!({})));
    assert_eq!(asked(), ["two"]);
    fixture.succeed(rest("b", json!({"headers": {"x": "y"}, "apiKey": "k"})));
    assert_eq!(asked(), [""; 0]);
    fixture.succeed(rest("b", json!({"url": "v"})));
    assert_eq!(asked(), ["same", "two"]);
    assert_eq!(fixture.vectors()[2], shown(json!([[1.0, 1.0]]), false));
}

#[test]
fn a_source_that_fails_fails_the_operation_and_changes_nothing() {
    let (fixture, _) = embedding();
    fixture.succeed(rest("text", json!({})));
    fixture.succeed(add("replace", &[json!({"id": 1, "text": "fine"})]));
    let error = fixture.fail(add("update", &[json!({"id": 1, "text": "boom"})]));
    assert_eq!(error.code, "vector_embedding_error");
    assert_eq!(
        error.message,
        "While embedding documents for embedder `e`: the service is down"
    );
    assert_eq!(fixture.vectors(), [shown(json!([[4.0, 0.0]]), true)]);
}

#[test]
fn filters_select_documents_by_their_vectors() {
    let (fixture, _) = embedding();
    fixture.succeed(rest("text", json!({})));
    fixture.succeed(add(
        "replace",
        &[
            json!({"id": 1, "text": "made"}),
            json!({"id": 2, "text": "given", "_vectors": {"e": [7, 7]}}),
            json!({"id": 3, "text": "none", "_vectors": {"e": null}}),
        ],
    ));
    let ids =
        |filter: &str| fixture.ids(json!({"filter": filter, "features": {"multimodal": true}}));
    assert_eq!(ids("_vectors EXISTS"), [1, 2]);
    assert_eq!(ids("_vectors.e EXISTS"), [1, 2]);
    assert_eq!(ids("_vectors.e.userProvided EXISTS"), [2]);
    assert_eq!(ids("_vectors.e.documentTemplate EXISTS"), [1]);
    assert_eq!(ids("_vectors.e.regenerate EXISTS"), [1]);
    assert_eq!(ids("_vectors.e NOT EXISTS"), [3]);
}

#[derive(Clone, Debug)]
struct Point {
    vectors: Vec<Vec<i8>>,
    kind: u8,
}

fn points() -> impl Strategy<Value = Vec<Point>> {
    let vector = proptest::collection::vec(-3..=3_i8, 3);
    let point = (proptest::collection::vec(vector, 0..3), 0..3_u8)
        .prop_map(|(vectors, kind)| Point { vectors, kind });
    proptest::collection::vec(point, 1..40)
}

fn similarity(a: &[i8], b: &[i8]) -> f64 {
    let dot = |a: &[i8], b: &[i8]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    if norms == 0.0 {
        return 1.0;
    }
    (1.0 + dot(a, b) / norms) / 2.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A filtered search by vectors gives the scores of a search through all documents, with those
    /// without vectors last, whatever part of the documents came first or was replaced.
    #[test]
    fn a_filtered_vector_search_equals_a_naive_one(
        points in points(),
        query in proptest::collection::vec(-3..=3_i8, 3),
        n_first in 0..40_usize,
        kind in 0..3_u8,
    ) {
        let settings = json!({
            "embedders": {"e": {"source": "userProvided", "dimensions": 3}},
            "filterableAttributes": ["kind"],
        });
        let fixture = Fixture::new(settings);
        let document = |(id, point): (usize, &Point)| {
            json!({"id": id, "kind": point.kind, "_vectors": {"e": point.vectors}})
        };
        let documents: Vec<Value> = points.iter().enumerate().map(document).collect();
        let stale: Vec<Value> = documents.iter().take(n_first).cloned().map(|mut document| {
            document["_vectors"]["e"] = json!([1, 1, 1]);
            document
        }).collect();
        fixture.succeed(add("replace", &stale));
        fixture.succeed(add("replace", &documents));
        let answer = fixture.answer(json!({
            "hybrid": {"embedder": "e", "semanticRatio": 1.0}, "vector": query, "limit": 7,
            "filter": format!("kind = {kind}"), "showRankingScore": true,
        }));
        let mut expected: Vec<f64> = points
            .iter()
            .filter(|point| point.kind == kind)
            .map(|point| {
                let similarities = point.vectors.iter().map(|vector| similarity(&query, vector));
                similarities.fold(0.0, f64::max)
            })
            .collect();
        prop_assert_eq!(&answer["estimatedTotalHits"], &json!(expected.len()));
        expected.sort_by(|a, b| b.total_cmp(a));
        expected.truncate(7);
        let hits = answer["hits"].as_array().expect("hits");
        prop_assert_eq!(hits.len(), expected.len());
        for (hit, expected) in hits.iter().zip(expected) {
            let score = hit["_rankingScore"].as_f64().expect("a score");
            prop_assert!((score - expected).abs() < 1e-5, "{} {}", hit, expected);
        }
    }
}
