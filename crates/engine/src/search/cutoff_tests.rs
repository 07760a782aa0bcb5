//! Searches whose time is over after so many questions, whatever the clock says: every question
//! of every loop is tried.

use serde_json::{Value, json};

use super::{IndexView, KeywordSearch, QueryConfigs};
use crate::docset::{DocId, DocSet};
use crate::index::Snapshot;
use crate::query::Removal;
use crate::ranking::{
    Deadline, RankedHit, Ranking, ScoreDetail, SortCriterion, Timings, VectorRule,
};
use crate::request::SearchSource;
use crate::settings::Direction;
use crate::testing::TestIndex;

const N_DOCS: u32 = 60;
const PAGE: usize = 20;

fn films() -> TestIndex {
    let titles = [
        "dark river",
        "the dark night",
        "drak river night",
        "river of the dark",
    ];
    let documents: Vec<Value> = (0..N_DOCS)
        .map(|id| {
            json!({
                "id": id,
                "title": titles[id as usize % titles.len()],
                "text": format!("dark {} river", "and then ".repeat(id as usize % 5)),
                "price": id * 7 % 11,
                "_geo": {"lat": id % 9, "lng": id % 7},
                "_vectors": {"plain": [f64::from(id % 10), 1.0]},
            })
        })
        .collect();
    let settings = json!({
        "sortableAttributes": ["price", "_geo"],
        "searchableAttributes": ["title", "text"],
        "embedders": {"plain": {"source": "userProvided", "dimensions": 2}},
    });
    TestIndex::new(settings, &documents)
}

/// One kind of search.
#[derive(Clone)]
struct Kind {
    text: &'static str,
    sort: Option<SortCriterion>,
    by_vectors: bool,
    is_distinct: bool,
}

fn run(snapshot: &Snapshot, kind: &Kind, deadline: &Deadline) -> Ranking {
    let view = IndexView::new(snapshot.clone(), &QueryConfigs::default());
    let sort: Vec<SortCriterion> = kind.sort.iter().cloned().collect();
    let same_value = |doc: DocId| {
        let alike = (0..N_DOCS).filter(|other| other % 3 == doc % 3);
        alike.collect::<DocSet>()
    };
    let search = KeywordSearch {
        text: kind.text,
        locales: &[],
        removal: Removal::Last,
        filter: None,
        searched: None,
        sort: &sort,
        offset: 0,
        limit: PAGE,
        with_scores: true,
        threshold: None,
        deadline,
        timings: &Timings::off(),
        same_value: kind.is_distinct.then_some(&same_value),
    };
    let outcome = if kind.by_vectors {
        let rule = VectorRule {
            set: view.vectors("plain"),
            query: vec![3.0, 1.0],
            distribution: None,
            n_wanted: PAGE,
        };
        search.run_by_vectors(&view, view.query_config(), &rule)
    } else {
        search.run(&view, view.query_config())
    };
    outcome.ranking
}

fn is_skipped(hit: &RankedHit) -> bool {
    hit.details.last() == Some(&ScoreDetail::Skipped)
}

/// Cuts a search at every question: the page stays full, what was placed before the cut is what a
/// search without an end places there, and the rest is marked.
fn check(kind: Kind) {
    let index = films();
    let snapshot = index.snapshot();
    let whole = run(&snapshot, &kind, &Deadline::never());
    assert!(!whole.degraded);
    let first = run(&snapshot, &kind, &Deadline::after_polls(0));
    assert!(first.degraded && first.hits.iter().all(is_skipped));
    for n_polls in 0.. {
        let cut = run(&snapshot, &kind, &Deadline::after_polls(n_polls));
        assert_eq!(cut.hits.len(), whole.hits.len(), "after {n_polls}");
        let mut docs: Vec<DocId> = cut.hits.iter().map(|hit| hit.doc).collect();
        let n_placed = cut.hits.iter().take_while(|hit| !is_skipped(hit)).count();
        assert_eq!(cut.hits[..n_placed], whole.hits[..n_placed]);
        assert!(cut.hits[n_placed..].iter().all(is_skipped));
        assert_eq!(cut.degraded, n_placed < docs.len(), "after {n_polls}");
        docs.sort_unstable();
        docs.dedup();
        assert_eq!(docs.len(), cut.hits.len(), "a document comes twice");
        if !cut.degraded {
            assert_eq!(cut.hits, whole.hits);
            return;
        }
    }
}

const KEYWORDS: Kind = Kind {
    text: "dark river night",
    sort: None,
    by_vectors: false,
    is_distinct: false,
};

#[test]
fn a_search_by_words_is_cut_in_every_rule() {
    check(KEYWORDS);
}

#[test]
fn a_sorted_search_is_cut_with_and_without_words() {
    let by_price = SortCriterion::Attribute("price".to_owned(), Direction::Desc);
    let by_place = SortCriterion::GeoPoint(1.0, 2.0, Direction::Asc);
    for sort in [by_price, by_place] {
        for text in ["", "dark"] {
            check(Kind {
                text,
                sort: Some(sort.clone()),
                ..KEYWORDS
            });
        }
    }
}

#[test]
fn a_search_by_vectors_is_cut() {
    check(Kind {
        by_vectors: true,
        ..KEYWORDS
    });
}

#[test]
fn a_cut_search_still_gives_one_document_per_value() {
    let index = films();
    let kind = Kind {
        is_distinct: true,
        ..KEYWORDS
    };
    for n_polls in 0..200 {
        let cut = run(&index.snapshot(), &kind, &Deadline::after_polls(n_polls));
        let mut values: Vec<u32> = cut.hits.iter().map(|hit| hit.doc % 3).collect();
        values.sort_unstable();
        assert_eq!(values, [0, 1, 2], "after {n_polls}");
    }
}
