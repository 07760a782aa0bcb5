//! Long documents that searches show again and again, decompressed.
//!
//! To decompress a document takes several times as long as to copy it, and answers that are too long to
//! be remembered consist of such documents. Short ones are kept elsewhere: in
//! [`crate::storage::kept_blocks`].
//!
//! # Invariants
//! 1. All documents together never take more than they may.
//! 2. All are of segments of the newest snapshot.
//! 3. What was asked for once among about the last [`N_ASKED_ONCE`] is not kept: who goes through all
//!    documents neither pays for copies nor drives out what is asked for often.
//!
//! # Cost
//! A look-up is a hash under a lock that nobody waits for. Whoever finds it taken decompresses.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use foldhash::quality::RandomState;
use lru::LruCache;
use parking_lot::Mutex;

use super::room::{Holder, held_bytes};
use super::{LONG_DOCUMENTS_MOST_PARTS, LONG_DOCUMENTS_PARTS, Remembered};
use crate::storage::document_reader::DocumentMemory;
use crate::storage::kept_blocks::{BlockPlace, ReaderNumber};

/// Documents that are known to have been asked for once.
const N_ASKED_ONCE: usize = 4096;
/// One document takes at most one part of so many of what all may take.
const LARGEST_PART: usize = 8;
/// Where another document has to give way, one of so many that were asked for again is kept: of more than
/// there is room for, asked for in turn, some stay, and the others are not copied in vain.
const ADMITTED_PART: usize = 4;
/// What a document takes beside its bytes.
const ENTRY_BYTES: usize = 128;

/// The documents that were asked for lately, and more than once.
pub(super) struct LongDocuments {
    held: Mutex<Held>,
    /// What the documents take; changed under the lock alone.
    bytes: AtomicUsize,
    hasher: RandomState,
    /// Parts of hashes of places, two to a number, so that two that belong to one do not drive each other out; made
    /// when the first long document is read.
    asked_once: OnceLock<Box<[AtomicU64]>>,
    /// Documents that others would have to give way to.
    n_crowding: AtomicUsize,
}

struct Held {
    documents: LruCache<BlockPlace, Arc<[u8]>>,
    /// The readers of the newest snapshot.
    readers: Vec<ReaderNumber>,
}

impl LongDocuments {
    pub(super) fn new() -> Self {
        Self {
            held: Mutex::new(Held {
                documents: LruCache::unbounded(),
                readers: Vec::new(),
            }),
            bytes: AtomicUsize::new(0),
            hasher: RandomState::default(),
            asked_once: OnceLock::new(),
            n_crowding: AtomicUsize::new(0),
        }
    }

    fn kept(&self, place: BlockPlace) -> Option<Arc<[u8]>> {
        let mut held = self.held.try_lock()?;
        held.documents.get(&place).cloned()
    }

    /// Keeps a document that was asked for before, in at most so many bytes for all; true if it did.
    fn keep(&self, place: BlockPlace, json: &[u8], most: usize) -> bool {
        let n_bytes = size_of(json);
        if n_bytes > most / LARGEST_PART
            || !self.is_asked_again(place)
            || (self.held_bytes() + n_bytes > most && !self.is_admitted())
        {
            return false;
        }
        let document: Arc<[u8]> = json.into();
        // Freed when the lock is free again.
        let mut outdated = Vec::new();
        let Some(mut held) = self.held.try_lock() else {
            return false;
        };
        if !held.readers.contains(&place.reader) {
            return false;
        }
        self.bytes.fetch_add(n_bytes, Ordering::Relaxed);
        outdated.extend(self.counted_off(held.documents.put(place, document)));
        while self.held_bytes() > most
            && let Some((_, oldest)) = held.documents.pop_lru()
        {
            outdated.extend(self.counted_off(Some(oldest)));
        }
        drop(held);
        true
    }

    /// A document that is not held any more.
    fn counted_off(&self, document: Option<Arc<[u8]>>) -> Option<Arc<[u8]>> {
        let n_bytes = document.as_deref().map_or(0, size_of);
        self.bytes.fetch_sub(n_bytes, Ordering::Relaxed);
        document
    }

    /// Whether a document was asked for lately; it is now, unless it was: what is kept has to be asked for
    /// twice again when it had to give way.
    fn is_asked_again(&self, place: BlockPlace) -> bool {
        let none_yet = || (0..N_ASKED_ONCE / 2).map(|_| AtomicU64::new(0)).collect();
        let asked_once = self.asked_once.get_or_init(none_yet);
        let hash = self.hasher.hash_one(place);
        // Nothing is marked with zero.
        let mark = hash >> 32 | 1;
        let marked = &asked_once[hash as usize % (N_ASKED_ONCE / 2)];
        let two = marked.load(Ordering::Relaxed);
        let (older, newer) = (two >> 32, two & u64::from(u32::MAX));
        let left = match mark {
            mark if mark == newer => older,
            mark if mark == older => newer,
            mark => newer << 32 | mark,
        };
        marked.store(left, Ordering::Relaxed);
        mark == newer || mark == older
    }

    /// Whether a document is kept in place of others.
    fn is_admitted(&self) -> bool {
        let n_before = self.n_crowding.fetch_add(1, Ordering::Relaxed);
        n_before % ADMITTED_PART == ADMITTED_PART - 1
    }

    /// Forgets the documents of all readers but these; true if there were any.
    fn stay_with(&self, readers: Vec<ReaderNumber>) -> bool {
        let mut held = self.held.lock();
        let mut is_any = false;
        if held.readers.iter().any(|known| !readers.contains(known)) {
            let places = held.documents.iter().map(|(place, _)| *place);
            let gone: Vec<BlockPlace> = places
                .filter(|place| !readers.contains(&place.reader))
                .collect();
            for place in &gone {
                self.counted_off(held.documents.pop(place));
            }
            is_any = !gone.is_empty();
        }
        held.readers = readers;
        is_any
    }
}

impl Holder for LongDocuments {
    fn held_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn drop_oldest(&self) -> bool {
        let oldest = self.held.lock().documents.pop_lru();
        self.counted_off(oldest.map(|(_, document)| document))
            .is_some()
    }

    fn gives_way_first(&self) -> bool {
        true
    }
}

impl DocumentMemory for Remembered {
    fn kept(&self, place: BlockPlace) -> Option<Arc<[u8]>> {
        self.long_documents.kept(place)
    }

    fn was_read(&self, place: BlockPlace, json: &[u8]) {
        let of_others =
            held_bytes(&self.holders()).saturating_sub(self.long_documents.held_bytes());
        let most = self.room.left_by(of_others).clamp(
            self.room.share(LONG_DOCUMENTS_PARTS),
            self.room.share(LONG_DOCUMENTS_MOST_PARTS),
        );
        if self.long_documents.keep(place, json, most) {
            self.make_room();
        }
    }
}

impl Remembered {
    /// Says which readers the newest snapshot has: long documents of others are not asked for any more.
    pub(in crate::index) fn reads_with(&self, readers: Vec<ReaderNumber>) {
        if self.long_documents.stay_with(readers) {
            self.share.holds_now(held_bytes(&self.holders()));
        }
    }
}

#[cfg(test)]
impl crate::index::Snapshot {
    /// Bytes that the long documents of the index take.
    pub(crate) fn long_document_bytes(&self) -> usize {
        self.0.remembered.long_documents.held_bytes()
    }
}

const fn size_of(json: &[u8]) -> usize {
    json.len() + ENTRY_BYTES
}

#[cfg(test)]
mod tests;
