//! What operations do to documents, numbers, counts and meta data.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::attributes::check_attributes;
use super::words::{check_words, documents};
use super::{Fixture, error_code, is_success, replace, settings, update};
use crate::batch::{OperationOutcome, OperationResult};
use crate::docset::DocId;

#[derive(Clone, Debug)]
enum Step {
    Replace(Vec<Value>),
    Update(Vec<Value>),
    Delete(Vec<u32>),
    DeleteByFilter(Vec<u32>),
    Clear,
    Bad,
    Settings(Value),
}

fn step() -> impl Strategy<Value = Step> {
    let ids = proptest::collection::vec(0..12_u32, 0..6);
    prop_oneof![
        4 => documents().prop_map(Step::Replace),
        3 => documents().prop_map(Step::Update),
        2 => ids.clone().prop_map(Step::Delete),
        1 => ids.prop_map(Step::DeleteByFilter),
        1 => Just(Step::Clear),
        1 => Just(Step::Bad),
        1 => prop_oneof![
            Just(json!({"filterableAttributes": [{"attributePatterns": ["*"]}], "stopWords": ["the"]})),
            Just(json!({"filterableAttributes": [{"attributePatterns": ["*"]}], "stopWords": null})),
            Just(json!({"filterableAttributes": [{"attributePatterns": ["*"]}], "searchCutoffMs": 100})),
        ].prop_map(Step::Settings),
    ]
}

fn operation(step: &Step) -> Value {
    let texts = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>();
    match step {
        Step::Replace(documents) => replace(documents),
        Step::Update(documents) => update(documents),
        Step::Delete(ids) => json!({"type": "documentDeletion", "ids": texts(ids)}),
        Step::DeleteByFilter(ids) => json!({"type": "documentDeletion", "filter": texts(ids)}),
        Step::Clear => json!({"type": "documentClear"}),
        Step::Bad => replace(&[json!({"id": 3, "x": "trace"}), json!({"id": 1.5})]),
        Step::Settings(delta) => settings(delta.clone()),
    }
}

/// Documents by identifier with their numbers, in plain maps.
#[derive(Default)]
struct Model(BTreeMap<u32, (DocId, serde_json::Map<String, Value>)>);

impl Model {
    fn add(&mut self, document: &Value, merge: bool) {
        let id = document["id"].as_u64().expect("a number") as u32;
        let members = document.as_object().expect("an object").clone();
        match self.0.get_mut(&id) {
            Some((_, stored)) if merge => stored.extend(members),
            Some((_, stored)) => *stored = members,
            None => {
                let used: Vec<DocId> = self.0.values().map(|(id, _)| *id).collect();
                let free = (0..).find(|id| !used.contains(id)).expect("endless");
                self.0.insert(id, (free, members));
            }
        }
    }

    fn delete(&mut self, ids: &[u32]) -> u64 {
        ids.iter().filter(|id| self.0.remove(id).is_some()).count() as u64
    }

    /// Applies a step; the counts it reports, or `None` when it fails.
    fn apply(&mut self, step: &Step) -> Option<(Option<u64>, Option<u64>)> {
        match step {
            Step::Replace(documents) => documents.iter().for_each(|d| self.add(d, false)),
            Step::Update(documents) => documents.iter().for_each(|d| self.add(d, true)),
            Step::Delete(ids) | Step::DeleteByFilter(ids) => {
                return Some((None, Some(self.delete(ids))));
            }
            Step::Clear => return Some((None, Some(std::mem::take(&mut self.0).len() as u64))),
            Step::Bad => return None,
            Step::Settings(_) => return Some((None, None)),
        }
        match step {
            Step::Replace(documents) | Step::Update(documents) => {
                let ids: BTreeSet<u64> =
                    documents.iter().filter_map(|d| d["id"].as_u64()).collect();
                Some((Some(ids.len() as u64), None))
            }
            _ => None,
        }
    }
}

fn counts(result: &OperationResult) -> Option<(Option<u64>, Option<u64>)> {
    match result.outcome {
        OperationOutcome::Succeeded {
            indexed_documents,
            deleted_documents,
            ..
        } => Some((indexed_documents, deleted_documents)),
        OperationOutcome::Failed { .. } => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Any operations in any batches leave the documents, numbers, counts, words and columns that
    /// plain maps predict.
    #[test]
    fn batches_do_what_their_operations_do_one_by_one(
        batches in proptest::collection::vec(proptest::collection::vec(step(), 1..4), 1..5),
    ) {
        let mut fixture = Fixture::new(Some("id"));
        fixture.apply(json!([settings(json!({"filterableAttributes": [{"attributePatterns": ["*"]}]}))]));
        let mut model = Model::default();
        for (number, steps) in batches.iter().enumerate() {
            let results = fixture.apply(steps.iter().map(operation).collect());
            prop_assert_eq!(results.len(), steps.len());
            for (step, result) in steps.iter().zip(&results) {
                prop_assert_eq!(counts(result), model.apply(step), "{:?}", step);
            }
            if number == 1 {
                fixture = fixture.reopened();
            }
            let snapshot = fixture.index.snapshot();
            let mut expected: Vec<(DocId, Value)> = model
                .0
                .values()
                .map(|(id, members)| (*id, Value::Object(members.clone())))
                .collect();
            expected.sort_by_key(|(id, _)| *id);
            prop_assert_eq!(fixture.documents(), expected);
            for (id, (number, _)) in &model.0 {
                prop_assert_eq!(snapshot.find(&id.to_string()).expect("read"), Some(*number));
            }
            let mut distribution: BTreeMap<String, u64> = BTreeMap::new();
            for (_, members) in model.0.values() {
                members.keys().for_each(|k| *distribution.entry(k.clone()).or_default() += 1);
            }
            prop_assert_eq!(&*snapshot.meta().field_distribution, &distribution);
            let last = snapshot.meta().last_batch.clone().expect("a batch was committed");
            prop_assert_eq!(last.results, results);
            check_words(&snapshot)?;
            check_attributes(&snapshot)?;
        }
    }
}

#[test]
fn one_bad_document_refuses_its_operation_and_no_other() {
    let fixture = Fixture::new(Some("id"));
    let results = fixture.apply(json!([
        replace(&[json!({"id": 1, "a": "kept"})]),
        replace(&[json!({"id": 2, "b": "gone"}), json!({"title": "no id"})]),
        update(&[json!({"id": 1, "c": "merged"})]),
    ]));
    assert_eq!(
        results.iter().map(error_code).collect::<Vec<_>>(),
        ["", "missing_document_id", ""]
    );
    let snapshot = fixture.index.snapshot();
    assert_eq!(
        fixture.documents(),
        [(0, json!({"id": 1, "a": "kept", "c": "merged"}))]
    );
    assert_eq!(snapshot.field_id("b"), None);
    assert!(!snapshot.contains_word("gone"));
}

#[test]
fn fields_beyond_what_can_be_numbered_refuse_their_operation() {
    let fixture = Fixture::new(Some("id"));
    let wide: serde_json::Map<String, Value> = (0..65_540)
        .map(|n| (format!("f{n}"), json!(n)))
        .chain([("id".into(), json!(2))])
        .collect();
    let results = fixture.apply(json!([
        replace(&[json!({"id": 1, "a": "before"})]),
        replace(&[Value::Object(wide)]),
        replace(&[json!({"id": 3, "a": "after"})]),
    ]));
    assert_eq!(
        results.iter().map(error_code).collect::<Vec<_>>(),
        ["", "max_fields_limit_exceeded", ""]
    );
    assert_eq!(
        fixture.documents(),
        [
            (0, json!({"id": 1, "a": "before"})),
            (1, json!({"id": 3, "a": "after"}))
        ]
    );
    assert_eq!(fixture.index.snapshot().n_fields(), 2);
}

#[test]
fn the_primary_key_is_inferred_declared_or_refused() {
    let fixture = Fixture::new(None);
    let results = fixture.apply(json!([replace(&[json!({"name": "x"})])]));
    assert_eq!(
        error_code(&results[0]),
        "index_primary_key_no_candidate_found"
    );
    assert_eq!(fixture.index.snapshot().meta().primary_key, None);
    let results = fixture.apply(json!([replace(&[json!({"docId": 1})])]));
    assert!(is_success(&results[0]));
    assert_eq!(
        fixture.index.snapshot().meta().primary_key.as_deref(),
        Some("docId")
    );
    let mut other = replace(&[json!({"docId": 2})]);
    other["primaryKey"] = json!("other");
    let results = fixture.apply(json!([
        other,
        {"type": "primaryKeyUpdate", "primaryKey": "other"},
        {"type": "documentClear"},
        {"type": "primaryKeyUpdate", "primaryKey": "other"},
    ]));
    let existing = "index_primary_key_already_exists";
    assert_eq!(
        results.iter().map(error_code).collect::<Vec<_>>(),
        [existing, existing, "", ""]
    );
    assert_eq!(
        fixture.index.snapshot().meta().primary_key.as_deref(),
        Some("other")
    );
}

#[test]
fn skipping_creation_changes_only_what_exists() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&[json!({"id": 1})]);
    let mut operation = update(&[json!({"id": 1, "a": 1}), json!({"id": 2, "a": 2})]);
    operation["skipCreation"] = json!(true);
    let results = fixture.apply(json!([operation]));
    assert_eq!(counts(&results[0]), Some((Some(2), None)));
    assert_eq!(fixture.documents(), [(0, json!({"id": 1, "a": 1}))]);
}

#[test]
fn stored_keys_stand_in_order_of_first_sight() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&[json!({"b": 1, "id": 1, "a": {"y": 1, "x": 2}})]);
    fixture.add(&[json!({"a": 3, "c": 2, "b": 4, "id": 2})]);
    let json = fixture.index.snapshot().document(1).expect("stored");
    assert_eq!(
        String::from_utf8(json).expect("UTF-8"),
        r#"{"id":2,"b":4,"a":3,"c":2}"#
    );
}

#[test]
fn coordinates_are_checked_when_geo_is_faceted() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&[json!({"id": 1, "_geo": "anywhere"})]);
    let geo = settings(json!({"filterableAttributes": ["_geo"]}));
    let results = fixture.apply(json!([geo]));
    assert_eq!(error_code(&results[0]), "invalid_document_geo_field");
    assert!(
        fixture
            .index
            .snapshot()
            .settings()
            .filterable_attributes
            .is_empty()
    );
    let results = fixture.apply(json!([
        replace(&[json!({"id": 1, "_geo": {"lat": 1, "lng": 2}})]),
        geo,
        replace(&[json!({"id": 2, "_geo": {"lat": 1}})]),
    ]));
    assert_eq!(
        results.iter().map(error_code).collect::<Vec<_>>(),
        ["", "", "invalid_document_geo_field"]
    );
    assert_eq!(fixture.index.snapshot().geo(0), Some([1.0, 2.0]));
}

#[test]
fn a_large_batch_trains_a_dictionary_and_documents_survive_it() {
    let fixture = Fixture::new(Some("id"));
    let document = |n: u32| json!({"id": n, "title": format!("Number {n}"), "kind": "of many"});
    fixture.add(&(0..5).map(document).collect::<Vec<_>>());
    fixture.add(&(5..600).map(document).collect::<Vec<_>>());
    assert_eq!(fixture.index.snapshot().meta().n_dictionaries, 1);
    fixture.apply(json!([settings(json!({"stopWords": ["of"]}))]));
    let fixture = fixture.reopened();
    let expected: Vec<_> = (0..600).map(|n| (n, document(n))).collect();
    assert_eq!(fixture.documents(), expected);
}
