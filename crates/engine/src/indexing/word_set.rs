//! The distinct words of one document, as the string the `words` field takes.
//!
//! Membership is a table of hashes that is emptied by counting a new epoch instead of clearing, so
//! that a short document after a long one costs its own length only.

use crate::storage::forward_row::Symbol;
use crate::storage::word_tokenizer::WORD_SEPARATOR;

const FIRST_SLOTS: usize = 1024;

/// Collects words, each once.
pub(crate) struct WordSet {
    slots: Vec<(Symbol, u32)>,
    epoch: u32,
    n_words: usize,
    words: String,
}

impl Default for WordSet {
    fn default() -> Self {
        Self {
            slots: vec![(0, 0); FIRST_SLOTS],
            epoch: 1,
            n_words: 0,
            words: String::new(),
        }
    }
}

impl WordSet {
    /// Adds a word with its hash unless it is there.
    #[inline]
    pub(crate) fn insert(&mut self, word: &str, hash: Symbol) {
        if self.claim(hash) {
            if !self.words.is_empty() {
                self.words.push(WORD_SEPARATOR);
            }
            self.words.push_str(word);
            self.n_words += 1;
            if self.n_words * 2 > self.slots.len() {
                self.grow();
            }
        }
    }

    /// Takes a slot for the hash; false when it has one.
    fn claim(&mut self, hash: Symbol) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (held, epoch) = self.slots[at];
            if epoch != self.epoch {
                self.slots[at] = (hash, self.epoch);
                return true;
            }
            if held == hash {
                return false;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let slots = vec![(0, 0); self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, slots);
        for (hash, epoch) in old {
            if epoch == self.epoch {
                self.claim(hash);
            }
        }
    }

    /// The words so far, separated.
    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    /// Forgets all words, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.n_words = 0;
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.slots.fill((0, 0));
            self.epoch = 1;
        }
        self.words.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::storage::forward_row::hash_word;

    proptest! {
        /// Every document gets exactly its own words, each once, whatever came before it.
        #[test]
        fn each_document_gets_its_distinct_words(
            documents in proptest::collection::vec(proptest::collection::vec(0..4000_u32, 0..3000), 1..4)
        ) {
            let mut set = WordSet::default();
            for document in documents {
                let words: Vec<String> = document.iter().map(|n| format!("w{n}")).collect();
                words.iter().for_each(|word| set.insert(word, hash_word(word)));
                let mut taken: Vec<&str> =
                    set.words().split(WORD_SEPARATOR).filter(|word| !word.is_empty()).collect();
                taken.sort_unstable();
                let expected: BTreeSet<&str> = words.iter().map(String::as_str).collect();
                prop_assert_eq!(taken, expected.into_iter().collect::<Vec<_>>());
                set.clear();
            }
        }
    }
}
