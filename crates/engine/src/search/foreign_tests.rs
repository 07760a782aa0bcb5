//! Documents of other indexes in the hits of searches.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{IndexView, QueryConfigs, recall, search, search_remembering};
use crate::facet::foreign_index;
use crate::request::{FilterFeatures, ForeignIndexes, SearchRequest};
use crate::testing::TestIndex;

fn films() -> TestIndex {
    let settings = json!({"foreignKeys": [
        {"foreignIndexUid": "people", "fieldName": "actors"},
        {"foreignIndexUid": "people", "fieldName": "crew.director"},
        {"foreignIndexUid": "gone", "fieldName": "studio"},
    ]});
    let documents = [json!({
        "id": 1,
        "title": "dark river",
        "actors": [1, "b", 77, null, 1],
        "crew": [{"director": "1", "role": "x"}],
        "studio": 1,
    })];
    TestIndex::new(settings, &documents)
}

fn people() -> TestIndex {
    let settings = json!({
        "displayedAttributes": ["id", "name", "actors"],
        "filterableAttributes": ["name"],
    });
    let documents = [
        json!({"id": 1, "name": "Dark Ann", "secret": "s", "actors": ["b"]}),
        json!({"id": "b", "name": "Bob"}),
    ];
    TestIndex::new(settings, &documents)
}

fn view(shown: Option<&str>) -> IndexView {
    let shown = shown.map(Value::from);
    let people = foreign_index(
        people().snapshot(),
        shown.as_ref(),
        &FilterFeatures::default(),
    );
    let indexes = ForeignIndexes::from([("people".to_owned(), people)]);
    plain().following(Some(Arc::new(indexes)))
}

fn plain() -> IndexView {
    IndexView::new(films().snapshot(), &QueryConfigs::default())
}

/// The only hit of a request.
fn hit(view: &IndexView, request: Value) -> Value {
    let request: SearchRequest = serde_json::from_value(request).expect("a request");
    let answer = search(view, &request).expect("an answer");
    let mut answer: Value = serde_json::from_slice(&answer).expect("JSON");
    answer["hits"][0].take()
}

fn ann() -> Value {
    json!({"id": 1, "name": "Dark Ann", "actors": ["b"]})
}

#[test]
fn ids_become_the_documents_and_unknown_ones_stay() {
    let hit = hit(&view(None), json!({}));
    let bob = json!({"id": "b", "name": "Bob"});
    assert_eq!(hit["actors"], json!([ann(), bob, 77, null, ann()]));
    assert_eq!(hit["crew"], json!([{"director": ann(), "role": "x"}]));
    assert_eq!(hit["studio"], json!(1));
    assert_eq!(hit["title"], json!("dark river"));
}

#[test]
fn keys_that_are_not_followed_stay_ids() {
    let hit = hit(&plain(), json!({}));
    assert_eq!(hit["actors"], json!([1, "b", 77, null, 1]));
}

#[test]
fn documents_that_the_sender_may_not_see_stay_ids() {
    let hit = hit(&view(Some("name = Bob")), json!({}));
    let bob = json!({"id": "b", "name": "Bob"});
    assert_eq!(hit["actors"], json!([1, bob, 77, null, 1]));
    assert_eq!(hit["crew"], json!([{"director": "1", "role": "x"}]));
}

#[test]
fn only_attributes_that_are_retrieved_are_shown() {
    let view = view(None);
    let some = hit(&view, json!({"attributesToRetrieve": ["title"]}));
    assert_eq!(some, json!({"title": "dark river"}));
    let part = hit(
        &view,
        json!({"attributesToRetrieve": ["crew.director.name"]}),
    );
    assert_eq!(part, json!({"crew": [{"director": {"name": "Dark Ann"}}]}));
    let nothing = hit(&view, json!({"attributesToRetrieve": []}));
    assert_eq!(nothing, json!({}));
}

#[test]
fn formatted_hits_show_the_documents_as_they_are_with_numbers_as_texts() {
    let request = json!({
        "q": "dark",
        "attributesToHighlight": ["*"],
        "attributesToCrop": ["*:1"],
        "showMatchesPosition": true,
    });
    let hit = hit(&view(None), request);
    let formatted = &hit["_formatted"];
    assert_eq!(formatted["title"], json!("<em>dark</em>…"));
    let ann = json!({"id": "1", "name": "Dark Ann", "actors": ["b"]});
    let bob = json!({"id": "b", "name": "Bob"});
    assert_eq!(formatted["actors"], json!([ann, bob, "77", null, ann]));
    assert_eq!(hit["actors"][0]["id"], json!(1));
    assert_eq!(
        hit["_matchesPosition"],
        json!({"title": [{"start": 0, "length": 4}]})
    );
}

#[test]
fn attributes_that_are_only_formatted_show_the_documents_there() {
    let request = json!({"attributesToRetrieve": ["id"], "attributesToHighlight": ["actors"]});
    let hit = hit(&view(None), request);
    assert_eq!(hit["actors"], Value::Null);
    assert_eq!(hit["_formatted"]["actors"][0]["name"], json!("Dark Ann"));
}

#[test]
fn an_answer_that_depends_on_another_index_is_not_remembered() {
    let films = films();
    let is_remembered = |request: Value| {
        let text = request.to_string();
        let request: SearchRequest = serde_json::from_str(&text).expect("a request");
        let view = IndexView::new(films.snapshot(), &QueryConfigs::default());
        search_remembering(&view, "films", (&text, &request), None).expect("an answer");
        recall(&films.snapshot(), &text).is_some()
    };
    let on = json!({"foreignKeys": true});
    assert!(!is_remembered(json!({"q": "dark", "features": on})));
    assert!(is_remembered(json!({"q": "dark"})));
    films.apply(json!({"type": "settingsUpdate", "settings": {"foreignKeys": []}}));
    assert!(is_remembered(json!({"q": "dark", "features": on})));
}
