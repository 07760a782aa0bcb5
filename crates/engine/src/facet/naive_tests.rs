//! Filters and counts on a real index, against naive readings of the JSON documents.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::facets;
use super::tests::{filtered, waited};
use crate::docset::{DocId, DocSet};
use crate::testing::TestIndex;
use crate::testing::naive_facets::{NaiveFilter, naive_counts, read};

const NAMES: [&str; 7] = ["a", "b", "a.a", "a.b", "b.a", "a.b.a", "c"];
const TEXTS: [&str; 9] = ["", "1", "01", "-2", "2.5", "Été", "été b", "b", "True"];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(vec![-2.0, 0.0, 1.0, 2.5, 10.0]).prop_map(Value::from),
        (-2_i64..3).prop_map(Value::from),
        prop::sample::select(TEXTS.to_vec()).prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            members(inner),
        ]
    })
}

fn members(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec((prop::sample::select(vec!["a", "b"]), inner), 0..3).prop_map(|members| {
        let members = members
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        Value::Object(members.collect::<Map<_, _>>())
    })
}

fn filter() -> impl Strategy<Value = NaiveFilter> {
    let name = || prop::sample::select(NAMES.to_vec());
    let text = || prop::sample::select(TEXTS.to_vec());
    let operators = vec!["=", "!=", ">", ">=", "<", "<=", "CONTAINS", "STARTS WITH"];
    let leaf = prop_oneof![
        (name(), prop::sample::select(operators), text())
            .prop_map(|(name, operator, value)| NaiveFilter::One(name, operator, value)),
        (name(), text(), text()).prop_map(|(name, from, to)| NaiveFilter::Between(name, from, to)),
        (name(), prop::collection::vec(text(), 0..3))
            .prop_map(|(name, values)| NaiveFilter::In(name, values)),
        (
            name(),
            prop::sample::select(vec!["EXISTS", "IS NULL", "IS EMPTY", "NOT EXISTS"])
        )
            .prop_map(|(name, operator)| NaiveFilter::Is(name, operator)),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(NaiveFilter::And),
            prop::collection::vec(inner.clone(), 2..4).prop_map(NaiveFilter::Or),
            inner.prop_map(|inner| NaiveFilter::Not(Box::new(inner))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn filters_and_counts_equal_a_reading_of_the_documents(
        values in prop::collection::vec(members(value()), 1..12),
        filters in prop::collection::vec(filter(), 12),
    ) {
        let documents: Vec<Value> = values
            .into_iter()
            .enumerate()
            .map(|(id, mut document)| {
                document["id"] = json!(id);
                document
            })
            .collect();
        let index = TestIndex::new(json!({"filterableAttributes": ["a", "b", "c"]}), &documents);
        let snapshot = index.snapshot();
        let known = |name: &str| documents.iter().any(|document| read(document, name).exists);
        for filter in &filters {
            let text = filter.text();
            let expected: Vec<DocId> = documents
                .iter()
                .enumerate()
                .filter(|(_, document)| filter.holds(document, &known))
                .map(|(at, _)| at as DocId)
                .collect();
            prop_assert_eq!(filtered(&snapshot, &text), Ok(expected.clone()), "{}", text);
            for divisor in 1..4 {
                let part: DocSet = (0..documents.len() as DocId).step_by(divisor).collect();
                let among = part.iter().filter(|doc| expected.contains(doc));
                prop_assert_eq!(waited(&snapshot, &text, &part), among.collect::<Vec<_>>(), "{}", text);
            }
            let candidates = expected.into_iter().collect();
            let facets = facets(&snapshot, &["*".to_owned()], &candidates).unwrap();
            let counts: BTreeMap<String, BTreeMap<String, u64>> =
                serde_json::from_slice(&facets.distribution).unwrap();
            for name in NAMES {
                let naive = naive_counts(&documents, candidates.iter(), name);
                let shown = counts.get(name).cloned();
                prop_assert_eq!(shown, known(name).then_some(naive), "{} of {}", name, text);
            }
        }
    }
}
