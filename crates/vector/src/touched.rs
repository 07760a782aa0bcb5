//! Gives pages of mapped files back after many of them were read in one go.
//!
//! A mapped page counts as memory of the process for as long as it is mapped, whether or not it is
//! read again. Who reads whole files to write another says so here.
//!
//! # Cost
//! One addition for each row, one system call for each [`RELEASE_BYTES`].

use std::sync::atomic::{AtomicUsize, Ordering};

use memmap2::Mmap;

/// Bytes mapped after which pages are given back.
const RELEASE_BYTES: usize = 32 << 20;
/// What the system maps around a page that is asked for.
const AROUND_BYTES: usize = 64 << 10;

/// Bytes that were mapped since pages were given back.
#[derive(Debug, Default)]
pub(crate) struct Touched(AtomicUsize);

impl Touched {
    /// Counts a read of so many bytes anywhere; true when it is time to give pages back.
    pub(crate) fn add(&self, n_bytes: usize) -> bool {
        let n_bytes = n_bytes.max(AROUND_BYTES);
        let is_due = self.0.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes >= RELEASE_BYTES;
        if is_due {
            self.0.store(0, Ordering::Relaxed);
        }
        is_due
    }
}

/// Gives the pages of a mapped file back; they come again when they are read.
pub(crate) fn release(map: &Mmap) {
    #[cfg(unix)]
    {
        // SAFETY: the mapping is of a file that does not change, so that pages that are dropped come
        // back with the same bytes. That it fails costs memory only.
        let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
    }
    #[cfg(not(unix))]
    let _ = map;
}
