//! The values of one attribute over all segments of a snapshot, in terms of document numbers.
//!
//! # Invariants
//! 1. Only living documents show, and only values they have now.
//! 2. Strings are compared by the bytes of their normalised form; numbers come before strings.

use std::ops::Bound;
use std::sync::Arc;

use super::segment_view::SegmentView;
use super::snapshot::Snapshot;
use super::value_ranges::ValueRanges;
use crate::docset::{DocId, DocSet, DocSetBuilder};
use crate::document::FieldId;
use crate::storage::column_reader::ColumnReader;
use crate::storage::shape_section::ShapeRef;

/// The values of one attribute.
pub struct AttributeView {
    pub(super) snapshot: Snapshot,
    field: FieldId,
    /// By slot of segment.
    columns: Vec<Option<Arc<ColumnReader>>>,
}

/// A value by which documents are ordered.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum SortValue<'a> {
    /// A number; before all strings.
    Number(f64),
    /// A normalised string.
    String(&'a str),
}

/// Bounds on values.
pub type ValueRange<T> = (Bound<T>, Bound<T>);

impl Snapshot {
    /// The values of a field; `None` when no segment has a column for it.
    #[must_use]
    pub fn attribute(&self, field: FieldId) -> Option<AttributeView> {
        let columns: Vec<_> = self
            .0
            .slots
            .iter()
            .map(|segment| {
                segment
                    .as_ref()
                    .and_then(|segment| segment.column(field).cloned())
            })
            .collect();
        if columns.iter().all(Option::is_none) {
            return None;
        }
        Some(AttributeView {
            snapshot: self.clone(),
            field,
            columns,
        })
    }

    /// Latitude and longitude of a document, if `_geo` is faceted and the document has it.
    #[must_use]
    pub fn geo(&self, id: DocId) -> Option<[f64; 2]> {
        let (segment, local) = self.locate(id)?;
        segment.attributes().geo(local)
    }

    /// Calls `each` for every living document with coordinates, in no order.
    pub fn for_each_geo(&self, mut each: impl FnMut(DocId, [f64; 2])) {
        for segment in self.segments() {
            segment.attributes().for_each_geo(|local, point| {
                if let Some(id) = segment.living(local) {
                    each(id, point);
                }
            });
        }
    }

    /// Calls `each` for every living document with a shape, in no order.
    pub(crate) fn for_each_shape(&self, mut each: impl FnMut(DocId, ShapeRef<'_>)) {
        for segment in self.segments() {
            segment.attributes().shapes().for_each(|local, shape| {
                if let Some(id) = segment.living(local) {
                    each(id, shape);
                }
            });
        }
    }
}

impl AttributeView {
    /// The field.
    #[must_use]
    pub const fn field(&self) -> FieldId {
        self.field
    }

    /// Documents that have the attribute, whatever its value.
    #[must_use]
    pub fn exists(&self) -> DocSet {
        self.collect(|column, each| column.for_each_existing(each))
    }

    /// Documents in which the attribute's own value is `null`.
    #[must_use]
    pub fn null(&self) -> DocSet {
        self.collect(|column, each| column.for_each_null(each))
    }

    /// Documents in which the attribute's own value is `""`, `[]` or `{}`.
    #[must_use]
    pub fn empty(&self) -> DocSet {
        self.collect(|column, each| column.for_each_empty(each))
    }

    /// Documents with this number among their values.
    #[must_use]
    pub fn equal_number(&self, number: f64) -> DocSet {
        self.number_range((Bound::Included(number), Bound::Included(number)))
    }

    /// Documents with a number in the range.
    #[must_use]
    pub fn number_range(&self, range: ValueRange<f64>) -> DocSet {
        self.holders_of(|ranges| self.add_numbers(range, ranges))
    }

    /// Documents with this normalised string among their values.
    #[must_use]
    pub fn equal_string(&self, normalized: &str) -> DocSet {
        self.holders_of(|ranges| self.add_string(normalized, ranges))
    }

    /// Documents with one of the values that `add` adds.
    pub(super) fn holders_of(&self, add: impl FnOnce(&mut ValueRanges)) -> DocSet {
        let mut ranges = ValueRanges::default();
        add(&mut ranges);
        self.holders(&ranges)
    }

    /// Documents with a normalised string that contains `part`. Looks at every distinct string.
    #[must_use]
    pub fn string_contains(&self, part: &str) -> DocSet {
        self.strings_where(|normalized| {
            memchr::memmem::find(normalized.as_bytes(), part.as_bytes()).is_some()
        })
    }

    /// Documents with a normalised string for which `accepts` holds. Looks at every distinct one.
    #[must_use]
    pub fn strings_where(&self, accepts: impl Fn(&str) -> bool) -> DocSet {
        self.collect(|column, each| {
            for ordinal in 0..column.n_strings() {
                if accepts(column.string(ordinal)) {
                    column.for_each_string_doc(ordinal..ordinal + 1, &mut *each);
                }
            }
        })
    }

    /// The smallest or, `descending`, the largest value of a document; numbers win over strings.
    #[must_use]
    pub fn sort_value(&self, id: DocId, descending: bool) -> Option<SortValue<'_>> {
        let (_, column, local) = self.locate(id)?;
        let pick = |(first, last)| if descending { last } else { first };
        if let Some(bounds) = column.number_rows.bounds(local) {
            return Some(SortValue::Number(column.number(pick(bounds))));
        }
        let bounds = column.string_rows.bounds(local)?;
        Some(SortValue::String(column.string(pick(bounds))))
    }

    /// Calls `each` for the distinct values of a document: numbers ascending, then strings
    /// ascending with their spelling in the document.
    pub fn for_each_value(&self, id: DocId, mut each: impl FnMut(SortValue<'_>, &str)) {
        let Some((_, column, local)) = self.locate(id) else {
            return;
        };
        column.number_rows.for_each(local, |ordinal| {
            each(SortValue::Number(column.number(ordinal)), "");
        });
        column.string_rows.for_each(local, |ordinal| {
            each(
                SortValue::String(column.string(ordinal)),
                column.original(ordinal),
            );
        });
    }

    /// How a document spells a normalised string that it has.
    pub(super) fn spelling_of(&self, id: DocId, normalized: &str) -> &str {
        let Some((_, column, local)) = self.locate(id) else {
            return "";
        };
        let mut spelling = "";
        column.string_rows.for_each(local, |ordinal| {
            if spelling.is_empty() && column.string(ordinal) == normalized {
                spelling = column.original(ordinal);
            }
        });
        spelling
    }

    /// How the lowest document with a normalised string spells it; nothing if there is none. Looks
    /// at documents only where there are several spellings.
    #[must_use]
    pub fn first_spelling(&self, normalized: &str) -> &str {
        let mut spellings = Vec::new();
        for (_, segment, column) in self.columns() {
            let ordinals = column.spellings(normalized);
            spellings.extend(ordinals.map(|ordinal| (segment, column, ordinal)));
        }
        let texts = spellings
            .iter()
            .map(|(_, of, ordinal)| of.original(*ordinal));
        let first = texts.clone().next().unwrap_or_default();
        if texts.clone().all(|text| text == first) {
            return first;
        }
        let lowest = spellings.iter().map(|(segment, column, ordinal)| {
            let mut lowest = DocId::MAX;
            column.for_each_string_doc(*ordinal..*ordinal + 1, |local| {
                lowest = segment.living(local).unwrap_or(DocId::MAX).min(lowest);
            });
            lowest
        });
        let first = lowest.zip(texts).min_by_key(|(lowest, _)| *lowest);
        first.map_or("", |(_, text)| text)
    }

    /// The columns with their segments and the slots of these.
    pub(super) fn columns(&self) -> impl Iterator<Item = (usize, &SegmentView, &ColumnReader)> {
        (0..self.columns.len())
            .filter_map(|slot| self.column_at(slot).map(|(of, column)| (slot, of, column)))
    }

    /// The column of the segment in a slot.
    #[inline]
    pub(super) fn column_at(&self, slot: usize) -> Option<(&SegmentView, &ColumnReader)> {
        let segment = self.snapshot.0.slots.get(slot)?.as_deref()?;
        Some((segment, self.columns.get(slot)?.as_deref()?))
    }

    #[inline]
    pub(super) fn locate(&self, id: DocId) -> Option<(usize, &ColumnReader, u32)> {
        let (slot, local) = self.snapshot.0.map.get(id)?;
        let column = self.columns.get(slot as usize)?.as_deref()?;
        Some((slot as usize, column, local))
    }

    fn collect(&self, walk: impl Fn(&ColumnReader, &mut dyn FnMut(u32))) -> DocSet {
        let mut docs = DocSetBuilder::new(self.snapshot.universe_len());
        for (_, segment, column) in self.columns() {
            walk(column, &mut |local| {
                if let Some(id) = segment.living(local) {
                    docs.insert(id);
                }
            });
        }
        docs.finish()
    }
}
