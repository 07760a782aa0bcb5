//! Writes the rows of a CSV payload as NDJSON.

use std::io::Write;

use csv::{ReaderBuilder, StringRecord};

use crate::csv_header::{CellType, Column, columns};
use crate::error::CellError;
use crate::{Format, Input, PayloadError};

/// Bytes of lines gathered before they are written.
const WRITE_SIZE: usize = 128 * 1024;

/// Converts every row under the header and returns their number.
pub(crate) fn to_ndjson(
    input: Input<'_>,
    delimiter: u8,
    out: &mut dyn Write,
) -> Result<u64, PayloadError> {
    let format = Format::Csv { delimiter };
    let csv_error = |error| PayloadError::csv(format, error);
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .from_reader(input.reader()?);
    let columns = columns(reader.headers().map_err(csv_error)?);
    let mut row = StringRecord::new();
    let mut lines = Vec::new();
    let mut n_rows = 0;
    while reader.read_record(&mut row).map_err(csv_error)? {
        n_rows += 1;
        write_row(&columns, &row, &mut lines)
            .map_err(|(cell, error)| PayloadError::cell(format, cell, n_rows, error))?;
        if lines.len() >= WRITE_SIZE {
            out.write_all(&lines)?;
            lines.clear();
        }
    }
    out.write_all(&lines)?;
    Ok(n_rows)
}

/// Writes one document; the error comes with the cell it is about.
fn write_row<'r>(
    columns: &[Column],
    row: &'r StringRecord,
    lines: &mut Vec<u8>,
) -> Result<(), (&'r str, CellError)> {
    lines.push(b'{');
    for (i, column) in columns.iter().enumerate() {
        if i > 0 {
            lines.push(b',');
        }
        lines.extend_from_slice(&column.key);
        let cell = row.get(column.index).unwrap_or_default();
        match column.cell_type {
            CellType::String => write_string(cell, lines),
            CellType::Number => write_number(cell, lines).map_err(|error| (cell, error))?,
            CellType::Boolean => {
                let cell = cell.trim();
                write_boolean(cell, lines).map_err(|error| (cell, error))?;
            }
        }
    }
    lines.extend_from_slice(b"}\n");
    Ok(())
}

fn write_string(cell: &str, lines: &mut Vec<u8>) {
    if cell.is_empty() {
        lines.extend_from_slice(b"null");
    } else {
        write_json(&cell, lines);
    }
}

/// An integer when it fits 64 bits, else a double; a double JSON cannot hold becomes null.
fn write_number(cell: &str, lines: &mut Vec<u8>) -> Result<(), CellError> {
    let cell = cell.trim();
    if cell.is_empty() {
        lines.extend_from_slice(b"null");
    } else if let Ok(integer) = cell.parse::<i64>() {
        write_json(&integer, lines);
    } else {
        write_json(&cell.parse::<f64>().map_err(CellError::Number)?, lines);
    }
    Ok(())
}

fn write_boolean(cell: &str, lines: &mut Vec<u8>) -> Result<(), CellError> {
    if cell.is_empty() {
        lines.extend_from_slice(b"null");
    } else {
        write_json(&cell.parse::<bool>().map_err(CellError::Boolean)?, lines);
    }
    Ok(())
}

fn write_json(value: &impl serde::Serialize, lines: &mut Vec<u8>) {
    serde_json::to_writer(lines, value).expect("invariant: a scalar fits in memory");
}
