//! The first pages of many documents are the start of their whole order, which is found without
//! looking at the first documents alone.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

use super::KeywordSearch;
use crate::docset::DocId;
use crate::query::{QueryConfig, Removal};
use crate::ranking::{Deadline, SortCriterion, Timings};
use crate::settings::{Direction, IndexSettings};
use crate::testing::MemoryCorpus;

const RULES: [&str; 7] = [
    "words",
    "typo",
    "proximity",
    "attributeRank",
    "sort",
    "wordPosition",
    "exactness",
];

/// Words of which some start others, the shorter ones seldom.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        1 => Just("s"), 1 => Just("sa"), 6 => Just("san"), 6 => Just("santa"), 1 => Just("santo"),
        4 => Just("x"),
    ];
    proptest::collection::vec(word, 0..4).prop_map(|words| words.join(" "))
}

fn documents() -> impl Strategy<Value = Vec<Value>> {
    let ranks = proptest::collection::vec(0..3, 1..3);
    let document = (text(), text(), ranks, 0..9).prop_map(|(title, body, ranks, price)| {
        // Nearly all have a word in their title, so that the first ones are often enough.
        json!({"title": format!("{title} santa"), "body": body, "rank": ranks, "price": price})
    });
    proptest::collection::vec(document, 8..90)
}

fn page(
    corpus: &MemoryCorpus,
    settings: &IndexSettings,
    (text, sort): (&str, &[SortCriterion]),
    (offset, limit, with_scores): (usize, usize, bool),
) -> Vec<DocId> {
    let search = KeywordSearch {
        text,
        locales: &[],
        removal: Removal::Last,
        filter: None,
        searched: None,
        sort,
        offset,
        limit,
        with_scores,
        threshold: None,
        deadline: &Deadline::never(),
        timings: &Timings::off(),
        same_value: None,
    };
    let ranking = search.run(corpus, &QueryConfig::new(settings)).ranking;
    ranking.hits.iter().map(|hit| hit.doc).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_page_of_many_documents_is_a_part_of_their_whole_order(
        documents in documents(),
        text in select(vec![
            "s", "sa", "san", "sant", "s x", "x s", "\"san\"", "sanat", "santq", "santq ", "\"san santa\"",
            "\"x san\"", "\"santa\"",
        ]),
        rules in subsequence(RULES.to_vec(), 1..=RULES.len()).prop_shuffle(),
        sort in select(vec!["", "rank", "price", "rank price"]),
        direction in select(vec![Direction::Asc, Direction::Desc]),
        offset in 0_usize..5,
        limit in 1_usize..6,
    ) {
        let change = json!({"rankingRules": rules, "sortableAttributes": ["rank", "price"]});
        let change = change.as_object().expect("an object");
        let settings = IndexSettings::default().apply(change).expect("valid settings").0;
        let corpus = MemoryCorpus::new(settings.clone(), &documents);
        let by = |attribute: &str| SortCriterion::Attribute(attribute.to_owned(), direction);
        let sort: Vec<SortCriterion> = sort.split_whitespace().map(by).collect();
        let query = (text, &sort[..]);
        let all = page(&corpus, &settings, query, (0, documents.len(), true));
        let part = page(&corpus, &settings, query, (offset, limit, false));
        let expected: Vec<DocId> = all.into_iter().skip(offset).take(limit).collect();
        prop_assert_eq!(part, expected);
    }
}
