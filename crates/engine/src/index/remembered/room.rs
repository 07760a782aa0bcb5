//! The room that the caches of an index share.
//!
//! Each has a share that is its own. What the others do not use it may use as well, until they want
//! it: then the one that is furthest beyond its share gives way.
//!
//! # Invariants
//! 1. Unless something is being kept, all caches together hold no more than the room.
//! 2. A cache within its share loses nothing to the others.
//!
//! # Cost
//! A look at a number of each cache whenever something is kept.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Shares are so many parts of the room.
const N_PARTS: usize = 64;

/// A cache among others.
pub(super) trait Holder {
    /// Bytes that it holds.
    fn held_bytes(&self) -> usize;
    /// Forgets what nobody asked for the longest; false if it holds nothing.
    fn drop_oldest(&self) -> bool;
}

/// Bytes that caches have together.
pub(super) struct Room(AtomicUsize);

impl Room {
    pub(super) const fn new(bytes: usize) -> Self {
        Self(AtomicUsize::new(bytes))
    }

    pub(super) fn resize(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Bytes of a share of so many parts.
    pub(super) fn share(&self, n_parts: usize) -> usize {
        share_of(self.bytes(), n_parts)
    }

    /// Whether so many bytes more would make one of the caches lose something.
    pub(super) fn is_full(&self, holders: &[(&dyn Holder, usize)], more: usize) -> bool {
        held_bytes(holders) + more > self.bytes()
    }

    /// Makes caches, each with the number of its parts, forget until all fit.
    pub(super) fn make(&self, holders: &[(&dyn Holder, usize)]) {
        Self::make_within(holders, self.bytes());
    }

    /// The same until they hold no more than so many bytes, as if that were the room.
    pub(super) fn make_within(holders: &[(&dyn Holder, usize)], bytes: usize) {
        while held_bytes(holders) > bytes {
            let beyond = |(holder, n_parts): &&(&dyn Holder, usize)| {
                holder.held_bytes() as i128 - share_of(bytes, *n_parts) as i128
            };
            let furthest = holders.iter().max_by_key(beyond);
            if !furthest.is_some_and(|(holder, _)| holder.drop_oldest()) {
                return;
            }
        }
    }
}

const fn share_of(bytes: usize, n_parts: usize) -> usize {
    bytes / N_PARTS * n_parts
}

/// Bytes that all of them hold.
pub(super) fn held_bytes(holders: &[(&dyn Holder, usize)]) -> usize {
    holders.iter().map(|(holder, _)| holder.held_bytes()).sum()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use proptest::prelude::*;

    use super::*;

    #[derive(Default)]
    struct Sizes(RefCell<Vec<usize>>);

    impl Holder for Sizes {
        fn held_bytes(&self) -> usize {
            self.0.borrow().iter().sum()
        }

        fn drop_oldest(&self) -> bool {
            let mut sizes = self.0.borrow_mut();
            let is_any = !sizes.is_empty();
            sizes.drain(..usize::from(is_any));
            is_any
        }
    }

    proptest! {
        #[test]
        fn all_fit_and_who_is_within_its_share_loses_nothing(
            added in proptest::collection::vec((0..3_usize, 1..400_usize), 1..200),
        ) {
            let caches = [Sizes::default(), Sizes::default(), Sizes::default()];
            let parts = [32, 24, 8];
            let holders: Vec<(&dyn Holder, usize)> =
                caches.iter().zip(parts).map(|(cache, n)| (cache as &dyn Holder, n)).collect();
            let room = Room::new(6_400);
            for (at, bytes) in added {
                caches[at].0.borrow_mut().push(bytes);
                let before: Vec<usize> = caches.iter().map(Holder::held_bytes).collect();
                let is_full = room.is_full(&holders, 0);
                room.make(&holders);
                prop_assert!(!room.is_full(&holders, 0));
                for (holder, (before, n)) in caches.iter().zip(before.into_iter().zip(parts)) {
                    let is_kept = !is_full || before <= room.share(n);
                    prop_assert!(!is_kept || holder.held_bytes() == before);
                }
            }
        }
    }

    #[test]
    fn what_others_leave_free_may_be_used() {
        let caches = [Sizes::default(), Sizes::default()];
        let holders: [(&dyn Holder, usize); 2] = [(&caches[0], 32), (&caches[1], 32)];
        let room = Room::new(6_400);
        caches[0].0.borrow_mut().extend([1_000; 6]);
        room.make(&holders);
        assert_eq!(caches[0].held_bytes(), 6_000);
        caches[1].0.borrow_mut().push(1_500);
        room.make(&holders);
        assert_eq!(caches[0].held_bytes(), 4_000);
        room.resize(3_200);
        room.make(&holders);
        assert_eq!(caches.each_ref().map(Holder::held_bytes), [1_000, 1_500]);
    }

    #[test]
    fn all_is_forgotten_for_others_whatever_the_shares() {
        let caches = [Sizes::default(), Sizes::default()];
        let holders: [(&dyn Holder, usize); 2] = [(&caches[0], 60), (&caches[1], 4)];
        caches[0].0.borrow_mut().extend([100; 6]);
        Room::make_within(&holders, 250);
        assert_eq!(caches[0].held_bytes(), 200);
        Room::make_within(&holders, 0);
        assert_eq!(caches[0].held_bytes(), 0);
    }
}
