//! Filters and counts on a real index, against naive readings of the JSON documents.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use serval_text::normalize_facet;

use super::facets;
use super::tests::filtered;
use crate::docset::DocId;
use crate::testing::TestIndex;

/// Every value under a dotted name, and whether the name exists, is null or is empty by itself.
#[derive(Default)]
struct Naive {
    numbers: Vec<f64>,
    strings: Vec<String>,
    exists: bool,
    null: bool,
    empty: bool,
}

fn read(document: &Value, name: &str) -> Naive {
    fn values(value: &Value, is_own: bool, naive: &mut Naive) {
        match value {
            Value::Null => naive.null |= is_own,
            Value::Bool(value) => naive.strings.push(value.to_string()),
            Value::Number(number) => naive.numbers.extend(number.as_f64()),
            Value::String(text) if text.is_empty() => naive.empty |= is_own,
            Value::String(text) => naive.strings.push(normalize_facet(text)),
            Value::Array(items) => {
                naive.empty |= is_own && items.is_empty();
                items.iter().for_each(|item| values(item, false, naive));
            }
            Value::Object(members) => naive.empty |= is_own && members.is_empty(),
        }
    }
    fn walk(value: &Value, prefix: &str, name: &str, naive: &mut Naive) {
        match value {
            Value::Array(items) => items
                .iter()
                .for_each(|item| walk(item, prefix, name, naive)),
            Value::Object(members) => {
                for (key, value) in members {
                    let path = if prefix.is_empty() {
                        key.clone()
                    } else {
                        format!("{prefix}.{key}")
                    };
                    if path == name {
                        naive.exists = true;
                        values(value, true, naive);
                    }
                    walk(value, &path, name, naive);
                }
            }
            _ => {}
        }
    }
    let mut naive = Naive::default();
    walk(document, "", name, &mut naive);
    naive
}

/// A filter with its text and its naive meaning.
#[derive(Clone, Debug)]
enum Test {
    Or(Vec<Test>),
    And(Vec<Test>),
    Not(Box<Test>),
    One(&'static str, &'static str, &'static str),
    Between(&'static str, &'static str, &'static str),
    In(&'static str, Vec<&'static str>),
    Is(&'static str, &'static str),
}

impl Test {
    fn text(&self) -> String {
        let joined = |parts: &[Test], with: &str| {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| format!("({})", part.text()))
                .collect();
            parts.join(with)
        };
        match self {
            Test::Or(parts) => joined(parts, " OR "),
            Test::And(parts) => joined(parts, " AND "),
            Test::Not(inner) => format!("NOT ({})", inner.text()),
            Test::One(name, operator, value) => format!("{name} {operator} '{value}'"),
            Test::Between(name, from, to) => format!("{name} '{from}' TO '{to}'"),
            Test::In(name, values) => {
                let values: Vec<String> = values.iter().map(|value| format!("'{value}'")).collect();
                format!("{name} IN [{}]", values.join(", "))
            }
            Test::Is(name, operator) => format!("{name} {operator}"),
        }
    }

    fn holds(&self, document: &Value, known: &dyn Fn(&str) -> bool) -> bool {
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let equal = |naive: &Naive, value: &str| {
            naive.strings.contains(&normalize_facet(value))
                || number(value).is_some_and(|number| naive.numbers.contains(&number))
        };
        match self {
            Test::Or(parts) => parts.iter().any(|part| part.holds(document, known)),
            Test::And(parts) => parts.iter().all(|part| part.holds(document, known)),
            Test::Not(inner) => !inner.holds(document, known),
            Test::Is(name, operator) => {
                let naive = read(document, name);
                match *operator {
                    "EXISTS" => naive.exists,
                    "IS NULL" => naive.null,
                    "IS EMPTY" => naive.empty,
                    _ => !naive.exists,
                }
            }
            Test::In(name, values) => {
                let naive = read(document, name);
                values.iter().any(|value| equal(&naive, value))
            }
            Test::Between(name, from, to) => {
                let naive = read(document, name);
                let (low, high) = (normalize_facet(from), normalize_facet(to));
                naive
                    .strings
                    .iter()
                    .any(|string| *string >= low && *string <= high)
                    || number(from).zip(number(to)).is_some_and(|(low, high)| {
                        naive
                            .numbers
                            .iter()
                            .any(|number| *number >= low && *number <= high)
                    })
            }
            Test::One(name, operator, value) => {
                let naive = read(document, name);
                let text = normalize_facet(value);
                let strings = |test: &dyn Fn(&str) -> bool| naive.strings.iter().any(|s| test(s));
                let numbers = |test: &dyn Fn(f64, f64) -> bool| {
                    number(value).is_some_and(|v| naive.numbers.iter().any(|n| test(*n, v)))
                };
                match *operator {
                    "=" => equal(&naive, value),
                    "!=" => known(name) && !equal(&naive, value),
                    ">" => strings(&|s| s > text.as_str()) || numbers(&|n, v| n > v),
                    ">=" => strings(&|s| s >= text.as_str()) || numbers(&|n, v| n >= v),
                    "<" => strings(&|s| s < text.as_str()) || numbers(&|n, v| n < v),
                    "<=" => strings(&|s| s <= text.as_str()) || numbers(&|n, v| n <= v),
                    "CONTAINS" => strings(&|s| s.contains(&text)),
                    _ => strings(&|s| s.starts_with(&text)),
                }
            }
        }
    }
}

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

fn filter() -> impl Strategy<Value = Test> {
    let name = || prop::sample::select(NAMES.to_vec());
    let text = || prop::sample::select(TEXTS.to_vec());
    let operators = vec!["=", "!=", ">", ">=", "<", "<=", "CONTAINS", "STARTS WITH"];
    let leaf = prop_oneof![
        (name(), prop::sample::select(operators), text())
            .prop_map(|(name, operator, value)| Test::One(name, operator, value)),
        (name(), text(), text()).prop_map(|(name, from, to)| Test::Between(name, from, to)),
        (name(), prop::collection::vec(text(), 0..3))
            .prop_map(|(name, values)| Test::In(name, values)),
        (
            name(),
            prop::sample::select(vec!["EXISTS", "IS NULL", "IS EMPTY", "NOT EXISTS"])
        )
            .prop_map(|(name, operator)| Test::Is(name, operator)),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Test::And),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Test::Or),
            inner.prop_map(|inner| Test::Not(Box::new(inner))),
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

/// Counts by key as shown: a string's count stands over that of a number written alike.
fn naive_counts(
    documents: &[Value],
    candidates: impl Iterator<Item = DocId>,
    name: &str,
) -> BTreeMap<String, u64> {
    let (mut numbers, mut strings) = (BTreeMap::new(), BTreeMap::<String, (String, u64)>::new());
    for id in candidates {
        let naive = read(&documents[id as usize], name);
        let mut own: Vec<String> = naive
            .numbers
            .iter()
            .map(|n| (n + 0.0).to_string())
            .collect();
        own.sort();
        own.dedup();
        own.into_iter()
            .for_each(|number| *numbers.entry(number).or_insert(0) += 1);
        let mut own = naive.strings;
        own.sort();
        own.dedup();
        for string in own.into_iter().filter(|string| !string.is_empty()) {
            let original = original(&documents[id as usize], name, &string);
            strings.entry(string).or_insert((original, 0)).1 += 1;
        }
    }
    numbers.extend(strings.into_values());
    numbers
}

/// The first spelling of a normalised string in a document.
fn original(document: &Value, name: &str, normalized: &str) -> String {
    fn leaves<'v>(value: &'v Value, prefix: &str, name: &str, out: &mut Vec<&'v Value>) {
        match value {
            Value::Array(items) => items
                .iter()
                .for_each(|item| leaves(item, prefix, name, out)),
            Value::Object(members) => members.iter().for_each(|(key, value)| {
                let path = if prefix.is_empty() {
                    key.clone()
                } else {
                    format!("{prefix}.{key}")
                };
                leaves(value, &path, name, out);
            }),
            leaf if prefix == name => out.push(leaf),
            _ => {}
        }
    }
    let mut found = Vec::new();
    leaves(document, "", name, &mut found);
    let spelled = |leaf: &Value| match leaf {
        Value::String(text) => text.clone(),
        leaf => leaf.to_string(),
    };
    let mut spellings = found
        .into_iter()
        .filter(|leaf| leaf.is_string() || leaf.is_boolean());
    spellings
        .find(|leaf| normalize_facet(&spelled(leaf)) == normalized)
        .map(spelled)
        .unwrap_or_default()
}
