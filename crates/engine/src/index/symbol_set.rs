//! A set of symbols of one segment, and the search of packed symbols for its members.
//!
//! A search costs one look-up in a bitmap per symbol. On x86-64 with AVX2, found when the process
//! starts, eight symbols are unpacked and looked up together; both ways find the same.

use std::cell::RefCell;
use std::ops::Range;

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

/// Eight symbols at once.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_castsi256_ps,
        _mm256_i32gather_epi32, _mm256_loadu_si256, _mm256_movemask_ps, _mm256_set_m128i,
        _mm256_set1_epi32, _mm256_shuffle_epi8, _mm256_sllv_epi32, _mm256_srli_epi32,
        _mm256_srlv_epi32, _mm256_sub_epi32,
    };
    use std::sync::OnceLock;

    /// Widest symbol that lies within four bytes wherever it starts.
    const MAX_WIDTH: u8 = 25;
    /// Symbols of one step.
    const STEP: usize = 8;
    /// Bytes that a load takes.
    const LOAD: usize = 16;

    /// How eight packed symbols of one width are spread over eight lanes of 32 bits, for each bit
    /// of a byte that the first one may start at.
    pub(super) struct Lanes {
        width: usize,
        starts: [Start; 8],
    }

    struct Start {
        /// Byte from which the symbols of the upper four lanes are loaded.
        upper: usize,
        /// Which of the loaded bytes go to each lane.
        bytes: [u8; 32],
        /// How far the symbol in each lane is shifted.
        shifts: [u32; 8],
    }

    impl Lanes {
        fn new(width: usize) -> Self {
            let starts = std::array::from_fn(|bit| {
                let upper = (bit + 4 * width) / 8;
                let mut start = Start {
                    upper,
                    bytes: [0; 32],
                    shifts: [0; 8],
                };
                for lane in 0..STEP {
                    let first_bit = bit + lane * width;
                    let first = first_bit / 8 - if lane < 4 { 0 } else { upper };
                    for byte in 0..4 {
                        start.bytes[4 * lane + byte] = (first + byte) as u8;
                    }
                    start.shifts[lane] = (first_bit % 8) as u32;
                }
                start
            });
            Self { width, starts }
        }
    }

    /// The lanes of a width; `None` if this machine or the width needs the other way.
    pub(super) fn lanes(width: u8) -> Option<&'static Lanes> {
        static LANES: [OnceLock<Lanes>; MAX_WIDTH as usize + 1] =
            [const { OnceLock::new() }; MAX_WIDTH as usize + 1];
        if !is_x86_feature_detected!("avx2") {
            return None;
        }
        let lanes = LANES.get(usize::from(width))?;
        Some(lanes.get_or_init(|| Lanes::new(usize::from(width))))
    }

    /// A bit for each of the symbols that start at `first_bit` of `bytes`; `None` if the bytes end
    /// too soon behind them for wide loads. `bits` has a bit for every number of the width.
    #[inline]
    pub(super) fn members(
        lanes: &Lanes,
        bits: &[u64],
        bytes: &[u8],
        first_bit: usize,
        n_symbols: usize,
    ) -> Option<u64> {
        let steps = n_symbols.div_ceil(STEP);
        let from = first_bit / 8;
        let start = &lanes.starts[first_bit % 8];
        let last_load = from + (steps.max(1) - 1) * lanes.width + start.upper;
        let is_inside = last_load + LOAD <= bytes.len();
        if !is_inside || bits.len() * 64 < 1 << lanes.width {
            return None;
        }
        // SAFETY: AVX2 is there, or there were no lanes. The furthest load ends inside `bytes`,
        // and `bits` has a word for every number that fits into the width.
        let members = unsafe { look_up(lanes.width, start, bits, &bytes[from..], steps) };
        Some(if n_symbols == 64 {
            members
        } else {
            members & ((1 << n_symbols) - 1)
        })
    }

    /// # Safety
    /// The machine must have AVX2; `16 + start.upper + (steps - 1) * width` bytes must be in
    /// `bytes`, and `2^width` bits in `bits`.
    #[target_feature(enable = "avx2")]
    unsafe fn look_up(
        width: usize,
        start: &Start,
        bits: &[u64],
        bytes: &[u8],
        steps: usize,
    ) -> u64 {
        // SAFETY: both arrays are 32 bytes long.
        let (order, shifts) = unsafe {
            (
                _mm256_loadu_si256(start.bytes.as_ptr().cast::<__m256i>()),
                _mm256_loadu_si256(start.shifts.as_ptr().cast::<__m256i>()),
            )
        };
        let mask = _mm256_set1_epi32((1_i32 << width) - 1);
        let last_bit = _mm256_set1_epi32(31);
        let mut members = 0;
        for step in 0..steps {
            // Eight symbols take `width` bytes, so that each step starts at the same bit.
            let at = step * width;
            // SAFETY: the caller promises that both loads end inside `bytes`.
            let loaded = unsafe {
                let lower = _mm_loadu_si128(bytes.as_ptr().add(at).cast::<__m128i>());
                let upper = bytes.as_ptr().add(at + start.upper);
                _mm256_set_m128i(_mm_loadu_si128(upper.cast::<__m128i>()), lower)
            };
            let spread = _mm256_shuffle_epi8(loaded, order);
            let symbols = _mm256_and_si256(_mm256_srlv_epi32(spread, shifts), mask);
            let words = _mm256_srli_epi32::<5>(symbols);
            // SAFETY: a symbol is below `2^width`, so that its word is inside `bits`.
            let found = unsafe { _mm256_i32gather_epi32::<4>(bits.as_ptr().cast::<i32>(), words) };
            let bit = _mm256_and_si256(symbols, last_bit);
            let to_sign = _mm256_sllv_epi32(found, _mm256_sub_epi32(last_bit, bit));
            let signs = _mm256_movemask_ps(_mm256_castsi256_ps(to_sign)) as u32;
            members |= u64::from(signs) << (STEP * step);
        }
        members
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
