//! Which indexes keep their writer open between batches.
//!
//! A writer is three threads, a descriptor and some megabytes, and takes a millisecond to open. Who
//! changes one document after the other finds it open; who fills a thousand indexes pays for a few.
//!
//! # Invariants
//! 1. A writer is not closed while a batch has it or while merges of it are under way; those that were
//!    put off begin when it is to be closed.
//! 2. Not more than [`MOST`] stay open beside these.
//!
//! # Cost
//! For an index that was not among the last: a look at the segments of the one that gives way.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::storage::writer::Writer;

/// Writers that stay open without being in use.
const MOST: usize = 8;

/// Where an index has its writer while that is open; locked while a batch runs.
pub(super) type WriterSlot = Mutex<Option<Writer>>;

/// The indexes whose writers may be open, the one that was used last at the end.
#[derive(Default)]
pub(super) struct KeptWriters(Mutex<VecDeque<Weak<WriterSlot>>>);

impl KeptWriters {
    /// Says that the writer of an index was used; writers that were not for longest are closed.
    pub(super) fn used(&self, slot: &Arc<WriterSlot>) {
        let mut kept = self.0.lock();
        kept.retain(|other| other.strong_count() > 0 && !other.ptr_eq(&Arc::downgrade(slot)));
        kept.push_back(Arc::downgrade(slot));
        let mut n_beyond = kept.len().saturating_sub(MOST);
        kept.retain(|other| {
            let closes = n_beyond > 0 && other.upgrade().is_none_or(|slot| close_idle(&slot));
            n_beyond -= usize::from(closes);
            !closes
        });
    }
}

/// Closes the writer of an index, unless it is at work; whether it is closed now.
pub(super) fn close_idle(slot: &WriterSlot) -> bool {
    let Some(mut writer) = slot.try_lock() else {
        return false;
    };
    if let Some(writer) = writer.as_mut().filter(|writer| writer.has_merges()) {
        writer.begin_merges();
        return false;
    }
    if let Some(writer) = writer.take() {
        // Nothing of it is waited for but its thread; what fails then was not committed.
        let _ = writer.wait_merging_threads();
    }
    true
}
