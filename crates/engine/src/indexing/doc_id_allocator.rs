//! Gives out document numbers: always the lowest one that is free.

use crate::docset::{DocId, DocSet};

/// The numbers in use while a batch is planned.
pub(crate) struct DocIdAllocator {
    used: Vec<u64>,
    /// No word before this one has a free number.
    cursor: usize,
}

impl DocIdAllocator {
    /// Starts from the documents that live.
    pub(crate) fn new(living: &DocSet) -> Self {
        Self {
            used: living.to_words(),
            cursor: 0,
        }
    }

    fn word(&mut self, id: DocId) -> &mut u64 {
        let index = id as usize / 64;
        if index >= self.used.len() {
            self.used.resize(index + 1, 0);
        }
        &mut self.used[index]
    }

    /// Takes the lowest free number.
    pub(crate) fn allocate(&mut self) -> DocId {
        while self.used.get(self.cursor) == Some(&u64::MAX) {
            self.cursor += 1;
        }
        let bits = self.used.get(self.cursor).copied().unwrap_or(0);
        let id = self.cursor as DocId * 64 + bits.trailing_ones();
        *self.word(id) |= 1 << (id % 64);
        id
    }

    /// Gives a number back.
    pub(crate) fn free(&mut self, id: DocId) {
        *self.word(id) &= !(1 << (id % 64));
        self.cursor = self.cursor.min(id as usize / 64);
    }

    /// Gives all numbers back.
    pub(crate) fn clear(&mut self) {
        self.used.clear();
        self.cursor = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever was freed before, the next number is the lowest one not in use.
        #[test]
        fn the_lowest_free_number_comes_first(
            living in proptest::collection::btree_set(0..200_u32, 0..150),
            steps in proptest::collection::vec(proptest::option::of(0..200_u32), 0..100),
        ) {
            let mut used: BTreeSet<DocId> = living.clone();
            let mut allocator = DocIdAllocator::new(&living.into_iter().collect());
            for step in steps {
                match step {
                    Some(id) => {
                        used.remove(&id);
                        allocator.free(id);
                    }
                    None => {
                        let lowest = (0..).find(|id| !used.contains(id)).expect("endless");
                        prop_assert_eq!(allocator.allocate(), lowest);
                        used.insert(lowest);
                    }
                }
            }
        }
    }
}
