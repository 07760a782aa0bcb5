//! The attribute values of one document, before they stand in columns.
//!
//! # Cost
//! What crosses to the thread that builds segments is one piece of memory, however many values there
//! are: with a list for each field and a count of owners for each string, the two threads spent more on
//! telling each other's memory than on the values.

use std::rc::Rc;

use smallvec::SmallVec;

use super::forward_row::FieldId;
use super::varint;
use crate::geometry::{Bounds, Shape};

/// Values of the faceted attributes of one document.
#[derive(Debug, Default)]
pub(crate) struct AttributeRow {
    /// Of each field: number (u16), flags (u8), varint numbers, varint strings; the numbers as f64; of
    /// each string its hash (u32), varint length, then [`StringValue::entry`].
    values: Box<[u8]>,
    /// Latitude and longitude, when `_geo` is faceted and present.
    pub(crate) geo: Option<[f64; 2]>,
    /// The shape of `_geojson`, when it is filterable and present.
    pub(crate) shape: Option<StoredShape>,
}

const IS_NULL: u8 = 1;
const IS_EMPTY: u8 = 2;

impl AttributeRow {
    /// The values of a document: one entry per faceted field that it has, in any order, each field
    /// once. What `buffer` holds is replaced.
    pub(crate) fn new(
        fields: &[FieldValues],
        geo: Option<[f64; 2]>,
        shape: Option<StoredShape>,
        buffer: &mut Vec<u8>,
    ) -> Self {
        buffer.clear();
        fields.iter().for_each(|values| values.encode(buffer));
        Self {
            values: buffer.as_slice().into(),
            geo,
            shape,
        }
    }

    /// Reads the values, from the first field on.
    pub(crate) const fn reader(&self) -> RowReader<'_> {
        RowReader {
            bytes: &self.values,
            at: 0,
        }
    }

    /// Bytes of memory on the heap, roughly.
    pub(crate) fn mem_usage(&self) -> usize {
        self.values.len() + self.shape.as_ref().map_or(0, |shape| shape.bytes.len())
    }
}

/// Reads the values of a document in order: a field, its numbers, its strings, the next field.
pub(crate) struct RowReader<'r> {
    bytes: &'r [u8],
    at: usize,
}

/// What is known of a field before its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldHead {
    /// The field.
    pub(crate) field: FieldId,
    /// Whether the field's own value is `null`.
    pub(crate) is_null: bool,
    /// Whether the field's own value is `""`, `[]` or `{}`.
    pub(crate) is_empty: bool,
    /// Numbers that follow.
    pub(crate) n_numbers: usize,
    /// Strings that follow the numbers.
    pub(crate) n_strings: usize,
}

impl<'r> RowReader<'r> {
    /// The next field; `None` when there is no more.
    pub(crate) fn field(&mut self) -> Option<FieldHead> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let field = FieldId::from_le_bytes(self.take());
        let [flags] = self.take();
        Some(FieldHead {
            field,
            is_null: flags & IS_NULL != 0,
            is_empty: flags & IS_EMPTY != 0,
            n_numbers: varint::get(self.bytes, &mut self.at) as usize,
            n_strings: varint::get(self.bytes, &mut self.at) as usize,
        })
    }

    /// The next number of the field.
    pub(crate) fn number(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }

    /// The next string of the field: its hash and its entry.
    pub(crate) fn string(&mut self) -> (u32, &'r [u8]) {
        let hash = u32::from_le_bytes(self.take());
        let len = varint::get(self.bytes, &mut self.at) as usize;
        let entry = self.bytes.get(self.at..self.at + len).unwrap_or_default();
        self.at += len;
        (hash, entry)
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.bytes[self.at..].first_chunk().copied();
        self.at += N;
        taken.unwrap_or([0; N])
    }
}

/// A shape as it lies on disk.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredShape {
    /// The smallest rectangle around it.
    pub(crate) bounds: Bounds,
    /// What [`crate::geometry::Shape::encode`] wrote.
    pub(crate) bytes: Box<[u8]>,
}

impl StoredShape {
    /// The bytes of a shape; `None` when it has no parts.
    pub(crate) fn new(shape: &Shape) -> Option<Self> {
        Some(Self {
            bounds: shape.bounds()?,
            bytes: shape.encode().into(),
        })
    }
}

/// Values of one field of one document, while it is read.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct FieldValues {
    /// The field.
    pub(crate) field: FieldId,
    /// Whether the field's own value is `null`.
    pub(crate) is_null: bool,
    /// Whether the field's own value is `""`, `[]` or `{}`.
    pub(crate) is_empty: bool,
    /// Distinct numbers, never NaN, -0 written as 0.
    pub(crate) numbers: SmallVec<[f64; 2]>,
    /// Distinct strings; documents share those that many of them have.
    pub(crate) strings: SmallVec<[Rc<StringValue>; 2]>,
}

/// A string as it is compared and as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StringValue {
    /// Of what was written.
    hash: u32,
    /// Bytes of [`Self::entry`] before the normalised form.
    start: u8,
    /// Bytes of the normalised form.
    normalized_len: u32,
    entry: Vec<u8>,
}

impl FieldValues {
    /// No value yet.
    pub(crate) fn new(field: FieldId) -> Self {
        Self {
            field,
            ..Self::default()
        }
    }

    /// Forgets all values; those of another field may come. The memory is kept.
    pub(crate) fn restart(&mut self, field: FieldId) {
        self.field = field;
        self.is_null = false;
        self.is_empty = false;
        self.numbers.clear();
        self.strings.clear();
    }

    /// Adds a number unless it is there already.
    pub(crate) fn push_number(&mut self, number: f64) {
        let number = if number == 0.0 { 0.0 } else { number };
        if !number.is_nan() && !self.numbers.contains(&number) {
            self.numbers.push(number);
        }
    }

    /// Adds a string; of several with the same normalised form the first one stays.
    pub(crate) fn push_string(&mut self, string: Rc<StringValue>) {
        let mut strings = self.strings.iter();
        if !strings.any(|value| value.normalized() == string.normalized()) {
            self.strings.push(string);
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let flags = u8::from(self.is_null) * IS_NULL + u8::from(self.is_empty) * IS_EMPTY;
        out.extend_from_slice(&self.field.to_le_bytes());
        out.push(flags);
        varint::put(out, self.numbers.len() as u64);
        varint::put(out, self.strings.len() as u64);
        for number in &self.numbers {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for string in &self.strings {
            out.extend_from_slice(&string.hash.to_le_bytes());
            varint::put(out, string.entry().len() as u64);
            out.extend_from_slice(string.entry());
        }
    }
}

impl StringValue {
    /// A string by its normalised form, how it was written, and a hash of that.
    pub(crate) fn new(normalized: &str, written: &str, hash: u32) -> Self {
        let original = if normalized == written { "" } else { written };
        let mut entry = Vec::with_capacity(2 + normalized.len() + original.len());
        varint::put(&mut entry, normalized.len() as u64);
        let start = entry.len() as u8;
        entry.extend_from_slice(normalized.as_bytes());
        entry.extend_from_slice(original.as_bytes());
        Self {
            hash,
            start,
            normalized_len: normalized.len() as u32,
            entry,
        }
    }

    /// Trimmed, decomposed, lower case, at most 468 bytes.
    pub(crate) fn normalized(&self) -> &[u8] {
        &self.entry[usize::from(self.start)..][..self.normalized_len as usize]
    }

    /// As it stands in the document.
    pub(crate) fn written(&self) -> &[u8] {
        match &self.entry[usize::from(self.start) + self.normalized_len as usize..] {
            [] => self.normalized(),
            original => original,
        }
    }

    /// Varint length of the normalised form, the normalised form, then what was written when it
    /// differs: as it stands in a column.
    pub(crate) fn entry(&self) -> &[u8] {
        &self.entry
    }
}
