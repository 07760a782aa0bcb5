//! Sets of documents of frequent words, kept within a budget of bytes.

use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

use crate::docset::DocSet;

/// Sets that cost less than this are rebuilt rather than kept.
const MIN_BYTES: usize = 1 << 10;

/// A cache of one snapshot.
pub(crate) struct WordCache {
    budget: usize,
    held: Mutex<Held>,
}

struct Held {
    sets: LruCache<Box<str>, Arc<DocSet>>,
    bytes: usize,
}

impl WordCache {
    /// A cache for at most `budget` bytes.
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            budget,
            held: Mutex::new(Held {
                sets: LruCache::unbounded(),
                bytes: 0,
            }),
        }
    }

    /// The set under a key, made by `make` when it is not there.
    pub(crate) fn get(&self, key: &str, make: impl FnOnce() -> DocSet) -> Arc<DocSet> {
        if let Some(set) = self.held.lock().sets.get(key) {
            return Arc::clone(set);
        }
        let set = Arc::new(make());
        let bytes = set.heap_bytes();
        if (MIN_BYTES..self.budget).contains(&bytes) {
            let mut held = self.held.lock();
            if held.sets.put(key.into(), Arc::clone(&set)).is_none() {
                held.bytes += bytes;
            }
            while held.bytes > self.budget {
                match held.sets.pop_lru() {
                    Some((_, set)) => held.bytes -= set.heap_bytes(),
                    None => break,
                }
            }
        }
        set
    }
}
