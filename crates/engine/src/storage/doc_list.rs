//! Ascending lists of a segment's document numbers, in the shortest of four forms.
//!
//! ```text
//! 0                     no document
//! 1                     every document
//! 2, varint...          differences: first number, then distance to the one before
//! 3, u64...             a bit per document
//! ```

use std::io::{self, Write};

use super::varint;

const NONE: u8 = 0;
const ALL: u8 = 1;
const DELTAS: u8 = 2;
const BITS: u8 = 3;

/// A set of a segment's documents that is being collected.
pub(super) struct DocBits {
    words: Vec<u64>,
    n_docs: u32,
    len: u32,
}

impl DocBits {
    /// None of `n_docs` documents.
    pub(super) fn new(n_docs: u32) -> Self {
        Self {
            words: vec![0; (n_docs as usize).div_ceil(64)],
            n_docs,
            len: 0,
        }
    }

    /// Adds a document, which may be there.
    pub(super) fn insert(&mut self, doc: u32) {
        let word = &mut self.words[doc as usize / 64];
        self.len += u32::from(*word & (1 << (doc % 64)) == 0);
        *word |= 1 << (doc % 64);
    }

    /// Number of documents in the set.
    pub(super) const fn len(&self) -> u32 {
        self.len
    }

    /// Calls `each` for every document, ascending.
    pub(super) fn for_each(&self, mut each: impl FnMut(u32)) {
        for (index, word) in self.words.iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                each(index as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }

    /// Writes the set as a list.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.len == 0 {
            return out.write_all(&[NONE]);
        }
        if self.len == self.n_docs {
            return out.write_all(&[ALL]);
        }
        if self.len > self.n_docs / 8 {
            out.write_all(&[BITS])?;
            let mut words = self.words.iter();
            return words.try_for_each(|word| out.write_all(&word.to_le_bytes()));
        }
        let mut bytes = vec![DELTAS];
        let mut last = 0;
        self.for_each(|doc| {
            varint::put(&mut bytes, u64::from(doc - last));
            last = doc;
        });
        out.write_all(&bytes)
    }
}

/// Appends ascending `docs` of a segment with `n_docs` documents.
pub(crate) fn put(out: &mut Vec<u8>, docs: &[u32], n_docs: u32) {
    let mut bits = DocBits::new(n_docs);
    docs.iter().for_each(|doc| bits.insert(*doc));
    // Writing to memory cannot fail.
    let _ = bits.write(out);
}

/// Appends ascending `docs` as differences, without anything that says how many there are.
pub(crate) fn put_deltas(out: &mut Vec<u8>, docs: &[u32]) {
    let mut last = 0;
    for doc in docs {
        varint::put(out, u64::from(doc - last));
        last = *doc;
    }
}

/// Calls `each` for every document of a list that fills `bytes`.
pub(crate) fn for_each(bytes: &[u8], n_docs: u32, mut each: impl FnMut(u32)) {
    match bytes.split_first() {
        Some((&ALL, _)) => (0..n_docs).for_each(each),
        Some((&DELTAS, rest)) => for_each_delta(rest, each),
        Some((&BITS, rest)) => {
            for (index, chunk) in rest.chunks_exact(8).enumerate() {
                let mut word = chunk.try_into().map_or(0, u64::from_le_bytes);
                while word != 0 {
                    each(index as u32 * 64 + word.trailing_zeros());
                    word &= word - 1;
                }
            }
        }
        _ => {}
    }
}

/// Calls `each` for every document of differences that fill `bytes`.
#[inline]
pub(crate) fn for_each_delta(bytes: &[u8], mut each: impl FnMut(u32)) {
    let mut at = 0;
    let mut doc = 0;
    while at < bytes.len() {
        doc = u32::wrapping_add(doc, varint::get(bytes, &mut at) as u32);
        each(doc);
    }
}

/// Number of documents of differences that fill `bytes`: every varint has one last byte.
pub(crate) fn n_deltas(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| u32::from(*byte < 0x80)).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever form is chosen, the documents come back in order.
        #[test]
        fn lists_are_read_back(docs in proptest::collection::btree_set(0..300_u32, 0..300)) {
            let docs: Vec<u32> = BTreeSet::into_iter(docs).collect();
            let mut bytes = Vec::new();
            put(&mut bytes, &docs, 300);
            let mut read = Vec::new();
            for_each(&bytes, 300, |doc| read.push(doc));
            prop_assert_eq!(&read, &docs);
            let mut deltas = Vec::new();
            put_deltas(&mut deltas, &docs);
            prop_assert_eq!(n_deltas(&deltas) as usize, docs.len());
        }
    }
}
