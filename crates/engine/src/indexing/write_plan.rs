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
//! 7.5 to 11 bytes of memory for each document of a batch, until nothing more is planned, and none
//! beyond a share of the memory for indexing; in a file, once there are many, 56 and its external
//! id; texts stay in the payload.

use std::hash::Hasher;
use std::io;
use std::path::PathBuf;

use rustc_hash::FxHasher;

use super::doc_id_allocator::DocIdAllocator;
use super::place_table::PlaceTable;
pub(crate) use super::planned_write::{Content, Location, Merged, PlannedWrite};
use super::planned_write::{Kind, NONE, ROW_LEN, Row, TEXT_LEN, text_bytes, text_of};
use super::spilled_bytes::SpilledBytes;
use crate::batch::AdditionMethod;
use crate::docset::DocId;
use crate::index::Snapshot;
use crate::memory;

/// One part of so many of the memory for indexing is for the table of external ids, at least
/// [`MIN_TABLE_BYTES`].
const TABLE_SHARE: usize = 2;
const MIN_TABLE_BYTES: usize = 32 << 20;
/// Documents from which on the memory of the table is given back to the system at once.
const LARGE_TABLE: usize = 500_000;

/// The hash by which external ids are found.
fn hash_id(external_id: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(external_id.as_bytes());
    let hash = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 32
}

/// All writes of a batch up to now.
pub(crate) struct WritePlan {
    rows: SpilledBytes,
    external_ids: SpilledBytes,
    /// Texts but the newest of each document, and replaced ones.
    texts: SpilledBytes,
    places: PlaceTable,
    /// Where a table beyond `table_bytes` lies.
    folder: PathBuf,
    table_bytes: usize,
    ids: DocIdAllocator,
    keeps_replaced: bool,
    is_cleared: bool,
    n_living: u64,
}

impl WritePlan {
    /// An empty plan over a committed snapshot, for an index that may use `memory_bytes` while it
    /// indexes. Replaced texts are forgotten when nobody wants them.
    pub(crate) fn new(snapshot: &Snapshot, keeps_replaced: bool, memory_bytes: usize) -> Self {
        let folder = snapshot.generation().path();
        Self {
            rows: SpilledBytes::new(folder),
            external_ids: SpilledBytes::new(folder),
            texts: SpilledBytes::new(folder),
            places: PlaceTable::default(),
            folder: folder.to_owned(),
            table_bytes: (memory_bytes / TABLE_SHARE).max(MIN_TABLE_BYTES),
            ids: DocIdAllocator::new(snapshot.documents()),
            keeps_replaced,
            is_cleared: false,
            n_living: snapshot.documents().len() as u64,
        }
    }

    /// Whether nothing is to be written.
    pub(crate) const fn is_empty(&self) -> bool {
        self.rows.len() == 0 && !self.is_cleared
    }

    /// Whether all committed documents go.
    pub(crate) const fn is_cleared(&self) -> bool {
        self.is_cleared
    }

    /// Number of documents after the plan.
    pub(crate) const fn n_living(&self) -> u64 {
        self.n_living
    }

    /// Number of writes.
    pub(crate) const fn len(&self) -> usize {
        self.rows.len() / ROW_LEN
    }

    /// The write at a place; they stand in order of first touch.
    pub(crate) fn write(&self, index: usize) -> PlannedWrite<'_> {
        let row = Row::from_bytes(self.rows.next(index * ROW_LEN, ROW_LEN));
        let id = self
            .external_ids
            .next(row.id_start as usize, row.id_len as usize);
        PlannedWrite {
            external_id: std::str::from_utf8(id).unwrap_or_default(),
            doc_id: row.doc_id,
            committed: (row.committed != NONE).then_some(row.committed),
            content: self.content(&row),
            is_new: row.is_new,
            replaced: self.chain(row.replaced),
        }
    }

    fn content(&self, row: &Row) -> Content {
        match (row.kind, row.text) {
            (Kind::Deleted, _) | (Kind::Text, None) => Content::Deleted,
            (Kind::Text, Some(text)) => Content::Text(text),
            (Kind::Merged | Kind::MergedOverStored, _) => {
                let mut texts = self.chain(row.earlier);
                texts.extend(row.text);
                Content::Merged(Merged {
                    over_stored: (row.kind == Kind::MergedOverStored).then_some(row.committed),
                    texts,
                })
            }
        }
    }

    /// The texts of a chain, oldest first.
    fn chain(&self, mut place: u32) -> Vec<Location> {
        let mut texts = Vec::new();
        while place != NONE {
            let (text, before) = text_of(self.texts.get(place as usize * TEXT_LEN, TEXT_LEN));
            texts.push(text);
            place = before;
        }
        texts.reverse();
        texts
    }

    /// Gives the pages of the files back, after looks at places far from each other.
    pub(crate) fn release(&self) {
        self.rows.release();
        self.external_ids.release();
        self.texts.release();
    }

    /// Makes room for so many documents more.
    ///
    /// # Errors
    /// When there is no room on disk for the table of external ids.
    pub(crate) fn reserve(&mut self, n_documents: usize) -> io::Result<()> {
        let wanted = self.len() + n_documents;
        let capacity = self.places.capacity();
        if wanted <= capacity {
            return Ok(());
        }
        // All of it is in the rows, so that the two tables need not be there at once.
        self.places = PlaceTable::default();
        let room = wanted.max(capacity + capacity / 2);
        self.places = PlaceTable::with_room(room, &self.folder, self.table_bytes)?;
        for index in 0..self.len() {
            let row = Row::from_bytes(self.rows.next(index * ROW_LEN, ROW_LEN));
            let (start, len) = (row.id_start as usize, row.id_len as usize);
            let id = std::str::from_utf8(self.external_ids.next(start, len)).unwrap_or_default();
            self.places.insert(hash_id(id), index as u32)?;
        }
        Ok(())
    }

    /// Forgets where external ids are, once nothing more is planned.
    pub(crate) fn end_planning(&mut self) {
        let is_large = self.places.len() > LARGE_TABLE;
        self.places = PlaceTable::default();
        if is_large {
            memory::release();
        }
    }

    /// The row of a document.
    fn find(&self, external_id: &str) -> io::Result<Option<u32>> {
        debug_assert_eq!(self.places.len(), self.len(), "planning has ended");
        self.places.find(hash_id(external_id), |row| {
            let row = self.row(row);
            let (start, len) = (row.id_start as usize, row.id_len as usize);
            self.external_ids.get(start, len) == external_id.as_bytes()
        })
    }

    fn row(&self, index: u32) -> Row {
        Row::from_bytes(self.rows.get(index as usize * ROW_LEN, ROW_LEN))
    }

    /// Adds a document or changes it; with `skip_creation` only the latter. Whether its payload
    /// had not named it before.
    ///
    /// # Errors
    /// When there is no room on disk for the plan, or the ids of the index cannot be read.
    pub(crate) fn add(
        &mut self,
        snapshot: &Snapshot,
        external_id: &str,
        location: Location,
        method: AdditionMethod,
        skip_creation: bool,
    ) -> io::Result<bool> {
        let index = match self.find(external_id)? {
            Some(index) => index,
            None => {
                let committed = self.find_committed(snapshot, external_id)?;
                self.push(external_id, committed)?
            }
        };
        let mut row = self.row(index);
        let is_first = row.named_by != location.payload;
        row.named_by = location.payload;
        if row.kind != Kind::Deleted || !skip_creation {
            self.put_text(&mut row, location, method)?;
        }
        self.rows.replace(index as usize * ROW_LEN, &row.to_bytes());
        Ok(is_first)
    }

    fn put_text(
        &mut self,
        row: &mut Row,
        location: Location,
        method: AdditionMethod,
    ) -> io::Result<()> {
        let is_new = row.kind == Kind::Deleted;
        if is_new {
            row.doc_id = self.ids.allocate();
            row.is_new = true;
            self.n_living += 1;
        }
        if is_new || method == AdditionMethod::Replace {
            if self.keeps_replaced && !is_new {
                let texts = self.chain(row.earlier).into_iter().chain(row.text);
                for text in texts {
                    row.replaced = self.hang(text, row.replaced)?;
                }
            }
            row.kind = Kind::Text;
            row.earlier = NONE;
        } else {
            if let Some(text) = row.text {
                row.earlier = self.hang(text, row.earlier)?;
            }
            if row.kind == Kind::Text {
                row.kind = Kind::Merged;
            }
        }
        row.text = Some(location);
        Ok(())
    }

    /// Puts a text into a chain; the chain then begins with it.
    fn hang(&mut self, text: Location, chain: u32) -> io::Result<u32> {
        let start = self.texts.push(&text_bytes(text, chain))?;
        Ok((start / TEXT_LEN) as u32)
    }

    /// Deletes a document; false when there is none.
    ///
    /// # Errors
    /// When there is no room on disk for the plan, or the ids of the index cannot be read.
    pub(crate) fn delete(&mut self, snapshot: &Snapshot, external_id: &str) -> io::Result<bool> {
        let index = match self.find(external_id)? {
            Some(index) => index,
            None => {
                let Some(committed) = self.find_committed(snapshot, external_id)? else {
                    return Ok(false);
                };
                self.push(external_id, Some(committed))?
            }
        };
        let mut row = self.row(index);
        if row.kind == Kind::Deleted {
            return Ok(false);
        }
        self.ids.free(row.doc_id);
        self.n_living -= 1;
        row.kind = Kind::Deleted;
        (row.text, row.earlier, row.replaced) = (None, NONE, NONE);
        self.rows.replace(index as usize * ROW_LEN, &row.to_bytes());
        Ok(true)
    }

    /// Deletes everything and says how many documents that were.
    pub(crate) fn clear(&mut self) -> u64 {
        self.rows.clear();
        self.external_ids.clear();
        self.texts.clear();
        self.places = PlaceTable::default();
        self.ids.clear();
        self.is_cleared = true;
        std::mem::take(&mut self.n_living)
    }

    fn find_committed(&self, snapshot: &Snapshot, external_id: &str) -> io::Result<Option<DocId>> {
        if self.is_cleared {
            Ok(None)
        } else {
            snapshot.find(external_id)
        }
    }

    /// Starts a write: unchanged so far when stored, else as if deleted.
    fn push(&mut self, external_id: &str, committed: Option<DocId>) -> io::Result<u32> {
        self.reserve(1)?;
        let index = self.len() as u32;
        let row = Row {
            id_start: self.external_ids.push(external_id.as_bytes())? as u64,
            id_len: external_id.len() as u32,
            doc_id: committed.unwrap_or(0),
            committed: committed.unwrap_or(NONE),
            named_by: NONE,
            kind: match committed {
                Some(_) => Kind::MergedOverStored,
                None => Kind::Deleted,
            },
            is_new: committed.is_none(),
            text: None,
            earlier: NONE,
            replaced: NONE,
        };
        self.rows.push(&row.to_bytes())?;
        self.places.insert(hash_id(external_id), index)?;
        Ok(index)
    }
}
