//! Which documents a search may answer.

use crate::shape::DocId;

/// A set of documents.
pub trait DocFilter {
    /// Whether a document is allowed.
    fn contains(&self, doc: DocId) -> bool;

    /// Number of allowed documents; more than there are does no harm but costs time.
    fn count(&self) -> u64;

    /// The allowed documents, ascending.
    fn docs(&self) -> Box<dyn Iterator<Item = DocId> + '_>;
}

/// A sorted list of documents.
impl DocFilter for &[DocId] {
    fn contains(&self, doc: DocId) -> bool {
        self.binary_search(&doc).is_ok()
    }

    fn count(&self) -> u64 {
        self.len() as u64
    }

    fn docs(&self) -> Box<dyn Iterator<Item = DocId> + '_> {
        Box::new(self.iter().copied())
    }
}
