//! How many candidates have each value, segment by segment and over all of them.

use super::attribute_view::AttributeView;
use super::segment_view::SegmentView;
use crate::docset::{DocId, DocSet};
use crate::storage::column_reader::ColumnReader;

/// The counts of an attribute by ordinals.
pub(super) struct Tally<'v>(Vec<SegmentTally<'v>>);

struct SegmentTally<'v> {
    segment: &'v SegmentView,
    column: &'v ColumnReader,
    /// By ordinal.
    numbers: Vec<u32>,
    strings: Vec<u32>,
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
    pub(super) fn of(view: &'v AttributeView, candidates: &DocSet) -> Self {
        let documents = view.snapshot.documents();
        let absent =
            (candidates.len() > documents.len() / 2).then(|| documents.and_not(candidates));
        let tallies = view.columns().map(|(segment, column)| {
            let mut tally = SegmentTally {
                segment,
                column,
                numbers: vec![0; column.n_numbers() as usize],
                strings: vec![0; column.n_strings() as usize],
            };
            match &absent {
                Some(absent) => tally.count_all_but(view, absent),
                None => view.for_each_member(segment, candidates, |local| tally.add(local)),
            }
            tally
        });
        Self(tallies.collect())
    }

    /// Numbers that candidates have, ascending.
    pub(super) fn numbers(&self) -> Vec<(f64, u64)> {
        let mut numbers: Vec<(f64, u64)> = Vec::new();
        for SegmentTally {
            column,
            numbers: counts,
            ..
        } in &self.0
        {
            numbers.extend(
                present(counts).map(|(ordinal, count)| (column.number(ordinal), u64::from(count))),
            );
        }
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        numbers.dedup_by(|next, kept| {
            let is_equal = next.0 == kept.0;
            kept.1 += if is_equal { next.1 } else { 0 };
            is_equal
        });
        numbers
    }

    /// Strings that candidates have, ascending.
    pub(super) fn strings(&self) -> Vec<StringTally<'v>> {
        let mut spellings: Vec<(&'v str, Spelling<'v>)> = Vec::new();
        for &SegmentTally {
            segment,
            column,
            ref strings,
            ..
        } in &self.0
        {
            spellings.extend(present(strings).map(|(ordinal, count)| {
                let spelling = Spelling {
                    segment,
                    column,
                    ordinal,
                    count,
                };
                (column.string(ordinal), spelling)
            }));
        }
        // Stable: the ordered runs of the segments are merged, not sorted.
        spellings.sort_by(|a, b| a.0.cmp(b.0));
        let mut strings: Vec<StringTally<'v>> = Vec::new();
        for (normalized, spelling) in spellings {
            match strings.last_mut() {
                Some(last) if last.normalized == normalized => last.spellings.push(spelling),
                _ => strings.push(StringTally {
                    normalized,
                    spellings: vec![spelling],
                }),
            }
        }
        strings
    }
}

impl SegmentTally<'_> {
    /// Counts what the segment holds, but for dead documents and those of a set.
    fn count_all_but(&mut self, view: &AttributeView, absent: &DocSet) {
        let column = self.column;
        for (ordinal, count) in self.numbers.iter_mut().enumerate() {
            *count = column.n_number_docs(ordinal as u32);
        }
        for (ordinal, count) in self.strings.iter_mut().enumerate() {
            *count = column.n_string_docs(ordinal as u32);
        }
        self.segment.for_each_dead(|local| self.take_away(local));
        view.for_each_member(self.segment, absent, |local| self.take_away(local));
    }

    fn add(&mut self, local: u32) {
        self.change(local, |count| *count = count.saturating_add(1));
    }

    fn take_away(&mut self, local: u32) {
        self.change(local, |count| *count = count.saturating_sub(1));
    }

    /// Changes the counts of the values of a document; a damaged row may name more than there are.
    fn change(&mut self, local: u32, change: impl Fn(&mut u32)) {
        for (rows, counts) in [
            (&self.column.number_rows, &mut self.numbers),
            (&self.column.string_rows, &mut self.strings),
        ] {
            if counts.is_empty() {
                continue;
            }
            rows.for_each(local, |ordinal| {
                if let Some(count) = counts.get_mut(ordinal as usize) {
                    change(count);
                }
            });
        }
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

/// Ordinals with a count.
fn present(counts: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let numbered = counts.iter().enumerate();
    numbered
        .filter(|(_, count)| **count > 0)
        .map(|(ordinal, count)| (ordinal as u32, *count))
}

impl AttributeView {
    /// Calls `each` for the documents of a set that a segment holds.
    fn for_each_member(&self, segment: &SegmentView, docs: &DocSet, mut each: impl FnMut(u32)) {
        if docs.len() < segment.max_doc() as usize / 4 {
            for id in docs {
                match self.snapshot.locate(id) {
                    Some((its, local)) if std::ptr::eq(its, segment) => each(local),
                    _ => {}
                }
            }
            return;
        }
        segment.for_each_living(|local, id| {
            if docs.contains(id) {
                each(local);
            }
        });
    }
}
