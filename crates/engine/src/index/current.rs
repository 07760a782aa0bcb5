//! The newest snapshot of an index, and how it becomes newer.
//!
//! A merge between batches is taken in when it ends, searches or not: only then the files that it
//! replaces can be removed, which are as large as what it wrote. Tantivy looks for unused files when a merge
//! ends and at commits, when the snapshot at hand still reads these; so whoever replaces a snapshot has
//! it looked once more when nobody reads that one any longer.
//!
//! # Invariants
//! 1. A snapshot is never replaced by an older one.
//! 2. A search never waits for a merge to be taken in: that happens on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard, RwLock};

use super::kept_writers::WriterSlot;
use super::snapshot::Snapshot;
use super::{IndexError, SearchBudget};

/// How often it is looked whether searches have let an older snapshot go, and how long it is waited
/// before that.
const N_LOOKS: usize = 100;
const UNTIL_LOOK: Duration = Duration::from_millis(10);
/// How long it is waited for the end of a batch. The commit of one that takes longer removes files, too.
const UNTIL_WRITER: Duration = Duration::from_secs(1);

/// The newest snapshot. Dropping it waits for one that is being loaded.
pub(super) struct Current {
    held: Arc<Held>,
}

struct Held {
    snapshot: RwLock<Snapshot>,
    refreshing: Mutex<()>,
    is_loading: AtomicBool,
    is_closing: AtomicBool,
    budget: SearchBudget,
    /// Locked while a batch runs.
    writer: Arc<WriterSlot>,
    /// Threads that load and remove.
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Current {
    /// Starts with a snapshot.
    pub(super) fn new(
        snapshot: Snapshot,
        budget: SearchBudget,
        writer: Arc<WriterSlot>,
    ) -> Arc<Self> {
        let current = Arc::new(Self {
            held: Arc::new(Held {
                snapshot: RwLock::new(snapshot.clone()),
                refreshing: Mutex::new(()),
                is_loading: AtomicBool::new(false),
                is_closing: AtomicBool::new(false),
                budget,
                writer,
                threads: Mutex::default(),
            }),
        });
        current.watch(&snapshot);
        current
    }

    /// Takes merges in when they end. Batches read what they wrote themselves.
    fn watch(self: &Arc<Self>, snapshot: &Snapshot) {
        let current = Arc::downgrade(self);
        let taken_in = move || {
            let current = current.upgrade();
            if let Some(current) = current.filter(|current| !current.held.writer.is_locked()) {
                current.newest();
            }
        };
        snapshot.generation().watch_changes(Arc::new(taken_in));
    }

    /// The snapshot at hand.
    pub(super) fn at_hand(&self) -> Snapshot {
        self.held.snapshot.read().clone()
    }

    /// Whether nobody reads the snapshot at hand, and nothing is left to do for an older one.
    pub(super) fn is_unread(&self) -> bool {
        let mut threads = self.held.threads.lock();
        threads.retain(|thread| !thread.is_finished());
        threads.is_empty() && self.held.snapshot.read().is_last_handle()
    }

    /// The snapshot at hand; if there is a newer state, has it loaded beside.
    pub(super) fn newest(&self) -> Snapshot {
        let snapshot = self.at_hand();
        if snapshot.is_stale() && !self.held.is_loading.swap(true, Ordering::AcqRel) {
            let started = self.held.start(|held| {
                // What fails is tried again by the next who asks.
                let mut loaded = held.refresh();
                held.is_loading.store(false, Ordering::Release);
                // A merge that ended meanwhile found this at work.
                while loaded.is_ok_and(|loaded| loaded.is_stale()) && !held.writer.is_locked() {
                    loaded = held.refresh();
                }
            });
            if !started {
                self.held.is_loading.store(false, Ordering::Release);
            }
        }
        snapshot
    }

    /// Reads the last commit if the snapshot at hand is older.
    pub(super) fn refresh(&self) -> Result<Snapshot, IndexError> {
        self.held.refresh()
    }

    /// Replaces the snapshot by one of another generation.
    pub(super) fn switch(self: &Arc<Self>, snapshot: Snapshot) {
        self.watch(&snapshot);
        let _guard = self.held.refreshing.lock();
        *self.held.snapshot.write() = snapshot;
    }
}

impl Held {
    /// Starts a thread that the index waits for when it is closed; whether that went well.
    fn start(self: &Arc<Self>, work: impl FnOnce(&Arc<Self>) + Send + 'static) -> bool {
        let held = Arc::clone(self);
        let thread = thread::Builder::new().name("snapshot".into());
        let started = thread.spawn(move || work(&held));
        let mut threads = self.threads.lock();
        threads.retain(|thread| !thread.is_finished());
        started.map(|thread| threads.push(thread)).is_ok()
    }

    fn refresh(self: &Arc<Self>) -> Result<Snapshot, IndexError> {
        let guard = self.refreshing.lock();
        let snapshot = self.snapshot.read().clone();
        if snapshot.is_stale() {
            self.reload(&guard)
        } else {
            Ok(snapshot)
        }
    }

    fn reload(self: &Arc<Self>, _guard: &MutexGuard<'_, ()>) -> Result<Snapshot, IndexError> {
        let older = self.snapshot.read().clone();
        let snapshot = Snapshot::load(older.generation(), Some(&older), &self.budget)?;
        *self.snapshot.write() = snapshot.clone();
        if older.has_segments_beside(&snapshot) {
            self.start(|held| held.remove_files_of(older));
        }
        Ok(snapshot)
    }

    /// Removes the files that only an older snapshot used, once the searches that have it end.
    fn remove_files_of(&self, older: Snapshot) {
        let mut looks = 0..N_LOOKS;
        while !older.is_last_handle() && looks.next().is_some() {
            if self.is_closing.load(Ordering::Acquire) {
                return;
            }
            thread::sleep(UNTIL_LOOK);
        }
        drop(older);
        let writer = self.writer.try_lock_for(UNTIL_WRITER);
        if let Some(writer) = writer.as_deref().and_then(Option::as_ref) {
            // Waited for, so that nothing is removed while files are held still; what fails is tried again
            // at the next commit.
            let _ = writer.garbage_collect_files().wait();
        }
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        self.held.is_closing.store(true, Ordering::Release);
        loop {
            // One that loads may start another.
            let thread = self.held.threads.lock().pop();
            let Some(thread) = thread else { return };
            // A thread that panicked has loaded nothing.
            let _ = thread.join();
        }
    }
}
