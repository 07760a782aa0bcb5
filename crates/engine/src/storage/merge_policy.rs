//! Decides which segments to merge: few segments, little repeated work, few dead documents.
//!
//! Every segment repeats the dictionary work of a search, so there should be few. Segments are put
//! in tiers by size, each tier [`TIER_RATIO`] times larger than the one below; a tier that holds
//! [`MAX_PER_TIER`] segments is merged into one. A document is thereby rewritten about once per
//! tier. A segment of which more than a fifth is dead is rewritten on its own.

use tantivy::index::SegmentMeta;
use tantivy::indexer::{MergeCandidate, MergePolicy};

/// Segments up to this many documents share the lowest tier.
const LOWEST_TIER: u32 = 4_000;
const TIER_RATIO: u32 = 8;
const MAX_PER_TIER: usize = 4;
/// Segments above this many living documents are no longer merged with others.
const MAX_DOCUMENTS: u32 = 20_000_000;
/// A segment is rewritten when more than one document in this many is dead.
const DEAD_RATIO: u32 = 5;

/// The policy of every index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FewSegments;

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

fn is_mostly_dead(segment: &SegmentMeta) -> bool {
    segment.num_deleted_docs() > segment.max_doc() / DEAD_RATIO
}

impl MergePolicy for FewSegments {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let mut tiers: std::collections::BTreeMap<u32, Vec<&SegmentMeta>> = Default::default();
        let mut alone = Vec::new();
        for segment in segments {
            if segment.num_docs() <= MAX_DOCUMENTS {
                tiers
                    .entry(tier(segment.num_docs()))
                    .or_default()
                    .push(segment);
            } else if is_mostly_dead(segment) {
                alone.push(MergeCandidate(vec![segment.id()]));
            }
        }
        for segments in tiers.values() {
            if segments.len() >= MAX_PER_TIER {
                alone.push(MergeCandidate(
                    segments.iter().map(|meta| meta.id()).collect(),
                ));
            } else {
                let dead = segments.iter().filter(|segment| is_mostly_dead(segment));
                alone.extend(dead.map(|segment| MergeCandidate(vec![segment.id()])));
            }
        }
        alone
    }
}
