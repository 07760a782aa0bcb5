//! Ascending lists of a segment's document numbers, in the shortest of four forms.
//!
//! ```text
//! 0                     no document
//! 1                     every document
//! 2, varint...          differences: first number, then distance to the one before
//! 3, u64...             a bit per document
//! ```

use super::varint;

const NONE: u8 = 0;
const ALL: u8 = 1;
const DELTAS: u8 = 2;
const BITS: u8 = 3;

/// Appends ascending `docs` of a segment with `n_docs` documents.
pub(crate) fn put(out: &mut Vec<u8>, docs: &[u32], n_docs: u32) {
    if docs.is_empty() {
        out.push(NONE);
    } else if docs.len() == n_docs as usize {
        out.push(ALL);
    } else if docs.len() > n_docs as usize / 8 {
        out.push(BITS);
        let mut words = vec![0_u64; (n_docs as usize).div_ceil(64)];
        for doc in docs {
            words[*doc as usize / 64] |= 1 << (doc % 64);
        }
        words
            .iter()
            .for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    } else {
        out.push(DELTAS);
        put_deltas(out, docs);
    }
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
