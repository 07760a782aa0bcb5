//! The indexes that a process has open, by the folder they are in, and which of them rest.
//!
//! An open index maps its files and keeps what searches of it want again: a tenth of a megabyte and ten
//! mappings for each segment, of which a process may have some 65,000. So only those that somebody asked
//! for last are *awake*. The others *rest*: who holds one keeps holding it, and it is opened again, in a
//! millisecond or two, when it is asked for something.
//!
//! # Invariants
//! 1. An index is known from its opening until the last handle on it is gone: the list by itself keeps
//!    none.
//! 2. One that is read, written to or merged is not put to rest.
//!
//! # Cost
//! To ask one that is awake: a lock for reading, and a counter.

mod open_index;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::index::{Index, IndexError, IndexOptions, Shared};
use open_index::Opener;
pub use open_index::{AwakeIndex, IndexCounts, OpenIndex};

/// How many indexes are awake, beside those that are at work. Each has up to a dozen segments.
const MOST_AWAKE: usize = 400;

/// The indexes that are open.
pub struct OpenIndexes(Arc<List>);

struct List {
    indexes: Mutex<HashMap<String, Weak<OpenIndex>>>,
    /// Those that were opened and not put to rest since.
    awake: Mutex<Vec<Weak<OpenIndex>>>,
    most_awake: usize,
    /// Goes on with every time that one is asked for.
    clock: AtomicU64,
}

impl OpenIndexes {
    fn new(most_awake: usize) -> Self {
        Self(Arc::new(List {
            indexes: Mutex::default(),
            awake: Mutex::default(),
            most_awake,
            clock: AtomicU64::new(0),
        }))
    }

    /// Makes an empty index in a folder that does not exist yet.
    ///
    /// # Errors
    /// Those of [`Index::create`].
    pub fn create(
        &self,
        folder: String,
        options: IndexOptions,
        shared: &Shared,
    ) -> Result<Arc<OpenIndex>, IndexError> {
        let index = Index::create_among(shared, Path::new(&folder), None, options)?;
        Ok(self.add(folder, index, options, shared))
    }

    /// Opens the index in a folder, which is not open.
    ///
    /// # Errors
    /// Those of [`Index::open`].
    pub fn open(
        &self,
        folder: String,
        options: IndexOptions,
        shared: &Shared,
    ) -> Result<Arc<OpenIndex>, IndexError> {
        let index = Index::open_among(shared, Path::new(&folder), options)?;
        Ok(self.add(folder, index, options, shared))
    }

    /// The index that is open in a folder, in whichever thread; the folder must be spelled as when it
    /// was opened.
    #[must_use]
    pub fn find(&self, folder: &str) -> Option<Arc<OpenIndex>> {
        self.0.indexes.lock().get(folder).and_then(Weak::upgrade)
    }

    fn add(
        &self,
        folder: String,
        index: Index,
        options: IndexOptions,
        shared: &Shared,
    ) -> Arc<OpenIndex> {
        let opener = Opener {
            options,
            shared: shared.clone(),
        };
        let opened = OpenIndex::awake(index, opener, Arc::clone(&self.0));
        let mut indexes = self.0.indexes.lock();
        indexes.retain(|_, index| index.strong_count() > 0);
        indexes.insert(folder, Arc::downgrade(&opened));
        drop(indexes);
        self.0.has_woken(Arc::downgrade(&opened));
        opened
    }
}

impl Default for OpenIndexes {
    fn default() -> Self {
        Self::new(MOST_AWAKE)
    }
}

impl List {
    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// Takes in an index that is awake now; where too many are, those that nobody asked for longest
    /// are put to rest.
    fn has_woken(&self, index: Weak<OpenIndex>) {
        let mut awake = self.awake.lock();
        awake.push(index);
        if awake.len() <= self.most_awake {
            return;
        }
        awake.sort_by_cached_key(|index| index.upgrade().map(|index| index.last_asked()));
        let mut n_beyond = awake.len() - self.most_awake;
        awake.retain(|index| {
            let rests = n_beyond > 0 && index.upgrade().is_none_or(|index| index.rest());
            n_beyond -= usize::from(rests);
            !rests
        });
    }
}
