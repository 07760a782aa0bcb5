//! Walks the values of an attribute in order, segments side by side.

use std::ops::ControlFlow;

use super::attribute_view::AttributeView;
use super::segment_view::SegmentView;
use crate::docset::DocSet;
use crate::storage::column_reader::ColumnReader;

impl AttributeView {
    /// Calls `each` for every number with the documents that have it, in order.
    pub fn for_each_number(
        &self,
        descending: bool,
        each: &mut dyn FnMut(f64, DocSet) -> ControlFlow<()>,
    ) {
        let mut cursors: Vec<Cursor<'_>> = self
            .columns()
            .map(|(segment, column)| Cursor::new(segment, column, column.n_numbers(), descending))
            .collect();
        loop {
            cursors.retain(|cursor| !cursor.is_done());
            let numbers = cursors
                .iter()
                .map(|cursor| cursor.column.number(cursor.ordinal()));
            let best = if descending {
                numbers.reduce(f64::max)
            } else {
                numbers.reduce(f64::min)
            };
            let Some(best) = best else { return };
            let mut docs = Vec::new();
            for cursor in &mut cursors {
                while !cursor.is_done() && cursor.column.number(cursor.ordinal()) == best {
                    let ordinal = cursor.ordinal();
                    cursor
                        .column
                        .for_each_number_doc(ordinal..ordinal + 1, |local| {
                            docs.extend(cursor.segment.living(local));
                        });
                    cursor.step();
                }
            }
            if !docs.is_empty() && each(best, docs.into_iter().collect()).is_break() {
                return;
            }
        }
    }

    /// Calls `each` for every normalised string with the documents that have it, in order.
    pub fn for_each_string(
        &self,
        descending: bool,
        each: &mut dyn FnMut(&str, DocSet) -> ControlFlow<()>,
    ) {
        let mut cursors: Vec<Cursor<'_>> = self
            .columns()
            .map(|(segment, column)| Cursor::new(segment, column, column.n_strings(), descending))
            .collect();
        loop {
            cursors.retain(|cursor| !cursor.is_done());
            let strings = cursors
                .iter()
                .map(|cursor| cursor.column.string(cursor.ordinal()));
            let best = if descending {
                strings.max()
            } else {
                strings.min()
            };
            let Some(best) = best else { return };
            let mut docs = Vec::new();
            for cursor in &mut cursors {
                while !cursor.is_done() && cursor.column.string(cursor.ordinal()) == best {
                    let ordinal = cursor.ordinal();
                    cursor
                        .column
                        .for_each_string_doc(ordinal..ordinal + 1, |local| {
                            docs.extend(cursor.segment.living(local));
                        });
                    cursor.step();
                }
            }
            if !docs.is_empty() && each(best, docs.into_iter().collect()).is_break() {
                return;
            }
        }
    }
}

/// A place in the ordered values of one segment.
struct Cursor<'a> {
    segment: &'a SegmentView,
    column: &'a ColumnReader,
    n_values: u32,
    n_passed: u32,
    descending: bool,
}

impl<'a> Cursor<'a> {
    const fn new(
        segment: &'a SegmentView,
        column: &'a ColumnReader,
        n_values: u32,
        descending: bool,
    ) -> Self {
        Self {
            segment,
            column,
            n_values,
            n_passed: 0,
            descending,
        }
    }

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

    const fn step(&mut self) {
        self.n_passed += 1;
    }
}
