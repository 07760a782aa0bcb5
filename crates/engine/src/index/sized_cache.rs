//! Values that cost much to make, kept within a budget of bytes.

use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

use crate::docset::DocSet;
use crate::query::{Summaries, TypoWords};

/// Values that are smaller than this are made again rather than kept.
const MIN_BYTES: usize = 1 << 10;

/// What a cache can hold.
pub(crate) trait HeapSize {
    /// Bytes on the heap.
    fn heap_size(&self) -> usize;
}

impl HeapSize for DocSet {
    fn heap_size(&self) -> usize {
        self.heap_bytes()
    }
}

impl HeapSize for Summaries {
    fn heap_size(&self) -> usize {
        self.heap_bytes().max(MIN_BYTES)
    }
}

impl HeapSize for TypoWords {
    fn heap_size(&self) -> usize {
        self.heap_bytes().max(MIN_BYTES)
    }
}

/// A cache of one snapshot.
pub(crate) struct SizedCache<V> {
    budget: usize,
    held: Mutex<Held<V>>,
}

struct Held<V> {
    values: LruCache<Box<str>, Arc<V>>,
    bytes: usize,
}

impl<V: HeapSize> SizedCache<V> {
    /// A cache for at most `budget` bytes.
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            budget,
            held: Mutex::new(Held {
                values: LruCache::unbounded(),
                bytes: 0,
            }),
        }
    }

    /// Bytes held at the most.
    pub(crate) const fn budget(&self) -> usize {
        self.budget
    }

    /// The value under a key, if it is there.
    pub(crate) fn known(&self, key: &str) -> Option<Arc<V>> {
        self.held.lock().values.get(key).map(Arc::clone)
    }

    /// The value under a key, made by `make` when it is not there.
    pub(crate) fn get(&self, key: &str, make: impl FnOnce() -> V) -> Arc<V> {
        self.known(key).unwrap_or_else(|| self.keep(key, make()))
    }

    /// Puts a value under a key, as long as there is room for it.
    pub(crate) fn keep(&self, key: &str, value: V) -> Arc<V> {
        let value = Arc::new(value);
        let bytes = value.heap_size();
        if (MIN_BYTES..self.budget).contains(&bytes) {
            let mut held = self.held.lock();
            if held.values.put(key.into(), Arc::clone(&value)).is_none() {
                held.bytes += bytes;
            }
            while held.bytes > self.budget {
                match held.values.pop_lru() {
                    Some((_, value)) => held.bytes -= value.heap_size(),
                    None => break,
                }
            }
        }
        value
    }
}
