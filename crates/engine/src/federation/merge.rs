//! Merges lists of hits, best first.
//!
//! # Cost
//! For each hit one comparison for each doubling of the lists: a request may have thousands.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

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

    /// Where it stands among others: the one that comes first is the greatest.
    fn order(&self, other: &Self) -> Ordering {
        let order = self.keys().compare(other.keys());
        order.then_with(|| other.query().cmp(&self.query()))
    }
}

/// The first hit of what is left of a list.
struct Head<E> {
    entry: E,
    /// Place of its list; of equals the one of the first list comes first.
    list: Reverse<usize>,
}

impl<E: Placed> Ord for Head<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = self.entry.order(&other.entry);
        order.then_with(|| self.list.cmp(&other.list))
    }
}

impl<E: Placed> PartialOrd for Head<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E: Placed> PartialEq for Head<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E: Placed> Eq for Head<E> {}

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
    let mut rests: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let first = |(at, rest): (usize, &mut std::vec::IntoIter<E>)| {
        let (entry, list) = (rest.next()?, Reverse(at));
        Some(Head { entry, list })
    };
    let mut heads: BinaryHeap<Head<E>> = rests.iter_mut().enumerate().filter_map(first).collect();
    std::iter::from_fn(move || {
        let mut head = heads.peek_mut()?;
        match rests.get_mut(head.list.0)?.next() {
            Some(next) => Some(std::mem::replace(&mut head.entry, next)),
            None => Some(PeekMut::pop(head).entry),
        }
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

    #[test]
    fn of_equal_hits_that_of_the_first_list_comes_first() {
        let lists = vec![
            vec![entry(0, 1, 5)],
            vec![entry(0, 2, 5)],
            vec![entry(0, 3, 7)],
        ];
        let docs: Vec<DocId> = merge(lists).map(|entry| entry.hit.doc).collect();
        assert_eq!(docs, [3, 1, 2]);
    }

    #[test]
    fn thousands_of_lists_are_merged_in_little_more_time_than_one() {
        // Looking at every list for each hit would take an hour.
        let hits = |query: usize| {
            (0..10)
                .map(move |doc| entry(query, doc, 20 - doc))
                .collect()
        };
        let merged = merge((0..100_000).map(hits).collect()).count();
        assert_eq!(merged, 1_000_000);
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
