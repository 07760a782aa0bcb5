//! Reads everything that is in a file of a segment, whatever its bytes are.

use std::path::Path;

use tantivy::directory::FileSlice;

use crate::geometry::Shape;
use crate::storage::attribute_file::AttributeReader;
use crate::storage::attribute_merge::{self, Part};
use crate::storage::column_merge::{GONE, NewIds};
use crate::storage::column_reader::ColumnReader;
use crate::storage::forward_reader::ForwardReader;

/// Documents that are asked for; more than the seeds have.
const MOST_DOCS: u32 = 200;
/// Symbols of a field that are read.
const MOST_SYMBOLS: usize = 1000;

fn file_of(bytes: &[u8]) -> FileSlice {
    FileSlice::from(bytes.to_vec())
}

/// Reads the rows of a forward index, and one behind its end.
pub fn read_forward(bytes: &[u8]) {
    let Ok(forward) = ForwardReader::open(&file_of(bytes)) else {
        return;
    };
    for local in 0..forward.n_docs().saturating_add(1).min(MOST_DOCS) {
        for field in forward.row(local).field_rows() {
            for index in 0..field.len.min(MOST_SYMBOLS) {
                let _ = field.packed(index);
                assert!(field.symbol(index) < 1 << forward.width());
            }
        }
    }
}

/// Reads all columns, coordinates and shapes of an attribute file.
pub fn read_attributes(bytes: &[u8]) {
    let Ok(attributes) = AttributeReader::open(&file_of(bytes)) else {
        return;
    };
    attributes
        .fields()
        .filter_map(|field| attributes.column(field))
        .for_each(|column| read_column(column));
    attributes.for_each_geo(|_, _| ());
    for local in 0..MOST_DOCS {
        let _ = attributes.geo(local);
    }
    attributes.shapes().for_each(|_, shape| {
        if let Some(shape) = Shape::decode(shape.bytes) {
            let _ = shape.bounds();
        }
    });
}

fn read_column(column: &ColumnReader) {
    let mut n = 0_u64;
    let mut count = |_: u32| n += 1;
    column.for_each_existing(&mut count);
    column.for_each_null(&mut count);
    column.for_each_empty(&mut count);
    column.for_each_number_doc(0..column.n_numbers(), &mut count);
    column.for_each_string_doc(0..column.n_strings(), &mut count);
    for ordinal in 0..column.n_numbers() {
        let _ = column.number(ordinal);
    }
    for ordinal in 0..column.n_strings() {
        let _ = column.original(ordinal);
    }
    let _ = (column.number_counts(), column.string_counts());
    let locals: Vec<u32> = (0..MOST_DOCS).collect();
    for rows in [&column.number_rows, &column.string_rows] {
        rows.for_each_of(&locals, &mut count);
        let _ = rows.for_each_within(0..7, &mut count);
    }
    assert!(column.number_partition(|number| number < 2.0) <= column.n_numbers());
    assert!(column.spellings("word").end <= column.n_strings());
    assert!(column.strings_with_prefix("w").end <= column.n_strings());
    for local in 0..MOST_DOCS {
        column.number_rows.for_each(local, &mut count);
        column.string_rows.for_each(local, &mut count);
        let _ = column.string_rows.bounds(local);
    }
}

/// Merges two attribute files of as many documents as each is said to have, every seventh of them
/// deleted; what comes out must be readable. Temporary files lie in `folder`.
pub fn merge_attributes(files: [&[u8]; 2], folder: &Path) {
    let mut parts = Vec::new();
    let mut next = 0;
    for bytes in files {
        let Ok(attributes) = AttributeReader::open(&file_of(bytes)) else {
            return;
        };
        if attributes.n_docs() > MOST_DOCS {
            return;
        }
        let mut new_ids = Vec::new();
        for local in 0..attributes.n_docs() {
            let lives = local % 7 != 3;
            new_ids.push(if lives { next } else { GONE });
            next += u32::from(lives);
        }
        parts.push(Part {
            attributes,
            new_ids: NewIds::Listed(new_ids),
        });
    }
    if let Ok(merged) = attribute_merge::merge_attributes(&parts, next, folder, Vec::new()) {
        AttributeReader::open(&file_of(&merged)).expect("what was merged can be opened");
        read_attributes(&merged);
    }
}

/// Reads a shape; one that can be read is written as it was.
pub fn read_shape(bytes: &[u8]) {
    if let Some(shape) = Shape::decode(bytes) {
        assert_eq!(shape.encode(), bytes);
    }
}
