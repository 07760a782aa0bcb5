//! Counts the values of an attribute over a set of candidates.
//!
//! # Cost
//! One step per candidate and value, and one pass over the distinct values of each segment.

use super::attribute_view::AttributeView;
use super::segment_view::SegmentView;
use crate::docset::{DocId, DocSet};

/// How many candidates have each value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FacetCounts {
    /// Numbers ascending.
    pub numbers: Vec<(f64, u64)>,
    /// Normalised strings ascending, with the spelling of the lowest candidate that has it.
    pub strings: Vec<StringCount>,
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

impl AttributeView {
    /// Counts each value over the candidates. Values that no candidate has are left out.
    #[must_use]
    pub fn counts(&self, candidates: &DocSet) -> FacetCounts {
        let mut numbers: Vec<(f64, u64)> = Vec::new();
        let mut strings: Vec<(&str, DocId, &str, u64)> = Vec::new();
        for (segment, column) in self.columns() {
            let mut number_counts = vec![0_u64; column.n_numbers() as usize];
            let mut string_counts = vec![(0_u64, DocId::MAX); column.n_strings() as usize];
            self.for_each_candidate(segment, candidates, |local, id| {
                column
                    .number_rows
                    .for_each(local, |ordinal| number_counts[ordinal as usize] += 1);
                column.string_rows.for_each(local, |ordinal| {
                    let (count, first) = &mut string_counts[ordinal as usize];
                    *count += 1;
                    *first = id.min(*first);
                });
            });
            for (ordinal, count) in number_counts.into_iter().enumerate() {
                if count > 0 {
                    numbers.push((column.number(ordinal as u32), count));
                }
            }
            for (ordinal, (count, first)) in string_counts.into_iter().enumerate() {
                if count > 0 {
                    let ordinal = ordinal as u32;
                    strings.push((
                        column.string(ordinal),
                        first,
                        column.original(ordinal),
                        count,
                    ));
                }
            }
        }
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        strings.sort_by(|a, b| a.0.cmp(b.0));
        FacetCounts {
            numbers: folded_numbers(&numbers),
            strings: folded_strings(&strings),
        }
    }

    fn for_each_candidate(
        &self,
        segment: &SegmentView,
        candidates: &DocSet,
        mut each: impl FnMut(u32, DocId),
    ) {
        if candidates.len() < segment.max_doc() as usize / 4 {
            for id in candidates {
                match self.snapshot.locate(id) {
                    Some((its, local)) if std::ptr::eq(its, segment) => each(local, id),
                    _ => {}
                }
            }
            return;
        }
        segment.for_each_living(|local, id| {
            if candidates.contains(id) {
                each(local, id);
            }
        });
    }
}

/// Adds up the counts of equal neighbours.
fn folded_numbers(counts: &[(f64, u64)]) -> Vec<(f64, u64)> {
    let mut folded: Vec<(f64, u64)> = Vec::new();
    for (number, count) in counts {
        match folded.last_mut() {
            Some((last, sum)) if last == number => *sum += count,
            _ => folded.push((*number, *count)),
        }
    }
    folded
}

/// Adds up the counts of equal neighbours and keeps the spelling of the lowest document.
fn folded_strings(counts: &[(&str, DocId, &str, u64)]) -> Vec<StringCount> {
    counts
        .chunk_by(|a, b| a.0 == b.0)
        .map(|group| {
            let (normalized, _, original, _) = group
                .iter()
                .min_by_key(|(_, first, _, _)| first)
                .copied()
                .unwrap_or_default();
            StringCount {
                normalized: normalized.to_owned(),
                original: original.to_owned(),
                count: group.iter().map(|(_, _, _, count)| count).sum(),
            }
        })
        .collect()
}
