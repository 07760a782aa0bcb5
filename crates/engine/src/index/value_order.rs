//! Walks the values of an attribute in order, segments side by side.
//!
//! # Cost
//! One comparison per segment and value, and one step per document of a value.

use super::attribute_view::{AttributeView, SortValue};
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
                .map(|(slot, _, column)| Cursor {
                    slot,
                    n_values: n_values(column),
                    n_passed: 0,
                    descending,
                    number: 0.0,
                })
                .filter(|cursor| !cursor.is_done())
                .collect()
        };
        let mut numbers: Vec<Cursor> = cursors(ColumnReader::n_numbers);
        numbers.iter_mut().for_each(|cursor| cursor.read(self));
        ValueWalk {
            descending,
            numbers,
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
        if let Some(number) = self.next_number(view, docs) {
            return Some(SortValue::Number(number));
        }
        self.next_string(view, docs).map(SortValue::String)
    }

    fn next_number(&mut self, view: &AttributeView, docs: &mut Vec<DocId>) -> Option<f64> {
        let numbers = self.numbers.iter().map(|cursor| cursor.number);
        let best = if self.descending {
            numbers.reduce(f64::max)
        } else {
            numbers.reduce(f64::min)
        }?;
        let mut is_over = false;
        for cursor in &mut self.numbers {
            let Some((segment, column)) = view.column_at(cursor.slot) else {
                continue;
            };
            while !cursor.is_done() && cursor.number == best {
                let ordinal = cursor.ordinal();
                column.for_each_number_doc(ordinal..ordinal + 1, |local| {
                    docs.extend(segment.living(local));
                });
                cursor.n_passed += 1;
                cursor.read(view);
            }
            is_over |= cursor.is_done();
        }
        if is_over {
            self.numbers.retain(|cursor| !cursor.is_done());
        }
        Some(best)
    }

    fn next_string<'v>(
        &mut self,
        view: &'v AttributeView,
        docs: &mut Vec<DocId>,
    ) -> Option<&'v str> {
        let string = |cursor: &Cursor| {
            let (_, column) = view.column_at(cursor.slot)?;
            Some((
                column.string_bytes(cursor.ordinal()),
                column,
                cursor.ordinal(),
            ))
        };
        let strings = self.strings.iter().filter_map(string);
        let (best, of, ordinal) = if self.descending {
            strings.reduce(|a, b| if b.0 > a.0 { b } else { a })
        } else {
            strings.reduce(|a, b| if b.0 < a.0 { b } else { a })
        }?;
        for cursor in &mut self.strings {
            let Some((segment, column)) = view.column_at(cursor.slot) else {
                continue;
            };
            while !cursor.is_done() && column.string_bytes(cursor.ordinal()) == best {
                let ordinal = cursor.ordinal();
                column.for_each_string_doc(ordinal..ordinal + 1, |local| {
                    docs.extend(segment.living(local));
                });
                cursor.n_passed += 1;
            }
        }
        self.strings.retain(|cursor| !cursor.is_done());
        Some(of.string(ordinal))
    }
}

/// A place in the ordered values of one segment.
struct Cursor {
    /// The slot of the segment.
    slot: usize,
    n_values: u32,
    n_passed: u32,
    descending: bool,
    /// The number at this place, among numbers.
    number: f64,
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

    fn read(&mut self, view: &AttributeView) {
        if let (false, Some((_, column))) = (self.is_done(), view.column_at(self.slot)) {
            self.number = column.number(self.ordinal());
        }
    }
}
