//! Blocks of documents that were decompressed lately, of all indexes of the process: the hits of
//! one search are often those of the next, and whoever goes through documents in order wants each
//! block several times. These are short; an index keeps long ones with what its searches remember.
//!
//! # Invariants
//! 1. Readers are told apart by numbers that are never used again, so that a block never stands for
//!    one of another file.
//!
//! # Cost
//! A look-up is one lock that nobody waits for. At most [`N_SLOTS`] blocks of [`MAX_KEPT_BYTES`] are kept:
//! 8 MiB, about 3 with blocks of a kilobyte.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

/// Blocks that are kept at the most.
const N_SLOTS: usize = 2048;
/// Bytes of a block that is kept, at the most.
pub(super) const MAX_KEPT_BYTES: usize = 4096;
/// Spreads the blocks of different readers.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

static N_READERS: AtomicU64 = AtomicU64::new(0);
static SLOTS: LazyLock<Box<[Slot]>> =
    LazyLock::new(|| (0..N_SLOTS).map(|_| Slot::default()).collect());

/// One block, the last one of those that belong here.
type Slot = Mutex<Option<Kept>>;

struct Kept {
    reader: u64,
    block: u32,
    bytes: Arc<[u8]>,
}

/// Which file a block is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ReaderNumber(u64);

/// A block of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BlockPlace {
    pub(crate) reader: ReaderNumber,
    pub(crate) block: u32,
}

impl ReaderNumber {
    /// The number of a reader that is being opened.
    pub(crate) fn next() -> Self {
        Self(N_READERS.fetch_add(1, Ordering::Relaxed))
    }

    /// A block that was decompressed lately.
    pub(super) fn kept(self, block: u32) -> Option<Arc<[u8]>> {
        let slot = self.slot(block).try_lock()?;
        let kept = slot.as_ref()?;
        (kept.reader == self.0 && kept.block == block).then(|| Arc::clone(&kept.bytes))
    }

    /// Keeps a block in the place of another one and gives it, unless it is too large.
    pub(super) fn keep(self, block: u32, bytes: &[u8]) -> Option<Arc<[u8]>> {
        if bytes.len() > MAX_KEPT_BYTES {
            return None;
        }
        let mut slot = self.slot(block).try_lock()?;
        let bytes: Arc<[u8]> = bytes.into();
        *slot = Some(Kept {
            reader: self.0,
            block,
            bytes: Arc::clone(&bytes),
        });
        Some(bytes)
    }

    fn slot(self, block: u32) -> &'static Slot {
        let place = self.0.wrapping_mul(SPREAD).wrapping_add(u64::from(block));
        &SLOTS[place as usize % N_SLOTS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_never_that_of_another_reader() {
        let (one, other) = (ReaderNumber::next(), ReaderNumber::next());
        one.keep(7, b"of one");
        assert!(other.kept(7).is_none());
        // Whoever else tests at the same time may have taken its place.
        let kept = one.kept(7);
        assert!(kept.is_none_or(|bytes| &*bytes == b"of one"));
    }

    #[test]
    fn large_blocks_are_not_kept() {
        let reader = ReaderNumber::next();
        reader.keep(0, &[0; MAX_KEPT_BYTES + 1]);
        assert!(reader.kept(0).is_none());
    }
}
