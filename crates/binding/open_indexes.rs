//! The indexes that are open in this process, for other JavaScript threads: each has objects of its own
//! for them, and all of them stand for the same index, with its caches and its memory.

use std::sync::LazyLock;

use serval_engine::open_indexes::OpenIndexes;

/// The open indexes of this process.
pub(crate) static OPEN: LazyLock<OpenIndexes> = LazyLock::new(OpenIndexes::default);
