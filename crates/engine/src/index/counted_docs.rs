//! The documents whose values are counted, found in their segments once for all attributes.
//!
//! # Cost
//! A look-up for each candidate, or for each document that is none where those are fewer, and four
//! bytes of memory for as long as the counting takes.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::segment_view::SegmentView;
use super::snapshot::Snapshot;
use crate::docset::DocSet;

/// Candidates from which on it pays to prepare them for being asked for one by one.
const MANY_CANDIDATES: usize = if cfg!(test) { 3 } else { 1024 };

/// Candidates of a snapshot.
pub struct CountedDocs<'c> {
    snapshot: Snapshot,
    docs: Cow<'c, DocSet>,
    located: OnceLock<Located>,
}

/// Documents by their numbers in segments.
pub(super) struct Located {
    /// By slot of segment.
    pub(super) locals: Vec<Vec<u32>>,
    /// They are those that do not count, dead ones among them.
    pub(super) are_absent: bool,
}

impl Snapshot {
    /// Prepares candidates for the counting of values.
    #[must_use]
    pub fn counted_docs<'c>(&self, candidates: &'c DocSet) -> CountedDocs<'c> {
        let docs = match candidates.len() > MANY_CANDIDATES {
            true => Cow::Owned(candidates.dense()),
            false => Cow::Borrowed(candidates),
        };
        CountedDocs {
            snapshot: self.clone(),
            docs,
            located: OnceLock::new(),
        }
    }
}

impl CountedDocs<'_> {
    /// The candidates.
    #[must_use]
    pub fn docs(&self) -> &DocSet {
        &self.docs
    }

    /// Documents that are looked at when all values are counted.
    pub(super) fn n_located(&self) -> usize {
        let n_documents = self.snapshot.documents().len();
        let n_absent = n_documents.saturating_sub(self.docs.len());
        self.docs.len().min(n_absent)
    }

    /// The candidates in their segments, or what is absent from them.
    pub(super) fn located(&self) -> &Located {
        self.located.get_or_init(|| {
            let documents = self.snapshot.documents();
            match self.docs.len() > documents.len() / 2 {
                true => self.locate_absent(&documents.and_not(&self.docs)),
                false => Located {
                    locals: self.locals_of(&self.docs),
                    are_absent: false,
                },
            }
        })
    }

    fn locate_absent(&self, absent: &DocSet) -> Located {
        let mut locals = self.locals_of(absent);
        for (segment, locals) in self.snapshot.0.slots.iter().zip(&mut locals) {
            if let Some(segment) = segment {
                segment.for_each_dead(|local| locals.push(local));
            }
        }
        Located {
            locals,
            are_absent: true,
        }
    }

    fn locals_of(&self, docs: &DocSet) -> Vec<Vec<u32>> {
        let view = &self.snapshot.0;
        let n_documents = view.documents.len().max(1);
        let room = |segment: &SegmentView| docs.len() * segment.max_doc() as usize / n_documents;
        let rooms = view.slots.iter().map(|segment| {
            let room = segment.as_deref().map_or(0, room);
            Vec::with_capacity(room.min(docs.len()))
        });
        let mut locals: Vec<Vec<u32>> = rooms.collect();
        for id in docs {
            if let Some((slot, local)) = view.map.get(id)
                && let Some(locals) = locals.get_mut(slot as usize)
            {
                locals.push(local);
            }
        }
        locals
    }
}
