//! `_foreign` on two real indexes.

use serde_json::{Value, json};

use super::{allowed, filter_docs, foreign_index};
use crate::docset::DocId;
use crate::request::{FilterFeatures, ForeignIndexes, SearchError};
use crate::testing::TestIndex;

const CODE: &str = "invalid_search_filter";

fn films() -> TestIndex {
    let settings = json!({
        "filterableAttributes": ["actors", "director", "title", "crew"],
        "foreignKeys": [
            {"foreignIndexUid": "people", "fieldName": "actors"},
            {"foreignIndexUid": "people", "fieldName": "director"},
            {"foreignIndexUid": "gone", "fieldName": "crew"},
            {"foreignIndexUid": "people", "fieldName": "hidden"},
        ],
    });
    let documents = [
        json!({"id": 0, "title": "a", "actors": [1, 2], "director": "3", "crew": 1}),
        json!({"id": 1, "title": "b", "actors": 2, "director": 1}),
        json!({"id": 2, "title": "c", "actors": ["3", 99], "hidden": 1}),
        json!({"id": 3, "title": "d"}),
    ];
    TestIndex::new(settings, &documents)
}

fn people() -> TestIndex {
    let settings = json!({"filterableAttributes": ["birth", "owner"]});
    let documents = [
        json!({"id": 1, "birth": 1940, "owner": "mine"}),
        json!({"id": 2, "birth": 1971, "owner": "mine"}),
        json!({"id": 3, "birth": 1980, "owner": "other"}),
    ];
    TestIndex::new(settings, &documents)
}

/// The people as a sender sees them who may see what a filter selects.
fn seen(people: &TestIndex, shown: Option<Value>) -> ForeignIndexes {
    let index = foreign_index(people.snapshot(), shown.as_ref(), &FilterFeatures::ALL);
    ForeignIndexes::from([("people".to_owned(), index)])
}

/// The films that a filter selects; the same whether it is evaluated at once or may wait.
fn found(
    films: &TestIndex,
    foreign: Option<&ForeignIndexes>,
    filter: &str,
) -> Result<Vec<DocId>, SearchError> {
    let filter = serval_filter::parse(filter).unwrap().unwrap().canonical();
    let (snapshot, features) = (films.snapshot(), FilterFeatures::ALL);
    let docs = filter_docs(&snapshot, foreign, &filter, &features, CODE);
    let waited = allowed(&snapshot, foreign, filter, &features, CODE)
        .map(|allowed| allowed.among(snapshot.documents()));
    assert_eq!(docs, waited);
    docs.map(|docs| docs.iter().collect())
}

fn refused(films: &TestIndex, foreign: Option<&ForeignIndexes>, filter: &str) -> String {
    found(films, foreign, filter).expect_err(filter).message
}

#[test]
fn documents_are_selected_whose_attribute_holds_the_id_of_a_foreign_one() {
    let (films, people) = (films(), people());
    let seen = seen(&people, None);
    let found = |filter| found(&films, Some(&seen), filter).unwrap();
    assert_eq!(found("_foreign(actors, birth > 1970)"), [0, 1, 2]);
    assert_eq!(found("_foreign(actors, birth < 1970)"), [0]);
    assert_eq!(found("_foreign(director, birth > 1970)"), [0]);
    assert_eq!(found("_foreign(actors, birth > 2000)"), [] as [DocId; 0]);
    assert_eq!(found("NOT _foreign(actors, birth < 1970)"), [1, 2, 3]);
    assert_eq!(
        found("_foreign(actors, birth = 1971) AND NOT _foreign(director, birth = 1940)"),
        [0]
    );
    assert_eq!(
        found("title = d OR _foreign(director, birth = 1940) OR _foreign(actors, birth = 1980)"),
        [1, 2, 3]
    );
    assert_eq!(
        found("_foreign(actors, birth = 1940 OR birth = 1980)"),
        [0, 2]
    );
}

#[test]
fn an_index_that_is_absent_selects_nothing_and_refuses_nothing() {
    let (films, people) = (films(), people());
    let seen = seen(&people, None);
    let nothing = ForeignIndexes::default();
    assert_eq!(
        found(&films, Some(&seen), "_foreign(crew, x = 1)"),
        Ok(vec![])
    );
    assert_eq!(
        found(&films, Some(&nothing), "_foreign(actors, x = 1)"),
        Ok(vec![])
    );
    assert_eq!(
        found(&films, Some(&nothing), "NOT _foreign(actors, birth > 0)"),
        Ok(vec![0, 1, 2, 3])
    );
}

#[test]
fn documents_that_the_sender_may_not_see_select_nothing() {
    let (films, people) = (films(), people());
    let all = "_foreign(actors, birth > 0)";
    let mine = seen(&people, Some(json!("owner = mine")));
    assert_eq!(found(&films, Some(&mine), all), Ok(vec![0, 1]));
    let mine = seen(&people, Some(json!([["owner = mine"], "birth > 1950"])));
    assert_eq!(
        found(&films, Some(&mine), "NOT _foreign(actors, birth > 0)"),
        Ok(vec![2, 3])
    );
    // A rule that means nothing there shows nothing.
    for rule in [
        json!("user = mine"),
        json!("owner ="),
        json!("_foreign(a, b = c)"),
    ] {
        let none = seen(&people, Some(rule));
        assert_eq!(found(&films, Some(&none), all), Ok(vec![]));
    }
    let whole = seen(&people, Some(json!("")));
    assert_eq!(found(&films, Some(&whole), all), Ok(vec![0, 1, 2]));
}

#[test]
fn more_than_a_hundred_documents_that_may_be_seen_are_refused() {
    let films = films();
    let add = |people: &TestIndex, n: usize| {
        let more = (0..n).map(|id| json!({"id": 1000 + id, "birth": 1, "owner": "other"}));
        people.add(&more.collect::<Vec<_>>());
    };
    let people = people();
    add(&people, 97);
    let filter = "title = a AND _foreign(actors, birth > 0)";
    assert_eq!(
        found(&films, Some(&seen(&people, None)), filter),
        Ok(vec![0])
    );
    add(&people, 98);
    assert_eq!(
        refused(&films, Some(&seen(&people, None)), filter),
        "Foreign filter is retrieving too many documents, foreign filters can't retrieve more \
         than 100 documents per index\n22:30 (\"title\" = \"a\") AND (_foreign(\"actors\", \
         \"birth\" > \"0\"))"
    );
    let mine = seen(&people, Some(json!("owner = mine")));
    assert_eq!(found(&films, Some(&mine), filter), Ok(vec![0]));
}

#[test]
fn refusals_name_the_fault_and_the_index_that_it_is_about() {
    let (films, people) = (films(), people());
    let seen = seen(&people, None);
    let refused = |filter| refused(&films, Some(&seen), filter);
    assert_eq!(
        refused("_foreign(title, birth = 1)"),
        "Field `title` is not a foreign key\n11:16 _foreign(\"title\", \"birth\" = \"1\")"
    );
    assert_eq!(
        refused("_foreign(actors, _foreign(a, b = 1))"),
        "Nested foreign filters are not supported\n20:28 _foreign(\"actors\", _foreign(\"a\", \
         \"b\" = \"1\"))"
    );
    assert!(refused("_foreign(hidden, birth = 1)").starts_with(
        "Attribute `hidden` is not filterable. Available filterable attribute patterns are: \
         `actors`, `crew`, `director`, `title`.\n11:17"
    ));
    let inner = found(&films, Some(&seen), "_foreign(actors, name = x)").unwrap_err();
    assert!(inner.message.starts_with(
        "Index `people`: Attribute `name` is not filterable. Available filterable attribute \
         patterns are: `birth`, `owner`.\n21:25"
    ));
    assert!(!inner.names_index);
}

#[test]
fn an_index_without_foreign_keys_says_so() {
    let plain = TestIndex::new(json!({"filterableAttributes": ["a"]}), &[json!({"id": 1})]);
    let none = ForeignIndexes::default();
    assert!(
        refused(&plain, Some(&none), "_foreign(a, b = 1)")
            .starts_with("Index does not have foreign keys\n1:9 ")
    );
}

#[test]
fn where_keys_are_not_followed_the_condition_is_not_supported() {
    let error = found(&films(), None, "_foreign(actors, birth = 1)").unwrap_err();
    assert!(
        error
            .message
            .starts_with("Filter condition `_foreign` is not supported for this endpoint.\n1:9 ")
    );
    assert!(!error.names_index);
}

#[test]
fn a_key_whose_rule_forbids_equality_is_refused_like_a_list() {
    let films = films();
    let features = json!({"filter": {"equality": false, "comparison": true}});
    films.apply(json!({"type": "settingsUpdate", "settings": {
        "filterableAttributes": [{"attributePatterns": ["actors"], "features": features}],
    }}));
    let seen = seen(&people(), None);
    let message = refused(&films, Some(&seen), "_foreign(actors, birth = 1940)");
    assert!(
        message.starts_with("Filter operator `=` is not allowed for the attribute `actors`."),
        "{message}"
    );
}
