//! Merges lists of hits, best first.

use std::cmp::Ordering;

use crate::docset::{DocId, DocSet};
use crate::ranking::{RankedHit, ScoreDetail, ScoreKeys, global_score};

/// A hit on its way into the list.
pub(super) struct Entry {
    /// Place of its query.
    pub(super) query: usize,
    pub(super) hit: RankedHit,
    /// Its global score times the weight of its query.
    pub(super) weighted_score: f64,
    /// What it is compared by.
    pub(super) keys: ScoreKeys,
}

impl Entry {
    pub(super) fn new(query: usize, weight: f64, hit: RankedHit) -> Self {
        Self {
            query,
            weighted_score: global_score(&hit.details) * weight,
            keys: ScoreKeys::new(&hit.details, weight),
            hit,
        }
    }

    /// The position that a search rule gives it.
    pub(super) fn pinned_position(&self) -> Option<usize> {
        match self.hit.details.first() {
            Some(ScoreDetail::Pin { position }) => Some(*position),
            _ => None,
        }
    }
}

/// A hit that knows its place among others.
pub(super) trait Placed {
    /// What it is compared by.
    fn keys(&self) -> &ScoreKeys;
    /// Place of its query, which decides between equals.
    fn query(&self) -> usize;

    /// Whether it comes before another hit.
    fn is_before(&self, other: &Self) -> bool {
        let order = self
            .keys()
            .compare(other.keys())
            .then_with(|| other.query().cmp(&self.query()));
        order == Ordering::Greater
    }
}

impl Placed for Entry {
    fn keys(&self) -> &ScoreKeys {
        &self.keys
    }

    fn query(&self) -> usize {
        self.query
    }
}

/// Merges sorted lists; the order within each list stays.
pub(super) fn merge<E: Placed>(lists: Vec<Vec<E>>) -> impl Iterator<Item = E> {
    let mut lists: Vec<_> = lists
        .into_iter()
        .map(|list| list.into_iter().peekable())
        .collect();
    std::iter::from_fn(move || {
        let mut best: Option<usize> = None;
        for at in 0..lists.len() {
            let (before, from) = lists.split_at_mut(at);
            let Some(entry) = from.first_mut().and_then(|list| list.peek()) else {
                continue;
            };
            let leading = best.and_then(|best: usize| before.get_mut(best)?.peek());
            if leading.is_none_or(|leading| entry.is_before(leading)) {
                best = Some(at);
            }
        }
        lists.get_mut(best?)?.next()
    })
}

/// Merges the hits of the queries of one index: a document, and with `same_value` a value, keeps
/// its best place. Also gives the documents left out.
pub(super) fn merge_index(
    lists: Vec<Vec<Entry>>,
    same_value: Option<&dyn Fn(DocId) -> DocSet>,
) -> (Vec<Entry>, DocSet) {
    let mut placed = rustc_hash::FxHashSet::default();
    let mut repeats = DocSet::empty();
    let mut entries = Vec::new();
    for entry in merge(lists) {
        let doc = entry.hit.doc;
        if repeats.contains(doc) || !placed.insert(doc) {
            continue;
        }
        if let Some(same_value) = same_value {
            let others = same_value(doc).and_not(&DocSet::from_sorted(vec![doc]));
            repeats = repeats.or(&others);
        }
        entries.push(entry);
    }
    (entries, repeats)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ranking::Rank;

    fn entry(query: usize, doc: DocId, score: u32) -> Entry {
        let detail = ScoreDetail::Words(Rank {
            rank: score,
            max: 20,
        });
        let details = vec![detail];
        Entry::new(query, 1.0, RankedHit { doc, details })
    }

    proptest! {
        /// Merging sorted lists gives what sorting all hits gives, each document once.
        #[test]
        fn a_merge_is_a_stable_sort_of_everything(
            lists in proptest::collection::vec(
                proptest::collection::btree_map(0..30_u32, 0..20_u32, 0..12),
                0..5,
            ),
        ) {
            let mut all: Vec<(u32, usize, DocId)> = Vec::new();
            let mut sorted = Vec::new();
            for (query, list) in lists.iter().enumerate() {
                let mut hits: Vec<(u32, DocId)> = list.iter().map(|(d, s)| (*s, *d)).collect();
                hits.sort_by_key(|(score, doc)| (std::cmp::Reverse(*score), *doc));
                all.extend(hits.iter().map(|(score, doc)| (*score, query, *doc)));
                sorted.push(hits.iter().map(|(s, doc)| entry(query, *doc, *s)).collect());
            }
            all.sort_by_key(|(score, query, doc)| (std::cmp::Reverse(*score), *query, *doc));
            let mut seen = std::collections::BTreeSet::new();
            all.retain(|(.., doc)| seen.insert(*doc));
            let (merged, repeats) = merge_index(sorted, None);
            let merged: Vec<(usize, DocId)> = merged.iter().map(|e| (e.query, e.hit.doc)).collect();
            let expected: Vec<(usize, DocId)> = all.iter().map(|(_, q, doc)| (*q, *doc)).collect();
            prop_assert_eq!(merged, expected);
            prop_assert!(repeats.is_empty());
        }
    }
}
