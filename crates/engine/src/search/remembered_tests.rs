//! What is remembered of an index never changes an answer: after random writes, merges and changes
//! of settings every search finds what it finds in the same index opened anew.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{IndexView, KeywordSearch, QueryConfigs};
use crate::docset::DocSet;
use crate::index::Snapshot;
use crate::query::{Corpus, Removal};
use crate::ranking::{Deadline, Ranking, Timings};
use crate::request::{FilterFeatures, SearchSource};
use crate::testing::TestIndex;

/// Words a typo apart, words that are two others, and prefixes of one another.
const WORDS: [&str; 16] = [
    "sun",
    "sunlight",
    "light",
    "lights",
    "lighr",
    "moon",
    "moonlight",
    "moons",
    "night",
    "nights",
    "knight",
    "midnight",
    "mid",
    "thesun",
    "the",
    "sunset",
];

pub(super) const QUERIES: [&str; 16] = [
    "sun",
    "sunlight",
    "moonlight",
    "lights",
    "nigth",
    "mi",
    "s",
    "the sun",
    "the moon light",
    "midnight sun",
    "thesun",
    "\"moon light\"",
    "\"the sun light\"",
    "sun -\"light the moon\"",
    "knigths",
    "",
];

const FILTERS: [&str; 7] = [
    "id < 20",
    "id 5 TO 30 AND title != sun",
    "title = sun OR id > 12",
    "NOT title = \"the sun\"",
    "title IN [sun, moon, night] OR id >= 35",
    "text STARTS WITH m",
    "text >= light AND id <= 33",
];

/// Changes of settings, some of which make another generation.
fn settings() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"searchableAttributes": ["title", "text"]})),
        Just(json!({"searchableAttributes": ["text", "title"]})),
        Just(json!({"typoTolerance": {"disableOnAttributes": ["text"]}})),
        Just(json!({"typoTolerance": {"disableOnAttributes": []}})),
        Just(json!({"typoTolerance": {"minWordSizeForTypos": {"oneTypo": 4, "twoTypos": 6}}})),
        Just(json!({"proximityPrecision": "byAttribute"})),
        Just(json!({"stopWords": ["the"]})),
        Just(json!({"synonyms": {"sun": ["moon"]}})),
    ]
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Apply(Value),
    Compact,
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(WORDS.to_vec()), 0..5)
        .prop_map(|words| words.join(" "))
}

fn addition() -> impl Strategy<Value = Value> {
    let document = (0..40_u32, text(), text())
        .prop_map(|(id, title, text)| json!({"id": id, "title": title, "text": text}));
    (
        proptest::collection::vec(document, 1..8),
        proptest::bool::ANY,
    )
        .prop_map(|(documents, replaces)| {
            let lines: String = documents.iter().map(|one| format!("{one}\n")).collect();
            json!({
                "type": "documentAdditionOrUpdate",
                "method": if replaces { "replace" } else { "update" },
                "payload": {"inline": lines},
            })
        })
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => addition().prop_map(Step::Apply),
        3 => proptest::collection::vec(0..40_u32, 1..6).prop_map(|ids| {
            let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
            Step::Apply(json!({"type": "documentDeletion", "ids": ids}))
        }),
        1 => Just(Step::Apply(json!({"type": "documentClear"}))),
        1 => settings().prop_map(|settings| {
            Step::Apply(json!({"type": "settingsUpdate", "settings": settings}))
        }),
        1 => Just(Step::Compact),
    ]
}

fn run(snapshot: &Snapshot, text: &str) -> Ranking {
    let view = IndexView::new(snapshot.clone(), &QueryConfigs::default());
    let search = KeywordSearch {
        text,
        locales: &[],
        removal: Removal::Last,
        filter: None,
        searched: None,
        sort: &[],
        offset: 0,
        limit: 30,
        with_scores: true,
        threshold: None,
        deadline: &Deadline::never(),
        timings: &Timings::off(),
        same_value: None,
    };
    search.run(&view, view.query_config()).ranking
}

/// Searches both, and looks every word up in both.
fn compare(remembering: &Snapshot, anew: &Snapshot) -> Result<(), TestCaseError> {
    for query in QUERIES {
        let (found, expected) = (run(remembering, query), run(anew, query));
        prop_assert_eq!(&found.hits, &expected.hits, "{}", query);
        prop_assert_eq!(found.candidates, expected.candidates, "{}", query);
    }
    let configs = QueryConfigs::default();
    let [found, expected] =
        [remembering, anew].map(|snapshot| IndexView::new(snapshot.clone(), &configs));
    for word in WORDS {
        prop_assert_eq!(found.word_docs(word), expected.word_docs(word), "{}", word);
        let prefix = &word[..2];
        prop_assert_eq!(
            found.prefix_docs(prefix),
            expected.prefix_docs(prefix),
            "{}",
            prefix
        );
    }
    prop_assert_eq!(remembering.documents(), anew.documents());
    compare_filters(&found, &expected)
}

/// Asks both what filters select, and how often the values of that are there.
fn compare_filters(found: &IndexView, expected: &IndexView) -> Result<(), TestCaseError> {
    let some: DocSet = found.documents().iter().step_by(3).collect();
    for text in FILTERS {
        let filter = serval_filter::parse(text).unwrap().unwrap().canonical();
        let features = FilterFeatures::ALL;
        let [docs, expected_docs] =
            [found, expected].map(|view| view.filter_docs(&filter, &features).unwrap());
        prop_assert_eq!(&docs, &expected_docs, "{}", text);
        let waiting = found.allowed(filter, &features).unwrap();
        prop_assert_eq!(waiting.among(&some), expected_docs.and(&some), "{}", text);
        let names = ["title".to_owned(), "id".to_owned()];
        let [facets, expected_facets] =
            [found, expected].map(|view| view.facets(&names, &docs).unwrap());
        prop_assert_eq!(facets, expected_facets, "{}", text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn what_is_remembered_never_changes_an_answer(
        steps in proptest::collection::vec(step(), 1..14),
    ) {
        let index = TestIndex::new(
            json!({"filterableAttributes": ["id", "title", "text"]}),
            &[],
        );
        let mut earlier: Option<(Snapshot, Snapshot)> = None;
        for step in steps {
            match step {
                Step::Apply(operation) => index.apply(operation),
                Step::Compact => index.compact(),
            }
            let (now, anew) = (index.snapshot(), index.opened_anew());
            compare(&now, &anew)?;
            // Searches that started before a commit share what is remembered with those after it.
            if let Some((before, before_anew)) = earlier.replace((now.clone(), anew)) {
                compare(&before, &before_anew)?;
                compare(&now, &earlier.as_ref().expect("just put there").1)?;
            }
        }
    }
}
