//! Doors to readers of files for the fuzz targets in `fuzz/`; in no other build.

use tantivy::directory::FileSlice;

use crate::geometry::Shape;
use crate::storage::attribute_file::AttributeReader;
use crate::storage::forward_reader::ForwardReader;

fn file_of(bytes: &[u8]) -> FileSlice {
    FileSlice::from(bytes.to_vec())
}

/// Reads all rows of a forward index.
pub fn read_forward(bytes: &[u8]) {
    let Ok(forward) = ForwardReader::open(&file_of(bytes)) else {
        return;
    };
    for local in 0..forward.n_docs().min(1000) {
        for field in forward.row(local).field_rows() {
            (0..field.len.min(1000)).for_each(|index| {
                field.symbol(index);
            });
        }
    }
}

/// Reads all columns, coordinates and shapes of an attribute file.
pub fn read_attributes(bytes: &[u8]) {
    let Ok(attributes) = AttributeReader::open(&file_of(bytes)) else {
        return;
    };
    for field in attributes.fields() {
        let Some(column) = attributes.column(field) else {
            continue;
        };
        column.for_each_existing(drop);
        column.for_each_null(drop);
        column.for_each_empty(drop);
        column.for_each_number_doc(0..column.n_numbers(), drop);
        column.for_each_string_doc(0..column.n_strings(), drop);
        (0..column.n_numbers()).for_each(|ordinal| drop(column.number(ordinal)));
        (0..column.n_strings()).for_each(|ordinal| drop(column.string_value(ordinal)));
        drop(column.spellings("word"));
        drop(column.strings_with_prefix("w"));
        for local in 0..100 {
            column.number_rows.for_each(local, drop);
            column.string_rows.for_each(local, drop);
        }
    }
    attributes.for_each_geo(|_, _| ());
    drop(attributes.geo(3));
    attributes
        .shapes()
        .for_each(|_, shape| drop(Shape::decode(shape.bytes)));
}

/// Reads a shape.
pub fn read_shape(bytes: &[u8]) {
    if let Some(shape) = Shape::decode(bytes) {
        assert_eq!(shape.encode(), bytes);
    }
}
