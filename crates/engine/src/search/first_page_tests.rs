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

fn document() -> impl Strategy<Value = Value> {
    let ranks = proptest::collection::vec(0..3, 1..3);
    (text(), text(), ranks, 0..9).prop_map(|(title, body, ranks, price)| {
        // Nearly all have a word in their title, so that the first ones are often enough.
        json!({"title": format!("{title} santa"), "body": body, "rank": ranks, "price": price})
    })
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

/// Compares a page with its part of the whole order.
fn compare(
    documents: &[Value],
    rules: &[&str],
    (text, sort, direction): (&str, &str, Direction),
    (offset, limit): (usize, usize),
) -> Result<(), TestCaseError> {
    let change = json!({"rankingRules": rules, "sortableAttributes": ["rank", "price"]});
    let change = change.as_object().expect("an object");
    let settings = IndexSettings::default()
        .apply(change)
        .expect("valid settings")
        .0;
    let corpus = MemoryCorpus::new(settings.clone(), documents);
    let by = |attribute: &str| SortCriterion::Attribute(attribute.to_owned(), direction);
    let sort: Vec<SortCriterion> = sort.split_whitespace().map(by).collect();
    let query = (text, &sort[..]);
    let all = page(&corpus, &settings, query, (0, documents.len(), true));
    let part = page(&corpus, &settings, query, (offset, limit, false));
    let expected: Vec<DocId> = all.into_iter().skip(offset).take(limit).collect();
    prop_assert_eq!(part, expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_page_of_many_documents_is_a_part_of_their_whole_order(
        documents in proptest::collection::vec(document(), 8..90),
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
        compare(&documents, &rules, (text, sort, direction), (offset, limit))?;
    }

    /// So it is where many documents share the values that come before other rules.
    #[test]
    fn a_page_of_many_documents_with_the_same_values_is_a_part_of_their_whole_order(
        documents in proptest::collection::vec(document(), 30..90),
        text in select(vec!["san", "sant", "santa", "x", "s"]),
        before in select(vec!["words", "attributeRank"]),
        behind in subsequence(vec!["attributeRank", "wordPosition", "exactness"], 1..=3).prop_shuffle(),
        direction in select(vec![Direction::Asc, Direction::Desc]),
        offset in 0_usize..2,
        limit in 1_usize..3,
    ) {
        let rules = [&[before, "sort"][..], &behind].concat();
        compare(&documents, &rules, (text, "rank", direction), (offset, limit))?;
    }
}
