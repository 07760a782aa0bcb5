//! The indexes that are open in this process, by the folder they are in, for other JavaScript
//! threads: each has objects of its own for them, and all of them stand for the same index, with
//! its caches and its memory.
//!
//! # Invariants
//! An index is known from the moment it is open until the last object that stands for it is gone:
//! the list by itself keeps none open.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use serval_engine::index::Index;
use serval_engine::search::{IndexView, QueryConfigs};

/// What stays of an index between calls.
pub(crate) struct OpenIndex {
    pub(crate) index: Index,
    configs: QueryConfigs,
}

impl OpenIndex {
    pub(crate) fn view(&self) -> IndexView {
        IndexView::new(self.index.snapshot(), &self.configs)
    }
}

static OPEN: LazyLock<Mutex<HashMap<String, Weak<OpenIndex>>>> = LazyLock::new(Mutex::default);

/// Makes an index that was just opened known under its folder; forgets those that are closed.
pub(crate) fn add(folder: String, index: Index) -> Arc<OpenIndex> {
    let opened = Arc::new(OpenIndex {
        index,
        configs: QueryConfigs::default(),
    });
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|_, index| index.strong_count() > 0);
    open.insert(folder, Arc::downgrade(&opened));
    opened
}

/// The index that is open in a folder, in whichever thread; the folder must be spelled as when the
/// index was opened.
pub(crate) fn find(folder: &str) -> Option<Arc<OpenIndex>> {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.get(folder).and_then(Weak::upgrade)
}
