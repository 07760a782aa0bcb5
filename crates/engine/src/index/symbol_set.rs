//! A set of symbols of one segment: a bit for each.

use std::cell::RefCell;
use std::ops::Range;

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
}

impl SymbolSet {
    /// An empty set of symbols of `width` bits.
    pub(super) fn new(width: u8) -> Self {
        let mut bits = POOL.with_borrow_mut(Vec::pop).unwrap_or_default();
        bits.clear();
        bits.resize((1_usize << width).div_ceil(64), 0);
        Self { bits }
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
