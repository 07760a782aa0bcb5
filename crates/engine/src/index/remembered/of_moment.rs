//! Values by the text of a request, true of one moment only.
//!
//! # Invariants
//! 1. What is recalled was kept for the same text, compared byte by byte, at the same moment.
//! 2. Values of an older moment never replace those of a newer one.
//!
//! # Cost
//! A hash of the text under a lock.

use std::mem::replace;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lru::LruCache;
use parking_lot::Mutex;

use super::change_log::Moment;
use super::room::Holder;
use super::sized_cache::HeapSize;

/// What a value takes with its key and its place, beside their bytes.
const ENTRY_BYTES: usize = 192;

/// The values of one moment.
pub(super) struct OfMoment<V> {
    held: Mutex<Held<V>>,
    /// What the values take; changed under the lock alone.
    bytes: AtomicUsize,
}

struct Held<V> {
    at: Moment,
    values: LruCache<Box<str>, Arc<V>>,
}

impl<V: HeapSize> OfMoment<V> {
    pub(super) fn new() -> Self {
        Self {
            held: Mutex::new(Held {
                at: 0,
                values: LruCache::unbounded(),
            }),
            bytes: AtomicUsize::new(0),
        }
    }

    /// What a value of so many bytes takes beside this request.
    pub(super) const fn entry_bytes(request: &str, value_bytes: usize) -> usize {
        request.len() + value_bytes + ENTRY_BYTES
    }

    /// The value that was kept for a request at this moment.
    pub(super) fn recall(&self, request: &str, now: Moment) -> Option<Arc<V>> {
        let mut held = self.held.lock();
        if held.at != now {
            return None;
        }
        held.values.get(request).cloned()
    }

    /// Keeps the value of a request, unless something newer is kept already.
    pub(super) fn keep(&self, request: &str, now: Moment, value: V) {
        // Thousands of values go when the lock is free again: the event loop waits for it.
        let mut outdated = None;
        let mut held = self.held.lock();
        if held.at > now {
            return;
        }
        if held.at < now {
            held.at = now;
            outdated = Some(replace(&mut held.values, LruCache::unbounded()));
            self.bytes.store(0, Ordering::Relaxed);
        }
        self.bytes
            .fetch_add(size_of(request, &value), Ordering::Relaxed);
        if let Some(replaced) = held.values.put(request.into(), Arc::new(value)) {
            self.bytes
                .fetch_sub(size_of(request, &*replaced), Ordering::Relaxed);
        }
        drop(held);
        drop(outdated);
    }
}

impl<V: HeapSize> Holder for OfMoment<V> {
    fn held_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn drop_oldest(&self) -> bool {
        let mut held = self.held.lock();
        let Some((request, value)) = held.values.pop_lru() else {
            return false;
        };
        self.bytes
            .fetch_sub(size_of(&request, &*value), Ordering::Relaxed);
        true
    }
}

fn size_of<V: HeapSize>(request: &str, value: &V) -> usize {
    OfMoment::<V>::entry_bytes(request, value.heap_size())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sized(usize);

    impl HeapSize for Sized {
        fn heap_size(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn values_are_of_one_moment() {
        let kept = OfMoment::new();
        kept.keep("a", 4, Sized(10));
        assert!(kept.recall("a", 4).is_some());
        assert!(kept.recall("a", 3).is_none());
        assert!(kept.recall("a", 5).is_none());
        kept.keep("b", 5, Sized(10));
        assert!(kept.recall("a", 5).is_none());
        kept.keep("a", 4, Sized(10));
        assert!(kept.recall("a", 4).is_none());
        assert!(kept.recall("b", 5).is_some());
    }

    #[test]
    fn the_bytes_held_are_those_of_the_values() {
        let kept = OfMoment::new();
        for round in 0..500_usize {
            let request = format!("request {}", round % 40);
            kept.keep(&request, round as u64 / 200, Sized(37 * round % 900));
            if round % 3 == 0 {
                kept.drop_oldest();
            }
            let held = kept.held.lock();
            let sizes = held.values.iter().map(|(key, kept)| size_of(key, &**kept));
            assert_eq!(sizes.sum::<usize>(), kept.held_bytes());
        }
    }
}
