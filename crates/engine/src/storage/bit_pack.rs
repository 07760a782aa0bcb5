//! Numbers of one fixed width in bits, packed without gaps, low bits first.
//!
//! Reading loads eight bytes at once, so the packed bytes must be followed by seven more readable
//! ones; files in which they stand end with a footer longer than that.

/// Widest supported number: with a start inside a byte it still fits into one load.
pub(crate) const MAX_WIDTH: u8 = 57;

/// Bits needed to write `max`; at least 1.
pub(crate) const fn width_of(max: u64) -> u8 {
    let width = (u64::BITS - max.leading_zeros()) as u8;
    if width == 0 { 1 } else { width }
}

/// Appends numbers of one width to a byte vector.
pub(crate) struct BitWriter {
    width: u8,
    pending: u64,
    n_pending: u8,
}

impl BitWriter {
    /// For numbers of `width` bits, at most [`MAX_WIDTH`].
    pub(crate) const fn new(width: u8) -> Self {
        debug_assert!(width <= MAX_WIDTH);
        Self {
            width,
            pending: 0,
            n_pending: 0,
        }
    }

    /// Appends one number.
    #[inline]
    pub(crate) fn push(&mut self, out: &mut Vec<u8>, value: u64) {
        self.pending |= value << self.n_pending;
        self.n_pending += self.width;
        while self.n_pending >= 8 {
            out.push(self.pending as u8);
            self.pending >>= 8;
            self.n_pending -= 8;
        }
    }

    /// Fills up the last byte with zeros, so that the next number starts a byte.
    pub(crate) fn align(&mut self, out: &mut Vec<u8>) {
        if self.n_pending > 0 {
            out.push(self.pending as u8);
            self.pending = 0;
            self.n_pending = 0;
        }
    }
}

/// Reads numbers of one width from a place in a file.
#[derive(Clone, Copy)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    width: usize,
    mask: u64,
}

impl<'a> BitReader<'a> {
    /// Reads from the start of `bytes`.
    pub(crate) const fn new(bytes: &'a [u8], width: u8) -> Self {
        Self {
            bytes,
            width: width as usize,
            mask: (1 << width) - 1,
        }
    }

    /// All the bytes, and the bit in them at which the number at `index` starts.
    #[inline]
    pub(crate) const fn packed(&self, index: usize) -> (&'a [u8], usize) {
        (self.bytes, index * self.width)
    }

    /// The number at `index`. Zero past the end of the bytes.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> u64 {
        let bit = index * self.width;
        let at = bit >> 3;
        match self.bytes.get(at..at + 8) {
            Some(chunk) => {
                let chunk = <[u8; 8]>::try_from(chunk).unwrap_or_default();
                (u64::from_le_bytes(chunk) >> (bit & 7)) & self.mask
            }
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Packed numbers are read back at every width.
        #[test]
        fn packed_numbers_are_read_back(
            width in 1..=MAX_WIDTH,
            values in proptest::collection::vec(any::<u64>(), 0..60),
        ) {
            let values: Vec<u64> = values.iter().map(|v| v & ((1 << width) - 1)).collect();
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(width);
            for value in &values {
                writer.push(&mut bytes, *value);
            }
            writer.align(&mut bytes);
            bytes.extend_from_slice(&[0xff; 8]);
            let reader = BitReader::new(&bytes, width);
            for (index, value) in values.iter().enumerate() {
                prop_assert_eq!(reader.get(index), *value);
            }
        }
    }
}
