//! A fixed number of bits: which rows of a file no longer count.

/// Bits, all clear at first.
#[derive(Clone, Debug)]
pub(crate) struct BitSet {
    words: Vec<u64>,
    n_set: u32,
}

impl BitSet {
    /// `n` clear bits.
    pub(crate) fn new(n: u32) -> Self {
        Self {
            words: vec![0; (n as usize).div_ceil(64)],
            n_set: 0,
        }
    }

    /// Sets a bit below the number of bits.
    pub(crate) fn insert(&mut self, at: u32) {
        let word = &mut self.words[at as usize / 64];
        let bit = 1 << (at % 64);
        self.n_set += u32::from(*word & bit == 0);
        *word |= bit;
    }

    /// Whether a bit is set; false past the end.
    pub(crate) fn contains(&self, at: u32) -> bool {
        let word = self.words.get(at as usize / 64);
        word.is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Number of set bits.
    pub(crate) fn len(&self) -> u32 {
        self.n_set
    }
}
