//! The memory in which the searches of all indexes remember things.
//!
//! Each index has a [`Room`](super::room::Room) of its own, which a single index may fill. Where all
//! together would take more than they may, the one that was asked nothing for longest forgets, as much
//! as is wanted: what others have asked for meanwhile is worth more.
//!
//! # Invariants
//! Unless something is being kept, all indexes together hold no more than the pool.
//!
//! # Cost
//! A number is added to whenever something is kept. Once the pool is full: a look at each open index,
//! for one part in [`SPARE_PARTS`] of the pool.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::Remembered;

/// One part of so many is made free beyond what is wanted, so that it is not looked for each time.
const SPARE_PARTS: usize = 64;

/// Bytes that the searches of all indexes have together.
pub(in crate::index) struct SearchPool {
    bytes: usize,
    held: AtomicUsize,
    /// Goes on whenever something is kept.
    clock: AtomicU64,
    members: Mutex<Vec<Weak<Remembered>>>,
}

impl SearchPool {
    pub(in crate::index) const fn new(bytes: usize) -> Self {
        Self {
            bytes,
            held: AtomicUsize::new(0),
            clock: AtomicU64::new(0),
            members: Mutex::new(Vec::new()),
        }
    }

    /// Takes in an index that holds nothing yet.
    pub(super) fn join(&self, remembered: &Arc<Remembered>) {
        let mut members = self.members.lock();
        members.retain(|member| member.strong_count() > 0);
        members.push(Arc::downgrade(remembered));
    }

    #[cfg(test)]
    pub(in crate::index) fn held_bytes(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    fn beyond(&self, bytes: usize) -> usize {
        self.held.load(Ordering::Relaxed).saturating_sub(bytes)
    }

    /// Makes indexes forget, from the one that was asked nothing for longest on, until all fit.
    fn make_room(&self) {
        // Whoever has it makes room.
        let Some(members) = self.members.try_lock() else {
            return;
        };
        let mut members: Vec<Arc<Remembered>> = members.iter().filter_map(Weak::upgrade).collect();
        members.sort_by_cached_key(|member| member.share.asked.load(Ordering::Relaxed));
        for member in members {
            let wanted = self.beyond(self.bytes - self.bytes / SPARE_PARTS);
            if wanted == 0 {
                return;
            }
            member.give_way(wanted);
        }
    }
}

/// What an index takes of the pool.
pub(super) struct PoolShare {
    pool: Arc<SearchPool>,
    held: AtomicUsize,
    /// When it was asked for something, by the clock of the pool.
    asked: AtomicU64,
}

impl PoolShare {
    pub(super) fn new(pool: &Arc<SearchPool>) -> Self {
        Self {
            pool: Arc::clone(pool),
            held: AtomicUsize::new(0),
            asked: AtomicU64::new(pool.clock.load(Ordering::Relaxed)),
        }
    }

    /// Says that a search asks for something.
    #[inline]
    pub(super) fn is_asked(&self) {
        let now = self.pool.clock.load(Ordering::Relaxed);
        if self.asked.load(Ordering::Relaxed) != now {
            self.asked.store(now, Ordering::Relaxed);
        }
    }

    /// Says how many bytes are held now that something was kept; makes room where that is too much.
    pub(super) fn holds(&self, bytes: usize) {
        self.pool.clock.fetch_add(1, Ordering::Relaxed);
        self.holds_now(bytes);
        if self.pool.beyond(self.pool.bytes) > 0 {
            self.pool.make_room();
        }
    }

    /// Says how many bytes are held.
    pub(super) fn holds_now(&self, bytes: usize) {
        let before = self.held.swap(bytes, Ordering::Relaxed);
        // Both wrap around: what is added in the end is the difference.
        let change = bytes.wrapping_sub(before);
        self.pool.held.fetch_add(change, Ordering::Relaxed);
    }
}

impl Drop for PoolShare {
    fn drop(&mut self) {
        self.holds_now(0);
    }
}
