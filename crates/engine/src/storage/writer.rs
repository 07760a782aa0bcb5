//! The writer of a generation, and when the merges of its segments begin.
//!
//! # Invariants
//! 1. Merges that were put off begin with the next commit after which nothing follows, or when the
//!    writer is to be closed: none is forgotten while the writer is open.

use std::ops::{Deref, DerefMut};

use tantivy::indexer::{IndexWriter, MergeCandidate};

use super::indexed_document::IndexedDocument;
use super::merge_policy::FewSegments;

/// Writes documents and starts merges.
pub(crate) struct Writer {
    writer: IndexWriter<Box<IndexedDocument>>,
    policy: FewSegments,
}

impl Deref for Writer {
    type Target = IndexWriter<Box<IndexedDocument>>;

    fn deref(&self) -> &Self::Target {
        &self.writer
    }
}

impl DerefMut for Writer {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.writer
    }
}

impl Writer {
    pub(super) fn new(writer: IndexWriter<Box<IndexedDocument>>, policy: FewSegments) -> Self {
        writer.set_merge_policy(Box::new(policy.clone()));
        Self { writer, policy }
    }

    /// Says whether merges of large segments are put off: a commit, and segments that are written
    /// before it, begin those alone that cannot wait.
    pub(crate) fn put_merges_off(&self, puts_off: bool) {
        self.policy.put_off(puts_off);
    }

    /// Begins the merges that were put off; the commit after which nothing followed did not come.
    pub(crate) fn begin_merges(&mut self) {
        if self.policy.put_off(false) {
            for MergeCandidate(segments) in self.due_merges() {
                // Nobody waits for it. One that fails is due again after the next commit.
                drop(self.writer.merge(&segments));
            }
        }
    }

    /// Whether merges are under way, or put off: their segments are part of the commit until they
    /// end, and those for whose sake they were begun.
    pub(crate) fn has_merges(&self) -> bool {
        !self.due_merges().is_empty()
    }

    fn due_merges(&self) -> Vec<MergeCandidate> {
        let segments = self.writer.index().searchable_segment_metas();
        segments.map_or_else(|_| Vec::new(), |segments| self.policy.due(&segments))
    }

    /// Waits for merges that are under way and ends the threads of the writer. What was not
    /// committed is gone.
    ///
    /// # Errors
    /// When a thread has failed.
    pub(crate) fn wait_merging_threads(self) -> tantivy::Result<()> {
        self.writer.wait_merging_threads()
    }
}
