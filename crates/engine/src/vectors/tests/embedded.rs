//! Vectors that a source makes of the documents' texts.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{Fixture, add, shown};
use crate::vectors::{
    DocumentTemplate, DocumentTemplates, Embedding, EmbeddingError, EmbeddingSource, TemplateField,
};

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
