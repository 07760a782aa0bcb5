//! Where words of queries are best cut into two, as far as a snapshot was asked.

use std::num::NonZeroUsize;

use lru::LruCache;
use parking_lot::Mutex;

/// Words remembered; about a hundred bytes each.
const WORDS: NonZeroUsize = NonZeroUsize::new(4096).expect("invariant: not zero");

/// The answers of one snapshot.
pub(crate) struct SplitCache(Mutex<LruCache<Box<str>, Option<usize>>>);

impl SplitCache {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(LruCache::new(WORDS)))
    }

    /// Where the word is cut, from `find` when it has not been asked for before.
    pub(crate) fn get(&self, word: &str, find: impl FnOnce() -> Option<usize>) -> Option<usize> {
        if let Some(known) = self.0.lock().get(word) {
            return *known;
        }
        let found = find();
        self.0.lock().put(word.into(), found);
        found
    }
}
