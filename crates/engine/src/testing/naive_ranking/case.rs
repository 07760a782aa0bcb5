//! Random searches over small vocabularies in which words are near, joined and cut.

use std::fmt;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

use crate::query::Removal;
use crate::settings::Direction;

/// Words that are near, joined, cut or prefixes of each other.
const FAMILIES: [&[&str]; 4] = [
    &[
        "sun",
        "flower",
        "sunflower",
        "sunn",
        "flowers",
        "fl",
        "sunflowers",
        "sunflowerr",
        "the",
    ],
    &[
        "note",
        "book",
        "notebook",
        "notebooks",
        "nota",
        "bok",
        "no",
        "of",
    ],
    &["20245", "20246", "2024", "20", "245", "20245a", "of", "the"],
    &[
        "aa",
        "a",
        "aaa",
        "aab",
        "ab",
        "ba",
        "of",
        "aaaaa",
        "aaaab",
        "baaaa",
        "aaaaaaaaa",
    ],
];
const ATTRIBUTES: [&str; 5] = ["title", "body", "tags", "meta.note", "meta.list"];
const RULES: [&str; 10] = [
    "words",
    "typo",
    "proximity",
    "attributeRank",
    "sort",
    "wordPosition",
    "exactness",
    "attribute",
    "rank:desc",
    "rank:asc",
];

/// A search over some documents.
#[derive(Clone)]
pub(super) struct Case {
    pub settings: Value,
    pub documents: Vec<Value>,
    pub query: String,
    pub removal: Removal,
    pub searched: Option<Vec<&'static str>>,
    pub sort: Vec<Direction>,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            settings,
            query,
            removal,
            searched,
            sort,
            ..
        } = self;
        writeln!(
            f,
            "{query:?} {removal:?} in {searched:?} sorted {sort:?}\n{settings}"
        )?;
        self.documents
            .iter()
            .try_for_each(|document| writeln!(f, "{document}"))
    }
}

type Words = Vec<&'static str>;

/// A few words of one family, so that they meet often.
fn vocabulary() -> impl Strategy<Value = Words> {
    select(FAMILIES.to_vec()).prop_flat_map(|family| subsequence(family.to_vec(), 3..=6))
}

fn joined(words: Words, separators: Vec<&'static str>, most: usize) -> BoxedStrategy<String> {
    vec((select(words), select(separators)), 0..=most)
        .prop_map(|pieces| {
            let pieces = pieces
                .iter()
                .map(|(word, separator)| format!("{word}{separator}"));
            pieces.collect()
        })
        .boxed()
}

fn text(words: &Words) -> BoxedStrategy<String> {
    joined(
        words.clone(),
        vec![" ", " ", " ", " ", ". ", "-", ", ", " x ", " x x "],
        5,
    )
}

fn list(words: &Words) -> BoxedStrategy<Value> {
    let item = prop_oneof![
        4 => text(words).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => (0..3_i64).prop_map(Value::from),
    ];
    vec(item, 0..3).prop_map(Value::from).boxed()
}

fn document(words: &Words) -> impl Strategy<Value = Value> + use<> {
    let rank = prop_oneof![
        (0..3_i64).prop_map(Value::from),
        select(vec![
            json!("b"),
            json!("A"),
            json!(null),
            json!([1, "a"]),
            json!([])
        ]),
    ];
    let nested =
        (text(words), list(words)).prop_map(|(note, list)| json!({"note": note, "list": list}));
    (
        of(text(words)),
        of(text(words)),
        of(list(words)),
        of(nested),
        of(rank),
    )
        .prop_map(|(title, body, tags, meta, rank)| {
            let mut document = Map::new();
            let mut add = |name: &str, value: Option<Value>| {
                value.map(|value| document.insert(name.to_owned(), value));
            };
            add("title", title.map(Value::from));
            add("body", body.map(Value::from));
            add("tags", tags);
            add("meta", meta);
            add("rank", rank);
            Value::Object(document)
        })
}

fn query(words: &Words) -> impl Strategy<Value = String> + use<> {
    let start = select(vec!["", "", "", "", "\"", "-", "? "]);
    let separators = vec![
        " ", " ", " ", " ", " ", " ", ". ", "-", " -", " \"", "\" ", " -\"",
    ];
    let end = select(vec!["", "", " ", "\""]);
    (
        start,
        joined(words.clone(), separators, 3),
        select(words.clone()),
        end,
    )
        .prop_map(|(start, text, last, end)| format!("{start}{text}{last}{end}"))
}

fn rules() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(RULES.to_vec(), 1..=RULES.len())
        .prop_shuffle()
        .prop_map(|mut rules| {
            if rules.contains(&"attribute") {
                rules.retain(|rule| !["attributeRank", "wordPosition"].contains(rule));
            }
            rules
        })
}

fn settings(words: &Words) -> impl Strategy<Value = Value> + use<> {
    let some = |values: Words| subsequence(values.clone(), 0..=values.len().min(2));
    let typo = (
        prop::bool::weighted(0.9),
        select(vec![(5, 9), (5, 9), (2, 3), (3, 5), (4, 10)]),
        some(words.clone()),
        some(ATTRIBUTES.to_vec()),
        prop::bool::weighted(0.3),
    )
        .prop_map(|(enabled, (one, two), words, attributes, numbers)| {
            json!({
                "enabled": enabled,
                "minWordSizeForTypos": {"oneTypo": one, "twoTypos": two},
                "disableOnWords": words,
                "disableOnAttributes": attributes,
                "disableOnNumbers": numbers,
            })
        });
    let attributes = prop_oneof![
        Just(vec!["*"]),
        subsequence(vec!["title", "body", "tags", "meta", "meta.list"], 1..=3).prop_shuffle(),
    ];
    let synonyms = vec((phrase(words), vec(phrase(words), 1..3)), 0..3);
    let stop_words = prop_oneof![Just(vec![]), Just(vec!["the", "of"])];
    let precision = select(vec!["byWord", "byWord", "byWord", "byAttribute"]);
    let prefix = select(vec![
        "indexingTime",
        "indexingTime",
        "indexingTime",
        "disabled",
    ]);
    let default = select(vec![true, true, false]);
    (
        rules(),
        typo,
        attributes,
        synonyms,
        stop_words,
        (precision, prefix, default),
    )
        .prop_map(
            |(rules, typo, attributes, synonyms, stop_words, (precision, prefix, default))| {
                let synonyms: Map<String, Value> = synonyms
                    .into_iter()
                    .map(|(key, values)| (key, json!(values)))
                    .collect();
                let mut settings = json!({
                    "searchableAttributes": attributes,
                    "synonyms": synonyms,
                    "stopWords": stop_words,
                    "proximityPrecision": precision,
                    "prefixSearch": prefix,
                    "rankingRules": rules,
                });
                if !default {
                    settings["typoTolerance"] = typo;
                }
                settings
            },
        )
}

/// One to three words.
fn phrase(words: &Words) -> impl Strategy<Value = String> + use<> {
    vec(select(words.clone()), 1..=3).prop_map(|words| words.join(" "))
}

/// Settings, documents and a query over one vocabulary.
pub(super) fn case() -> impl Strategy<Value = Case> {
    vocabulary().prop_flat_map(|words| {
        (
            settings(&words),
            vec(document(&words), 1..8),
            query(&words),
            select(vec![Removal::Last, Removal::Frequency, Removal::Nothing]),
            prop_oneof![3 => Just(None), 1 => subsequence(ATTRIBUTES.to_vec(), 1..=3).prop_map(Some)],
            vec(select(vec![Direction::Asc, Direction::Desc]), 0..=1),
        )
            .prop_map(|(settings, documents, query, removal, searched, sort)| Case {
                settings,
                documents,
                query,
                removal,
                searched,
                sort,
            })
    })
}

/// A search for a word that many documents have misspelt and a few as two words.
pub(super) fn split_or_misspelt() -> impl Strategy<Value = Case> {
    let text =
        |words: &'static [&'static str]| vec(select(words), 0..6).prop_map(|words| words.join(" "));
    let misspelt = text(&["notebok", "notbook", "the", "book", "of", "notebok of"]);
    let split = text(&["note book", "notebok", "the", "note", "of"]);
    let document = |text: BoxedStrategy<String>| (text.clone(), text);
    let misspelt = vec(document(misspelt.boxed()), 4..24);
    let split = vec(
        (any::<prop::sample::Index>(), document(split.boxed())),
        0..4,
    );
    let query = select(&["notebook", "notebok", "notebooj"][..]);
    (misspelt, split, query).prop_map(|(mut documents, split, query)| {
        for (at, document) in split {
            documents.insert(at.index(documents.len()), document);
        }
        let numbered = documents.into_iter().enumerate();
        Case {
            settings: json!({"searchableAttributes": ["title", "body"]}),
            documents: numbered
                .map(|(id, (title, body))| json!({"id": id, "title": title, "body": body}))
                .collect(),
            query: query.to_owned(),
            removal: Removal::Last,
            searched: None,
            sort: Vec::new(),
        }
    })
}
