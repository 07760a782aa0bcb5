//! The real ranking gives the same documents, order and verdicts as the slow one.

use proptest::prelude::*;

use super::case::{Case, case, split_or_misspelt};
use super::documents::NaiveIndex;
use super::{NaiveSearch, score};
use crate::query::{Corpus, QueryConfig};
use crate::ranking::{Deadline, RankedHit, ScoreDetail, SortCriterion, Timings, global_score};
use crate::search::KeywordSearch;
use crate::settings::{Direction, IndexSettings};
use crate::testing::MemoryCorpus;

/// What the real ranking is asked for besides the case itself.
#[derive(Clone, Copy)]
struct Window {
    offset: usize,
    limit: usize,
    with_scores: bool,
    threshold: Option<f64>,
}

const EVERYTHING: Window = Window {
    offset: 0,
    limit: 100,
    with_scores: true,
    threshold: None,
};

impl Case {
    fn index_settings(&self) -> IndexSettings {
        let delta = self.settings.as_object().expect("settings are an object");
        IndexSettings::default()
            .apply(delta)
            .expect("valid settings")
            .0
    }

    fn real(&self, window: Window) -> (Vec<RankedHit>, usize) {
        let settings = self.index_settings();
        let corpus = MemoryCorpus::new(settings.clone(), &self.documents);
        let searched = self.searched.as_ref().map(|names| {
            let fields = 0..corpus.n_fields() as u16;
            fields
                .map(|field| names.contains(&corpus.field_name(field)))
                .collect()
        });
        let sort: Vec<SortCriterion> = self
            .sort
            .iter()
            .map(|way| SortCriterion::Attribute("rank".into(), *way))
            .collect();
        let search = KeywordSearch {
            text: &self.query,
            locales: &[],
            removal: self.removal,
            filter: None,
            searched,
            sort: &sort,
            offset: window.offset,
            limit: window.limit,
            with_scores: window.with_scores,
            threshold: window.threshold,
            deadline: &Deadline::never(),
            timings: &Timings::off(),
            same_value: None,
        };
        let ranking = search.run(&corpus, &QueryConfig::new(&settings)).ranking;
        (ranking.hits, ranking.candidates.len())
    }

    fn naive(&self, threshold: Option<f64>) -> (Vec<(u32, Vec<ScoreDetail>)>, usize) {
        let sort: Vec<(String, Direction)> = self
            .sort
            .iter()
            .map(|way| ("rank".to_owned(), *way))
            .collect();
        let names = |names: &Vec<&str>| names.iter().map(|name| (*name).to_owned()).collect();
        let search = NaiveSearch {
            text: &self.query,
            removal: self.removal,
            searched: self.searched.as_ref().map(names),
            sort: &sort,
            threshold,
            allowed: None,
        };
        let ranking = search.run(&NaiveIndex::new(&self.index_settings(), &self.documents));
        let hits = ranking
            .hits
            .into_iter()
            .map(|(doc, details)| (doc as u32, details));
        (hits.collect(), ranking.total)
    }
}

/// What is compared of the engine with the description: its hits must be those of the naive ranking, with the
/// same details of scores, and as many documents in all.
fn described(
    case: &Case,
    threshold: Option<f64>,
) -> Result<Vec<(u32, Vec<ScoreDetail>)>, TestCaseError> {
    let (hits, total) = case.real(Window {
        threshold,
        ..EVERYTHING
    });
    let (expected, expected_total) = case.naive(threshold);
    let hits: Vec<_> = hits.into_iter().map(|hit| (hit.doc, hit.details)).collect();
    prop_assert_eq!(&hits, &expected);
    prop_assert_eq!(total, expected_total);
    Ok(hits)
}

fn ids(hits: &[RankedHit]) -> Vec<u32> {
    hits.iter().map(|hit| hit.doc).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_ranking_is_that_of_the_description(case in case()) {
        let hits = described(&case, None)?;
        for (_, details) in &hits {
            prop_assert!((global_score(details) - score(details)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_order_does_not_depend_on_scores_being_shown(case in case()) {
        let (hits, total) = case.real(EVERYTHING);
        let (plain, plain_total) = case.real(Window { with_scores: false, ..EVERYTHING });
        prop_assert_eq!(ids(&plain), ids(&hits));
        prop_assert_eq!(plain_total, total);
    }

    #[test]
    fn pages_join_without_gap_or_repeat(case in case(), limit in 1_usize..4, with_scores: bool) {
        let (hits, total) = case.real(EVERYTHING);
        let mut pages = Vec::new();
        for offset in (0..hits.len() + limit).step_by(limit) {
            let page = Window { offset, limit, with_scores, threshold: None };
            let (page, page_total) = case.real(page);
            prop_assert!(page.len() <= limit);
            prop_assert_eq!(page_total, total);
            pages.extend(page);
        }
        prop_assert_eq!(ids(&pages), ids(&hits));
        if with_scores {
            prop_assert_eq!(pages, hits);
        }
    }

    #[test]
    fn documents_below_the_threshold_are_left_out(case in case(), percent in 0_u8..=100) {
        described(&case, Some(f64::from(percent) / 100.0))?;
    }

    #[test]
    fn documents_that_a_phrase_matches_stand_among_those_that_words_match(case in split_or_misspelt()) {
        described(&case, None)?;
    }
}
