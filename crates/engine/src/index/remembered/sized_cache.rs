//! Values that cost much to make, kept within a budget of bytes, with the moment they are true of.

use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

use super::change_log::Moment;
use crate::docset::DocSet;
use crate::query::{Summaries, TypoWords};

/// Values that are smaller than this are made again rather than kept; tests have small ones.
const MIN_BYTES: usize = if cfg!(test) { 1 } else { 1 << 10 };
/// What a small value takes with its key and its place.
const ENTRY_BYTES: usize = 160;

/// What a cache can hold.
pub(crate) trait HeapSize {
    /// Bytes on the heap; nothing when the value is not worth keeping.
    fn heap_size(&self) -> usize;
}

impl HeapSize for DocSet {
    fn heap_size(&self) -> usize {
        let bytes = self.heap_bytes();
        if bytes < MIN_BYTES { 0 } else { bytes }
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

impl HeapSize for Option<usize> {
    fn heap_size(&self) -> usize {
        ENTRY_BYTES
    }
}

/// A cache of a line of snapshots.
pub(crate) struct SizedCache<V> {
    budget: usize,
    held: Mutex<Held<V>>,
}

struct Held<V> {
    values: LruCache<Box<str>, Kept<V>>,
    bytes: usize,
}

/// A value, and the last moment it is known to be true of.
pub(crate) struct Kept<V> {
    pub(crate) value: Arc<V>,
    pub(crate) at: Moment,
}

impl<V> Clone for Kept<V> {
    fn clone(&self) -> Self {
        Self {
            value: Arc::clone(&self.value),
            at: self.at,
        }
    }
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
    pub(crate) fn known(&self, key: &str) -> Option<Kept<V>> {
        self.held.lock().values.get(key).cloned()
    }

    /// Says that the value under a key is true of a later moment too.
    pub(crate) fn still_true(&self, key: &str, kept: &Kept<V>, now: Moment) {
        if let Some(held) = self.held.lock().values.peek_mut(key)
            && Arc::ptr_eq(&held.value, &kept.value)
        {
            held.at = held.at.max(now);
        }
    }

    /// Puts a value under a key, as long as there is room for it and none of a later moment.
    pub(crate) fn keep(&self, key: &str, value: V, at: Moment) -> Arc<V> {
        let value = Arc::new(value);
        let bytes = value.heap_size();
        let mut guard = self.held.lock();
        let held = &mut *guard;
        match held.values.peek(key) {
            Some(newer) if newer.at > at => return value,
            Some(_) => held.remove(key),
            None => {}
        }
        if (1..self.budget).contains(&bytes) {
            let kept = Kept {
                value: Arc::clone(&value),
                at,
            };
            held.values.put(key.into(), kept);
            held.bytes += bytes;
            while held.bytes > self.budget {
                match held.values.pop_lru() {
                    Some((_, kept)) => held.bytes -= kept.value.heap_size(),
                    None => break,
                }
            }
        }
        value
    }
}

impl<V: HeapSize> Held<V> {
    fn remove(&mut self, key: &str) {
        if let Some(kept) = self.values.pop(key) {
            self.bytes -= kept.value.heap_size();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(n: u32) -> DocSet {
        DocSet::full(n)
    }

    #[test]
    fn the_budget_holds_whatever_replaces_what() {
        let cache = SizedCache::new(100_000);
        for round in 0..500_u32 {
            let key = format!("{}", round % 7);
            cache.keep(&key, set(100_000 + 5_000 * (round % 11)), u64::from(round));
            let held = cache.held.lock();
            let bytes: usize = held.values.iter().map(|(_, v)| v.value.heap_size()).sum();
            assert_eq!(bytes, held.bytes);
            assert!(bytes <= 100_000);
        }
    }

    #[test]
    fn a_value_of_an_older_moment_never_replaces_a_newer_one() {
        let cache = SizedCache::new(100_000);
        cache.keep("key", set(20_000), 5);
        assert_eq!(cache.keep("key", set(30_000), 4).len(), 30_000);
        let kept = cache.known("key").expect("it is kept");
        assert_eq!((kept.value.len(), kept.at), (20_000, 5));
        cache.still_true("key", &kept, 9);
        assert_eq!(cache.known("key").expect("it is kept").at, 9);
    }
}
