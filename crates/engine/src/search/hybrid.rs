//! Merges the hits of a search by words with those of a search by vectors.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use crate::docset::{DocId, DocSet};
use crate::ranking::{RankedHit, Ranking, ScoreKeys, global_score};
use crate::request::PageWindow;

/// A weighted score by words from which on vectors are not asked.
const GOOD_ENOUGH: f64 = 0.45;

/// Whether hits by words fill the page so well that vectors would not change it.
pub(super) fn is_good_enough(keyword: &Ranking, ratio: f64, page: PageWindow) -> bool {
    let is_good = |hit: &RankedHit| global_score(&hit.details) * (1.0 - ratio) >= GOOD_ENOUGH;
    keyword.hits.len() >= page.offset.saturating_add(page.limit) && keyword.hits.iter().all(is_good)
}

/// Merges two rankings from their first hits on, up to `reach` of each; of equal hits that by vectors
/// comes first, and a document in both keeps its better place. `None` when more hits of one could have
/// a place on the page: a document with several values can take that of several hits.
pub(super) fn merge(
    (keyword, semantic): (Ranking, Ranking),
    reach: usize,
    ratio: f64,
    page: PageWindow,
    same_value: Option<&dyn Fn(DocId) -> DocSet>,
) -> Option<Ranking> {
    let has_more = |ranking: &Ranking| ranking.hits.len() >= reach;
    let (more_words, more_vectors) = (has_more(&keyword), has_more(&semantic));
    let weighed = |hits: Vec<RankedHit>, weight: f64| {
        let keyed = hits
            .into_iter()
            .map(move |hit| (ScoreKeys::new(&hit.details, weight), hit));
        keyed.peekable()
    };
    let mut words = weighed(keyword.hits, 1.0 - ratio);
    let mut vectors = weighed(semantic.hits, ratio);
    let mut seen = FxHashSet::default();
    let mut repeats = DocSet::empty();
    let mut hits = Vec::new();
    let mut n_skipped = 0;
    while hits.len() < page.limit {
        if more_words && words.peek().is_none() || more_vectors && vectors.peek().is_none() {
            return None;
        }
        let by_vectors = match (vectors.peek(), words.peek()) {
            (Some((a, _)), Some((b, _))) => a.compare(b) != Ordering::Less,
            (near, _) => near.is_some(),
        };
        let next = if by_vectors {
            vectors.next()
        } else {
            words.next()
        };
        let Some((_, hit)) = next else { break };
        if !seen.insert(hit.doc) || repeats.contains(hit.doc) {
            continue;
        }
        if let Some(same_value) = same_value {
            let others = same_value(hit.doc).and_not(&DocSet::from_sorted(vec![hit.doc]));
            repeats = repeats.or(&others);
        }
        if n_skipped < page.offset {
            n_skipped += 1;
            continue;
        }
        hits.push(hit);
    }
    let candidates = keyword.candidates.or(&semantic.candidates);
    Some(Ranking {
        hits,
        candidates: candidates.and_not(&repeats),
        degraded: keyword.degraded || semantic.degraded,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::{Rank, ScoreDetail};

    fn ranking(hits: &[(DocId, ScoreDetail)]) -> Ranking {
        Ranking {
            hits: hits
                .iter()
                .map(|(doc, detail)| RankedHit {
                    doc: *doc,
                    details: vec![detail.clone()],
                })
                .collect(),
            candidates: hits.iter().map(|(doc, _)| *doc).collect(),
            degraded: false,
        }
    }

    fn words(permille: u32) -> ScoreDetail {
        ScoreDetail::Words(Rank {
            rank: permille,
            max: 1000,
        })
    }

    fn near(similarity: f32) -> ScoreDetail {
        ScoreDetail::Vector {
            similarity: Some(similarity),
        }
    }

    const PAGE: PageWindow = PageWindow {
        offset: 0,
        limit: 3,
    };

    /// Documents of the merged list, and how many of them vectors supplied.
    fn merged(keyword: Ranking, semantic: Ranking) -> (Vec<DocId>, usize) {
        let merged = merge((keyword, semantic), usize::MAX, 0.5, PAGE, None);
        let hits = merged.expect("there are no others").hits;
        let is_near = |hit: &&RankedHit| matches!(hit.details[0], ScoreDetail::Vector { .. });
        let n_semantic = hits.iter().filter(is_near).count();
        (hits.iter().map(|hit| hit.doc).collect(), n_semantic)
    }

    /// The worked example of a keyword list a, b and a vector list b, c, a.
    #[test]
    fn a_document_in_both_lists_keeps_its_better_place() {
        let keyword = ranking(&[(1, words(985)), (2, words(300))]);
        let semantic = ranking(&[(2, near(0.95)), (3, near(0.9)), (1, near(0.6))]);
        assert!(!is_good_enough(&keyword, 0.5, PAGE));
        assert_eq!(merged(keyword, semantic), (vec![1, 2, 3], 2));
    }

    #[test]
    fn a_tie_goes_to_the_vectors() {
        let keyword = ranking(&[(1, words(500))]);
        let semantic = ranking(&[(1, near(0.5))]);
        assert_eq!(merged(keyword, semantic), (vec![1], 1));
    }

    #[test]
    fn vectors_are_not_asked_when_words_fill_the_page_well() {
        let page = PageWindow {
            offset: 0,
            limit: 1,
        };
        let keyword = ranking(&[(1, words(985))]);
        assert!(is_good_enough(&keyword, 0.5, page));
        assert!(!is_good_enough(&keyword, 0.6, page));
    }
}
