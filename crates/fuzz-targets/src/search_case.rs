//! Settings, documents and searches made of words that are near, joined and cut.

use serde_json::{Map, Value, json};
use serval_engine::fuzzing::NaiveFilter;

use crate::choices::Choices;

const FAMILIES: [&[&str]; 5] = [
    &[
        "sun",
        "sunn",
        "flower",
        "flowers",
        "sunflower",
        "sunflowers",
        "the",
        "x",
    ],
    &["note", "notes", "book", "notebook", "nota", "no", "of", "x"],
    &["2024", "20245", "20246", "20", "245", "a2024", "of", "x"],
    &[
        "aa",
        "a",
        "aab",
        "ba",
        "aaaab",
        "aaaaab",
        "baaaa",
        "aaaaaaaaa",
    ],
    &[
        "été", "ete", "étés", "naïve", "naive", "東京", "京都", "don't",
    ],
];
const SEPARATORS: [&str; 10] = [" ", " ", " ", " ", ". ", "-", ", ", " x ", "", "  "];
const QUERY_SEPARATORS: [&str; 10] = [" ", " ", " ", " ", " ", ". ", "-", " -", " \"", "\" "];
const SEARCHABLE: [&str; 5] = ["title", "body", "tags", "meta", "meta.list"];
const SEARCHED: [&str; 5] = ["title", "body", "tags", "meta.note", "meta.list"];
const RULES: [&str; 8] = [
    "words",
    "typo",
    "proximity",
    "attributeRank",
    "sort",
    "wordPosition",
    "exactness",
    "rank:desc",
];
const FACETS: [&str; 3] = ["rank", "tags", "meta.note"];
const MOST_DOCUMENTS: usize = 9;
const MOST_QUESTIONS: usize = 4;

/// An index and what it is asked.
pub(crate) struct SearchCase {
    pub(crate) settings: Map<String, Value>,
    /// What the documents were first.
    pub(crate) before: Vec<Value>,
    /// Those that were replaced, as they are now.
    pub(crate) replaced: Vec<Value>,
    /// Ids of those that were deleted.
    pub(crate) deleted: Vec<usize>,
    /// What is in the index now, in order of ids.
    pub(crate) documents: Vec<Value>,
    pub(crate) questions: Vec<Asked>,
}

/// A search.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(crate) strategy: &'static str,
    pub(crate) searched: Option<Vec<String>>,
    pub(crate) sort: Vec<(String, bool)>,
    pub(crate) threshold: Option<f64>,
    pub(crate) filter: Option<NaiveFilter>,
    pub(crate) distinct: Option<&'static str>,
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

impl SearchCase {
    /// What the bytes decide.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut choices = Choices::new(bytes);
        let words = choices.pick(&FAMILIES);
        let settings = settings(&mut choices, words);
        let n = 1 + choices.below(MOST_DOCUMENTS);
        let before: Vec<Value> = (0..n).map(|id| document(&mut choices, words, id)).collect();
        let (mut replaced, mut deleted, mut documents) = (Vec::new(), Vec::new(), Vec::new());
        for (id, old) in before.iter().enumerate() {
            match choices.below(8) {
                6 => {
                    let new = document(&mut choices, words, id);
                    replaced.push(new.clone());
                    documents.push(new);
                }
                7 => deleted.push(id),
                _ => documents.push(old.clone()),
            }
        }
        let n_questions = 1 + choices.below(MOST_QUESTIONS);
        Self {
            settings,
            before,
            replaced,
            deleted,
            documents,
            questions: (0..n_questions)
                .map(|_| question(&mut choices, words))
                .collect(),
        }
    }
}

fn joined(choices: &mut Choices<'_>, words: &[&str], separators: &[&str], most: usize) -> String {
    let n = choices.below(most + 1);
    (0..n)
        .flat_map(|_| [choices.pick(words), choices.pick(separators)])
        .collect()
}

fn text(choices: &mut Choices<'_>, words: &[&str]) -> String {
    joined(choices, words, &SEPARATORS, 6)
}

fn list(choices: &mut Choices<'_>, words: &[&str]) -> Value {
    let n = choices.below(4);
    let items = (0..n).map(|_| match choices.below(6) {
        4 => Value::Null,
        5 => json!(choices.below(3)),
        _ => Value::from(text(choices, words)),
    });
    items.collect()
}

fn document(choices: &mut Choices<'_>, words: &[&str], id: usize) -> Value {
    let mut document = json!({"id": id});
    if !choices.one_of(4) {
        document["title"] = Value::from(text(choices, words));
    }
    if choices.one_of(2) {
        document["body"] = Value::from(text(choices, words));
    }
    if choices.one_of(2) {
        document["tags"] = list(choices, words);
    }
    if choices.one_of(3) {
        let note = text(choices, words);
        document["meta"] = json!({"note": note, "list": list(choices, words)});
    }
    match choices.below(8) {
        0 => {}
        1 => document["rank"] = json!("b"),
        2 => document["rank"] = json!("A"),
        3 => document["rank"] = Value::Null,
        4 => document["rank"] = json!([1, "a"]),
        5 => document["rank"] = json!([]),
        n => document["rank"] = json!(n),
    }
    document
}

fn phrase(choices: &mut Choices<'_>, words: &[&str]) -> String {
    let n = 1 + choices.below(3);
    let words: Vec<&str> = (0..n).map(|_| choices.pick(words)).collect();
    words.join(" ")
}

fn settings(choices: &mut Choices<'_>, words: &[&str]) -> Map<String, Value> {
    let mut rules = choices.some(&RULES, 2);
    if choices.one_of(2) {
        rules.reverse();
    }
    let at = choices.below(rules.len());
    rules.rotate_left(at);
    let mut settings = json!({
        "filterableAttributes": ["rank", "tags", "meta"],
        "sortableAttributes": ["rank"],
        "searchCutoffMs": 600_000,
        "rankingRules": rules,
        "proximityPrecision": choices.pick(&["byWord", "byWord", "byAttribute"]),
        "prefixSearch": choices.pick(&["indexingTime", "indexingTime", "disabled"]),
    });
    if choices.one_of(3) {
        settings["searchableAttributes"] = json!(choices.some(&SEARCHABLE, 2));
        if settings["searchableAttributes"] == json!([]) {
            settings["searchableAttributes"] = json!(["body", "title"]);
        }
    }
    if choices.one_of(3) {
        settings["stopWords"] = json!(["the", "of"]);
    }
    if choices.one_of(2) {
        let (one, two) = choices.pick(&[(5, 9), (2, 3), (3, 5), (4, 10)]);
        settings["typoTolerance"] = json!({
            "enabled": !choices.one_of(6),
            "minWordSizeForTypos": {"oneTypo": one, "twoTypos": two},
            "disableOnWords": choices.some(words, 6),
            "disableOnAttributes": choices.some(&SEARCHED, 6),
            "disableOnNumbers": choices.one_of(3),
        });
    }
    for _ in 0..choices.below(3) {
        let key = phrase(choices, words);
        settings["synonyms"][key] = json!([phrase(choices, words)]);
    }
    match settings {
        Value::Object(settings) => settings,
        _ => Map::new(),
    }
}

fn question(choices: &mut Choices<'_>, words: &[&'static str]) -> Asked {
    let start = choices.pick(&["", "", "", "", "\"", "-"]);
    let text = joined(choices, words, &QUERY_SEPARATORS, 3);
    let last = choices.pick(words);
    let end = choices.pick(&["", "", "", " ", "\""]);
    let is_placeholder = choices.one_of(8);
    Asked {
        text: match is_placeholder {
            true => String::new(),
            false => format!("{start}{text}{last}{end}"),
        },
        strategy: choices.pick(&["last", "last", "frequency", "all"]),
        searched: choices.one_of(6).then(|| {
            let names = choices.some(&SEARCHED, 2);
            names.into_iter().map(str::to_owned).collect()
        }),
        sort: match choices.below(4) {
            2 => vec![("rank".to_owned(), true)],
            3 => vec![("rank".to_owned(), false)],
            _ => Vec::new(),
        },
        threshold: match choices.below(8) {
            7 => Some(choices.below(101) as f64 / 100.0),
            _ => None,
        },
        filter: choices.one_of(3).then(|| filter(choices, words, 0)),
        distinct: choices.one_of(5).then(|| choices.pick(&FACETS)),
        offset: choices.below(3),
        limit: 1 + choices.below(3),
    }
}

fn filter(choices: &mut Choices<'_>, words: &'_ [&'static str], depth: usize) -> NaiveFilter {
    let name = choices.pick(&FACETS);
    let value = |choices: &mut Choices<'_>| match choices.below(2) {
        0 => choices.pick(&["1", "6", "7", "b", "a"]),
        _ => choices.pick(words),
    };
    let kind = choices.below(if depth < 2 { 9 } else { 6 });
    let mut parts = || (0..2).map(|_| filter(choices, words, depth + 1)).collect();
    match kind {
        6 => NaiveFilter::And(parts()),
        7 => NaiveFilter::Or(parts()),
        8 => NaiveFilter::Not(Box::new(filter(choices, words, depth + 1))),
        3 => NaiveFilter::Between(name, value(choices), value(choices)),
        4 => NaiveFilter::In(name, vec![value(choices), value(choices)]),
        5 => NaiveFilter::Is(
            name,
            choices.pick(&["EXISTS", "IS NULL", "IS EMPTY", "NOT EXISTS"]),
        ),
        _ => {
            let operator = choices.pick(&["=", "!=", ">", ">=", "<", "<=", "STARTS WITH"]);
            NaiveFilter::One(name, operator, value(choices))
        }
    }
}
