//! Filters and counts the slow way: every document is read anew for every question.
//!
//! Shares no code with the facet module but the normal form of strings.

use std::collections::BTreeMap;

use serde_json::Value;
use serval_text::normalize_facet;

use crate::docset::DocId;

/// Every value under a dotted name, and whether the name exists, is null or is empty by itself.
#[derive(Default)]
pub(crate) struct Naive {
    numbers: Vec<f64>,
    strings: Vec<String>,
    pub(crate) exists: bool,
    null: bool,
    empty: bool,
}

#[cfg(feature = "fuzzing")]
impl Naive {
    /// Whether the two have a value in common.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let mut strings = self.strings.iter().filter(|string| !string.is_empty());
        let mut numbers = self.numbers.iter();
        strings.any(|string| other.strings.contains(string))
            || numbers.any(|number| other.numbers.contains(number))
    }
}

/// What a document has under a dotted name.
pub(crate) fn read(document: &Value, name: &str) -> Naive {
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
#[cfg_attr(
    not(feature = "fuzzing"),
    allow(unreachable_pub, reason = "only fuzz targets reach it")
)]
#[derive(Clone, Debug)]
pub enum NaiveFilter {
    /// Any of them holds.
    Or(Vec<NaiveFilter>),
    /// All of them hold.
    And(Vec<NaiveFilter>),
    /// It does not hold.
    Not(Box<NaiveFilter>),
    /// Attribute, operator, value.
    One(&'static str, &'static str, &'static str),
    /// Attribute, least and greatest value.
    Between(&'static str, &'static str, &'static str),
    /// Attribute, values.
    In(&'static str, Vec<&'static str>),
    /// Attribute, operator without a value.
    Is(&'static str, &'static str),
}

impl NaiveFilter {
    /// As it is written.
    #[cfg_attr(
        not(feature = "fuzzing"),
        allow(unreachable_pub, reason = "only fuzz targets reach it")
    )]
    #[must_use]
    pub fn text(&self) -> String {
        let joined = |parts: &[NaiveFilter], with: &str| {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| format!("({})", part.text()))
                .collect();
            parts.join(with)
        };
        match self {
            NaiveFilter::Or(parts) => joined(parts, " OR "),
            NaiveFilter::And(parts) => joined(parts, " AND "),
            NaiveFilter::Not(inner) => format!("NOT ({})", inner.text()),
            NaiveFilter::One(name, operator, value) => format!("{name} {operator} '{value}'"),
            NaiveFilter::Between(name, from, to) => format!("{name} '{from}' TO '{to}'"),
            NaiveFilter::In(name, values) => {
                let values: Vec<String> = values.iter().map(|value| format!("'{value}'")).collect();
                format!("{name} IN [{}]", values.join(", "))
            }
            NaiveFilter::Is(name, operator) => format!("{name} {operator}"),
        }
    }

    /// Whether the document is found; `known` tells the attributes that any document has.
    pub(crate) fn holds(&self, document: &Value, known: &dyn Fn(&str) -> bool) -> bool {
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let equal = |naive: &Naive, value: &str| {
            naive.strings.contains(&normalize_facet(value))
                || number(value).is_some_and(|number| naive.numbers.contains(&number))
        };
        match self {
            NaiveFilter::Or(parts) => parts.iter().any(|part| part.holds(document, known)),
            NaiveFilter::And(parts) => parts.iter().all(|part| part.holds(document, known)),
            NaiveFilter::Not(inner) => !inner.holds(document, known),
            NaiveFilter::Is(name, operator) => {
                let naive = read(document, name);
                match *operator {
                    "EXISTS" => naive.exists,
                    "IS NULL" => naive.null,
                    "IS EMPTY" => naive.empty,
                    _ => !naive.exists,
                }
            }
            NaiveFilter::In(name, values) => {
                let naive = read(document, name);
                values.iter().any(|value| equal(&naive, value))
            }
            NaiveFilter::Between(name, from, to) => {
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
            NaiveFilter::One(name, operator, value) => {
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

/// Counts by key as shown: a string's count stands over that of a number written alike.
pub(crate) fn naive_counts(
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
