//! Where each document lies: its number to segment and local number.
//!
//! Pages are shared between snapshots; a commit copies only those in which something moved.

use std::sync::Arc;

use tantivy::DocId as LocalId;

use crate::docset::DocId;

const PAGE: usize = 4096;
const NOWHERE: u64 = u64::MAX;

/// An immutable map once it is part of a snapshot.
#[derive(Clone, Default)]
pub(crate) struct DocMap {
    pages: Vec<Arc<[u64; PAGE]>>,
}

impl DocMap {
    /// Slot of the segment and local number.
    #[inline]
    pub(crate) fn get(&self, id: DocId) -> Option<(u32, LocalId)> {
        let place = *self
            .pages
            .get(id as usize / PAGE)?
            .get(id as usize % PAGE)?;
        (place != NOWHERE).then_some(((place >> 32) as u32, place as u32))
    }

    /// Puts a document somewhere.
    pub(crate) fn set(&mut self, id: DocId, slot: u32, local: LocalId) {
        *self.place(id) = place_of(slot, local);
    }

    /// Puts documents below `end` into a segment; for a large part of all of them.
    pub(crate) fn set_each(
        &mut self,
        slot: u32,
        end: DocId,
        docs: impl Iterator<Item = (DocId, LocalId)>,
    ) {
        self.reach((end as usize).div_ceil(PAGE));
        let mut pages: Vec<_> = self.pages.iter_mut().map(Arc::make_mut).collect();
        for (id, local) in docs {
            if let Some(page) = pages.get_mut(id as usize / PAGE) {
                page[id as usize % PAGE] = place_of(slot, local);
            }
        }
    }

    /// Forgets a document.
    pub(crate) fn remove(&mut self, id: DocId) {
        if (id as usize / PAGE) < self.pages.len() {
            *self.place(id) = NOWHERE;
        }
    }

    fn place(&mut self, id: DocId) -> &mut u64 {
        let page = id as usize / PAGE;
        self.reach(page + 1);
        &mut Arc::make_mut(&mut self.pages[page])[id as usize % PAGE]
    }

    /// Makes so many pages at least.
    fn reach(&mut self, n_pages: usize) {
        if self.pages.len() < n_pages {
            // Pages without documents are one and the same.
            self.pages.resize(n_pages, Arc::new([NOWHERE; PAGE]));
        }
    }
}

fn place_of(slot: u32, local: LocalId) -> u64 {
    u64::from(slot) << 32 | u64::from(local)
}
