//! Which segments were merged from which, since a generation was opened: so that a snapshot can
//! tell documents that moved from documents that changed.
//!
//! # Cost
//! A few identities for each merge that no snapshot has seen yet.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tantivy::index::SegmentId;

/// Merges that are known; a segment of an unknown one counts as new.
const MOST: usize = 1024;

/// Merges by the segment that they made.
#[derive(Clone, Debug, Default)]
pub(crate) struct MergeOrigins(Arc<Mutex<HashMap<SegmentId, Vec<SegmentId>>>>);

impl MergeOrigins {
    /// Says what a segment that is about to be made is made of.
    pub(crate) fn note(&self, target: SegmentId, sources: impl Iterator<Item = SegmentId>) {
        let mut origins = self.0.lock();
        if origins.len() >= MOST {
            origins.clear();
        }
        origins.insert(target, sources.collect());
    }

    /// Whether a segment was merged from nothing but known segments, by one merge or several.
    pub(crate) fn is_of(&self, segment: SegmentId, is_known: impl Fn(SegmentId) -> bool) -> bool {
        let origins = self.0.lock();
        let mut open = match origins.get(&segment) {
            Some(sources) => sources.clone(),
            None => return false,
        };
        while let Some(source) = open.pop() {
            if is_known(source) {
                continue;
            }
            match origins.get(&source) {
                Some(sources) => open.extend(sources),
                None => return false,
            }
        }
        true
    }

    /// Forgets how segments were made that are known now.
    pub(crate) fn forget(&self, is_known: impl Fn(SegmentId) -> bool) {
        self.0.lock().retain(|target, _| !is_known(*target));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_of_merges_is_traced_back_to_known_segments() {
        let [a, b, c, ab, abc] = std::array::from_fn(|_| SegmentId::generate_random());
        let origins = MergeOrigins::default();
        origins.note(ab, [a, b].into_iter());
        origins.note(abc, [ab, c].into_iter());
        assert!(origins.is_of(abc, |id| [a, b, c].contains(&id)));
        assert!(origins.is_of(abc, |id| [ab, c].contains(&id)));
        assert!(!origins.is_of(abc, |id| [a, b].contains(&id)));
        assert!(!origins.is_of(a, |_| true));
        origins.forget(|id| id == abc);
        assert!(!origins.is_of(abc, |_| true));
    }
}
