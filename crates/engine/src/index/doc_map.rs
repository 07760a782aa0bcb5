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

    /// Puts documents into a segment; fast where those beside each other have numbers near each
    /// other.
    pub(crate) fn set_each(&mut self, slot: u32, docs: impl Iterator<Item = (DocId, LocalId)>) {
        let page_of = |id: DocId| id as usize / PAGE;
        let mut docs = docs.peekable();
        while let Some((first, _)) = docs.peek() {
            let nth = page_of(*first);
            let page = self.page(nth);
            while let Some((id, local)) = docs.next_if(|(id, _)| page_of(*id) == nth) {
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
        &mut self.page(id as usize / PAGE)[id as usize % PAGE]
    }

    fn page(&mut self, nth: usize) -> &mut [u64; PAGE] {
        if self.pages.len() <= nth {
            // Pages without documents are one and the same.
            self.pages.resize(nth + 1, Arc::new([NOWHERE; PAGE]));
        }
        Arc::make_mut(&mut self.pages[nth])
    }
}

fn place_of(slot: u32, local: LocalId) -> u64 {
    u64::from(slot) << 32 | u64::from(local)
}
