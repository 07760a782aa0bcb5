//! What the open indexes of an engine share, so that a thousand of them take no more than some.

use std::sync::Arc;

use super::SearchMemory;
use super::kept_writers::KeptWriters;
use super::remembered::SearchPool;

/// What the open indexes of an engine share: which of them keep a writer, and the memory in which
/// their searches remember things.
#[derive(Clone)]
pub struct Shared {
    pub(super) writers: Arc<KeptWriters>,
    searches: Arc<SearchPool>,
}

impl Shared {
    /// For indexes whose searches remember things in so many bytes together.
    #[must_use]
    pub fn new(search_bytes: usize) -> Self {
        Self {
            writers: Arc::default(),
            searches: Arc::new(SearchPool::new(search_bytes)),
        }
    }

    /// Bytes that the searches of all indexes hold.
    #[cfg(test)]
    pub(crate) fn remembered_bytes(&self) -> usize {
        self.searches.held_bytes()
    }

    /// What the searches of one of the indexes may use.
    pub(crate) fn budget(&self, memory: SearchMemory) -> SearchBudget {
        SearchBudget {
            memory,
            pool: Arc::clone(&self.searches),
        }
    }
}

impl Default for Shared {
    /// For an index on its own, whose bounds are enough.
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

/// What the searches of an index may use.
#[derive(Clone)]
pub(crate) struct SearchBudget {
    /// Bounds of its own.
    pub(super) memory: SearchMemory,
    /// What all indexes have together.
    pub(super) pool: Arc<SearchPool>,
}
