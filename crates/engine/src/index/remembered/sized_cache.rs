//! Values that cost much to make, with the moment they are true of; how many are kept is up to the
//! [`Room`](super::room::Room) that caches share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lru::LruCache;
use parking_lot::Mutex;

use super::change_log::Moment;
use super::room::Holder;
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
    values: Mutex<LruCache<Box<str>, Kept<V>>>,
    /// What the values and their keys take; changed under the lock alone.
    bytes: AtomicUsize,
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
    pub(super) fn new() -> Self {
        Self {
            values: Mutex::new(LruCache::unbounded()),
            bytes: AtomicUsize::new(0),
        }
    }

    /// The value under a key, if it is there.
    pub(crate) fn known(&self, key: &str) -> Option<Kept<V>> {
        self.values.lock().get(key).cloned()
    }

    /// Says that the value under a key is true of a later moment too.
    pub(crate) fn still_true(&self, key: &str, kept: &Kept<V>, now: Moment) {
        if let Some(held) = self.values.lock().peek_mut(key)
            && Arc::ptr_eq(&held.value, &kept.value)
        {
            held.at = held.at.max(now);
        }
    }

    /// Puts a value, of at most `largest` bytes with its key, under a key that has none of a later
    /// moment. A key may be longer than what it stands for: that of a filter has all its values.
    pub(super) fn keep(&self, key: &str, value: V, at: Moment, largest: usize) -> Arc<V> {
        let value = Arc::new(value);
        let mut values = self.values.lock();
        match values.peek(key) {
            Some(newer) if newer.at > at => return value,
            // Whoever made the same at the same time goes on with it: a column is filled in bit by bit.
            Some(same) if same.at == at => return Arc::clone(&same.value),
            Some(_) => self.forget(values.pop_entry(key)),
            None => {}
        }
        let bytes = held_with(key, &*value);
        if value.heap_size() > 0 && bytes <= largest {
            let kept = Kept {
                value: Arc::clone(&value),
                at,
            };
            values.put(key.into(), kept);
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        value
    }

    fn forget(&self, entry: Option<(Box<str>, Kept<V>)>) {
        let bytes = entry.map_or(0, |(key, kept)| held_with(&key, &*kept.value));
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

fn held_with(key: &str, value: &impl HeapSize) -> usize {
    key.len() + value.heap_size()
}

impl<V: HeapSize> Holder for SizedCache<V> {
    fn held_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn drop_oldest(&self) -> bool {
        let mut values = self.values.lock();
        let oldest = values.pop_lru();
        let is_any = oldest.is_some();
        self.forget(oldest);
        is_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(n: u32) -> DocSet {
        DocSet::full(n)
    }

    #[test]
    fn the_bytes_held_are_those_of_the_values() {
        let cache = SizedCache::new();
        for round in 0..500_u32 {
            let key = "key".repeat(1 + 300 * (round as usize % 7));
            let value = set(100_000 + 5_000 * (round % 11));
            cache.keep(&key, value, u64::from(round), 15_000);
            if round % 5 == 0 {
                cache.drop_oldest();
            }
            let values = cache.values.lock();
            let sizes = values
                .iter()
                .map(|(key, kept)| held_with(key, &*kept.value));
            assert_eq!(sizes.sum::<usize>(), cache.held_bytes());
            assert!(
                values
                    .iter()
                    .all(|(key, kept)| held_with(key, &*kept.value) <= 15_000)
            );
        }
    }

    #[test]
    fn a_key_takes_room_like_its_value() {
        let cache = SizedCache::new();
        let value = set(20_000).heap_size();
        cache.keep(&"k".repeat(1000), set(20_000), 1, value + 1000);
        assert_eq!(cache.held_bytes(), value + 1000);
        cache.keep(&"l".repeat(1001), set(20_000), 1, value + 1000);
        assert_eq!(cache.held_bytes(), value + 1000);
        assert!(cache.drop_oldest());
        assert_eq!(cache.held_bytes(), 0);
    }

    #[test]
    fn a_value_of_an_older_moment_never_replaces_a_newer_one() {
        let cache = SizedCache::new();
        cache.keep("key", set(20_000), 5, 100_000);
        assert_eq!(cache.keep("key", set(30_000), 4, 100_000).len(), 30_000);
        let kept = cache.known("key").expect("it is kept");
        assert_eq!((kept.value.len(), kept.at), (20_000, 5));
        cache.still_true("key", &kept, 9);
        assert_eq!(cache.known("key").expect("it is kept").at, 9);
    }
}
