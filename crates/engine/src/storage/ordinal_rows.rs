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

use std::io::{self, Write};

use tantivy::directory::OwnedBytes;

use super::doc_list::DocBits;

const NONE: u8 = 0;
pub(super) const SINGLE: u8 = 1;
pub(super) const DENSE: u8 = 2;
const SPARSE: u8 = 3;

/// What rows are like, counted while their values are sorted; decides over their layout.
pub(crate) struct RowShape {
    docs: DocBits,
    n_rows: u32,
    /// One more than the largest ordinal.
    pub(crate) n_ordinals: u32,
    n_docs: u32,
}

impl RowShape {
    /// No rows of `n_docs` documents.
    pub(crate) fn new(n_docs: u32) -> Self {
        Self {
            docs: DocBits::new(n_docs),
            n_rows: 0,
            n_ordinals: 0,
            n_docs,
        }
    }

    /// Documents that have values, and values of all of them.
    pub(crate) const fn n_docs_and_rows(&self) -> (u32, u32) {
        (self.docs.len(), self.n_rows)
    }

    /// Counts the documents of the next ordinal.
    pub(crate) fn count(&mut self, docs: &[u32]) {
        docs.iter().for_each(|doc| self.docs.insert(*doc));
        self.n_rows += docs.len() as u32;
        self.n_ordinals += 1;
    }
}

/// Goes through rows, pairs of document and ordinal in ascending order, as often as it is asked to.
pub(crate) type RowWalk<'w> =
    &'w dyn Fn(&mut dyn FnMut(u32, u32) -> io::Result<()>) -> io::Result<()>;

/// Appends rows, given as pairs of document and ordinal in ascending order.
pub(crate) fn write(rows: &[(u32, u32)], n_ordinals: u32, n_docs: u32, out: &mut Vec<u8>) {
    let mut shape = RowShape::new(n_docs);
    shape.n_ordinals = n_ordinals;
    shape.n_rows = rows.len() as u32;
    rows.iter().for_each(|(doc, _)| shape.docs.insert(*doc));
    let walk = |each: &mut dyn FnMut(u32, u32) -> io::Result<()>| {
        rows.iter()
            .try_for_each(|(doc, ordinal)| each(*doc, *ordinal))
    };
    // Writing to memory cannot fail.
    let _ = write_walked(&walk, &shape, out);
}

/// Writes rows of a shape; walks through them up to three times.
///
/// # Errors
/// When they cannot be written.
pub(crate) fn write_walked(
    walk: RowWalk<'_>,
    shape: &RowShape,
    out: &mut dyn Write,
) -> io::Result<()> {
    if shape.n_rows == 0 {
        return out.write_all(&[NONE]);
    }
    let width = bytes_for(shape.n_ordinals);
    let (n_with, n_rows) = (shape.docs.len() as usize, shape.n_rows as usize);
    let sparse_cost = n_with * 8 + n_rows * width as usize;
    let single_cost = shape.n_docs as usize * width as usize;
    let dense_cost = shape.n_docs as usize * 4 + n_rows * width as usize;
    if n_with == n_rows && single_cost <= sparse_cost {
        return write_single(walk, shape.n_docs, width, out);
    }
    if dense_cost <= sparse_cost {
        out.write_all(&[DENSE, width])?;
        // The documents up to here have their ends.
        let (mut next, mut end) = (0, 0_u32);
        walk(&mut |doc, _| {
            put_ends(out, doc - next, end)?;
            (next, end) = (doc, end + 1);
            Ok(())
        })?;
        put_ends(out, shape.n_docs - next, end)?;
    } else {
        out.write_all(&[SPARSE, width])?;
        out.write_all(&shape.docs.len().to_le_bytes())?;
        let mut written = Ok(());
        shape.docs.for_each(|doc| {
            if written.is_ok() {
                written = out.write_all(&doc.to_le_bytes());
            }
        });
        written?;
        let (mut last, mut end) = (None, 0_u32);
        walk(&mut |doc, _| {
            if last.is_some_and(|last| last != doc) {
                put_ends(out, 1, end)?;
            }
            (last, end) = (Some(doc), end + 1);
            Ok(())
        })?;
        put_ends(out, 1, end)?;
    }
    walk(&mut |_, ordinal| put(out, ordinal, width))
}

/// One ordinal for each document, or none.
fn write_single(walk: RowWalk<'_>, n_docs: u32, width: u8, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&[SINGLE, width])?;
    let mut next = 0;
    walk(&mut |doc, ordinal| {
        (next..doc).try_for_each(|_| put(out, 0, width))?;
        next = doc + 1;
        put(out, ordinal + 1, width)
    })?;
    (next..n_docs).try_for_each(|_| put(out, 0, width))
}

fn put_ends(out: &mut dyn Write, n: u32, end: u32) -> io::Result<()> {
    (0..n).try_for_each(|_| out.write_all(&end.to_le_bytes()))
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

fn put(out: &mut dyn Write, ordinal: u32, width: u8) -> io::Result<()> {
    out.write_all(&ordinal.to_le_bytes()[..width as usize])
}

/// Reads rows from mapped memory.
#[derive(Clone)]
pub(crate) struct OrdinalRows {
    pub(super) bytes: OwnedBytes,
    pub(super) n_docs: usize,
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
            let locals: Vec<u32> = (0..92).step_by(3).collect();
            let (mut one_by_one, mut together) = (Vec::new(), Vec::new());
            locals.iter().for_each(|doc| reader.for_each(*doc, |ordinal| one_by_one.push(ordinal)));
            reader.for_each_of(&locals, |ordinal| together.push(ordinal));
            prop_assert_eq!(together, one_by_one);
            let mut within = Vec::new();
            if reader.for_each_within(3..80, |doc| within.push(doc)).is_some() {
                let holders = rows.iter().filter(|row| (3..80).contains(&row.1));
                prop_assert_eq!(within, holders.map(|row| row.0).collect::<Vec<_>>());
            }
        }
    }
}
