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
    column: Box<dyn SortColumn + 'w>,
    /// Documents of the set that have one of the values passed.
    passed: Vec<DocId>,
    cost: usize,
    deadline: &'w Deadline,
}

/// Some of the first documents.
pub(super) struct Taken {
    /// The documents, with all others of the set that come before one of them.
    pub(super) docs: DocSet,
    /// Behind the last of them in their own order there may be others that were not taken.
    pub(super) last: DocId,
}

impl<'w> FirstDocs<'w> {
    /// The order that `rules` put documents in which those before them do not tell apart.
    pub(super) fn new(context: &'w RankContext<'w>, rules: &'w [Box<dyn RankingRule>]) -> Self {
        let columns = rules.iter().map(|rule| rule.sorted_by(context));
        match columns
            .enumerate()
            .find_map(|(at, column)| Some((at, column?)))
        {
            None => Self::Lowest,
            Some((rule, column)) => Self::ByValue(ByValue {
                rule,
                column,
                passed: Vec::new(),
                cost: 0,
                deadline: context.deadline,
            }),
        }
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
                })
            }
            Self::ByValue(by_value) => Some(Taken {
                docs: by_value.take(docs, besides, n)?,
                last: DocId::MAX,
            }),
        }
    }
}

impl ByValue<'_> {
    fn take(&mut self, docs: &DocSet, besides: &DocSet, n: usize) -> Option<DocSet> {
        let n_others = |docs: &[DocId]| docs.iter().filter(|doc| !besides.contains(**doc)).count();
        let mut n_taken = n_others(&self.passed);
        let mut of_value = Vec::new();
        while n_taken < n {
            if self.deadline.poll() {
                return None;
            }
            self.column.next_value(&mut of_value)?;
            self.cost += VALUE_COST + of_value.len();
            of_value.retain(|doc| docs.contains(*doc));
            self.cost += READ_COST * of_value.len();
            if self.cost > READ_COST * docs.len() / LEAST_PART {
                return None;
            }
            n_taken += n_others(&of_value);
            self.passed.extend_from_slice(&of_value);
        }
        Some(self.passed.iter().copied().collect())
    }
}
