//! The final state of every document a batch touches, worked out before anything is written.
//!
//! Operations are applied one after the other to an overlay over the committed snapshot, so that
//! each document is written once and an operation that fails leaves nothing behind.
//!
//! # Invariants
//! 1. A document keeps its number while it lives; a deleted one gives it back at once.
//! 2. Writes stand in order of first touch.
//!
//! # Cost
//! About 110 bytes for each document of a batch, until the batch is committed; texts stay in the
//! payload.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::doc_id_allocator::DocIdAllocator;
use super::operation::AdditionMethod;
use crate::docset::DocId;
use crate::index::Snapshot;

/// Where a document's text stands: payload, first byte, length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) payload: u32,
    pub(crate) start: u64,
    pub(crate) len: u32,
}

/// The hash by which external ids are found.
pub(crate) fn hash_id(external_id: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(external_id.as_bytes());
    hasher.finish()
}

/// What a document will be.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// It will not be.
    Deleted,
    /// One text as it is.
    Text(Location),
    /// Texts merged in order.
    Merged(Box<Merged>),
}

/// Texts merged in order, over the stored document if there is one.
#[derive(Clone, Debug)]
pub(crate) struct Merged {
    pub(crate) over_stored: Option<DocId>,
    pub(crate) texts: Vec<Location>,
}

impl Content {
    /// Its texts in the batch, in order.
    pub(crate) fn texts(&self) -> &[Location] {
        match self {
            Self::Deleted => &[],
            Self::Text(location) => std::slice::from_ref(location),
            Self::Merged(merged) => &merged.texts,
        }
    }
}

/// One document touched by the batch.
#[derive(Clone, Debug)]
pub(crate) struct PlannedWrite {
    pub(crate) external_id: Box<str>,
    /// Its number; of no use once deleted.
    pub(crate) doc_id: DocId,
    /// The number under which the committed snapshot holds it.
    pub(crate) committed: Option<DocId>,
    pub(crate) content: Content,
    /// Whether nothing of a document before it counts.
    pub(crate) is_new: bool,
    /// Texts of this batch that the content replaced: what they say about vectors still counts.
    pub(crate) replaced: Vec<Location>,
}

/// All writes of a batch up to now.
pub(crate) struct WritePlan {
    writes: Vec<PlannedWrite>,
    /// Places in `writes`, by external id.
    places: HashTable<u32>,
    ids: DocIdAllocator,
    is_cleared: bool,
    n_living: u64,
}

impl WritePlan {
    /// An empty plan over a committed snapshot.
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        Self {
            writes: Vec::new(),
            places: HashTable::new(),
            ids: DocIdAllocator::new(snapshot.documents()),
            is_cleared: false,
            n_living: snapshot.documents().len() as u64,
        }
    }

    /// Whether nothing is to be written.
    pub(crate) fn is_empty(&self) -> bool {
        self.writes.is_empty() && !self.is_cleared
    }

    /// Whether all committed documents go.
    pub(crate) const fn is_cleared(&self) -> bool {
        self.is_cleared
    }

    /// Number of documents after the plan.
    pub(crate) const fn n_living(&self) -> u64 {
        self.n_living
    }

    /// The writes in order of first touch.
    pub(crate) fn writes(&self) -> &[PlannedWrite] {
        &self.writes
    }

    /// Makes room for so many documents more.
    pub(crate) fn reserve(&mut self, n_documents: usize) {
        self.writes.reserve(n_documents);
        let writes = &self.writes;
        let hash_of = |place: &u32| hash_id(&writes[*place as usize].external_id);
        self.places.reserve(n_documents, hash_of);
    }

    /// The place of the write of a document.
    fn place(&self, external_id: &str) -> Option<u32> {
        let is_it = |place: &u32| *self.writes[*place as usize].external_id == *external_id;
        self.places.find(hash_id(external_id), is_it).copied()
    }

    /// Adds a document or changes it; with `skip_creation` only the latter.
    pub(crate) fn add(
        &mut self,
        snapshot: &Snapshot,
        external_id: &str,
        location: Location,
        method: AdditionMethod,
        skip_creation: bool,
    ) {
        let index = match self.place(external_id) {
            Some(index) => index,
            None => {
                let committed = self.find_committed(snapshot, external_id);
                if committed.is_none() && skip_creation {
                    return;
                }
                self.push(external_id, committed, committed)
            }
        };
        let write = &mut self.writes[index as usize];
        let is_new = matches!(write.content, Content::Deleted);
        if is_new {
            if skip_creation {
                return;
            }
            write.doc_id = self.ids.allocate();
            write.is_new = true;
            self.n_living += 1;
        }
        let replaces = is_new || method == AdditionMethod::Replace;
        if replaces {
            write.replaced.extend_from_slice(write.content.texts());
        }
        write.content = match std::mem::replace(&mut write.content, Content::Deleted) {
            _ if replaces => Content::Text(location),
            Content::Deleted => Content::Text(location),
            Content::Text(first) => Content::Merged(Box::new(Merged {
                over_stored: None,
                texts: vec![first, location],
            })),
            Content::Merged(mut merged) => {
                if merged.texts.is_empty() {
                    merged.texts.reserve_exact(1);
                }
                merged.texts.push(location);
                Content::Merged(merged)
            }
        };
    }

    /// Deletes a document; false when there is none.
    pub(crate) fn delete(&mut self, snapshot: &Snapshot, external_id: &str) -> bool {
        let index = match self.place(external_id) {
            Some(index) => index,
            None => {
                let Some(committed) = self.find_committed(snapshot, external_id) else {
                    return false;
                };
                self.push(external_id, Some(committed), Some(committed))
            }
        };
        let write = &mut self.writes[index as usize];
        if matches!(write.content, Content::Deleted) {
            return false;
        }
        write.content = Content::Deleted;
        write.replaced = Vec::new();
        self.ids.free(write.doc_id);
        self.n_living -= 1;
        true
    }

    /// Deletes everything and says how many documents that were.
    pub(crate) fn clear(&mut self) -> u64 {
        self.writes.clear();
        self.places.clear();
        self.ids.clear();
        self.is_cleared = true;
        std::mem::take(&mut self.n_living)
    }

    fn find_committed(&self, snapshot: &Snapshot, external_id: &str) -> Option<DocId> {
        if self.is_cleared {
            None
        } else {
            snapshot.find(external_id)
        }
    }

    /// Starts a write: unchanged so far when stored, else as if deleted.
    fn push(&mut self, external_id: &str, committed: Option<DocId>, stored: Option<DocId>) -> u32 {
        let index = self.writes.len() as u32;
        let writes = &self.writes;
        let hash_of = |place: &u32| hash_id(&writes[*place as usize].external_id);
        self.places
            .insert_unique(hash_id(external_id), index, hash_of);
        self.writes.push(PlannedWrite {
            external_id: external_id.into(),
            doc_id: stored.unwrap_or(0),
            committed,
            content: match stored {
                Some(doc_id) => Content::Merged(Box::new(Merged {
                    over_stored: Some(doc_id),
                    texts: Vec::new(),
                })),
                None => Content::Deleted,
            },
            is_new: stored.is_none(),
            replaced: Vec::new(),
        });
        index
    }
}
