//! Decides which segments to merge: few segments, little repeated work, few dead documents.
//!
//! Every segment repeats the dictionary work of a search, so there should be few. Segments are put
//! in tiers by size, each tier [`TIER_RATIO`] times larger than the one below; a tier that holds
//! [`MAX_PER_TIER`] segments is merged into one. A document is thereby rewritten about once per
//! tier; inside the lowest one, where segments of a few documents add up, about as often as a
//! sixth of its limit. A segment of which more than a fifth is dead is rewritten on its own.
//!
//! A merge holds some bytes of memory for each document, so that no more are merged at once than
//! the memory for indexing has room for; a tier then takes more merges, or keeps more segments.
//!
//! While documents keep coming, merges of large segments are put off until a tier holds
//! [`MAX_PER_TIER_PUT_OFF`]: what comes next is merged with them, so that fewer documents are
//! rewritten twice, and none while others wait to be indexed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tantivy::index::SegmentMeta;
use tantivy::indexer::{MergeCandidate, MergePolicy};

/// Segments up to this many documents share the lowest tier.
const LOWEST_TIER: u32 = 500;
const TIER_RATIO: u32 = 8;
const MAX_PER_TIER: usize = 4;
/// Segments in a tier from [`FIRST_PUT_OFF`] on that are merged even while documents keep coming.
const MAX_PER_TIER_PUT_OFF: usize = 8;
/// The lowest tier whose merges are put off. Those of the ones below cost little, and keep searches
/// fast beside a stream of single documents.
const FIRST_PUT_OFF: u32 = 2;
/// Segments above this many living documents are no longer merged with others.
const MAX_DOCUMENTS: u32 = 20_000_000;
/// A segment is rewritten when more than one document in this many is dead.
const DEAD_RATIO: u32 = 5;

/// One part of so many of the memory for indexing is for merges.
const MEMORY_SHARE: usize = 2;
/// Bytes that a merge holds for a document, roughly.
const BYTES_PER_DOCUMENT: usize = 24;
/// So many documents may be merged at once however little memory there is.
const MIN_MERGED: u64 = 1_000_000;

/// The policy of every index. Clones put merges off together.
#[derive(Debug, Clone)]
pub(crate) struct FewSegments {
    /// Documents of a merge of several segments at most.
    max_merged: u64,
    /// Whether merges of large segments are put off.
    puts_off: Arc<AtomicBool>,
}

impl FewSegments {
    /// The policy of an index that may use so much memory for indexing.
    pub(crate) fn new(memory_bytes: usize) -> Self {
        let n_documents = (memory_bytes / MEMORY_SHARE / BYTES_PER_DOCUMENT) as u64;
        Self {
            max_merged: n_documents.max(MIN_MERGED),
            puts_off: Arc::default(),
        }
    }

    /// Says whether merges of large segments are put off from now on; whether they were until now.
    pub(crate) fn put_off(&self, puts_off: bool) -> bool {
        self.puts_off.swap(puts_off, Ordering::AcqRel)
    }

    /// The merges that are due, whether they are put off or not.
    pub(crate) fn due(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        self.candidates(segments, false)
    }

    fn candidates(&self, segments: &[SegmentMeta], puts_off: bool) -> Vec<MergeCandidate> {
        let sizes: Vec<Size> = segments.iter().map(Size::of).collect();
        let candidates = merges(&sizes, self.max_merged, puts_off).into_iter();
        candidates
            .map(|places| MergeCandidate(places.iter().map(|at| segments[*at].id()).collect()))
            .collect()
    }
}

/// How many documents a segment has.
#[derive(Debug, Clone, Copy)]
struct Size {
    n_living: u32,
    n_dead: u32,
}

impl Size {
    fn of(segment: &SegmentMeta) -> Self {
        Self {
            n_living: segment.num_docs(),
            n_dead: segment.num_deleted_docs(),
        }
    }

    const fn is_mostly_dead(self) -> bool {
        self.n_dead > (self.n_living + self.n_dead) / DEAD_RATIO
    }
}

fn tier(n_docs: u32) -> u32 {
    let mut tier = 0;
    let mut limit = LOWEST_TIER;
    while n_docs > limit {
        tier += 1;
        limit = limit.saturating_mul(TIER_RATIO);
        if limit == u32::MAX {
            break;
        }
    }
    tier
}

/// So many segments of a tier are merged.
const fn max_per_tier(tier: u32, puts_off: bool) -> usize {
    if puts_off && tier >= FIRST_PUT_OFF {
        MAX_PER_TIER_PUT_OFF
    } else {
        MAX_PER_TIER
    }
}

/// The segments to merge, by their places in the list; each list becomes one segment, of at most
/// `max_merged` documents unless it is only rewritten.
fn merges(sizes: &[Size], max_merged: u64, puts_off: bool) -> Vec<Vec<usize>> {
    let mut tiers: std::collections::BTreeMap<u32, Vec<usize>> = Default::default();
    let mut merges = Vec::new();
    for (at, size) in sizes.iter().enumerate() {
        if size.n_living <= MAX_DOCUMENTS {
            tiers.entry(tier(size.n_living)).or_default().push(at);
        } else if size.is_mostly_dead() {
            merges.push(vec![at]);
        }
    }
    for (tier, segments) in tiers {
        let merged = if segments.len() < max_per_tier(tier, puts_off) {
            Vec::new()
        } else {
            smallest(&segments, sizes, max_merged)
        };
        if merged.len() > 1 {
            merges.push(merged);
        } else {
            let dead = segments
                .into_iter()
                .filter(|at| sizes[*at].is_mostly_dead());
            merges.extend(dead.map(|at| vec![at]));
        }
    }
    merges
}

/// As many of the smallest segments as hold `max_merged` documents, in their order.
fn smallest(segments: &[usize], sizes: &[Size], max_merged: u64) -> Vec<usize> {
    let mut ascending = segments.to_vec();
    ascending.sort_by_key(|at| sizes[*at].n_living);
    let mut n_documents = 0;
    ascending.retain(|at| {
        n_documents += u64::from(sizes[*at].n_living);
        n_documents <= max_merged
    });
    ascending.sort_unstable();
    ascending
}

impl MergePolicy for FewSegments {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        self.candidates(segments, self.puts_off.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most segments there were at once, and how often a document was rewritten on average,
    /// when batches of this many documents come one after the other and merges end at once.
    fn simulate(
        first: &[u32],
        batch: u32,
        n_batches: u32,
        (max_merged, puts_off): (u64, bool),
    ) -> (usize, f64) {
        let alive = |n_living| Size {
            n_living,
            n_dead: 0,
        };
        let mut sizes: Vec<Size> = first.iter().copied().map(alive).collect();
        let (mut most, mut n_rewritten) = (0, 0_u64);
        for number in 1..=n_batches {
            sizes.push(alive(batch));
            let puts_off = puts_off && number < n_batches;
            while let Some(places) = merges(&sizes, max_merged, puts_off).into_iter().next() {
                let merged = places.iter().map(|at| sizes[*at].n_living).sum();
                n_rewritten += u64::from(merged);
                let mut at = 0..;
                sizes.retain(|_| at.next().is_none_or(|at| !places.contains(&at)));
                sizes.push(alive(merged));
            }
            most = most.max(sizes.len());
        }
        let n_documents = u64::from(batch) * u64::from(n_batches);
        (most, n_rewritten as f64 / n_documents as f64)
    }

    #[test]
    fn single_documents_into_a_million_leave_few_segments_and_are_seldom_rewritten() {
        let (most, rewritten) = simulate(&[1_000_000], 1, 20_000, (u64::MAX, false));
        assert!(most <= 10, "{most} segments");
        assert!(rewritten < 90.0, "each rewritten {rewritten} times");
    }

    #[test]
    fn a_bulk_load_leaves_few_segments_and_is_rewritten_about_once_a_tier() {
        let (most, rewritten) = simulate(&[], 10_000, 400, (u64::MAX, false));
        assert!(most <= 10, "{most} segments");
        assert!(rewritten < 4.5, "each rewritten {rewritten} times");
    }

    #[test]
    fn a_bulk_load_is_rewritten_less_while_merges_are_put_off() {
        let (most, rewritten) = simulate(&[], 10_000, 400, (u64::MAX, true));
        assert!(most <= 22, "{most} segments");
        assert!(rewritten < 3.0, "each rewritten {rewritten} times");
    }

    #[test]
    fn single_documents_are_merged_at_once_while_more_of_them_wait() {
        let at_once = simulate(&[1_000_000], 1, 3_000, (u64::MAX, false));
        assert_eq!(simulate(&[1_000_000], 1, 3_000, (u64::MAX, true)), at_once);
    }

    #[test]
    fn a_segment_is_rewritten_alone_once_a_fifth_of_it_is_dead() {
        let of = |n_living, n_dead| Size { n_living, n_dead };
        let sizes = [of(800, 200), of(799, 201), of(30_000_000, 9_000_000)];
        assert_eq!(merges(&sizes, u64::MAX, true), [vec![2], vec![1]]);
    }

    /// With room for a million documents in a merge, a load of four million ends in segments of
    /// nearly a million, without rewriting them more often than without that bound.
    #[test]
    fn a_merge_takes_no_more_documents_than_there_is_memory_for() {
        let (most, rewritten) = simulate(&[], 10_000, 400, (1_000_000, false));
        assert!(most <= 20, "{most} segments");
        assert!(rewritten < 4.5, "each rewritten {rewritten} times");
        let of = |n_living| Size {
            n_living,
            n_dead: 0,
        };
        let sizes = [of(600), of(900), of(500), of(700), of(800)];
        assert_eq!(merges(&sizes, u64::MAX, false), [vec![0, 1, 3, 4]]);
        assert_eq!(merges(&sizes, 2100, false), [vec![0, 3, 4]]);
        assert!(merges(&sizes, 1000, false).is_empty());
        assert_eq!(FewSegments::new(0).max_merged, MIN_MERGED);
        assert!(FewSegments::new(1 << 30).max_merged > u64::from(MAX_DOCUMENTS));
    }
}
