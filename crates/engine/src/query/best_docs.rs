//! The best documents of a term by their summaries, where summaries are in an order.
//!
//! # Cost
//! How many documents have which summary is known, so that a look at the number of each document, a
//! nanosecond or less, is all that finding them takes; it ends with the last one wanted.

use super::summaries::{Codes, Summaries};
use crate::docset::{DocId, DocSet};

/// The group of summaries whose documents have no place.
pub const DROPPED: u32 = u32::MAX;

/// Numbers of documents looked at together.
const STRIDE: usize = 32;

/// How many documents are wanted of each group.
struct Wanted<'g> {
    /// By summary.
    groups: &'g [u32],
    /// By group, how many are still wanted; none behind the last group that is.
    left: Vec<u32>,
    /// Of all groups.
    n_left: usize,
}

impl Summaries {
    /// The documents of `part`, all of which are summarised, whose summaries are of the first groups,
    /// as many groups as it takes to have `n_wanted` of them. The last group is whole, unless
    /// `may_cut` says that only the first of its documents are wanted. `groups` has a number for
    /// each summary, 0 for the best.
    #[must_use]
    pub fn best(
        &self,
        part: &DocSet,
        groups: &[u32],
        n_wanted: usize,
        may_cut: bool,
    ) -> Vec<Vec<DocId>> {
        match &self.codes {
            Codes::Narrow(codes) => self.best_by(codes, part, groups, (n_wanted, may_cut)),
            Codes::Wide(codes) => self.best_by(codes, part, groups, (n_wanted, may_cut)),
        }
    }

    fn best_by<C: Copy + Into<usize>>(
        &self,
        codes: &[C],
        part: &DocSet,
        groups: &[u32],
        (n_wanted, may_cut): (usize, bool),
    ) -> Vec<Vec<DocId>> {
        let is_whole = part.len() == self.docs.len();
        let counts = if is_whole {
            self.counts.clone()
        } else {
            self.counts_in(codes, part)
        };
        let mut wanted = Wanted::new(groups, &counts, n_wanted, may_cut);
        let mut found: Vec<Vec<DocId>> = vec![Vec::new(); wanted.left.len()];
        if !is_whole {
            let docs = wanted.docs(self, codes, part).into_iter();
            docs.for_each(|(group, doc)| found[group].push(doc));
            return found;
        }
        let places = wanted.places(codes);
        let ranks: Vec<u32> = places.iter().map(|(_, at)| *at).collect();
        for ((group, _), doc) in places.iter().zip(self.docs.at_ranks(&ranks)) {
            found[*group].push(doc);
        }
        found
    }

    fn counts_in<C: Copy + Into<usize>>(&self, codes: &[C], part: &DocSet) -> Vec<u32> {
        let mut counts = vec![0; self.counts.len()];
        let mut part = part.iter().peekable();
        for (doc, code) in self.docs.iter().zip(codes) {
            counts[(*code).into()] += u32::from(part.next_if_eq(&doc).is_some());
        }
        counts
    }
}

impl<'g> Wanted<'g> {
    fn new(groups: &'g [u32], counts: &[u32], n_wanted: usize, may_cut: bool) -> Self {
        let n_groups = groups.iter().filter(|group| **group != DROPPED).max();
        let mut left = vec![0; n_groups.map_or(0, |last| *last as usize + 1)];
        for (group, count) in groups.iter().zip(counts) {
            if let Some(left) = left.get_mut(*group as usize) {
                *left += count;
            }
        }
        let mut n_left = 0;
        for at in 0..left.len() {
            let n_missing = n_wanted - n_left;
            if may_cut {
                left[at] = left[at].min(u32::try_from(n_missing).unwrap_or(u32::MAX));
            }
            n_left += left[at] as usize;
            if n_left >= n_wanted {
                left.truncate(at + 1);
                break;
            }
        }
        Self {
            groups,
            left,
            n_left,
        }
    }

    /// Takes a document with this summary, if it is wanted still; its group.
    #[inline]
    fn take(&mut self, code: usize) -> Option<usize> {
        let group = self.groups[code] as usize;
        let left = self.left.get_mut(group).filter(|left| **left > 0)?;
        *left -= 1;
        self.n_left -= 1;
        Some(group)
    }

    /// Groups and places of those wanted among all documents.
    fn places<C: Copy + Into<usize>>(&mut self, codes: &[C]) -> Vec<(usize, u32)> {
        let is_wanted: Vec<bool> = (self.groups.iter())
            .map(|group| (*group as usize) < self.left.len())
            .collect();
        let mut places = Vec::with_capacity(self.n_left);
        for (nth, part) in codes.chunks(STRIDE).enumerate() {
            if self.n_left == 0 {
                break;
            }
            // Most have none, which takes no branch for each.
            let any = |any, code: &C| any | is_wanted[(*code).into()];
            if !part.iter().fold(false, any) {
                continue;
            }
            for (at, code) in part.iter().enumerate() {
                if let Some(group) = self.take((*code).into()) {
                    places.push((group, (STRIDE * nth + at) as u32));
                }
            }
        }
        places
    }

    /// Groups of those wanted in a part of all documents, and the documents.
    fn docs<C: Copy + Into<usize>>(
        &mut self,
        summaries: &Summaries,
        codes: &[C],
        part: &DocSet,
    ) -> Vec<(usize, DocId)> {
        let mut found = Vec::with_capacity(self.n_left);
        let mut part = part.iter().peekable();
        for (doc, code) in summaries.docs.iter().zip(codes) {
            if self.n_left == 0 {
                break;
            }
            if part.next_if_eq(&doc).is_some()
                && let Some(group) = self.take((*code).into())
            {
                found.push((group, doc));
            }
        }
        found
    }
}
