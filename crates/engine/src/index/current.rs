//! The newest snapshot of an index, and how it becomes newer.
//!
//! # Invariants
//! 1. A snapshot is never replaced by an older one.
//! 2. A search never waits for a merge to be taken in: that happens on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use parking_lot::{Mutex, MutexGuard, RwLock};

use super::snapshot::Snapshot;
use super::{IndexError, SearchMemory};

/// The newest snapshot. Dropping it waits for one that is being loaded.
pub(super) struct Current {
    held: Arc<Held>,
    loading: Mutex<Option<JoinHandle<()>>>,
}

struct Held {
    snapshot: RwLock<Snapshot>,
    refreshing: Mutex<()>,
    is_loading: AtomicBool,
    search_memory: SearchMemory,
}

impl Current {
    /// Starts with a snapshot.
    pub(super) fn new(snapshot: Snapshot, search_memory: SearchMemory) -> Self {
        Self {
            held: Arc::new(Held {
                snapshot: RwLock::new(snapshot),
                refreshing: Mutex::new(()),
                is_loading: AtomicBool::new(false),
                search_memory,
            }),
            loading: Mutex::default(),
        }
    }

    /// The snapshot at hand.
    pub(super) fn at_hand(&self) -> Snapshot {
        self.held.snapshot.read().clone()
    }

    /// The snapshot at hand; if there is a newer state, has it loaded beside.
    pub(super) fn newest(&self) -> Snapshot {
        let snapshot = self.at_hand();
        if snapshot.is_stale() && !self.held.is_loading.swap(true, Ordering::AcqRel) {
            let held = Arc::clone(&self.held);
            let load = move || {
                // What fails is tried again by the next who asks.
                let _ = held.refresh();
                held.is_loading.store(false, Ordering::Release);
            };
            match thread::Builder::new().name("snapshot".into()).spawn(load) {
                Ok(thread) => *self.loading.lock() = Some(thread),
                Err(_) => self.held.is_loading.store(false, Ordering::Release),
            }
        }
        snapshot
    }

    /// Reads the last commit if the snapshot at hand is older.
    pub(super) fn refresh(&self) -> Result<Snapshot, IndexError> {
        self.held.refresh()
    }

    /// Replaces the snapshot by one of another generation.
    pub(super) fn switch(&self, snapshot: Snapshot) {
        let _guard = self.held.refreshing.lock();
        *self.held.snapshot.write() = snapshot;
    }
}

impl Held {
    fn refresh(&self) -> Result<Snapshot, IndexError> {
        let guard = self.refreshing.lock();
        let snapshot = self.snapshot.read().clone();
        if snapshot.is_stale() {
            self.reload(&guard)
        } else {
            Ok(snapshot)
        }
    }

    fn reload(&self, _guard: &MutexGuard<'_, ()>) -> Result<Snapshot, IndexError> {
        let older = self.snapshot.read().clone();
        let snapshot = Snapshot::load(older.generation(), Some(&older), self.search_memory)?;
        *self.snapshot.write() = snapshot.clone();
        Ok(snapshot)
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        if let Some(thread) = self.loading.get_mut().take() {
            // A thread that panicked has loaded nothing.
            let _ = thread.join();
        }
    }
}
