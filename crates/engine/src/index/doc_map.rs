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
        *self.place(id) = u64::from(slot) << 32 | u64::from(local);
    }

    /// Forgets a document.
    pub(crate) fn remove(&mut self, id: DocId) {
        if (id as usize / PAGE) < self.pages.len() {
            *self.place(id) = NOWHERE;
        }
    }

    fn place(&mut self, id: DocId) -> &mut u64 {
        let page = id as usize / PAGE;
        if self.pages.len() <= page {
            // Pages without documents are one and the same.
            self.pages.resize(page + 1, Arc::new([NOWHERE; PAGE]));
        }
        &mut Arc::make_mut(&mut self.pages[page])[id as usize % PAGE]
    }
}
