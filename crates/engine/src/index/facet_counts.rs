//! Counts the values of an attribute over a set of candidates.
//!
//! # Cost
//! All counts: one step per candidate and value, or per document that is no candidate if those are
//! fewer, and one pass over the distinct values. The first values alone: only what comes before
//! them, where that is cheaper.

use std::ops::ControlFlow;

use super::attribute_view::{AttributeView, SortValue};
use super::counted_docs::CountedDocs;
use super::facet_tally::{StringTally, Tally};
use crate::docset::{DocId, DocSet};
use crate::settings::FacetOrder;

/// How many candidates have each value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FacetCounts {
    /// Numbers ascending.
    pub numbers: Vec<(f64, u64)>,
    /// Normalised strings ascending, with the spelling of the lowest candidate that has it.
    pub strings: Vec<StringCount>,
    /// The smallest and the largest number of a candidate.
    pub extremes: Option<(f64, f64)>,
}

/// How many candidates have a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringCount {
    /// The normalised form.
    pub normalized: String,
    /// As the lowest candidate with the string spells it.
    pub original: String,
    /// Number of candidates.
    pub count: u64,
}

/// Cost in nanoseconds, measured with a million documents: of a value that is walked, of a
/// document that has it, of a document whose values are counted, of a thousand counts that are
/// passed, and of a KiB of posting lists.
const WALKED_VALUE_COST: usize = 100;
const HOLDER_COST: usize = 5;
const COUNTED_DOC_COST: usize = 8;
const THOUSAND_COUNTS_COST: usize = 400;
const KIB_COST: usize = 100;

impl AttributeView {
    /// Counts each value over the candidates. Values that no candidate has are left out.
    #[must_use]
    pub fn counts(&self, candidates: &DocSet) -> FacetCounts {
        let candidates = self.snapshot.counted_docs(candidates);
        self.best_counts(&candidates, FacetOrder::Alpha, usize::MAX)
    }

    /// Counts every number, and the strings that come first in an order, up to `limit`.
    #[must_use]
    pub fn best_counts(
        &self,
        candidates: &CountedDocs<'_>,
        order: FacetOrder,
        limit: usize,
    ) -> FacetCounts {
        let tally = Tally::of(self, candidates);
        let strings = match order {
            FacetOrder::Alpha => tally.strings(limit),
            FacetOrder::Count => most_frequent(tally.strings(usize::MAX), limit),
        };
        collected(&tally, usize::MAX, strings, candidates)
    }

    /// Counts the first values, numbers before strings, `limit` in all; the extremes are those of
    /// all numbers.
    #[must_use]
    pub fn first_counts(&self, candidates: &CountedDocs<'_>, limit: usize) -> FacetCounts {
        let cost_of_all = self.cost_of_all(candidates);
        if self.cost_of_walk(candidates.docs(), limit) < cost_of_all
            && let Some(walked) = self.walked_counts(candidates.docs(), limit, cost_of_all)
        {
            return walked;
        }
        let tally = Tally::of(self, candidates);
        collected(&tally, limit, tally.strings(limit), candidates)
    }

    /// The first counts along the values in order; `None` once the allowance is used up.
    pub(super) fn walked_counts(
        &self,
        candidates: &DocSet,
        limit: usize,
        mut allowance: usize,
    ) -> Option<FacetCounts> {
        let mut counts = FacetCounts::default();
        self.walk_candidates(false, candidates, &mut allowance, |value, docs| {
            let count = docs.len() as u64;
            match value {
                SortValue::Number(number) => counts.numbers.push((number, count)),
                SortValue::String(string) => {
                    let first = docs.iter().copied().min().unwrap_or_default();
                    counts.strings.push(StringCount {
                        normalized: string.to_owned(),
                        original: self.spelling_of(first, string).to_owned(),
                        count,
                    });
                }
            }
            if counts.numbers.len() + counts.strings.len() < limit {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        if let Some((smallest, _)) = counts.numbers.first() {
            let mut largest = *smallest;
            self.walk_candidates(true, candidates, &mut allowance, |value, _| {
                if let SortValue::Number(number) = value {
                    largest = number;
                }
                ControlFlow::Break(())
            })?;
            counts.extremes = Some((*smallest, largest));
        }
        Some(counts)
    }

    /// Calls `each` for the values of candidates with these candidates, in order; `None` once the
    /// allowance is used up.
    fn walk_candidates<'v>(
        &'v self,
        descending: bool,
        candidates: &DocSet,
        allowance: &mut usize,
        mut each: impl FnMut(SortValue<'v>, &[DocId]) -> ControlFlow<()>,
    ) -> Option<()> {
        let (mut walk, mut docs) = (self.walk(descending), Vec::new());
        while let Some(value) = walk.next(self, &mut docs) {
            let cost = WALKED_VALUE_COST + HOLDER_COST * docs.len();
            *allowance = allowance.checked_sub(cost)?;
            docs.retain(|doc| candidates.contains(*doc));
            if !docs.is_empty() && each(value, &docs).is_break() {
                break;
            }
        }
        Some(())
    }

    /// About how many nanoseconds it takes to count all values.
    fn cost_of_all(&self, candidates: &CountedDocs<'_>) -> usize {
        let n_counted = candidates.n_located();
        let columns = self.columns().map(|(_, _, column)| {
            let n_values = (column.n_numbers() + column.n_strings()) as usize;
            // Few documents do not need a count for each value.
            let n_passed = n_values.min(32 * n_counted);
            THOUSAND_COUNTS_COST * n_passed / 1000
        });
        let passed = columns.sum::<usize>();
        let posted = match n_counted == candidates.docs().len() {
            true => 0,
            false => self.cost_of_lengths(),
        };
        COUNTED_DOC_COST * n_counted + passed + posted
    }

    /// About how many nanoseconds it takes to count the documents of each value.
    fn cost_of_lengths(&self) -> usize {
        let columns = self.columns().map(|(_, _, column)| column.uncounted_len());
        KIB_COST * (columns.sum::<usize>() >> 10)
    }

    /// About how many nanoseconds it takes to walk along the values until enough are found, if
    /// those of candidates lie among them like those of all documents.
    fn cost_of_walk(&self, candidates: &DocSet, limit: usize) -> usize {
        let n_documents = self.snapshot.documents().len();
        let columns = self.columns();
        let (n_values, n_holders) = columns.fold((0, 0), |(values, holders), (_, _, column)| {
            let n_values = (column.n_numbers() + column.n_strings()) as usize;
            // Segments mostly have the same values.
            (n_values.max(values), holders + column.n_holders())
        });
        let n_per_value = n_holders / n_values.max(1) + 1;
        let n_between = n_documents / candidates.len().max(1) / n_per_value + 1;
        let n_walked = limit.saturating_mul(n_between).min(n_values);
        n_walked.saturating_mul(WALKED_VALUE_COST + HOLDER_COST * n_per_value)
    }
}

/// The strings that most candidates have, ascending.
fn most_frequent<'v>(mut strings: Vec<StringTally<'v>>, limit: usize) -> Vec<StringTally<'v>> {
    if strings.len() <= limit {
        return strings;
    }
    let by_count = |a: &StringTally<'_>, b: &StringTally<'_>| {
        let larger_first = b.count().cmp(&a.count());
        larger_first.then_with(|| b.normalized().cmp(a.normalized()))
    };
    if limit > 0 {
        strings.select_nth_unstable_by(limit - 1, by_count);
    }
    strings.truncate(limit);
    strings.sort_unstable_by(|a, b| a.normalized().cmp(b.normalized()));
    strings
}

/// So many numbers and these strings.
fn collected(
    tally: &Tally<'_>,
    n_numbers: usize,
    strings: Vec<StringTally<'_>>,
    candidates: &CountedDocs<'_>,
) -> FacetCounts {
    let numbers = tally.numbers(n_numbers.max(1));
    let smallest = numbers.first().map(|(number, _)| *number);
    let strings = strings.into_iter().map(|string| StringCount {
        normalized: string.normalized().to_owned(),
        original: string.original(candidates.docs()).to_owned(),
        count: string.count(),
    });
    FacetCounts {
        extremes: smallest.zip(tally.largest_number()),
        strings: strings.collect(),
        numbers,
    }
}
