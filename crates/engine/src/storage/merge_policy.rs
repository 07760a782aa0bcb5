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

use tantivy::index::SegmentMeta;
use tantivy::indexer::{MergeCandidate, MergePolicy};

/// Segments up to this many documents share the lowest tier.
const LOWEST_TIER: u32 = 500;
const TIER_RATIO: u32 = 8;
const MAX_PER_TIER: usize = 4;
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

/// The policy of every index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FewSegments {
    /// Documents of a merge of several segments at most.
    max_merged: u64,
}

impl FewSegments {
    /// The policy of an index that may use so much memory for indexing.
    pub(crate) fn new(memory_bytes: usize) -> Self {
        let n_documents = (memory_bytes / MEMORY_SHARE / BYTES_PER_DOCUMENT) as u64;
        Self {
            max_merged: n_documents.max(MIN_MERGED),
        }
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

/// The segments to merge, by their places in the list; each list becomes one segment, of at most
/// `max_merged` documents unless it is only rewritten.
fn merges(sizes: &[Size], max_merged: u64) -> Vec<Vec<usize>> {
    let mut tiers: std::collections::BTreeMap<u32, Vec<usize>> = Default::default();
    let mut merges = Vec::new();
    for (at, size) in sizes.iter().enumerate() {
        if size.n_living <= MAX_DOCUMENTS {
            tiers.entry(tier(size.n_living)).or_default().push(at);
        } else if size.is_mostly_dead() {
            merges.push(vec![at]);
        }
    }
    for segments in tiers.into_values() {
        let merged = match segments.len() {
            MAX_PER_TIER.. => smallest(&segments, sizes, max_merged),
            _ => Vec::new(),
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
        let sizes: Vec<Size> = segments.iter().map(Size::of).collect();
        let candidates = merges(&sizes, self.max_merged).into_iter();
        candidates
            .map(|places| MergeCandidate(places.iter().map(|at| segments[*at].id()).collect()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most segments there were at once, and how often a document was rewritten on average,
    /// when batches of this many documents come one after the other and merges end at once.
    fn simulate(first: &[u32], batch: u32, n_batches: u32, max_merged: u64) -> (usize, f64) {
        let alive = |n_living| Size {
            n_living,
            n_dead: 0,
        };
        let mut sizes: Vec<Size> = first.iter().copied().map(alive).collect();
        let (mut most, mut n_rewritten) = (0, 0_u64);
        for _ in 0..n_batches {
            sizes.push(alive(batch));
            while let Some(places) = merges(&sizes, max_merged).into_iter().next() {
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
        let (most, rewritten) = simulate(&[1_000_000], 1, 20_000, u64::MAX);
        assert!(most <= 10, "{most} segments");
        assert!(rewritten < 90.0, "each rewritten {rewritten} times");
    }

    #[test]
    fn a_bulk_load_leaves_few_segments_and_is_rewritten_about_once_a_tier() {
        let (most, rewritten) = simulate(&[], 10_000, 400, u64::MAX);
        assert!(most <= 10, "{most} segments");
        assert!(rewritten < 4.5, "each rewritten {rewritten} times");
    }

    #[test]
    fn a_segment_is_rewritten_alone_once_a_fifth_of_it_is_dead() {
        let of = |n_living, n_dead| Size { n_living, n_dead };
        let sizes = [of(800, 200), of(799, 201), of(30_000_000, 9_000_000)];
        assert_eq!(merges(&sizes, u64::MAX), [vec![2], vec![1]]);
    }

    /// With room for a million documents in a merge, a load of four million ends in segments of
    /// nearly a million, without rewriting them more often than without that bound.
    #[test]
    fn a_merge_takes_no_more_documents_than_there_is_memory_for() {
        let (most, rewritten) = simulate(&[], 10_000, 400, 1_000_000);
        assert!(most <= 20, "{most} segments");
        assert!(rewritten < 4.5, "each rewritten {rewritten} times");
        let of = |n_living| Size {
            n_living,
            n_dead: 0,
        };
        let sizes = [of(600), of(900), of(500), of(700), of(800)];
        assert_eq!(merges(&sizes, u64::MAX), [vec![0, 1, 3, 4]]);
        assert_eq!(merges(&sizes, 2100), [vec![0, 3, 4]]);
        assert!(merges(&sizes, 1000).is_empty());
        assert_eq!(FewSegments::new(0).max_merged, MIN_MERGED);
        assert!(FewSegments::new(1 << 30).max_merged > u64::from(MAX_DOCUMENTS));
    }
}
