//! A set of symbols of one segment, and the search of packed symbols for its members.
//!
//! A search costs one look-up in a bitmap per symbol. On x86-64 with AVX2, found when the process
//! starts, eight symbols are unpacked and looked up together; both ways find the same.

use std::cell::RefCell;
use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use super::wide_symbols as wide;
use crate::storage::forward_reader::FieldRow;

/// Symbols searched in one call.
pub(super) const CHUNK: usize = 64;
/// Bitmaps kept per thread.
const POOLED: usize = 8;

thread_local! {
    static POOL: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

/// Symbols below two to the power of the width they are packed with.
pub(super) struct SymbolSet {
    /// A bit for every number of the width, so that no symbol, of a damaged file either, is
    /// outside.
    bits: Vec<u64>,
    #[cfg(target_arch = "x86_64")]
    lanes: Option<&'static wide::Lanes>,
}

impl SymbolSet {
    /// An empty set of symbols of `width` bits.
    pub(super) fn new(width: u8) -> Self {
        let mut bits = POOL.with_borrow_mut(Vec::pop).unwrap_or_default();
        bits.clear();
        bits.resize((1_usize << width).div_ceil(64), 0);
        Self {
            bits,
            #[cfg(target_arch = "x86_64")]
            lanes: wide::lanes(width),
        }
    }

    /// Adds a symbol of the width.
    pub(super) fn insert(&mut self, symbol: usize) {
        self.bits[symbol / 64] |= 1 << (symbol % 64);
    }

    /// Adds a range of symbols that is not empty.
    pub(super) fn insert_range(&mut self, range: &Range<u32>) {
        let (start, last_symbol) = (range.start as usize, range.end as usize - 1);
        let (first, last) = (start / 64, last_symbol / 64);
        let from = u64::MAX << (start % 64);
        let to = u64::MAX >> (63 - last_symbol % 64);
        if first == last {
            self.bits[first] |= from & to;
            return;
        }
        self.bits[first] |= from;
        self.bits[first + 1..last].fill(u64::MAX);
        self.bits[last] |= to;
    }

    /// The bitmap: a bit for every number of the width.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// Whether a symbol is in the set.
    pub(super) fn contains(&self, symbol: u32) -> bool {
        let word = self.bits.get(symbol as usize / 64).copied().unwrap_or(0);
        word >> (symbol % 64) & 1 == 1
    }

    /// A bit for each of up to [`CHUNK`] symbols of a field: whether it is in the set.
    #[inline]
    pub(super) fn members(&self, field: &FieldRow<'_>, start: usize, n_symbols: usize) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if let Some(lanes) = self.lanes {
            let (bytes, first_bit) = field.packed(start);
            if let Some(members) = wide::members(lanes, &self.bits, bytes, first_bit, n_symbols) {
                return members;
            }
        }
        self.members_one_by_one(field, start, n_symbols)
    }

    fn members_one_by_one(&self, field: &FieldRow<'_>, start: usize, n_symbols: usize) -> u64 {
        let mut members = 0;
        for at in 0..n_symbols {
            let symbol = field.symbol(start + at);
            let word = self.bits.get((symbol / 64) as usize).copied().unwrap_or(0);
            members |= (word >> (symbol % 64) & 1) << at;
        }
        members
    }
}

impl Drop for SymbolSet {
    fn drop(&mut self) {
        let bits = std::mem::take(&mut self.bits);
        // A thread that is ending has no pool any more; the bitmap then simply goes.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            if pool.len() < POOLED {
                pool.push(bits);
            }
        });
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::storage::bit_pack::BitWriter;

    proptest! {
        /// Eight at a time find what one at a time find, at every width and start.
        #[test]
        fn wide_and_narrow_searches_find_the_same(
            width in 1..=26_u8,
            values in proptest::collection::vec(any::<u64>(), 1..200),
            wanted in proptest::collection::vec(any::<u32>(), 0..20),
            range in any::<(u32, u32)>(),
            first in 0_usize..200,
            behind in 0_usize..40,
        ) {
            let below = 1_u64 << width;
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(width);
            values.iter().for_each(|value| writer.push(&mut bytes, value % below));
            writer.align(&mut bytes);
            bytes.extend(std::iter::repeat_n(0xff, 8 + behind));
            let mut set = SymbolSet::new(width);
            wanted.iter().for_each(|symbol| set.insert((u64::from(*symbol) % below) as usize));
            let (a, b) = (u64::from(range.0) % below, u64::from(range.1) % below);
            if a < b && wanted.len().is_multiple_of(2) {
                set.insert_range(&(a as u32..b as u32));
            }
            let first = first.min(values.len() - 1);
            let field = FieldRow::of_packed(&bytes, width, values.len());
            let n = CHUNK.min(values.len() - first);
            prop_assert_eq!(
                set.members(&field, first, n),
                set.members_one_by_one(&field, first, n)
            );
        }
    }
}
