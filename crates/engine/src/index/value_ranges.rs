//! Values of an attribute that a condition accepts, and the documents that have one.
//!
//! # Cost
//! Ranges take a binary search over the values of each segment. All documents with such a value
//! cost about as many steps as they are, or one look at each document of a segment where that is
//! less; of given documents, each takes two look-ups.

use std::ops::{Bound, Range};

use super::attribute_view::{AttributeView, ValueRange};
use super::segment_view::SegmentView;
use crate::docset::{DocId, DocSet, DocSetBuilder};
use crate::storage::column_reader::ColumnReader;
use crate::storage::ordinal_rows::OrdinalRows;

/// Passing a document in a column takes less than a document of a posting list, by this factor.
const LISTED_DOC_COST: usize = 4;
/// Ranges that are tried one after the other; more of them are searched.
const FEW_RANGES: usize = 8;

/// Some values of an attribute.
#[derive(Default)]
pub struct ValueRanges {
    /// By slot of segment.
    slots: Vec<SlotRanges>,
}

/// Ordinals of one segment; once sealed in order.
#[derive(Clone, Default)]
struct SlotRanges {
    numbers: Vec<Range<u32>>,
    strings: Vec<Range<u32>>,
}

impl AttributeView {
    /// Adds the numbers in a range.
    pub fn add_numbers(&self, range: ValueRange<f64>, to: &mut ValueRanges) {
        for (slot, _, column) in self.columns() {
            add(&mut to.slot(slot).numbers, number_ordinals(column, range));
        }
    }

    /// Adds the normalised strings in a range.
    pub fn add_strings(&self, (from, until): ValueRange<&str>, to: &mut ValueRanges) {
        let range = (from.map(str::as_bytes), until.map(str::as_bytes));
        for (slot, _, column) in self.columns() {
            add(&mut to.slot(slot).strings, string_ordinals(column, range));
        }
    }

    /// Adds a normalised string.
    pub fn add_string(&self, normalized: &str, to: &mut ValueRanges) {
        for (slot, _, column) in self.columns() {
            add(&mut to.slot(slot).strings, column.spellings(normalized));
        }
    }

    /// Adds the normalised strings that start with `prefix`.
    pub fn add_prefix(&self, prefix: &str, to: &mut ValueRanges) {
        for (slot, _, column) in self.columns() {
            add(
                &mut to.slot(slot).strings,
                column.strings_with_prefix(prefix),
            );
        }
    }

    /// At least as many as documents have one of the values; a document counts for each.
    #[must_use]
    pub fn n_postings(&self, ranges: &ValueRanges) -> usize {
        let columns = self.columns().filter_map(|(slot, _, column)| {
            let ranges = ranges.slots.get(slot)?;
            let numbers = ranges.numbers.iter().cloned();
            let strings = ranges.strings.iter().cloned();
            let numbers = numbers.map(|range| column.number_postings_len(range));
            let strings = strings.map(|range| column.string_postings_len(range));
            Some(numbers.sum::<usize>() + strings.sum::<usize>())
        });
        columns.sum()
    }

    /// Documents with one of the values.
    #[must_use]
    pub fn holders(&self, ranges: &ValueRanges) -> DocSet {
        let mut docs = DocSetBuilder::new(self.snapshot.universe_len());
        for (slot, segment, column) in self.columns() {
            let Some(ranges) = ranges.slots.get(slot) else {
                continue;
            };
            for range in ranges.numbers.iter().cloned() {
                add_number_docs(segment, column, range, &mut docs);
            }
            for range in ranges.strings.iter().cloned() {
                column.for_each_string_doc(range, |local| insert(segment, local, &mut docs));
            }
        }
        docs.finish()
    }

    /// Those of the documents that have one of the values.
    #[must_use]
    pub fn holders_among(&self, ranges: &ValueRanges, docs: &DocSet) -> DocSet {
        let has_value = |doc: &DocId| {
            let Some((slot, column, local)) = self.locate(*doc) else {
                return false;
            };
            ranges.slots.get(slot).is_some_and(|ranges| {
                is_within(&column.number_rows, local, &ranges.numbers)
                    || is_within(&column.string_rows, local, &ranges.strings)
            })
        };
        DocSet::from_sorted(docs.iter().filter(has_value).collect())
    }
}

impl ValueRanges {
    fn slot(&mut self, slot: usize) -> &mut SlotRanges {
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, SlotRanges::default());
        }
        &mut self.slots[slot]
    }

    /// Puts the ranges in order; to be done once all are there.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        for SlotRanges { numbers, strings } in &mut self.slots {
            for ranges in [numbers, strings] {
                ranges.sort_unstable_by_key(|range| (range.start, range.end));
                ranges.dedup();
            }
        }
        self
    }
}

fn add(ranges: &mut Vec<Range<u32>>, range: Range<u32>) {
    if !range.is_empty() {
        ranges.push(range);
    }
}

#[inline]
fn insert(segment: &SegmentView, local: u32, docs: &mut DocSetBuilder) {
    if let Some(id) = segment.living(local) {
        docs.insert(id);
    }
}

/// Reads the posting lists, or each document where these are longer.
fn add_number_docs(
    segment: &SegmentView,
    column: &ColumnReader,
    range: Range<u32>,
    docs: &mut DocSetBuilder,
) {
    let n_listed = column.number_postings_len(range.clone());
    let each = |local| insert(segment, local, docs);
    let is_long = LISTED_DOC_COST * n_listed > segment.max_doc() as usize;
    if is_long
        && column
            .number_rows
            .for_each_within(range.clone(), each)
            .is_some()
    {
        return;
    }
    column.for_each_number_doc(range, |local| insert(segment, local, docs));
}

/// Whether a document has an ordinal in one of the ranges.
#[inline]
fn is_within(rows: &OrdinalRows, local: u32, ranges: &[Range<u32>]) -> bool {
    let mut found = false;
    match ranges {
        [] => {}
        [range] => rows.for_each(local, |ordinal| found |= range.contains(&ordinal)),
        few if few.len() <= FEW_RANGES => rows.for_each(local, |ordinal| {
            found |= few.iter().any(|range| range.contains(&ordinal));
        }),
        // Ranges of several values are of one value each, which has all its spellings in one.
        many => rows.for_each(local, |ordinal| {
            let behind = many.partition_point(|range| range.start <= ordinal);
            let last = behind.checked_sub(1).and_then(|at| many.get(at));
            found |= last.is_some_and(|range| range.contains(&ordinal));
        }),
    }
    found
}

fn number_ordinals(column: &ColumnReader, (from, to): ValueRange<f64>) -> Range<u32> {
    let start = match from {
        Bound::Included(from) => column.number_partition(|number| number < from),
        Bound::Excluded(from) => column.number_partition(|number| number <= from),
        Bound::Unbounded => 0,
    };
    let end = match to {
        Bound::Included(to) => column.number_partition(|number| number <= to),
        Bound::Excluded(to) => column.number_partition(|number| number < to),
        Bound::Unbounded => column.n_numbers(),
    };
    start..end
}

fn string_ordinals(column: &ColumnReader, (from, to): ValueRange<&[u8]>) -> Range<u32> {
    let start = match from {
        Bound::Included(from) => column.string_partition(|string| string < from),
        Bound::Excluded(from) => column.string_partition(|string| string <= from),
        Bound::Unbounded => 0,
    };
    let end = match to {
        Bound::Included(to) => column.string_partition(|string| string <= to),
        Bound::Excluded(to) => column.string_partition(|string| string < to),
        Bound::Unbounded => column.n_strings(),
    };
    start..end
}
