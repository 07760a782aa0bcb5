//! Writes the forward index of a segment, the `fwd` file.
//!
//! ```text
//! rows      per document: varint shape, one varint per field of the shape (number of symbols),
//!           then the symbols of all fields, bit-packed, ending on a byte
//! bases     u64 per 64 documents: where the rows of the block start
//! ends      u32 per document: end of its row, counted from its block's base
//! shapes    per shape: varint number of fields, then varint differences of field numbers
//! places    where words stand at best, if that is known (see [`super::word_places`])
//! footer    u64 start of bases, u64 start of ends, u64 start of shapes, u32 documents,
//!           u32 terms, u32 shapes, u8 symbol width in bits, 3 zero bytes, u32 version, u32 magic
//! ```
//!
//! A symbol below the number of terms is the ordinal of a word in the segment's `words`
//! dictionary; the next number is a hole, the one after it a jump (see [`super::forward_row`]).
//! All numbers are little-endian. See `docs/formats/forward-index.md`.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::bit_pack::{BitWriter, width_of};
use super::forward_row::FieldId;
use super::varint;
use super::word_places::PlacesBuilder;

/// Last four bytes of the file.
pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"SVFW");
/// Version of the layout.
pub(crate) const VERSION: u32 = 1;
/// Documents per base.
pub(crate) const BLOCK: usize = 64;
/// Bytes of the footer.
pub(crate) const FOOTER_LEN: usize = 48;

/// Symbol of a hole in a segment with `n_terms` words.
pub(crate) const fn hole_of(n_terms: u32) -> u64 {
    n_terms as u64
}

/// Symbol of a jump in a segment with `n_terms` words.
pub(crate) const fn jump_of(n_terms: u32) -> u64 {
    n_terms as u64 + 1
}

/// Writes rows in document order, then everything needed to find them.
pub(crate) struct ForwardFileWriter<W> {
    out: W,
    written: u64,
    n_terms: u32,
    bits: BitWriter,
    width: u8,
    bases: Vec<u64>,
    ends: Vec<u32>,
    shape_ids: FxHashMap<Box<[FieldId]>, u32>,
    shapes: Vec<u8>,
    row: Vec<u8>,
    names: Vec<FieldId>,
    places: PlacesBuilder,
}

impl<W: Write> ForwardFileWriter<W> {
    /// Starts a file for a dictionary of `n_terms` words.
    pub(crate) fn new(out: W, n_terms: u32) -> Self {
        let width = width_of(jump_of(n_terms));
        Self {
            out,
            written: 0,
            n_terms,
            bits: BitWriter::new(width),
            width,
            bases: Vec::new(),
            ends: Vec::new(),
            shape_ids: FxHashMap::default(),
            shapes: Vec::new(),
            row: Vec::new(),
            names: Vec::new(),
            places: PlacesBuilder::new(n_terms),
        }
    }

    /// Appends the row of the next document: its fields with their numbers of symbols, and the
    /// symbols of all of them in order.
    ///
    /// # Errors
    /// When the file cannot be written, or a block of rows exceeds 4 GiB.
    pub(crate) fn push_row(
        &mut self,
        fields: impl Iterator<Item = (FieldId, u32)> + Clone,
        symbols: impl Iterator<Item = u64> + Clone,
    ) -> io::Result<()> {
        if self.ends.len().is_multiple_of(BLOCK) {
            self.bases.push(self.written);
        }
        self.names.clear();
        self.names.extend(fields.clone().map(|(field, _)| field));
        let shape = self.shape_id();
        self.row.clear();
        varint::put(&mut self.row, u64::from(shape));
        let mut unread = symbols.clone();
        for (field, n_symbols) in fields {
            varint::put(&mut self.row, u64::from(n_symbols));
            let of_field = unread.clone().take(n_symbols as usize);
            (self.places).add_field(field, of_field, jump_of(self.n_terms));
            if let Some(last) = n_symbols.checked_sub(1) {
                unread.nth(last as usize);
            }
        }
        for symbol in symbols {
            self.bits.push(&mut self.row, symbol);
        }
        self.bits.align(&mut self.row);
        self.out.write_all(&self.row)?;
        self.written += self.row.len() as u64;
        let base = self.bases.last().copied().unwrap_or_default();
        let end = u32::try_from(self.written - base)
            .map_err(|_| io::Error::other("64 documents exceed 4 GiB of words"))?;
        self.ends.push(end);
        Ok(())
    }

    fn shape_id(&mut self) -> u32 {
        if let Some(id) = self.shape_ids.get(self.names.as_slice()) {
            return *id;
        }
        let id = self.shape_ids.len() as u32;
        self.shape_ids.insert(self.names.as_slice().into(), id);
        varint::put(&mut self.shapes, self.names.len() as u64);
        let mut last = 0;
        for name in &self.names {
            varint::put(&mut self.shapes, u64::from(name - last));
            last = *name;
        }
        id
    }

    /// Writes the tables and the footer and gives the writer back for closing.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let bases_at = self.written;
        let ends_at = bases_at + 8 * self.bases.len() as u64;
        let shapes_at = ends_at + 4 * self.ends.len() as u64;
        let mut tail = Vec::with_capacity(self.shapes.len() + FOOTER_LEN + 4 * self.ends.len());
        self.bases
            .iter()
            .for_each(|base| tail.extend_from_slice(&base.to_le_bytes()));
        self.ends
            .iter()
            .for_each(|end| tail.extend_from_slice(&end.to_le_bytes()));
        tail.extend_from_slice(&self.shapes);
        self.places.write(&mut tail);
        for at in [bases_at, ends_at, shapes_at] {
            tail.extend_from_slice(&at.to_le_bytes());
        }
        for count in [
            self.ends.len() as u32,
            self.n_terms,
            self.shape_ids.len() as u32,
        ] {
            tail.extend_from_slice(&count.to_le_bytes());
        }
        tail.extend_from_slice(&[self.width, 0, 0, 0]);
        tail.extend_from_slice(&VERSION.to_le_bytes());
        tail.extend_from_slice(&MAGIC.to_le_bytes());
        self.out.write_all(&tail)?;
        Ok(self.out)
    }
}
