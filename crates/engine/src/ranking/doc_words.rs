//! Where the words of a query stand in the documents that were read whole, for the rules to come.
//!
//! # Cost
//! Six bytes per occurrence and four per document of the index; nothing for searches over few
//! documents, which are read again instead.

use std::cell::RefCell;
use std::ops::Range;

use crate::docset::DocId;
use crate::query::Occurrence;

/// Documents from which on reading is remembered; tests have few.
const MANY_DOCS: usize = if cfg!(test) { 2 } else { 4096 };
/// Occurrences kept at the most.
const MAX_OCCURRENCES: usize = 1 << 22;

/// Occurrences of every slot of a query, document by document.
#[derive(Debug)]
pub struct DocWords {
    kept: Option<RefCell<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    /// By document, one more than its place in `ends`; 0 for documents that were not read.
    places: Vec<u32>,
    /// Ends of the occurrences of each document read, in the order of reading.
    ends: Vec<u32>,
    occurrences: Vec<Occurrence>,
}

impl DocWords {
    /// Remembers what is read of a query that `n_docs` documents match.
    #[must_use]
    pub fn new(n_docs: usize) -> Self {
        Self {
            kept: (n_docs >= MANY_DOCS).then(RefCell::default),
        }
    }

    /// Whether anything is remembered.
    pub(super) const fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Gives `with` the occurrences in a document that was read whole; false if none was kept.
    pub(super) fn give(&self, doc: DocId, with: impl FnOnce(&[Occurrence])) -> bool {
        let Some(kept) = &self.kept else {
            return false;
        };
        let kept = kept.borrow();
        let range = kept.range_of(doc);
        if let Some(range) = &range {
            with(&kept.occurrences[range.clone()]);
        }
        range.is_some()
    }

    /// Keeps all occurrences in a document, unless there are too many of others.
    pub(super) fn keep(&self, doc: DocId, occurrences: &[Occurrence]) {
        if let Some(kept) = &self.kept {
            kept.borrow_mut().keep(doc, occurrences);
        }
    }
}

impl Kept {
    fn range_of(&self, doc: DocId) -> Option<Range<usize>> {
        let place = self.places.get(doc as usize)?.checked_sub(1)? as usize;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(start as usize..self.ends[place] as usize)
    }

    fn keep(&mut self, doc: DocId, occurrences: &[Occurrence]) {
        if self.occurrences.len() + occurrences.len() > MAX_OCCURRENCES {
            return;
        }
        self.occurrences.extend_from_slice(occurrences);
        self.ends.push(self.occurrences.len() as u32);
        let at = doc as usize;
        if at >= self.places.len() {
            self.places.resize(at + 1, 0);
        }
        self.places[at] = self.ends.len() as u32;
    }
}
