//! Symbols of a segment that is being built, in parts: a list that grows in one piece would be there
//! twice whenever it is copied to a larger place.
//!
//! # Cost
//! Eight bytes a symbol, and at most a part more.

use super::forward_row::Symbol;

/// Symbols of a part.
const PART_LEN: usize = 64 << 10;

/// Symbols in order.
#[derive(Default)]
pub(super) struct SymbolList {
    parts: Vec<Vec<Symbol>>,
}

impl SymbolList {
    /// Appends symbols.
    pub(super) fn extend(&mut self, mut symbols: &[Symbol]) {
        while !symbols.is_empty() {
            let room = self.parts.last().map_or(0, |part| PART_LEN - part.len());
            if room == 0 {
                // The first part may stay small.
                let is_first = self.parts.is_empty();
                let capacity = if is_first { 0 } else { PART_LEN };
                self.parts.push(Vec::with_capacity(capacity));
                continue;
            }
            let (fitting, rest) = symbols.split_at(room.min(symbols.len()));
            if let Some(part) = self.parts.last_mut() {
                part.extend_from_slice(fitting);
            }
            symbols = rest;
        }
    }

    /// Bytes of memory in use.
    pub(super) fn mem_usage(&self) -> usize {
        // Asked after every document: all parts but the first are of one size.
        let first = self.parts.first().map_or(0, Vec::capacity);
        let others = self.parts.len().saturating_sub(1) * PART_LEN;
        (first + others) * size_of::<Symbol>()
    }

    /// All symbols; the memory of a part goes with its last one.
    pub(super) fn into_symbols(self) -> impl Iterator<Item = Symbol> {
        self.parts.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_come_back_in_order_however_they_were_appended() {
        let mut list = SymbolList::default();
        let mut expected: Vec<Symbol> = Vec::new();
        for len in [0, 1, PART_LEN - 1, 3, 2 * PART_LEN, PART_LEN - 3, 7] {
            let start = expected.len() as Symbol;
            let symbols: Vec<Symbol> = (start..start + len as Symbol).collect();
            list.extend(&symbols);
            expected.extend(symbols);
            assert!(list.mem_usage() >= 8 * expected.len());
            assert!(list.mem_usage() <= 8 * (expected.len() + PART_LEN));
        }
        assert_eq!(list.into_symbols().collect::<Vec<_>>(), expected);
    }
}
