//! Variable-length integers: seven bits a byte, low bits first, high bit set on all but the last.
//!
//! Reading never looks past the slice: a cut number ends with what was there.

/// Appends `value`, one byte below 128, at most ten bytes.
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes that a number takes at the most.
pub(crate) const MAX_LEN: usize = 10;

/// Bytes that a number takes.
pub(crate) const fn len(value: u64) -> usize {
    (u64::BITS - (value | 1).leading_zeros()).div_ceil(7) as usize
}

/// Reads a number at `*at` and moves `*at` behind it.
#[inline]
pub(crate) fn get(bytes: &[u8], at: &mut usize) -> u64 {
    let mut value = 0_u64;
    let mut shift = 0;
    while let Some(byte) = bytes.get(*at) {
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 || shift >= 63 {
            break;
        }
        shift += 7;
    }
    value
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Numbers written one after the other are read back as they were.
        #[test]
        fn numbers_survive_a_round_trip(values in proptest::collection::vec(any::<u64>(), 0..50)) {
            let mut bytes = Vec::new();
            for value in &values {
                let before = bytes.len();
                put(&mut bytes, *value);
                prop_assert_eq!(bytes.len() - before, len(*value));
            }
            let mut at = 0;
            for value in &values {
                prop_assert_eq!(get(&bytes, &mut at), *value);
            }
            prop_assert_eq!(at, bytes.len());
        }
    }
}
