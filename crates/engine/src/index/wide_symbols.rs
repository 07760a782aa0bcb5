//! Eight packed symbols at once, with AVX2.
//!
//! # Safety
//! Functions marked `unsafe` run only where [`lanes`] gave something: it looks for AVX2 when it is
//! first asked.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_cmpeq_epi32,
    _mm256_i32gather_epi32, _mm256_loadu_si256, _mm256_min_epu32, _mm256_movemask_epi8,
    _mm256_packs_epi16, _mm256_packs_epi32, _mm256_permutevar8x32_epi32, _mm256_set_m128i,
    _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_sllv_epi32, _mm256_srli_epi32, _mm256_srlv_epi32, _mm256_sub_epi32,
};
use std::sync::OnceLock;

use super::symbol_test::{CHUNK, SymbolTest};

/// Widest symbol that lies within four bytes wherever it starts.
const MAX_WIDTH: u8 = 25;
/// Symbols of one step.
const STEP: usize = 8;
/// Steps whose answers are packed into one mask of 32 bits.
const GROUP: usize = 4;
/// Groups of one call.
const MAX_GROUPS: usize = CHUNK / (GROUP * STEP);
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

/// Asks `tests` of the symbols that start at `first_bit` of `bytes`, and adds a bit for each symbol
/// that passes to the word of `found` beside the test; bits behind those of the `n_symbols` mean
/// nothing. Gives the bits that were added to any but the first word. `None`, and nothing is added, if the
/// bytes end too soon behind the symbols for wide loads.
#[inline]
pub(super) fn ask(
    lanes: &Lanes,
    tests: &[(usize, SymbolTest)],
    bytes: &[u8],
    first_bit: usize,
    n_symbols: usize,
    found: &mut [u64],
) -> Option<u64> {
    let from = first_bit / 8;
    let start = &lanes.starts[first_bit % 8];
    let is_short = n_symbols <= GROUP * STEP;
    let steps = GROUP * if is_short { 1 } else { MAX_GROUPS };
    if from + start.upper + (steps - 1) * lanes.width + LOAD > bytes.len() {
        return None;
    }
    let bytes = &bytes[from..];
    // SAFETY: AVX2 is there, or there were no lanes. The furthest load ends inside `bytes`.
    Some(unsafe {
        if is_short {
            ask_all::<1>(lanes.width, start, tests, bytes, found)
        } else {
            ask_all::<MAX_GROUPS>(lanes.width, start, tests, bytes, found)
        }
    })
}

/// How many groups there are is known to the compiler, so that all symbols stay in registers.
///
/// # Safety
/// The machine must have AVX2; `16 + start.upper + (GROUP * GROUPS - 1) * width` bytes must be in
/// `bytes`. A bitmap of a test has a bit for every number of the width.
#[target_feature(enable = "avx2")]
unsafe fn ask_all<const GROUPS: usize>(
    width: usize,
    start: &Start,
    tests: &[(usize, SymbolTest)],
    bytes: &[u8],
    found: &mut [u64],
) -> u64 {
    let unpacker = Unpacker::new(width, start);
    let mut unpacked = [[_mm256_setzero_si256(); GROUP]; GROUPS];
    for (nth, group) in unpacked.iter_mut().enumerate() {
        for (step, symbols) in group.iter_mut().enumerate() {
            // SAFETY: the caller promises that loads end inside `bytes`.
            *symbols = unsafe { unpacker.symbols(bytes, GROUP * nth + step) };
        }
    }
    let mut in_others = 0;
    for (target, test) in tests {
        let passed = match test {
            SymbolTest::Is(wanted) => {
                let wanted = _mm256_set1_epi32(*wanted as i32);
                passing(&unpacked, |symbols| _mm256_cmpeq_epi32(symbols, wanted))
            }
            SymbolTest::Within(range) => {
                let first = _mm256_set1_epi32(range.start as i32);
                let last = _mm256_set1_epi32((range.end - range.start - 1) as i32);
                passing(&unpacked, |symbols| {
                    let above = _mm256_sub_epi32(symbols, first);
                    _mm256_cmpeq_epi32(_mm256_min_epu32(above, last), above)
                })
            }
            // SAFETY: a symbol is below `2^width`, so that its word is inside the bitmap.
            SymbolTest::OneOf(set) => unsafe { members(&unpacked, set.bits()) },
        };
        found[*target] |= passed;
        in_others |= if *target == 0 { 0 } else { passed };
    }
    in_others
}

/// Not inlined: what it could share between the tests of a call would push the symbols of other tests
/// out of registers.
///
/// # Safety
/// `bits` must have a word for each symbol.
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn members<const GROUPS: usize>(unpacked: &[[__m256i; GROUP]; GROUPS], bits: &[u64]) -> u64 {
    // SAFETY: as the caller promises.
    passing(unpacked, |symbols| unsafe { members_of(bits, symbols) })
}

/// A bit for each symbol: the sign that `test` gives to its lane.
#[target_feature(enable = "avx2")]
#[inline]
fn passing<const GROUPS: usize>(
    unpacked: &[[__m256i; GROUP]; GROUPS],
    test: impl Fn(__m256i) -> __m256i,
) -> u64 {
    let mut passed = 0;
    for (nth, [a, b, c, d]) in unpacked.iter().enumerate() {
        // Called here and not by `map`, which is compiled without AVX2: nothing would be inlined.
        let signs = signs(test(*a), test(*b), test(*c), test(*d));
        passed |= u64::from(signs) << (GROUP * STEP * nth);
    }
    passed
}

struct Unpacker<'s> {
    width: usize,
    start: &'s Start,
    order: __m256i,
    shifts: __m256i,
    mask: __m256i,
}

impl<'s> Unpacker<'s> {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(width: usize, start: &'s Start) -> Self {
        // SAFETY: both arrays are 32 bytes long.
        let (order, shifts) = unsafe {
            (
                _mm256_loadu_si256(start.bytes.as_ptr().cast::<__m256i>()),
                _mm256_loadu_si256(start.shifts.as_ptr().cast::<__m256i>()),
            )
        };
        Self {
            width,
            start,
            order,
            shifts,
            mask: _mm256_set1_epi32((1_i32 << width) - 1),
        }
    }

    /// The eight symbols of a step.
    ///
    /// # Safety
    /// `16 + start.upper + step * width` bytes must be in `bytes`.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn symbols(&self, bytes: &[u8], step: usize) -> __m256i {
        // Eight symbols take `width` bytes, so that each step starts at the same bit.
        let at = step * self.width;
        // SAFETY: the caller promises that both loads end inside `bytes`.
        let loaded = unsafe {
            let lower = _mm_loadu_si128(bytes.as_ptr().add(at).cast::<__m128i>());
            let upper = bytes.as_ptr().add(at + self.start.upper);
            _mm256_set_m128i(_mm_loadu_si128(upper.cast::<__m128i>()), lower)
        };
        let spread = _mm256_shuffle_epi8(loaded, self.order);
        _mm256_and_si256(_mm256_srlv_epi32(spread, self.shifts), self.mask)
    }
}

/// By its sign, whether the bit of each symbol is set in `bits`.
///
/// # Safety
/// `bits` must have a word for each symbol.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn members_of(bits: &[u64], symbols: __m256i) -> __m256i {
    let last_bit = _mm256_set1_epi32(31);
    let words = _mm256_srli_epi32::<5>(symbols);
    // SAFETY: the caller promises that the words are inside `bits`.
    let found = unsafe { _mm256_i32gather_epi32::<4>(bits.as_ptr().cast::<i32>(), words) };
    let bit = _mm256_and_si256(symbols, last_bit);
    _mm256_sllv_epi32(found, _mm256_sub_epi32(last_bit, bit))
}

/// The sign bits of the lanes of a group, those of `a` first.
#[target_feature(enable = "avx2")]
#[inline]
fn signs(a: __m256i, b: __m256i, c: __m256i, d: __m256i) -> u32 {
    // Narrowing keeps the sign. It takes the lower halves of both operands first, then the upper ones.
    let narrowed = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_movemask_epi8(_mm256_permutevar8x32_epi32(narrowed, order)) as u32
}
