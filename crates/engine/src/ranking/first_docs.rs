//! Documents that come first of those that no rule tells apart: the lowest ones, or where values decide
//! before that, those with the best values.

use super::{Deadline, RankContext, RankingRule};
use crate::docset::{DocId, DocSet};
use crate::query::SortColumn;

/// What it takes to pass a value, and to read a document of the set that has it, in the time that a
/// document takes which is not of the set.
const VALUE_COST: usize = 8;
const READ_COST: usize = if cfg!(test) { 1 } else { 40 };
/// Values are passed at most up to what it takes to read one document in so many of the set: a small part
/// of what it takes to summarise these, which later searches have use of.
const LEAST_PART: usize = if cfg!(test) { 1 } else { 16 };

/// The first documents of a set, as many as are asked for.
pub(super) enum FirstDocs<'w> {
    /// In their own order.
    Lowest,
    /// In the order of values.
    ByValue(ByValue<'w>),
}

/// Documents in the order of values.
pub(super) struct ByValue<'w> {
    /// Which of the rules sorts them.
    pub(super) rule: usize,
    /// Whether a value may be passed in part: no rule behind that one sorts by values as well.
    may_cut: bool,
    column: Box<dyn SortColumn + 'w>,
    /// Documents of the set that have one of the values passed.
    passed: Vec<DocId>,
    /// Those that have the value behind these, ascending, and how many of them are among the first ones.
    of_value: Vec<DocId>,
    n_cut: usize,
    cost: usize,
    deadline: &'w Deadline,
}

/// Some of the first documents.
pub(super) struct Taken {
    /// The documents, with all others of the set that come before one of them.
    pub(super) docs: DocSet,
    /// Those with the last value, if others with that value may have been left; not among `docs`.
    pub(super) cut: DocSet,
    /// Behind the last of them in their own order there may be others that were not taken, with values
    /// only of those with the last one.
    pub(super) last: DocId,
}

impl<'w> FirstDocs<'w> {
    /// The order that `rules` put documents in which those before them do not tell apart.
    pub(super) fn new(context: &'w RankContext<'w>, rules: &'w [Box<dyn RankingRule>]) -> Self {
        let columns = rules.iter().map(|rule| rule.sorted_by(context));
        let mut columns = columns
            .enumerate()
            .filter_map(|(at, column)| Some((at, column?)));
        let Some((rule, column)) = columns.next() else {
            return Self::Lowest;
        };
        let mut before_last = rules[rule + 1..].iter().rev().skip(1);
        Self::ByValue(ByValue {
            rule,
            may_cut: columns.next().is_none() && !before_last.any(|rule| rule.narrows_paths()),
            column,
            passed: Vec::new(),
            of_value: Vec::new(),
            n_cut: 0,
            cost: 0,
            deadline: context.deadline,
        })
    }

    /// The rule that sorts by values.
    pub(super) const fn sorting_rule(&self) -> Option<usize> {
        match self {
            Self::Lowest => None,
            Self::ByValue(ByValue { rule, .. }) => Some(*rule),
        }
    }

    /// The first `n` of `docs`, those of `besides` not counted; always of the same sets, and never of
    /// fewer than before. `None` if that takes too long.
    pub(super) fn take(&mut self, docs: &DocSet, besides: &DocSet, n: usize) -> Option<Taken> {
        match self {
            Self::Lowest => {
                let others = docs.iter().filter(|doc| !besides.contains(*doc));
                let first: Vec<DocId> = others.take(n).collect();
                Some(Taken {
                    last: first.last().copied().unwrap_or(0),
                    docs: DocSet::from_sorted(first),
                    cut: DocSet::empty(),
                })
            }
            Self::ByValue(by_value) => by_value.take(docs, besides, n),
        }
    }
}

impl ByValue<'_> {
    /// Passes values as a whole from here on, unless the last one has too many documents.
    pub(super) fn pass_whole(&mut self, docs: &DocSet) {
        self.may_cut &= self.of_value.len() > docs.len() / LEAST_PART;
    }

    fn take(&mut self, docs: &DocSet, besides: &DocSet, n: usize) -> Option<Taken> {
        let n_others = |docs: &[DocId]| docs.iter().filter(|doc| !besides.contains(**doc)).count();
        let mut n_taken = n_others(&self.passed) + n_others(&self.of_value[..self.n_cut]);
        while n_taken < n {
            if self.n_cut == self.of_value.len() {
                if self.deadline.poll() {
                    return None;
                }
                self.passed.append(&mut self.of_value);
                self.n_cut = 0;
                self.column.next_value(&mut self.of_value)?;
                self.cost += VALUE_COST + self.of_value.len();
                self.of_value.retain(|doc| docs.contains(*doc));
                if self.may_cut {
                    // Runs of documents that are in order already take little time.
                    self.of_value.sort();
                }
            }
            let left = &self.of_value[self.n_cut..];
            let mut n_missing = n - n_taken;
            let is_enough = |doc: &DocId| {
                n_missing -= usize::from(!besides.contains(*doc));
                n_missing == 0
            };
            let last = left.iter().position(is_enough).filter(|_| self.may_cut);
            let n_more = last.map_or(left.len(), |last| last + 1);
            n_taken += n_others(&left[..n_more]);
            self.n_cut += n_more;
            self.cost += READ_COST * n_more;
            if self.cost > READ_COST * docs.len() / LEAST_PART {
                return None;
            }
        }
        let (first, left) = self.of_value.split_at(self.n_cut);
        let cut = if left.is_empty() { &[] } else { first };
        let mut whole = self.passed.clone();
        whole.extend_from_slice(&first[cut.len()..]);
        Some(Taken {
            docs: whole.into_iter().collect(),
            last: cut.last().copied().unwrap_or(DocId::MAX),
            cut: DocSet::from_sorted(cut.to_vec()),
        })
    }
}
