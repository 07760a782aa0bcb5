//! Compares files that are merged with what a builder writes of the same documents.

use std::rc::Rc;
use std::sync::Arc;

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use tantivy::directory::{FileSlice, OwnedBytes};

use super::attribute_file::{AttributeBuilder, AttributeReader};
use super::attribute_merge::{Part, merge_attributes};
use super::attribute_row::{AttributeRow, FieldValues, StoredShape, StringValue};
use super::column_merge::{GONE, NewIds};
use crate::geometry::Bounds;

/// The values of one field: few different ones, so that documents share some.
fn field_values() -> impl Strategy<Value = FieldValues> {
    let numbers = btree_set(-3..12_i32, 0..3);
    let strings = btree_set((0..9_u8, any::<bool>()), 0..3);
    (0..3_u16, any::<bool>(), any::<bool>(), numbers, strings).prop_map(
        |(field, is_null, is_empty, numbers, strings)| {
            let mut values = FieldValues::new(field);
            (values.is_null, values.is_empty) = (is_null, is_empty);
            values.numbers = numbers.into_iter().map(|n| f64::from(n) / 2.0).collect();
            values.strings = strings
                .into_iter()
                .map(|(n, is_spelled)| {
                    let first = if is_spelled { 'V' } else { 'v' };
                    let (normalized, written) = (format!("value {n}"), format!("{first}alue {n}"));
                    Rc::new(StringValue::new(&normalized, &written, u32::from(n)))
                })
                .collect();
            values
        },
    )
}

/// A document: each field at most once.
fn row() -> impl Strategy<Value = AttributeRow> {
    let point = proptest::option::weighted(0.3, (-90.0..90.0, -180.0..180.0));
    let shape = proptest::option::weighted(0.2, (0.0..10.0, vec(any::<u8>(), 0..9)));
    (vec(field_values(), 0..4), point, shape).prop_map(|(mut fields, point, shape)| {
        fields.sort_by_key(|values| values.field);
        fields.dedup_by_key(|values| values.field);
        let geo = point.map(|(latitude, longitude)| [latitude, longitude]);
        let shape = shape.map(|(west, bytes)| StoredShape {
            bounds: Bounds {
                west,
                south: 1.0,
                east: west + 1.0,
                north: 2.0,
            },
            bytes: bytes.into(),
        });
        AttributeRow::new(&fields, geo, shape, &mut Vec::new())
    })
}

/// The file a builder writes of documents; `None` stands for one that is dead.
fn built<'r>(rows: impl Iterator<Item = Option<&'r AttributeRow>>) -> Vec<u8> {
    let mut builder = AttributeBuilder::default();
    let mut n_docs = 0;
    for row in rows {
        if let Some(row) = row {
            builder.push(n_docs, row);
        }
        n_docs += 1;
    }
    builder.write(n_docs, Vec::new()).expect("memory")
}

fn opened(bytes: Vec<u8>) -> AttributeReader {
    let file = FileSlice::new(Arc::new(OwnedBytes::new(bytes)));
    AttributeReader::open(&file).expect("a file of ours")
}

proptest! {
    /// A merge of segments holds what its living documents have, byte for byte as built at once.
    #[test]
    fn merged_files_are_what_a_builder_writes(
        segments in vec(vec((row(), any::<bool>()), 0..12), 1..4),
    ) {
        let mut next = 0;
        let parts: Vec<Part> = segments
            .iter()
            .map(|segment| {
                let new_ids = segment.iter().map(|(_, lives)| {
                    next += u32::from(*lives);
                    if *lives { next - 1 } else { GONE }
                });
                let new_ids = NewIds::Listed(new_ids.collect());
                let attributes = opened(built(segment.iter().map(|(row, _)| Some(row))));
                Part { attributes, new_ids }
            })
            .collect();
        let folder = tempfile::tempdir().expect("a folder");
        let merged = merge_attributes(&parts, next, folder.path(), Vec::new()).expect("memory");
        let living = segments.iter().flatten().filter(|(_, lives)| *lives);
        prop_assert_eq!(merged, built(living.map(|(row, _)| Some(row))));
    }

    /// Parts of one segment, each with some of its documents, make the file of all of them.
    #[test]
    fn parts_of_a_segment_make_its_file(
        rows in vec(proptest::option::weighted(0.8, row()), 1..30),
        cut in 0..30_usize,
    ) {
        let cut = cut.min(rows.len());
        let part = |from: usize, to: usize| {
            let inside = |at: usize| (from..to).contains(&at);
            let rows = rows.iter().enumerate();
            let rows = rows.map(|(at, row)| row.as_ref().filter(|_| inside(at)));
            Part { attributes: opened(built(rows)), new_ids: NewIds::Same }
        };
        let parts = [part(0, cut), part(cut, rows.len())];
        let folder = tempfile::tempdir().expect("a folder");
        let n_docs = rows.len() as u32;
        let merged = merge_attributes(&parts, n_docs, folder.path(), Vec::new()).expect("memory");
        prop_assert_eq!(merged, built(rows.iter().map(Option::as_ref)));
    }

    /// A merge of a file in which bytes were changed fails or writes what can be opened, and never
    /// much more than it read.
    #[test]
    fn damaged_files_are_merged_within_bounds_or_not_at_all(
        rows in vec(row(), 1..20),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = built(rows.iter().map(Some));
        for (place, value) in &changes {
            let place = place.index(bytes.len());
            bytes[place] = *value;
        }
        let len = bytes.len();
        let file = FileSlice::new(Arc::new(OwnedBytes::new(bytes)));
        let Ok(attributes) = AttributeReader::open(&file) else { return Ok(()) };
        let n_docs = rows.len() as u32;
        prop_assume!(attributes.n_docs() == n_docs);
        let new_ids = NewIds::Listed((0..n_docs).collect());
        let folder = tempfile::tempdir().expect("a folder");
        let parts = [Part { attributes, new_ids }];
        let merged = merge_attributes(&parts, n_docs, folder.path(), Vec::new());
        if let Ok(merged) = merged {
            prop_assert!(merged.len() <= 20 * len + 1000, "{} of {len}", merged.len());
            opened(merged);
        }
    }
}
