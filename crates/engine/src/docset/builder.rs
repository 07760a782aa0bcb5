//! Builds a set from ids in any order.

use super::{DocId, DocSet, Repr, SPARSE_RATIO, WORD_BITS};

/// Collects ids in any order, starting sparse and turning dense once that is cheaper.
#[derive(Debug)]
pub struct DocSetBuilder {
    ids: Vec<DocId>,
    words: Vec<u64>,
    universe: usize,
}

impl DocSetBuilder {
    /// For ids below `universe`; a larger id still works, at the price of growing.
    #[must_use]
    pub const fn new(universe: usize) -> Self {
        Self {
            ids: Vec::new(),
            words: Vec::new(),
            universe,
        }
    }

    /// Adds one id; adding it again changes nothing.
    pub fn insert(&mut self, id: DocId) {
        if self.words.is_empty() {
            self.ids.push(id);
            if self.ids.len() > (self.universe / SPARSE_RATIO).max(16) {
                self.turn_dense();
            }
        } else {
            self.set(id);
        }
    }

    /// Adds ids in any order.
    #[inline]
    pub fn insert_each(&mut self, ids: impl Iterator<Item = DocId>) {
        if self.words.is_empty() {
            ids.for_each(|id| self.insert(id));
        } else {
            ids.for_each(|id| self.set(id));
        }
    }

    /// Adds a whole set.
    pub fn insert_all(&mut self, set: &DocSet) {
        if let Repr::Dense(more) = &set.repr {
            self.turn_dense();
            if more.len() > self.words.len() {
                self.words.resize(more.len(), 0);
            }
            for (word, more) in self.words.iter_mut().zip(more.iter()) {
                *word |= more;
            }
        } else {
            set.iter().for_each(|id| self.insert(id));
        }
    }

    /// The set of all ids added.
    #[must_use]
    pub fn finish(self) -> DocSet {
        if self.words.is_empty() {
            return self.ids.into_iter().collect();
        }
        DocSet::from_words(self.words)
    }

    fn turn_dense(&mut self) {
        if self.words.is_empty() {
            self.words = vec![0; self.universe.div_ceil(WORD_BITS).max(1)];
        }
        for id in std::mem::take(&mut self.ids) {
            self.set(id);
        }
    }

    #[inline]
    fn set(&mut self, id: DocId) {
        let index = id as usize / WORD_BITS;
        if index >= self.words.len() {
            self.words.resize(index + 1, 0);
        }
        self.words[index] |= 1 << (id as usize % WORD_BITS);
    }
}
