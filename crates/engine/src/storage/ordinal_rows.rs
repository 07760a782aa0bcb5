//! For each document of a segment the ordinals of its values, ascending.
//!
//! ```text
//! 0                                       no document has a value
//! 1, width, ordinal + 1 per document      every document has at most one value; 0 for none
//! 2, width, u32 end per document, ordinals
//! 3, width, u32 n, u32 document * n, u32 end * n, ordinals     few documents have values
//! ```
//!
//! `width` is the number of bytes of an ordinal, 1 to 4.

use tantivy::directory::OwnedBytes;

const NONE: u8 = 0;
const SINGLE: u8 = 1;
const DENSE: u8 = 2;
const SPARSE: u8 = 3;

/// Appends rows, given as pairs of document and ordinal in ascending order.
pub(crate) fn write(rows: &[(u32, u32)], n_ordinals: u32, n_docs: u32, out: &mut Vec<u8>) {
    if rows.is_empty() {
        out.push(NONE);
        return;
    }
    let width = bytes_for(n_ordinals);
    let mut docs: Vec<(u32, u32)> = Vec::new();
    for (index, (doc, _)) in rows.iter().enumerate() {
        let end = index as u32 + 1;
        match docs.last_mut() {
            Some((last, last_end)) if last == doc => *last_end = end,
            _ => docs.push((*doc, end)),
        }
    }
    let sparse_cost = docs.len() * 8 + rows.len() * width as usize;
    let single_cost = n_docs as usize * width as usize;
    let dense_cost = n_docs as usize * 4 + rows.len() * width as usize;
    if docs.len() == rows.len() && single_cost <= sparse_cost {
        out.extend_from_slice(&[SINGLE, width]);
        let mut ordinals = vec![0; n_docs as usize];
        rows.iter()
            .for_each(|(doc, ordinal)| ordinals[*doc as usize] = ordinal + 1);
        ordinals
            .iter()
            .for_each(|ordinal| put(out, *ordinal, width));
        return;
    }
    if dense_cost <= sparse_cost {
        out.extend_from_slice(&[DENSE, width]);
        let mut next = docs.iter().peekable();
        let mut end = 0;
        for doc in 0..n_docs {
            if let Some((_, its_end)) = next.next_if(|(its_doc, _)| *its_doc == doc) {
                end = *its_end;
            }
            out.extend_from_slice(&end.to_le_bytes());
        }
    } else {
        out.extend_from_slice(&[SPARSE, width]);
        out.extend_from_slice(&(docs.len() as u32).to_le_bytes());
        docs.iter()
            .for_each(|(doc, _)| out.extend_from_slice(&doc.to_le_bytes()));
        docs.iter()
            .for_each(|(_, end)| out.extend_from_slice(&end.to_le_bytes()));
    }
    rows.iter()
        .for_each(|(_, ordinal)| put(out, *ordinal, width));
}

/// Bytes that hold `n_ordinals`, one more than the largest ordinal.
const fn bytes_for(n_ordinals: u32) -> u8 {
    match n_ordinals {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xff_ffff => 3,
        _ => 4,
    }
}

fn put(out: &mut Vec<u8>, ordinal: u32, width: u8) {
    out.extend_from_slice(&ordinal.to_le_bytes()[..width as usize]);
}

/// Reads rows from mapped memory.
#[derive(Clone)]
pub(crate) struct OrdinalRows {
    bytes: OwnedBytes,
    n_docs: usize,
}

#[inline]
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .and_then(|chunk| chunk.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

#[inline]
fn ordinal_at(bytes: &[u8], at: usize, width: usize) -> u32 {
    let mut ordinal = [0; 4];
    if let Some(chunk) = bytes.get(at..at + width) {
        ordinal[..width].copy_from_slice(chunk);
    }
    u32::from_le_bytes(ordinal)
}

impl OrdinalRows {
    /// Reads rows of a segment with `n_docs` documents; `None` when their tables do not fit.
    pub(crate) fn new(bytes: OwnedBytes, n_docs: u32) -> Option<Self> {
        let n_docs = n_docs as usize;
        let fits = match *bytes.as_slice() {
            [] => true,
            [NONE, ..] => bytes.len() == 1,
            [kind, width @ 1..=4, ..] => {
                let width = width as usize;
                let room = bytes.len() - 2;
                let ordinals_fit = |ends_at: usize, n: usize, room: usize| match n {
                    0 => true,
                    _ => u32_at(&bytes, ends_at + 4 * (n - 1)) as usize * width <= room,
                };
                match kind {
                    SINGLE => n_docs * width <= room,
                    DENSE => room
                        .checked_sub(4 * n_docs)
                        .is_some_and(|room| ordinals_fit(2, n_docs, room)),
                    SPARSE => {
                        let n = u32_at(&bytes, 2) as usize;
                        room.checked_sub(4 + 8 * n)
                            .is_some_and(|room| ordinals_fit(6 + 4 * n, n, room))
                    }
                    _ => false,
                }
            }
            _ => false,
        };
        fits.then_some(Self { bytes, n_docs })
    }

    /// Calls `each` for the ordinals of a document, ascending.
    #[inline]
    pub(crate) fn for_each(&self, local: u32, mut each: impl FnMut(u32)) {
        let bytes = self.bytes.as_slice();
        let [kind, width, ..] = *bytes else { return };
        let (local, width) = (local as usize, (width as usize).clamp(1, 4));
        if local >= self.n_docs {
            return;
        }
        let (from, to, ordinals_at) = match kind {
            SINGLE => {
                if let Some(ordinal) = ordinal_at(bytes, 2 + local * width, width).checked_sub(1) {
                    each(ordinal);
                }
                return;
            }
            DENSE => {
                let from = if local == 0 {
                    0
                } else {
                    u32_at(bytes, 2 + 4 * (local - 1))
                };
                (from, u32_at(bytes, 2 + 4 * local), 2 + 4 * self.n_docs)
            }
            SPARSE => {
                let n = u32_at(bytes, 2) as usize;
                let Some(index) = find_doc(&bytes[6..], n, local as u32) else {
                    return;
                };
                let ends_at = 6 + 4 * n;
                let from = if index == 0 {
                    0
                } else {
                    u32_at(bytes, ends_at + 4 * (index - 1))
                };
                (from, u32_at(bytes, ends_at + 4 * index), ends_at + 4 * n)
            }
            _ => return,
        };
        // Of damaged rows no more is read than there can be.
        for index in from..to.min(bytes.len() as u32) {
            each(ordinal_at(
                bytes,
                ordinals_at + index as usize * width,
                width,
            ));
        }
    }

    /// The smallest and the largest ordinal of a document.
    #[inline]
    pub(crate) fn bounds(&self, local: u32) -> Option<(u32, u32)> {
        let mut bounds = None;
        self.for_each(local, |ordinal| match &mut bounds {
            None => bounds = Some((ordinal, ordinal)),
            Some((_, last)) => *last = ordinal,
        });
        bounds
    }
}

fn find_doc(docs: &[u8], n: usize, doc: u32) -> Option<usize> {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low.midpoint(high);
        if u32_at(docs, 4 * middle) < doc {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (low < n && u32_at(docs, 4 * low) == doc).then_some(low)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn rows(n_docs: u32) -> impl Strategy<Value = BTreeSet<(u32, u32)>> {
        let many = (0..n_docs, 0..700_u32);
        prop_oneof![
            proptest::collection::btree_set(many.clone(), 0..4),
            proptest::collection::btree_set(many, 0..400),
            proptest::collection::btree_set((0..n_docs).prop_map(|doc| (doc, doc / 3)), 0..100),
        ]
    }

    proptest! {
        /// Every document gets back exactly its ordinals, in order, in every layout.
        #[test]
        fn rows_are_read_back(rows in rows(90)) {
            let rows: Vec<(u32, u32)> = rows.into_iter().collect();
            let mut bytes = Vec::new();
            write(&rows, 700, 90, &mut bytes);
            let reader = OrdinalRows::new(OwnedBytes::new(bytes), 90).expect("the tables fit");
            for doc in 0..92 {
                let expected: Vec<u32> =
                    rows.iter().filter(|row| row.0 == doc).map(|row| row.1).collect();
                let mut read = Vec::new();
                reader.for_each(doc, |ordinal| read.push(ordinal));
                prop_assert_eq!(&read, &expected);
                let bounds = expected.first().copied().zip(expected.last().copied());
                prop_assert_eq!(reader.bounds(doc), bounds);
            }
        }
    }
}
