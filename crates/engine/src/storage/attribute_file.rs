//! Writes and opens the attribute columns of a segment, the `attr` file.
//!
//! ```text
//! columns    one after the other, each starting with the lengths of its 12 sections (u32 each)
//! geo        u32 n, u32 document * n, then latitude and longitude as f64, n pairs
//! shapes     [`super::shape_section`]
//! directory  per column: u16 field, 2 zero bytes, u64 start
//! footer     u64 start of geo, u64 start of directory, u32 columns, u32 documents,
//!            u32 version, u32 magic
//! ```
//!
//! Sections of a column:
//!
//! | # | content | form |
//! |---|---------|------|
//! | 0, 1, 2 | documents that have the field; where it is null; where it is empty | [`super::doc_list`] |
//! | 3 | distinct numbers, ascending | f64 |
//! | 4, 5 | ends of their posting lists; the lists | u32 (one more than numbers, first 0); differences |
//! | 6 | documents to ordinals of numbers | [`super::ordinal_rows`] |
//! | 7, 8 | ends of the strings; the strings, ascending by normalised form, then original | u32; varint length, normalised form, then the original when it differs |
//! | 9, 10 | ends of their posting lists; the lists | as 4, 5 |
//! | 11 | documents to ordinals of strings | [`super::ordinal_rows`] |
//!
//! All numbers are little-endian. See `docs/formats/attribute-columns.md`.

use std::io::{self, Write};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tantivy::directory::{FileSlice, OwnedBytes};

use super::attribute_row::AttributeRow;
use super::column_builder::{ColumnBuilder, N_SECTIONS};
use super::column_reader::{ColumnReader, u32_at, u64_at};
use super::expected_bytes::expect_bytes;
use super::file_footer::footer_at;
use super::forward_row::FieldId;
use super::shape_section::{ShapeBuilder, ShapeReader};
use crate::geometry::Bounds;

const MAGIC: u32 = u32::from_le_bytes(*b"SVAT");
/// Version 1 has no shapes.
const VERSION: u32 = 2;
const FOOTER_LEN: usize = 32;
const ENTRY_LEN: usize = 12;
/// A document and its coordinates.
const POINT_LEN: usize = 20;

/// Columns and coordinates of a segment that is being built.
#[derive(Default)]
pub(crate) struct AttributeBuilder {
    /// By field.
    columns: Vec<Option<Box<ColumnBuilder>>>,
    /// What all of them take together.
    column_bytes: usize,
    geo: Vec<(u32, [f64; 2])>,
    shapes: ShapeBuilder,
}

impl AttributeBuilder {
    /// Adds the values of a document; documents must ascend.
    pub(crate) fn push(&mut self, doc: u32, row: &AttributeRow) {
        let mut values = row.reader();
        while let Some(head) = values.field() {
            let at = usize::from(head.field);
            if at >= self.columns.len() {
                self.columns.resize_with(at + 1, || None);
            }
            let column = self.columns[at].get_or_insert_default();
            self.column_bytes -= column.mem_usage();
            column.push(doc, head, &mut values);
            self.column_bytes += column.mem_usage();
        }
        if let Some(point) = row.geo {
            self.push_geo(doc, point);
        }
        if let Some(shape) = &row.shape {
            self.push_shape(doc, &shape.bounds, &shape.bytes);
        }
    }

    /// Gives a document coordinates; documents must ascend.
    pub(crate) fn push_geo(&mut self, doc: u32, point: [f64; 2]) {
        self.geo.push((doc, point));
    }

    /// Gives a document a shape; documents must ascend.
    pub(crate) fn push_shape(&mut self, doc: u32, bounds: &Bounds, bytes: &[u8]) {
        self.shapes.push(doc, bounds, bytes);
    }

    /// Bytes of memory in use, roughly.
    pub(crate) fn mem_usage(&self) -> usize {
        self.column_bytes
            + self.columns.len() * size_of::<usize>()
            + 24 * self.geo.len()
            + self.shapes.mem_usage()
    }

    /// Writes the file and gives the writer back for closing.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn write<W: Write>(self, n_docs: u32, mut out: W) -> io::Result<W> {
        let mut directory = Directory::new();
        let mut column_bytes = Vec::new();
        for (field, column) in self.columns.into_iter().enumerate() {
            let Some(column) = column else { continue };
            column_bytes.clear();
            column.write(n_docs, &mut column_bytes);
            out.write_all(&column_bytes)?;
            directory.push(field as FieldId, column_bytes.len() as u64);
        }
        drop(column_bytes);
        let mut tail = Vec::new();
        tail.extend_from_slice(&(self.geo.len() as u32).to_le_bytes());
        self.geo
            .iter()
            .for_each(|(doc, _)| tail.extend_from_slice(&doc.to_le_bytes()));
        for (_, [latitude, longitude]) in &self.geo {
            tail.extend_from_slice(&latitude.to_le_bytes());
            tail.extend_from_slice(&longitude.to_le_bytes());
        }
        self.shapes.write(&mut tail);
        out.write_all(&tail)?;
        directory.write(tail.len() as u64, n_docs, &mut out)?;
        Ok(out)
    }
}

/// Where the columns of a file begin; ends the file.
pub(super) struct Directory {
    entries: Vec<u8>,
    n_columns: u32,
    at: u64,
}

impl Directory {
    /// No columns.
    pub(super) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            n_columns: 0,
            at: 0,
        }
    }

    /// Notes a column that was just written; one without bytes is none.
    pub(super) fn push(&mut self, field: FieldId, n_bytes: u64) {
        if n_bytes == 0 {
            return;
        }
        self.entries.extend_from_slice(&field.to_le_bytes());
        self.entries.extend_from_slice(&[0, 0]);
        self.entries.extend_from_slice(&self.at.to_le_bytes());
        self.n_columns += 1;
        self.at += n_bytes;
    }

    /// Writes directory and footer behind so many bytes of points and shapes.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(super) fn write(
        &self,
        n_point_and_shape_bytes: u64,
        n_docs: u32,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        out.write_all(&self.entries)?;
        out.write_all(&self.at.to_le_bytes())?;
        out.write_all(&(self.at + n_point_and_shape_bytes).to_le_bytes())?;
        for number in [self.n_columns, n_docs, VERSION, MAGIC] {
            out.write_all(&number.to_le_bytes())?;
        }
        Ok(())
    }
}

/// The attribute columns of one segment.
#[derive(Clone)]
pub(crate) struct AttributeReader {
    n_docs: u32,
    columns: Arc<FxHashMap<FieldId, Arc<ColumnReader>>>,
    geo: OwnedBytes,
    shapes: ShapeReader,
}

fn corrupt(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the attribute file is damaged: {what}"),
    )
}

impl AttributeReader {
    /// Opens the file of a segment.
    ///
    /// # Errors
    /// When the file cannot be read, or is not one of ours.
    pub(crate) fn open(file: &FileSlice) -> io::Result<Self> {
        let bytes = file.read_bytes()?;
        let footer = footer_at(&bytes, FOOTER_LEN, MAGIC, 1..=VERSION).map_err(corrupt)?;
        let geo_at = u64_at(&bytes, footer) as usize;
        let directory_at = u64_at(&bytes, footer + 8) as usize;
        let n_columns = u32_at(&bytes, footer + 16) as usize;
        let n_docs = u32_at(&bytes, footer + 20);
        if geo_at > directory_at || directory_at.checked_add(ENTRY_LEN * n_columns) != Some(footer)
        {
            return Err(corrupt("its tables do not fit"));
        }
        let mut columns = FxHashMap::default();
        for entry in 0..n_columns {
            let entry_at = directory_at + ENTRY_LEN * entry;
            let field = u32_at(&bytes, entry_at) as FieldId;
            let start = u64_at(&bytes, entry_at + 4) as usize;
            if start > geo_at {
                return Err(corrupt("a column does not fit"));
            }
            let mut sections = Vec::with_capacity(N_SECTIONS);
            let mut at = start + 4 * N_SECTIONS;
            for section in 0..N_SECTIONS {
                let len = u32_at(&bytes, start + 4 * section) as usize;
                if at + len > geo_at {
                    return Err(corrupt("a column does not fit"));
                }
                sections.push(bytes.slice(at..at + len));
                at += len;
            }
            let column = ColumnReader::new(sections, n_docs)
                .ok_or_else(|| corrupt("the sections of a column do not fit"))?;
            columns.insert(field, Arc::new(column));
        }
        let n_points = u32_at(&bytes, geo_at) as usize;
        let shapes_at = geo_at + 4 + POINT_LEN * n_points;
        if shapes_at > directory_at {
            return Err(corrupt("its coordinates do not fit"));
        }
        let shapes = ShapeReader::new(bytes.slice(shapes_at..directory_at))
            .ok_or_else(|| corrupt("its shapes do not fit"))?;
        Ok(Self {
            n_docs,
            columns: Arc::new(columns),
            geo: bytes.slice(geo_at..shapes_at),
            shapes,
        })
    }

    /// Number of documents, dead ones included.
    pub(crate) const fn n_docs(&self) -> u32 {
        self.n_docs
    }

    /// Fields that have a column, in no order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = FieldId> + '_ {
        self.columns.keys().copied()
    }

    /// The column of a field, if a document of the segment has it.
    pub(crate) fn column(&self, field: FieldId) -> Option<&Arc<ColumnReader>> {
        self.columns.get(&field)
    }

    /// Coordinates of a document.
    pub(crate) fn geo(&self, local: u32) -> Option<[f64; 2]> {
        let n = u32_at(&self.geo, 0) as usize;
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = low.midpoint(high);
            if u32_at(&self.geo, 4 + 4 * middle) < local {
                low = middle + 1
            } else {
                high = middle
            }
        }
        (low < n && u32_at(&self.geo, 4 + 4 * low) == local).then(|| self.geo_at(n, low))
    }

    /// Calls `each` for every document with coordinates, ascending.
    pub(crate) fn for_each_geo(&self, mut each: impl FnMut(u32, [f64; 2])) {
        let n = u32_at(&self.geo, 0) as usize;
        for index in 0..n {
            each(u32_at(&self.geo, 4 + 4 * index), self.geo_at(n, index));
        }
    }

    /// The shapes of documents.
    pub(crate) const fn shapes(&self) -> &ShapeReader {
        &self.shapes
    }

    /// The document and its coordinates at a place among those with coordinates.
    pub(crate) fn geo_entry(&self, entry: u32) -> (u32, [f64; 2]) {
        let (n, index) = (u32_at(&self.geo, 0) as usize, entry as usize);
        (u32_at(&self.geo, 4 + 4 * index), self.geo_at(n, index))
    }

    /// Says that the coordinates at a place among all will be asked for soon.
    pub(crate) fn expect_geo(&self, entry: u32) {
        let n = u32_at(&self.geo, 0) as usize;
        let at = 4 + 4 * n + 16 * entry as usize;
        expect_bytes(&self.geo, at..at + 1);
    }

    fn geo_at(&self, n: usize, index: usize) -> [f64; 2] {
        let at = 4 + 4 * n + 16 * index;
        [
            f64::from_bits(u64_at(&self.geo, at)),
            f64::from_bits(u64_at(&self.geo, at + 8)),
        ]
    }
}
