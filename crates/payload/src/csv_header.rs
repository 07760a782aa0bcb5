//! The header row of a CSV payload: names and types of the columns.

use std::collections::HashMap;

use csv::StringRecord;

/// How the cells of a column become values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellType {
    String,
    Number,
    Boolean,
}

/// A column that is written into the documents.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// Index of its cell in a row.
    pub(crate) index: usize,
    pub(crate) cell_type: CellType,
    /// The key as written in a document: quoted, with its colon.
    pub(crate) key: Vec<u8>,
}

/// The columns in the order of their first sight. A name given twice keeps its first place and
/// its last column.
pub(crate) fn columns(header: &StringRecord) -> Vec<Column> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut columns: Vec<Column> = Vec::with_capacity(header.len());
    for (index, cell) in header.iter().enumerate() {
        let (name, cell_type) = name_and_type(cell);
        let column = Column {
            index,
            cell_type,
            key: key(name),
        };
        let place = *places.entry(name).or_insert(columns.len());
        if place == columns.len() {
            columns.push(column);
        } else {
            columns[place] = column;
        }
    }
    columns
}

/// Splits `name:type` at the last colon. An unknown type belongs to the name.
fn name_and_type(cell: &str) -> (&str, CellType) {
    match cell.rsplit_once(':') {
        Some((name, "string")) => (name, CellType::String),
        Some((name, "number")) => (name, CellType::Number),
        Some((name, "boolean")) => (name, CellType::Boolean),
        _ => (cell, CellType::String),
    }
}

fn key(name: &str) -> Vec<u8> {
    let mut key = serde_json::to_vec(name).expect("invariant: a string is always serializable");
    key.push(b':');
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_what_follows_the_last_colon_when_it_is_known() {
        assert_eq!(name_and_type("a:b:number"), ("a:b", CellType::Number));
        assert_eq!(name_and_type("a:Number"), ("a:Number", CellType::String));
        assert_eq!(name_and_type(":string"), ("", CellType::String));
    }

    #[test]
    fn a_name_given_twice_keeps_its_first_place_and_its_last_column() {
        let columns = columns(&StringRecord::from(vec!["a", "b", "a:number"]));
        let indexes: Vec<_> = columns.iter().map(|column| column.index).collect();
        assert_eq!(indexes, [2, 1]);
        assert_eq!(columns[0].cell_type, CellType::Number);
    }
}
