//! One long walk over documents, shared by processors that no other walk uses.
//!
//! The first search of a frequent word reads hundreds of thousands of documents, and most often nobody
//! else wants the other processors just then.
//!
//! # Cost
//! No more processor time than alone, but for the start of a helper, some tens of microseconds, which
//! comes only when it has shown that the walk takes much longer. There are helpers only for processors on
//! which no other walk is that has some: searches beside each other do not wait for helpers of one. Parts
//! are small, so that a thread that comes late takes fewer of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::threads::{n_cores, with_helpers};
use crate::docset::{DocSet, Iter};

/// Documents from which on a walk may be worth sharing; tests have few.
pub(crate) const MANY_DOCS: usize = if cfg!(test) { 6 } else { 1 << 12 };
/// How long a walk goes on alone: what documents cost depends on what is remembered of them.
const ALONE: Duration = Duration::from_micros(if cfg!(test) { 0 } else { 500 });
/// How much longer it must take for each helper: a short walk would be over little sooner, and take more
/// processor time.
const WORTH_ONE: Duration = Duration::from_nanos(if cfg!(test) { 1 } else { 4_000_000 });
/// Documents of a part.
const PART: usize = if cfg!(test) { 2 } else { 512 };

/// Some documents of the walk.
pub(crate) struct Part<'d> {
    /// Parts with a higher number have documents with higher ids.
    pub(crate) number: usize,
    /// The documents, ascending.
    pub(crate) docs: Iter<'d>,
}

/// What `work` makes of the documents, one result for each thread that took part: each is given the next
/// part when it asks for it. `None` if `is_over` said so, which is asked before each part.
pub(crate) fn in_parts<T: Send>(
    docs: &DocSet,
    is_over: &dyn Fn() -> bool,
    work: impl Fn(&mut dyn Iterator<Item = Part<'_>>) -> T + Sync,
) -> Option<Vec<T>> {
    let parts = docs.parts(PART);
    let next = AtomicUsize::new(0);
    let is_stopped = AtomicBool::new(false);
    let take = || {
        let number = next.fetch_add(1, Ordering::Relaxed);
        (number < parts.len()).then(|| Part {
            number,
            docs: parts.get(number),
        })
    };
    let there = || {
        work(&mut std::iter::from_fn(|| {
            let is_stopped = is_stopped.load(Ordering::Relaxed);
            (!is_stopped).then(take)?
        }))
    };
    let mut threads = Threads(0);
    let results = with_helpers(&there, |helpers| {
        let mut started = (docs.len() >= MANY_DOCS).then(Instant::now);
        let mut n_taken = 0;
        work(&mut std::iter::from_fn(|| {
            if is_over() {
                is_stopped.store(true, Ordering::Relaxed);
                return None;
            }
            let alone = started.map(|started| started.elapsed());
            if let Some(alone) = alone.filter(|alone| n_taken > 0 && *alone >= ALONE) {
                started = None;
                let n_left = parts.len() - n_taken;
                let rest = alone.mul_f64(n_left as f64 / n_taken as f64);
                threads = Threads::take((rest.as_nanos() / WORTH_ONE.as_nanos()) as usize);
                helpers.start(threads.n_helpers());
            }
            n_taken += 1;
            take()
        }))
    });
    drop(threads);
    (!is_stopped.into_inner()).then_some(results)
}

/// Threads of walks that are long enough to be shared, in the whole process.
static N_THREADS: AtomicUsize = AtomicUsize::new(0);

/// Those of one walk, until it is over; none if it is short.
struct Threads(usize);

impl Threads {
    /// The one that walks, and as many helpers as there are processors without a walk, `most` at the
    /// most.
    fn take(most: usize) -> Self {
        if most == 0 {
            return Self(0);
        }
        let before = N_THREADS.fetch_add(1 + most, Ordering::Relaxed);
        let n_helpers = most.min(n_cores().saturating_sub(before + 1));
        N_THREADS.fetch_sub(most - n_helpers, Ordering::Relaxed);
        Self(1 + n_helpers)
    }

    const fn n_helpers(&self) -> usize {
        self.0.saturating_sub(1)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        N_THREADS.fetch_sub(self.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::docset::DocId;

    #[test]
    fn every_document_is_in_one_part_and_parts_are_numbered_in_their_order() {
        for n in [0, 1, 5, 6, 64, 5000] {
            let docs = DocSet::full(n);
            let work = |parts: &mut dyn Iterator<Item = Part<'_>>| -> Vec<(usize, DocId)> {
                let mut seen = Vec::new();
                for Part { number, docs } in parts {
                    seen.extend(docs.map(|doc| (number, doc)));
                }
                seen
            };
            let seen = in_parts(&docs, &|| false, work).expect("nothing stops it");
            let mut seen: Vec<(usize, DocId)> = seen.into_iter().flatten().collect();
            seen.sort_unstable();
            assert!(seen.into_iter().map(|(_, doc)| doc).eq(0..n));
        }
    }

    #[test]
    fn a_walk_whose_time_is_over_gives_nothing() {
        let docs = DocSet::full(5000);
        let count = |parts: &mut dyn Iterator<Item = Part<'_>>| parts.count();
        assert!(in_parts(&docs, &|| true, count).is_none());
        let n_left = Cell::new(3);
        let is_over = || {
            n_left.set(n_left.get() - 1);
            n_left.get() == 0
        };
        let slow = |parts: &mut dyn Iterator<Item = Part<'_>>| {
            let wait = |_| std::thread::sleep(std::time::Duration::from_micros(50));
            parts.map(wait).count()
        };
        assert!(in_parts(&docs, &is_over, slow).is_none());
    }
}
