//! Decisions read from bytes, one byte each; without bytes, always the first one.

/// Bytes that decide.
pub(crate) struct Choices<'b> {
    bytes: &'b [u8],
}

impl<'b> Choices<'b> {
    /// Decisions from the first byte on.
    pub(crate) const fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let Some((first, rest)) = self.bytes.split_first() else {
            return 0;
        };
        self.bytes = rest;
        usize::from(*first) % n.max(1)
    }

    /// Yes in one of `n` cases.
    pub(crate) fn one_of(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of the items.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Some of the items, in their order.
    pub(crate) fn some<T: Copy>(&mut self, items: &[T], n: usize) -> Vec<T> {
        items
            .iter()
            .filter(|_| self.below(n) == n - 1)
            .copied()
            .collect()
    }

    /// What is left.
    pub(crate) const fn rest(&self) -> &'b [u8] {
        self.bytes
    }
}
