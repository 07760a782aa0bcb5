//! The room that the caches of an index share.
//!
//! Each has a share that is its own. What the others do not use it may use as well, until they want
//! it: then the one that is furthest beyond its share gives way, unless there is one that gives way
//! before others.
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
    /// Whether all that it holds beyond its share gives way before what others hold.
    fn gives_way_first(&self) -> bool {
        false
    }
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

    /// Bytes that are left where others hold so many.
    pub(super) fn left_by(&self, others: usize) -> usize {
        self.bytes().saturating_sub(others)
    }

    /// Whether so many bytes more would make one of the caches lose something, other than what gives way
    /// first.
    pub(super) fn is_full(&self, holders: &[(&dyn Holder, usize)], more: usize) -> bool {
        let lent = |(holder, n_parts): &(&dyn Holder, usize)| match holder.gives_way_first() {
            true => holder.held_bytes().saturating_sub(self.share(*n_parts)),
            false => 0,
        };
        let lent: usize = holders.iter().map(lent).sum();
        (held_bytes(holders) + more).saturating_sub(lent) > self.bytes()
    }

    /// Makes caches, each with the number of its parts, forget until all fit.
    pub(super) fn make(&self, holders: &[(&dyn Holder, usize)]) {
        Self::make_within(holders, self.bytes());
    }

    /// The same until they hold no more than so many bytes, as if that were the room.
    pub(super) fn make_within(holders: &[(&dyn Holder, usize)], bytes: usize) {
        while held_bytes(holders) > bytes {
            let beyond = |(holder, n_parts): &&(&dyn Holder, usize)| {
                let beyond = holder.held_bytes() as i128 - share_of(bytes, *n_parts) as i128;
                (beyond > 0 && holder.gives_way_first(), beyond)
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

    /// The same, but giving way first.
    struct Lent<'s>(&'s Sizes);

    impl Holder for Lent<'_> {
        fn held_bytes(&self) -> usize {
            self.0.held_bytes()
        }

        fn drop_oldest(&self) -> bool {
            self.0.drop_oldest()
        }

        fn gives_way_first(&self) -> bool {
            true
        }
    }

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
    fn what_is_lent_gives_way_before_others_down_to_its_share() {
        let caches = [Sizes::default(), Sizes::default()];
        let lent = Lent(&caches[1]);
        let holders: [(&dyn Holder, usize); 2] = [(&caches[0], 16), (&lent, 16)];
        let room = Room::new(6_400);
        caches[0].0.borrow_mut().extend([1_000; 3]);
        caches[1].0.borrow_mut().extend([100; 34]);
        assert!(!room.is_full(&holders, 1_800));
        assert!(room.is_full(&holders, 1_801));
        caches[0].0.borrow_mut().push(1_000);
        room.make(&holders);
        assert_eq!(caches.each_ref().map(Holder::held_bytes), [4_000, 2_400]);
        caches[0].0.borrow_mut().push(1_000);
        room.make(&holders);
        assert_eq!(caches.each_ref().map(Holder::held_bytes), [4_000, 1_600]);
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
