//! Deletes the document of an external id without trust in the files that are read for it.
//!
//! tantivy looks deleted terms up while it commits, on a thread whose panics end the process. Files
//! that were damaged make its readers panic.
//!
//! # Invariants
//! 1. A look-up that panics is a look-up that fails: the commit ends with an error.
//!
//! # Cost
//! That of the same look-up unguarded.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tantivy::error::DataCorruption;
use tantivy::index::SegmentReader;
use tantivy::query::{EnableScoring, Explanation, Query, Scorer, TermQuery, Weight};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId as LocalId, Score, TantivyError, Term};

use crate::storage::schema::Fields;

/// Finds the document of an external id.
#[derive(Clone, Debug)]
pub(super) struct GuardedDeletion(TermQuery);

impl GuardedDeletion {
    /// Of the document with this external id.
    pub(super) fn new(external_id: &str) -> Self {
        let term = Term::from_field_text(Fields::new().id, external_id);
        Self(TermQuery::new(term, IndexRecordOption::Basic))
    }
}

impl Query for GuardedDeletion {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(GuardedWeight(self.0.weight(scoring)?)))
    }
}

/// Looks the id up in one segment after the other.
struct GuardedWeight(Box<dyn Weight>);

impl Weight for GuardedWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        guarded(|| self.0.scorer(reader, boost))
    }

    fn explain(&self, reader: &SegmentReader, doc: LocalId) -> tantivy::Result<Explanation> {
        guarded(|| self.0.explain(reader, doc))
    }

    fn for_each_no_score(
        &self,
        reader: &SegmentReader,
        callback: &mut dyn FnMut(&[LocalId]),
    ) -> tantivy::Result<()> {
        guarded(|| self.0.for_each_no_score(reader, callback))
    }
}

/// What was being changed is thrown away by the caller along with the commit.
fn guarded<T>(read: impl FnOnce() -> tantivy::Result<T>) -> tantivy::Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        let message = "a file of a segment is damaged where documents are looked up by their ids";
        Err(TantivyError::DataCorruption(DataCorruption::comment_only(
            message,
        )))
    })
}
