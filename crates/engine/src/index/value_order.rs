//! Walks the values of an attribute in order, segments side by side.
//!
//! # Cost
//! One comparison per segment and value, and one step per document of a value.

use super::attribute_view::{AttributeView, SortValue};
use super::segment_view::SegmentView;
use crate::docset::DocId;
use crate::storage::column_reader::ColumnReader;

/// A place in the ordered values of an attribute: numbers come first, then normalised strings.
pub struct ValueWalk {
    descending: bool,
    numbers: Vec<Cursor>,
    strings: Vec<Cursor>,
}

impl AttributeView {
    /// A walk that stands before the first value.
    #[must_use]
    pub fn walk(&self, descending: bool) -> ValueWalk {
        let cursors = |n_values: fn(&ColumnReader) -> u32| {
            self.columns()
                .enumerate()
                .map(|(nth, (_, column))| Cursor {
                    nth,
                    n_values: n_values(column),
                    n_passed: 0,
                    descending,
                })
                .filter(|cursor| !cursor.is_done())
                .collect()
        };
        ValueWalk {
            descending,
            numbers: cursors(ColumnReader::n_numbers),
            strings: cursors(ColumnReader::n_strings),
        }
    }
}

impl ValueWalk {
    /// Passes the next value and puts its living documents into `docs`, in no order; `None` after
    /// the last one. A value whose documents have all died comes without documents.
    pub fn next<'v>(
        &mut self,
        view: &'v AttributeView,
        docs: &mut Vec<DocId>,
    ) -> Option<SortValue<'v>> {
        docs.clear();
        let columns: Vec<_> = view.columns().collect();
        if let Some(number) = self.next_number(&columns, docs) {
            return Some(SortValue::Number(number));
        }
        self.next_string(&columns, docs).map(SortValue::String)
    }

    fn next_number(&mut self, columns: &[Column<'_>], docs: &mut Vec<DocId>) -> Option<f64> {
        let number = |cursor: &Cursor| columns[cursor.nth].1.number(cursor.ordinal());
        let numbers = self.numbers.iter().map(number);
        let best = if self.descending {
            numbers.reduce(f64::max)
        } else {
            numbers.reduce(f64::min)
        }?;
        for cursor in &mut self.numbers {
            let (segment, column) = columns[cursor.nth];
            while !cursor.is_done() && column.number(cursor.ordinal()) == best {
                let ordinal = cursor.ordinal();
                column.for_each_number_doc(ordinal..ordinal + 1, |local| {
                    docs.extend(segment.living(local));
                });
                cursor.n_passed += 1;
            }
        }
        self.numbers.retain(|cursor| !cursor.is_done());
        Some(best)
    }

    fn next_string<'v>(
        &mut self,
        columns: &[Column<'v>],
        docs: &mut Vec<DocId>,
    ) -> Option<&'v str> {
        let string = |cursor: &Cursor| columns[cursor.nth].1.string(cursor.ordinal());
        let strings = self.strings.iter().map(string);
        let best = if self.descending {
            strings.max()
        } else {
            strings.min()
        }?;
        for cursor in &mut self.strings {
            let (segment, column) = columns[cursor.nth];
            while !cursor.is_done() && column.string(cursor.ordinal()) == best {
                let ordinal = cursor.ordinal();
                column.for_each_string_doc(ordinal..ordinal + 1, |local| {
                    docs.extend(segment.living(local));
                });
                cursor.n_passed += 1;
            }
        }
        self.strings.retain(|cursor| !cursor.is_done());
        Some(best)
    }
}

type Column<'v> = (&'v SegmentView, &'v ColumnReader);

/// A place in the ordered values of one segment.
struct Cursor {
    /// Which of the columns of the view.
    nth: usize,
    n_values: u32,
    n_passed: u32,
    descending: bool,
}

impl Cursor {
    const fn is_done(&self) -> bool {
        self.n_passed >= self.n_values
    }

    const fn ordinal(&self) -> u32 {
        if self.descending {
            self.n_values - 1 - self.n_passed
        } else {
            self.n_passed
        }
    }
}
