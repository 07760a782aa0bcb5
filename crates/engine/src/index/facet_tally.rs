//! How many candidates have each value, segment by segment and over all of them.
//!
//! # Cost
//! One step per counted document and value. In segments with many more values than are counted,
//! ordinals are sorted; else there is a count for each. Values come in order, so that who wants the
//! first ones alone does not touch the others.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::attribute_view::AttributeView;
use super::counted_docs::CountedDocs;
use super::segment_view::SegmentView;
use crate::docset::{DocId, DocSet};
use crate::storage::column_reader::ColumnReader;
use crate::storage::ordinal_rows::OrdinalRows;

/// Sorting an ordinal takes as long as passing so many counts.
const SORTED_ORDINAL_COST: usize = if cfg!(test) { 2 } else { 32 };
/// Counts that are passed together while they are zero.
const STRIDE: usize = 16;

/// The counts of an attribute by ordinals.
pub(super) struct Tally<'v>(Vec<SegmentTally<'v>>);

struct SegmentTally<'v> {
    segment: &'v SegmentView,
    column: &'v ColumnReader,
    numbers: Counts,
    strings: Counts,
}

/// How often each ordinal occurs in one segment.
enum Counts {
    /// By ordinal.
    Each(Vec<u32>),
    /// Of those that occur, ascending.
    Few(Vec<(u32, u32)>),
}

/// A string in one segment: every spelling is a value of its own.
struct Spelling<'v> {
    segment: &'v SegmentView,
    column: &'v ColumnReader,
    ordinal: u32,
    count: u32,
}

/// A string that candidates have, with its spellings; there is at least one.
pub(super) struct StringTally<'v> {
    normalized: &'v str,
    spellings: Vec<Spelling<'v>>,
}

impl<'v> Tally<'v> {
    /// Counts over the candidates, or over the documents that are none if those are fewer.
    pub(super) fn of(view: &'v AttributeView, candidates: &CountedDocs<'_>) -> Self {
        let located = candidates.located();
        let tallies = view.columns().map(|(slot, segment, column)| {
            let locals = located.locals.get(slot).map_or(&[][..], Vec::as_slice);
            let (numbers, strings) = if located.are_absent {
                (
                    Counts::without(&column.number_rows, column.number_counts(), locals),
                    Counts::without(&column.string_rows, column.string_counts(), locals),
                )
            } else {
                (
                    Counts::of(&column.number_rows, column.n_numbers(), locals),
                    Counts::of(&column.string_rows, column.n_strings(), locals),
                )
            };
            SegmentTally {
                segment,
                column,
                numbers,
                strings,
            }
        });
        Self(tallies.collect())
    }

    /// The first numbers that candidates have, ascending.
    pub(super) fn numbers(&self, limit: usize) -> Vec<(f64, u64)> {
        let lists: Vec<_> = self.0.iter().map(|tally| &tally.numbers).collect();
        let number = |nth: usize, ordinal| self.0[nth].column.number(ordinal);
        let mut merge = Merge::new(&lists, number, f64::total_cmp);
        let mut numbers: Vec<(f64, u64)> = Vec::new();
        while let Some((number, _, _, count)) = merge.next() {
            let is_full = numbers.len() == limit;
            match numbers.last_mut() {
                // The same number in another segment.
                Some(last) if last.0 == number => last.1 += u64::from(count),
                _ if is_full => break,
                _ => numbers.push((number, u64::from(count))),
            }
        }
        numbers
    }

    /// The largest number that a candidate has.
    pub(super) fn largest_number(&self) -> Option<f64> {
        let largest = |tally: &SegmentTally<'_>| {
            let ordinal = tally.numbers.last_present()?;
            Some(tally.column.number(ordinal))
        };
        self.0.iter().filter_map(largest).reduce(f64::max)
    }

    /// The first strings that candidates have, ascending.
    pub(super) fn strings(&self, limit: usize) -> Vec<StringTally<'v>> {
        let lists: Vec<_> = self.0.iter().map(|tally| &tally.strings).collect();
        let bytes = |nth: usize, ordinal| self.0[nth].column.string_bytes(ordinal);
        let mut merge = Merge::new(&lists, bytes, |a, b| a.cmp(b));
        let mut strings: Vec<StringTally<'v>> = Vec::new();
        let mut last: &[u8] = &[];
        while let Some((bytes, nth, ordinal, count)) = merge.next() {
            let SegmentTally {
                segment, column, ..
            } = self.0[nth];
            let spelling = Spelling {
                segment,
                column,
                ordinal,
                count,
            };
            let is_full = strings.len() == limit;
            match strings.last_mut() {
                Some(string) if last == bytes => string.spellings.push(spelling),
                _ if is_full => break,
                _ => strings.push(StringTally {
                    normalized: column.string(ordinal),
                    spellings: vec![spelling],
                }),
            }
            last = bytes;
        }
        strings
    }
}

impl Counts {
    /// Counts the values of documents.
    fn of(rows: &OrdinalRows, n_ordinals: u32, locals: &[u32]) -> Self {
        if n_ordinals as usize > SORTED_ORDINAL_COST * locals.len() {
            let mut ordinals = Vec::new();
            rows.for_each_of(locals, |ordinal| ordinals.push(ordinal));
            return Self::few(ordinals, n_ordinals);
        }
        let mut counts = vec![0_u32; n_ordinals as usize];
        // A damaged row may name more than there are.
        rows.for_each_of(locals, |ordinal| {
            if let Some(count) = counts.get_mut(ordinal as usize) {
                *count = count.saturating_add(1);
            }
        });
        Self::Each(counts)
    }

    fn few(mut ordinals: Vec<u32>, n_ordinals: u32) -> Self {
        ordinals.sort_unstable();
        let mut few: Vec<(u32, u32)> = Vec::new();
        for ordinal in ordinals {
            match few.last_mut() {
                Some((last, count)) if *last == ordinal => *count += 1,
                _ if ordinal < n_ordinals => few.push((ordinal, 1)),
                _ => break,
            }
        }
        Self::Few(few)
    }

    /// What is left of the counts of all documents without some of these.
    fn without(rows: &OrdinalRows, all: Cow<'_, [u32]>, locals: &[u32]) -> Self {
        let mut counts = all.into_owned();
        rows.for_each_of(locals, |ordinal| {
            if let Some(count) = counts.get_mut(ordinal as usize) {
                *count = count.saturating_sub(1);
            }
        });
        Self::Each(counts)
    }

    /// The first ordinal at or behind a place that occurs: the place behind it, itself, how often.
    fn next_present(&self, at: usize) -> Option<(usize, u32, u32)> {
        match self {
            Self::Few(few) => {
                let (ordinal, count) = *few.get(at)?;
                Some((at + 1, ordinal, count))
            }
            Self::Each(counts) => {
                let left = counts.get(at..)?;
                let strides = left.chunks_exact(STRIDE);
                let is_zero = |stride: &&[u32]| stride.iter().fold(0, |or, count| or | count) == 0;
                let passed = STRIDE * strides.take_while(is_zero).count();
                let found = left[passed..].iter().position(|count| *count > 0)?;
                let place = at + passed + found;
                Some((place + 1, place as u32, counts[place]))
            }
        }
    }

    /// The largest ordinal that occurs.
    fn last_present(&self) -> Option<u32> {
        match self {
            Self::Few(few) => few.last().map(|(ordinal, _)| *ordinal),
            Self::Each(counts) => counts
                .iter()
                .rposition(|count| *count > 0)
                .map(|n| n as u32),
        }
    }
}

/// The values of several segments, in one order.
struct Merge<'t, V, O> {
    lists: &'t [&'t Counts],
    value: V,
    order: O,
    heads: Vec<Head>,
}

/// The next value of a segment.
struct Head {
    nth: usize,
    next: usize,
    ordinal: u32,
    count: u32,
}

impl<'t, K: Copy, V: Fn(usize, u32) -> K, O: Fn(&K, &K) -> Ordering> Merge<'t, V, O> {
    fn new(lists: &'t [&'t Counts], value: V, order: O) -> Self {
        let heads = lists.iter().enumerate().filter_map(|(nth, counts)| {
            let (next, ordinal, count) = counts.next_present(0)?;
            Some(Head {
                nth,
                next,
                ordinal,
                count,
            })
        });
        let heads = heads.collect();
        Self {
            lists,
            value,
            order,
            heads,
        }
    }

    /// A value, which segment has it and under which ordinal, and its count there.
    fn next(&mut self) -> Option<(K, usize, u32, u32)> {
        let values = self.heads.iter().enumerate();
        let values = values.map(|(at, head)| (at, (self.value)(head.nth, head.ordinal)));
        let (at, least) = values.reduce(|a, b| match (self.order)(&a.1, &b.1) {
            Ordering::Greater => b,
            _ => a,
        })?;
        let head = &mut self.heads[at];
        let found = (least, head.nth, head.ordinal, head.count);
        match self.lists[head.nth].next_present(head.next) {
            Some((next, ordinal, count)) => {
                (head.next, head.ordinal, head.count) = (next, ordinal, count);
            }
            // The others keep their order, which decides between equal ones.
            None => drop(self.heads.remove(at)),
        }
        Some(found)
    }
}

impl<'v> StringTally<'v> {
    pub(super) const fn normalized(&self) -> &'v str {
        self.normalized
    }

    pub(super) fn count(&self) -> u64 {
        self.spellings.iter().map(|one| u64::from(one.count)).sum()
    }

    /// As the lowest candidate spells it.
    pub(super) fn original(&self, candidates: &DocSet) -> &'v str {
        let of = |spelling: &Spelling<'v>| spelling.column.original(spelling.ordinal);
        let first = self.spellings.first().map(of).unwrap_or_default();
        if self.spellings.iter().all(|spelling| of(spelling) == first) {
            return first;
        }
        let lowest = self.spellings.iter().min_by_key(|s| s.lowest(candidates));
        lowest.map(of).unwrap_or_default()
    }
}

impl Spelling<'_> {
    /// The lowest candidate that has it.
    fn lowest(&self, candidates: &DocSet) -> DocId {
        let mut lowest = DocId::MAX;
        self.column
            .for_each_string_doc(self.ordinal..self.ordinal + 1, |local| {
                let id = self
                    .segment
                    .living(local)
                    .filter(|id| candidates.contains(*id));
                lowest = id.map_or(lowest, |id| id.min(lowest));
            });
        lowest
    }
}
