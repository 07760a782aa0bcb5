//! Tests of packed symbols, many symbols and several tests at a time.

use std::ops::Range;

use super::symbol_set::SymbolSet;
#[cfg(target_arch = "x86_64")]
use super::wide_symbols::{self as wide, Lanes};
use crate::storage::forward_reader::FieldRow;

/// Symbols tested in one call.
pub(super) const CHUNK: usize = 64;

/// What is asked of a symbol.
pub(super) enum SymbolTest {
    /// Whether it is this one.
    Is(u32),
    /// Whether it is in a range that is not empty.
    Within(Range<u32>),
    /// Whether it is in a set.
    OneOf(SymbolSet),
}

/// Tests with the numbers of the masks that they add to.
pub(super) struct SymbolTests {
    tests: Vec<(usize, SymbolTest)>,
    #[cfg(target_arch = "x86_64")]
    lanes: Option<&'static Lanes>,
}

impl SymbolTests {
    /// Tests of symbols of `width` bits.
    pub(super) fn new(width: u8, tests: Vec<(usize, SymbolTest)>) -> Self {
        Self {
            tests,
            #[cfg(target_arch = "x86_64")]
            lanes: wide::lanes(width),
        }
    }

    /// Sets a bit for each of up to [`CHUNK`] symbols that passes a test, in the mask of the test;
    /// all other bits are cleared. Gives the symbols of all masks but the first: reading these together
    /// just after they were written one by one would make the processor wait.
    #[inline]
    pub(super) fn ask(&self, row: &FieldRow<'_>, start: usize, n: usize, masks: &mut [u64]) -> u64 {
        masks.fill(0);
        #[cfg(target_arch = "x86_64")]
        if let Some(lanes) = self.lanes {
            let (bytes, first_bit) = row.packed(start);
            if let Some(in_others) = wide::ask(lanes, &self.tests, bytes, first_bit, n, masks) {
                let asked = u64::MAX.checked_shr((CHUNK - n) as u32).unwrap_or(0);
                if n < CHUNK {
                    masks.iter_mut().for_each(|mask| *mask &= asked);
                }
                return in_others & asked;
            }
        }
        self.ask_one_by_one(row, start, n, masks)
    }

    fn ask_one_by_one(&self, row: &FieldRow<'_>, start: usize, n: usize, masks: &mut [u64]) -> u64 {
        for at in 0..n {
            let symbol = row.symbol(start + at) as u32;
            for (target, test) in &self.tests {
                let passes = match test {
                    SymbolTest::Is(wanted) => symbol == *wanted,
                    SymbolTest::Within(range) => range.contains(&symbol),
                    SymbolTest::OneOf(set) => set.contains(symbol),
                };
                masks[*target] |= u64::from(passes) << at;
            }
        }
        masks.iter().skip(1).fold(0, |all, mask| all | mask)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::storage::bit_pack::BitWriter;

    proptest! {
        /// Many symbols at a time give what one at a time gives, at every width and start.
        #[test]
        fn wide_and_narrow_tests_agree(
            width in 1..=26_u8,
            values in proptest::collection::vec(any::<u64>(), 1..200),
            wanted in proptest::collection::vec(any::<u32>(), 1..20),
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
            let cut = |symbol: u32| (u64::from(symbol) % below) as u32;
            let mut set = SymbolSet::new(width);
            wanted.iter().for_each(|symbol| set.insert(cut(*symbol) as usize));
            let (a, b) = (cut(range.0), cut(range.1));
            if a < b && wanted.len().is_multiple_of(2) {
                set.insert_range(&(a..b));
            }
            let all = [
                (0, SymbolTest::Is(cut(wanted[0]))),
                (1, SymbolTest::Within(a.min(b)..a.max(b) + 1)),
                (2, SymbolTest::OneOf(set)),
                (3, SymbolTest::Is(values[0] as u32 % below as u32)),
                (3, SymbolTest::Is(cut(wanted[0]))),
            ];
            let tests = SymbolTests::new(width, all.into());
            let first = first.min(values.len() - 1);
            let row = FieldRow::of_packed(&bytes, width, values.len());
            let n = CHUNK.min(values.len() - first);
            let (mut wide, mut narrow) = ([1; 4], [0; 4]);
            let in_others = tests.ask(&row, first, n, &mut wide);
            let expected = tests.ask_one_by_one(&row, first, n, &mut narrow);
            prop_assert_eq!((wide, in_others), (narrow, expected));
        }
    }
}
