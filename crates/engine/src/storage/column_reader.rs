//! Reads one attribute column of a segment from mapped memory; see [`super::attribute_file`].
//!
//! Documents are numbers local to the segment and may be dead; the caller translates and filters.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use tantivy::directory::OwnedBytes;

use super::column_builder::N_SECTIONS;
use super::ordinal_rows::OrdinalRows;
use super::{doc_list, varint};

/// Reads a number; zero past the end.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .and_then(|chunk| chunk.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

/// Reads a number; zero past the end.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..at + 8)
        .and_then(|chunk| chunk.try_into().ok())
        .map_or(0, u64::from_le_bytes)
}

/// Most values of a column whose numbers of documents are kept once they were counted.
const MAX_KEPT_COUNTS: u32 = 4096;

/// Values of one attribute in one segment.
pub(crate) struct ColumnReader {
    n_docs: u32,
    exists: OwnedBytes,
    null: OwnedBytes,
    empty: OwnedBytes,
    numbers: OwnedBytes,
    number_ends: OwnedBytes,
    number_docs: OwnedBytes,
    /// Ordinals of the numbers of each document.
    pub(crate) number_rows: OrdinalRows,
    string_ends: OwnedBytes,
    strings: OwnedBytes,
    string_doc_ends: OwnedBytes,
    string_docs: OwnedBytes,
    /// Ordinals of the strings of each document.
    pub(crate) string_rows: OrdinalRows,
    /// Documents of each value, dead ones included.
    few_numbers: OnceLock<Box<[u32]>>,
    few_strings: OnceLock<Box<[u32]>>,
}

impl ColumnReader {
    /// Takes the sections in file order; `None` when their tables do not fit.
    pub(crate) fn new(sections: Vec<OwnedBytes>, n_docs: u32) -> Option<Self> {
        let sections: [OwnedBytes; N_SECTIONS] = sections.try_into().ok()?;
        let [
            a,
            b,
            c,
            numbers,
            d,
            e,
            number_rows,
            f,
            strings,
            g,
            h,
            string_rows,
        ] = sections;
        Some(Self {
            n_docs,
            exists: a,
            null: b,
            empty: c,
            numbers,
            number_ends: d,
            number_docs: e,
            number_rows: OrdinalRows::new(number_rows, n_docs)?,
            string_ends: f,
            strings,
            string_doc_ends: g,
            string_docs: h,
            string_rows: OrdinalRows::new(string_rows, n_docs)?,
            few_numbers: OnceLock::new(),
            few_strings: OnceLock::new(),
        })
    }

    /// Calls `each` for documents that have the attribute.
    pub(crate) fn for_each_existing(&self, each: impl FnMut(u32)) {
        doc_list::for_each(&self.exists, self.n_docs, each);
    }

    /// Calls `each` for documents in which the attribute is null.
    pub(crate) fn for_each_null(&self, each: impl FnMut(u32)) {
        doc_list::for_each(&self.null, self.n_docs, each);
    }

    /// Calls `each` for documents in which the attribute is empty.
    pub(crate) fn for_each_empty(&self, each: impl FnMut(u32)) {
        doc_list::for_each(&self.empty, self.n_docs, each);
    }

    /// Number of distinct numbers.
    pub(crate) fn n_numbers(&self) -> u32 {
        (self.numbers.len() / 8) as u32
    }

    /// The number with this ordinal.
    #[inline]
    pub(crate) fn number(&self, ordinal: u32) -> f64 {
        f64::from_bits(u64_at(&self.numbers, 8 * ordinal as usize))
    }

    /// Ordinals of numbers for which `below` is false but was true before: the first ordinal at
    /// which `below` turns false.
    pub(crate) fn number_partition(&self, below: impl Fn(f64) -> bool) -> u32 {
        partition(self.n_numbers(), |ordinal| below(self.number(ordinal)))
    }

    /// Calls `each` for the documents with one of these numbers; a document may come repeatedly.
    pub(crate) fn for_each_number_doc(&self, ordinals: Range<u32>, each: impl FnMut(u32)) {
        for_each_doc(&self.number_ends, &self.number_docs, ordinals, each);
    }

    /// Number of documents with each number, dead ones included.
    pub(crate) fn number_counts(&self) -> Cow<'_, [u32]> {
        let count = || postings_counts(&self.number_ends, &self.number_docs, self.n_numbers());
        kept_counts(&self.few_numbers, self.n_numbers(), count)
    }

    /// Number of documents with each string, dead ones included.
    pub(crate) fn string_counts(&self) -> Cow<'_, [u32]> {
        let count = || postings_counts(&self.string_doc_ends, &self.string_docs, self.n_strings());
        kept_counts(&self.few_strings, self.n_strings(), count)
    }

    /// Bytes of all posting lists that are read to count the documents of each value.
    pub(crate) fn uncounted_len(&self) -> usize {
        let numbers = self.few_numbers.get().map_or(self.number_docs.len(), |_| 0);
        numbers + self.few_strings.get().map_or(self.string_docs.len(), |_| 0)
    }

    /// Bytes of all posting lists: about as many as there are values of documents.
    pub(crate) fn n_holders(&self) -> usize {
        self.number_docs.len() + self.string_docs.len()
    }

    /// Bytes of the posting lists of these numbers: no fewer than they name documents.
    pub(crate) fn number_postings_len(&self, ordinals: Range<u32>) -> usize {
        postings_len(&self.number_ends, ordinals)
    }

    /// Bytes of the posting lists of these strings: no fewer than they name documents.
    pub(crate) fn string_postings_len(&self, ordinals: Range<u32>) -> usize {
        postings_len(&self.string_doc_ends, ordinals)
    }

    /// Number of distinct strings, spellings counted apart.
    pub(crate) fn n_strings(&self) -> u32 {
        (self.string_ends.len() / 4).saturating_sub(1) as u32
    }

    /// The normalised form of the string with this ordinal.
    #[inline]
    pub(crate) fn string(&self, ordinal: u32) -> &str {
        self.string_parts(ordinal).0
    }

    /// The bytes of [`Self::string`], which are in the same order and need not be checked.
    #[inline]
    pub(crate) fn string_bytes(&self, ordinal: u32) -> &[u8] {
        self.raw_parts(ordinal).0
    }

    /// The string as documents spell it.
    pub(crate) fn original(&self, ordinal: u32) -> &str {
        let (normalized, original) = self.string_parts(ordinal);
        if original.is_empty() {
            normalized
        } else {
            original
        }
    }

    /// The string with this ordinal as the file has it: length, normalised form, and the original
    /// when it differs.
    pub(super) fn string_entry(&self, ordinal: u32) -> &[u8] {
        let start = u32_at(&self.string_ends, 4 * ordinal as usize) as usize;
        let end = u32_at(&self.string_ends, 4 * ordinal as usize + 4) as usize;
        self.strings.get(start..end).unwrap_or_default()
    }

    /// The normalised form and the original, which is empty when it does not differ.
    pub(super) fn string_parts(&self, ordinal: u32) -> (&str, &str) {
        let (normalized, original) = self.raw_parts(ordinal);
        (
            std::str::from_utf8(normalized).unwrap_or_default(),
            std::str::from_utf8(original).unwrap_or_default(),
        )
    }

    #[inline]
    fn raw_parts(&self, ordinal: u32) -> (&[u8], &[u8]) {
        let entry = self.string_entry(ordinal);
        let mut at = 0;
        let len = varint::get(entry, &mut at) as usize;
        let rest = entry.get(at..);
        rest.and_then(|rest| rest.split_at_checked(len))
            .unwrap_or_default()
    }

    /// The first ordinal at which `below` turns false, over the bytes of normalised forms.
    pub(crate) fn string_partition(&self, below: impl Fn(&[u8]) -> bool) -> u32 {
        partition(self.n_strings(), |ordinal| {
            below(self.string_bytes(ordinal))
        })
    }

    /// Ordinals of all spellings of a normalised string.
    pub(crate) fn spellings(&self, normalized: &str) -> Range<u32> {
        let normalized = normalized.as_bytes();
        let start = self.string_partition(|string| string < normalized);
        let mut end = start;
        while end < self.n_strings() && self.string_bytes(end) == normalized {
            end += 1;
        }
        start..end
    }

    /// Ordinals of strings that start with `prefix`.
    pub(crate) fn strings_with_prefix(&self, prefix: &str) -> Range<u32> {
        let prefix = prefix.as_bytes();
        let start = self.string_partition(|string| string < prefix);
        let end = self.string_partition(|string| string < prefix || string.starts_with(prefix));
        start..end
    }

    /// Calls `each` for the documents with one of these strings; a document may come repeatedly.
    pub(crate) fn for_each_string_doc(&self, ordinals: Range<u32>, each: impl FnMut(u32)) {
        for_each_doc(&self.string_doc_ends, &self.string_docs, ordinals, each);
    }
}

fn for_each_doc(ends: &[u8], docs: &[u8], ordinals: Range<u32>, mut each: impl FnMut(u32)) {
    for ordinal in ordinals {
        doc_list::for_each_delta(postings(ends, docs, ordinal), &mut each);
    }
}

/// Number of documents in each posting list.
fn postings_counts(ends: &[u8], docs: &[u8], n_values: u32) -> Vec<u32> {
    (0..n_values)
        .map(|ordinal| doc_list::n_deltas(postings(ends, docs, ordinal)))
        .collect()
}

/// Counts that are made once if there are few of them: their posting lists are long.
fn kept_counts(
    kept: &OnceLock<Box<[u32]>>,
    n_values: u32,
    count: impl FnOnce() -> Vec<u32>,
) -> Cow<'_, [u32]> {
    if n_values > MAX_KEPT_COUNTS {
        return Cow::Owned(count());
    }
    Cow::Borrowed(kept.get_or_init(|| count().into()))
}

fn postings_len(ends: &[u8], ordinals: Range<u32>) -> usize {
    let end_of = |ordinal: u32| u32_at(ends, 4 * ordinal as usize);
    end_of(ordinals.end).saturating_sub(end_of(ordinals.start)) as usize
}

/// The posting list of a value.
fn postings<'b>(ends: &[u8], docs: &'b [u8], ordinal: u32) -> &'b [u8] {
    let start = u32_at(ends, 4 * ordinal as usize) as usize;
    let end = u32_at(ends, 4 * ordinal as usize + 4) as usize;
    docs.get(start..end).unwrap_or_default()
}

fn partition(n: u32, below: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low.midpoint(high);
        if below(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
