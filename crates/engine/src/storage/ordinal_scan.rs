//! Reads the ordinals of many documents in loops of one layout each: see [`super::ordinal_rows`].
//!
//! # Cost
//! A nanosecond or two for each document where the layout gives every document a place.

use std::ops::Range;

use super::ordinal_rows::{DENSE, OrdinalRows, SINGLE};

impl OrdinalRows {
    /// Calls `each` for the ordinals of several documents, one document after the other.
    pub(crate) fn for_each_of(&self, locals: &[u32], mut each: impl FnMut(u32)) {
        match *self.bytes.as_slice() {
            [SINGLE, 1, ..] => self.single_of::<1>(locals, each),
            [SINGLE, 2, ..] => self.single_of::<2>(locals, each),
            [SINGLE, 3, ..] => self.single_of::<3>(locals, each),
            [SINGLE, 4, ..] => self.single_of::<4>(locals, each),
            [DENSE, 1, ..] => self.dense_of::<1>(locals, each),
            [DENSE, 2, ..] => self.dense_of::<2>(locals, each),
            [DENSE, 3, ..] => self.dense_of::<3>(locals, each),
            [DENSE, 4, ..] => self.dense_of::<4>(locals, each),
            _ => locals
                .iter()
                .for_each(|local| self.for_each(*local, &mut each)),
        }
    }

    /// Calls `each` for every document with an ordinal in a range, if that takes one look at each
    /// document; `None` where the layout is another one.
    pub(crate) fn for_each_within(&self, range: Range<u32>, each: impl FnMut(u32)) -> Option<()> {
        match *self.bytes.as_slice() {
            [SINGLE, 1, ..] => self.single_within::<1>(range, each),
            [SINGLE, 2, ..] => self.single_within::<2>(range, each),
            [SINGLE, 3, ..] => self.single_within::<3>(range, each),
            [SINGLE, 4, ..] => self.single_within::<4>(range, each),
            _ => return None,
        }
        Some(())
    }

    /// The ordinals of single rows, one more than they are.
    fn singles<const W: usize>(&self) -> &[[u8; W]] {
        let (ordinals, _) = self.bytes[2..].as_chunks::<W>();
        ordinals.get(..self.n_docs).unwrap_or_default()
    }

    fn single_of<const W: usize>(&self, locals: &[u32], mut each: impl FnMut(u32)) {
        let ordinals = self.singles::<W>();
        for local in locals {
            let above = ordinals.get(*local as usize).map_or(0, widened);
            if let Some(ordinal) = above.checked_sub(1) {
                each(ordinal);
            }
        }
    }

    fn single_within<const W: usize>(&self, range: Range<u32>, mut each: impl FnMut(u32)) {
        let n = range.end.saturating_sub(range.start);
        for (local, above) in self.singles::<W>().iter().enumerate() {
            // No ordinal wraps to the largest number, which is in no range.
            if widened(above).wrapping_sub(1).wrapping_sub(range.start) < n {
                each(local as u32);
            }
        }
    }

    fn dense_of<const W: usize>(&self, locals: &[u32], mut each: impl FnMut(u32)) {
        let (ends, _) = self.bytes[2..].as_chunks::<4>();
        let ends = ends.get(..self.n_docs).unwrap_or_default();
        let ordinals = self.bytes.get(2 + 4 * self.n_docs..).unwrap_or_default();
        let (ordinals, _) = ordinals.as_chunks::<W>();
        for local in locals {
            let local = *local as usize;
            let end_of = |nth: usize| ends.get(nth).map_or(0, widened) as usize;
            let from = local.checked_sub(1).map_or(0, end_of);
            let row = ordinals.get(from..end_of(local)).unwrap_or_default();
            row.iter().for_each(|ordinal| each(widened(ordinal)));
        }
    }
}

#[inline]
fn widened<const W: usize>(bytes: &[u8; W]) -> u32 {
    let mut wide = [0; 4];
    wide[..W].copy_from_slice(bytes);
    u32::from_le_bytes(wide)
}
