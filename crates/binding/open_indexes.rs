//! The indexes that are open in this process, by the folder they are in, for other JavaScript
//! threads: each has objects of its own for them, and all of them stand for the same index, with
//! its caches and its memory.
//!
//! # Invariants
//! An index is known from the moment it is open until the last object that stands for it is gone:
//! the list by itself keeps none open.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use napi_derive::napi;

use crate::js_index::{NativeIndex, OpenIndex};

static OPEN: LazyLock<Mutex<HashMap<String, Weak<OpenIndex>>>> = LazyLock::new(Mutex::default);

/// Makes an open index known under its folder; forgets those that are closed.
pub(crate) fn add(folder: String, index: &Arc<OpenIndex>) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|_, index| index.strong_count() > 0);
    open.insert(folder, Arc::downgrade(index));
}

/// The index that is open in a folder, in whichever thread; the folder must be spelled as when the
/// index was opened.
#[napi]
pub fn opened_index(folder: String) -> Option<NativeIndex> {
    find(&folder).map(NativeIndex::from)
}

/// The same for other parts of the addon.
pub(crate) fn find(folder: &str) -> Option<Arc<OpenIndex>> {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.get(folder).and_then(Weak::upgrade)
}
