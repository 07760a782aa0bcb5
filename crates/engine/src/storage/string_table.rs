//! The distinct strings of a column that is being built, numbered in order of first sight.
//!
//! They stand one after the other in one piece of memory, in the form in which the column will hold
//! them, and are found by the hash that comes with each: whether a string is known costs one look at
//! the table, and one at the string if it is.
//!
//! # Cost
//! 19 to 30 bytes for each distinct string beside its own.

use super::varint;

/// Slots of the smallest table.
const FIRST_SLOTS: usize = 16;

/// Strings by number, and numbers by string.
#[derive(Default)]
pub(super) struct StringTable {
    /// Hash and number, one more than that; 0 stands for an empty slot. At most three quarters are full.
    slots: Vec<(u32, u32)>,
    /// Where each string starts, by number.
    starts: Vec<usize>,
    entries: Vec<u8>,
}

impl StringTable {
    /// The number of a string, a new one if it was not met before. An entry is a varint length, a
    /// normalised form of that length, and what was written when it differs; equal ones must come with
    /// equal hashes.
    pub(super) fn number_of(&mut self, hash: u32, entry: &[u8]) -> u32 {
        if self.starts.len() * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (held, number) = self.slots[at];
            if number == 0 {
                let number = self.starts.len() as u32;
                self.slots[at] = (hash, number + 1);
                self.starts.push(self.entries.len());
                self.entries.extend_from_slice(entry);
                return number;
            }
            if held == hash && self.entry(number - 1) == entry {
                return number - 1;
            }
            at = (at + 1) & mask;
        }
    }

    /// The entry of the string with this number.
    pub(super) fn entry(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let end = self.starts.get(number + 1);
        &self.entries[self.starts[number]..end.copied().unwrap_or(self.entries.len())]
    }

    /// The numbers of all strings, ascending by normalised form, then by what was written.
    pub(super) fn in_order(&self) -> Vec<u32> {
        let numbers = 0..self.starts.len() as u32;
        // Most are told apart by their first bytes, without a look at the strings themselves.
        let mut keyed: Vec<(u64, u32)> = numbers
            .map(|number| (first_bytes(parts(self.entry(number)).0), number))
            .collect();
        keyed.sort_unstable_by(|(a, one), (b, other)| {
            let whole = || parts(self.entry(*one)).cmp(&parts(self.entry(*other)));
            a.cmp(b).then_with(whole)
        });
        keyed.into_iter().map(|(_, number)| number).collect()
    }

    /// Bytes of memory in use, roughly.
    pub(super) const fn mem_usage(&self) -> usize {
        8 * (self.slots.capacity() + self.starts.capacity()) + self.entries.capacity()
    }

    fn grow(&mut self) {
        let n_slots = (self.slots.len() * 2).max(FIRST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); n_slots]);
        for (hash, number) in old.into_iter().filter(|(_, number)| *number > 0) {
            let mut at = hash as usize & (n_slots - 1);
            while self.slots[at].1 > 0 {
                at = (at + 1) & (n_slots - 1);
            }
            self.slots[at] = (hash, number);
        }
    }
}

/// The normalised form of an entry, and what was written, empty when it is the same.
fn parts(entry: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    let len = varint::get(entry, &mut at) as usize;
    entry[at..].split_at(len)
}

/// Orders strings as they are ordered, if they differ here.
fn first_bytes(text: &[u8]) -> u64 {
    let mut first = [0; 8];
    let len = text.len().min(first.len());
    first[..len].copy_from_slice(&text[..len]);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::attribute_row::StringValue;
    use super::*;

    proptest! {
        /// Whatever comes in whatever order, and however many share a hash: each string has one
        /// number, and they are ordered by normalised form, then by what was written.
        #[test]
        fn strings_are_numbered_once_and_ordered(
            texts in proptest::collection::vec("[aAbé\u{0}]{0,12}", 0..300), n_hashes in 1..50_u32,
        ) {
            let mut table = StringTable::default();
            let mut first_met: Vec<(String, String)> = Vec::new();
            for written in &texts {
                let value = (written.to_lowercase(), written.clone());
                let hash = written.len() as u32 % n_hashes;
                let number = table.number_of(hash, StringValue::new(&value.0, written, hash).entry());
                let expected = first_met.iter().position(|met| *met == value);
                prop_assert_eq!(number as usize, expected.unwrap_or(first_met.len()));
                if expected.is_none() {
                    first_met.push(value);
                }
            }
            let ordered: Vec<_> = table.in_order().iter().map(|n| &first_met[*n as usize]).collect();
            // What was written comes before the rest where it is its own normalised form.
            let expected: BTreeSet<_> = first_met.iter().map(|value| {
                (&value.0, (value.0 != value.1).then_some(&value.1), value)
            }).collect();
            prop_assert_eq!(ordered, expected.into_iter().map(|(_, _, value)| value).collect::<Vec<_>>());
        }
    }
}
