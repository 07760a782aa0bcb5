//! Reads the forward index of a segment from mapped memory; see [`super::forward_file`] for bytes.
//!
//! # Cost
//! Opening reads the footer and the shapes. A row is found with two loads and decoded without
//! allocation, one unaligned load per symbol. Who reads many rows tells of them some rows before:
//! the wait for memory is most of what a row takes otherwise.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use tantivy::directory::{FileSlice, OwnedBytes};

use super::bit_pack::{BitReader, width_of};
use super::expected_bytes::expect_bytes;
use super::file_footer::footer_at;
use super::forward_file::{BLOCK, FOOTER_LEN, MAGIC, VERSION, jump_of};
use super::forward_row::FieldId;
use super::varint;
use super::word_places::{Place, PlaceKinds};

/// The forward index of one segment.
#[derive(Clone)]
pub(crate) struct ForwardReader {
    bytes: OwnedBytes,
    bases_at: usize,
    ends_at: usize,
    n_docs: u32,
    n_terms: u32,
    width: u8,
    shapes: Shapes,
    places: Option<Places>,
}

/// The fields of each shape.
type Shapes = Arc<[Box<[FieldId]>]>;

/// Where words stand at best.
#[derive(Clone)]
struct Places {
    kinds: Arc<PlaceKinds>,
    section: Range<usize>,
}

/// One document's row.
#[derive(Clone)]
pub(crate) struct Row<'a> {
    /// Fields that have words, ascending.
    pub(crate) fields: &'a [FieldId],
    bytes: &'a [u8],
    lengths_at: usize,
    symbols_at: usize,
    /// The numbers of symbols of the fields, a byte each, if they fit.
    byte_lengths: Option<u64>,
    /// More symbols cannot be in the bytes of the row.
    most_symbols: usize,
    width: u8,
}

/// The symbols of one field of a row.
pub(crate) struct FieldRow<'a> {
    /// The field.
    pub(crate) field: FieldId,
    reader: BitReader<'a>,
    start: usize,
    /// Number of symbols: words, holes and jumps.
    pub(crate) len: usize,
}

impl FieldRow<'_> {
    /// The symbol at `index`, below [`Self::len`].
    #[inline]
    pub(crate) fn symbol(&self, index: usize) -> u64 {
        self.reader.get(self.start + index)
    }

    /// The packed bytes of the row and whatever follows, and the bit in them at which the symbol
    /// at `index` starts.
    #[inline]
    pub(crate) const fn packed(&self, index: usize) -> (&[u8], usize) {
        self.reader.packed(self.start + index)
    }

    /// Says that symbols will be read soon, which may be behind those of the field.
    #[inline]
    pub(crate) fn expect(&self, symbols: Range<usize>) {
        let (bytes, first_bit) = self.packed(symbols.start);
        let (_, end_bit) = self.packed(symbols.end);
        expect_bytes(bytes, first_bit / 8..end_bit.div_ceil(8));
    }
}

#[cfg(test)]
impl<'a> FieldRow<'a> {
    /// Symbols that fill `bytes` from the start.
    pub(crate) const fn of_packed(bytes: &'a [u8], width: u8, len: usize) -> Self {
        Self {
            field: 0,
            reader: BitReader::new(bytes, width),
            start: 0,
            len,
        }
    }
}

fn corrupt(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the forward index is damaged: {what}"),
    )
}

fn read_u64(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..at + 8)
        .and_then(|chunk| chunk.try_into().ok())
        .map_or(0, u64::from_le_bytes)
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .and_then(|chunk| chunk.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

impl ForwardReader {
    /// Opens the file of a segment.
    ///
    /// # Errors
    /// When the file cannot be read, or is not one of ours.
    pub(crate) fn open(file: &FileSlice) -> io::Result<Self> {
        let bytes = file.read_bytes()?;
        let footer = footer_at(&bytes, FOOTER_LEN, MAGIC, VERSION..=VERSION).map_err(corrupt)?;
        let at = |slot: usize| read_u64(&bytes, footer + 8 * slot) as usize;
        let (bases_at, ends_at, shapes_at) = (at(0), at(1), at(2));
        let n_docs = read_u32(&bytes, footer + 24);
        let n_terms = read_u32(&bytes, footer + 28);
        let n_shapes = read_u32(&bytes, footer + 32);
        let width = bytes[footer + 36];
        let n_blocks = (n_docs as usize).div_ceil(BLOCK);
        let tables_fit = shapes_at <= footer
            && ends_at.checked_add(4 * n_docs as usize) == Some(shapes_at)
            && bases_at.checked_add(8 * n_blocks) == Some(ends_at);
        if !tables_fit || width != width_of(jump_of(n_terms)) {
            return Err(corrupt("its tables do not fit"));
        }
        let (shapes, shapes_len) = read_shapes(&bytes[shapes_at..footer], n_shapes)
            .ok_or_else(|| corrupt("its shapes do not fit"))?;
        let section = shapes_at + shapes_len..footer;
        let kinds = PlaceKinds::read(bytes.get(section.clone()).unwrap_or_default(), n_terms);
        let places = kinds.map(|kinds| Places {
            kinds: Arc::new(kinds),
            section,
        });
        Ok(Self {
            bases_at,
            ends_at,
            n_docs,
            n_terms,
            width,
            shapes,
            places,
            bytes,
        })
    }

    /// Number of documents, dead ones included.
    pub(crate) const fn n_docs(&self) -> u32 {
        self.n_docs
    }

    /// Bytes of all rows.
    pub(crate) const fn rows_len(&self) -> u64 {
        self.bases_at as u64
    }

    /// Bits of a symbol.
    pub(crate) const fn width(&self) -> u8 {
        self.width
    }

    /// Number of words in the segment's dictionary.
    pub(crate) const fn n_terms(&self) -> u32 {
        self.n_terms
    }

    /// The symbol of a jump.
    pub(crate) const fn jump(&self) -> u64 {
        jump_of(self.n_terms)
    }

    /// Puts the best places of the words with these ordinals into `best`, where they are better; false if
    /// the file does not say.
    pub(crate) fn best_places(
        &self,
        words: Range<u32>,
        best: &mut BTreeMap<FieldId, Place>,
    ) -> bool {
        let Some(places) = &self.places else {
            return words.is_empty();
        };
        let section = &self.bytes[places.section.clone()];
        places.kinds.best_of(section, words, best)
    }

    /// Where the row of a document is in the file; nowhere if there is no such document.
    #[inline]
    fn place_of(&self, local: u32) -> Range<usize> {
        if local >= self.n_docs {
            return 0..0;
        }
        let local = local as usize;
        let base = read_u64(&self.bytes, self.bases_at + 8 * (local / BLOCK)) as usize;
        let end_of = |local| read_u32(&self.bytes, self.ends_at + 4 * local) as usize;
        let from = match local.is_multiple_of(BLOCK) {
            true => 0,
            false => end_of(local - 1),
        };
        base.wrapping_add(from)..base.wrapping_add(end_of(local))
    }

    /// Says that the row of a document will be read soon, so that memory can be waited for meanwhile.
    #[inline]
    pub(crate) fn expect(&self, local: u32) {
        expect_bytes(&self.bytes, self.place_of(local));
    }

    /// The row of a document of this segment. A number out of range gives an empty row.
    #[inline]
    pub(crate) fn row(&self, local: u32) -> Row<'_> {
        let empty = Row {
            fields: &[],
            bytes: &[],
            lengths_at: 0,
            symbols_at: 0,
            byte_lengths: None,
            most_symbols: 0,
            width: self.width,
        };
        if local >= self.n_docs {
            return empty;
        }
        let place = self.place_of(local);
        let row_bytes = place.len();
        let bytes = self.bytes.get(place.start..).unwrap_or_default();
        let mut at = 0;
        let shape = varint::get(bytes, &mut at) as usize;
        let Some(fields) = self.shapes.get(shape) else {
            return empty;
        };
        let lengths_at = at;
        let byte_lengths = byte_lengths(bytes, at, fields.len());
        if byte_lengths.is_some() {
            at += fields.len();
        } else {
            fields.iter().for_each(|_| _ = varint::get(bytes, &mut at));
        }
        Row {
            fields,
            bytes,
            lengths_at,
            symbols_at: at,
            byte_lengths,
            most_symbols: 8 * row_bytes.min(bytes.len()),
            width: self.width,
        }
    }
}

/// The varints from `at` on, a byte each; `None` unless each takes a byte and they fit.
#[inline]
fn byte_lengths(bytes: &[u8], at: usize, n: usize) -> Option<u64> {
    if !(1..=8).contains(&n) {
        return None;
    }
    let chunk = bytes.get(at..at + 8)?.try_into().ok()?;
    let lengths = u64::from_le_bytes(chunk) & (u64::MAX >> (64 - 8 * n));
    (lengths & 0x8080_8080_8080_8080 == 0).then_some(lengths)
}

impl<'a> Row<'a> {
    /// The symbols of all fields, one after the other, and where each field ends among them, a byte
    /// each from the lowest on: the number of all behind the last. `None` for rows of more than 64
    /// symbols, or many fields.
    #[inline]
    pub(crate) fn short(&self) -> Option<(FieldRow<'a>, u64)> {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
        let lengths = self.byte_lengths?;
        let by_two = (lengths & EVEN) + (lengths >> 8 & EVEN);
        let len = (by_two.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize;
        if len > 64 || len > self.most_symbols {
            return None;
        }
        let symbols = self.bytes.get(self.symbols_at..).unwrap_or_default();
        let all = FieldRow {
            field: self.fields[0],
            reader: BitReader::new(symbols, self.width),
            start: 0,
            len,
        };
        Some((all, lengths.wrapping_mul(ONES)))
    }

    /// The fields with their symbols, in ascending order of field.
    pub(crate) fn field_rows(&self) -> impl Iterator<Item = FieldRow<'a>> + use<'a> {
        let bytes = self.bytes;
        let reader = BitReader::new(bytes.get(self.symbols_at..).unwrap_or_default(), self.width);
        let mut at = self.lengths_at;
        let mut start = 0;
        // Of a damaged row no more is read than there can be.
        let most = self.most_symbols;
        self.fields.iter().map(move |field| {
            let len = (varint::get(bytes, &mut at) as usize).min(most - start);
            let row = FieldRow {
                field: *field,
                reader,
                start,
                len,
            };
            start += len;
            row
        })
    }
}

/// The shapes and how long they are; `None` when there are more of them, or of their fields, than bytes, or
/// when a number of a field is none. So the numbers of a shape never fall, on which merges rely.
fn read_shapes(bytes: &[u8], n_shapes: u32) -> Option<(Shapes, usize)> {
    let mut at = 0;
    let mut shapes = Vec::new();
    for _ in 0..n_shapes {
        if at >= bytes.len() {
            return None;
        }
        let n_fields = varint::get(bytes, &mut at);
        if n_fields > (bytes.len() - at) as u64 {
            return None;
        }
        let mut last: FieldId = 0;
        let fields = (0..n_fields).map(|_| {
            let step = FieldId::try_from(varint::get(bytes, &mut at)).ok()?;
            last = last.checked_add(step)?;
            Some(last)
        });
        shapes.push(fields.collect::<Option<_>>()?);
    }
    Some((shapes.into(), at))
}
