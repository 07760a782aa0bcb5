//! Asks memory for bytes some time before they are read, so that the time of reading is not that of
//! waiting.

use std::ops::Range;

/// Bytes that memory gives at once.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;
/// Lines that are asked for at most; the processor goes on by itself in a longer row.
#[cfg(target_arch = "x86_64")]
const MOST_LINES: usize = 4;

/// Asks for a part of `bytes`, without waiting for it.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn expect_bytes(bytes: &[u8], place: Range<usize>) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let end = place.end.min(bytes.len());
    for at in (place.start..end).step_by(LINE).take(MOST_LINES) {
        let Some(byte) = bytes.get(at) else { return };
        // SAFETY: a prefetch reads nothing, and the byte is there.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) const fn expect_bytes(_bytes: &[u8], _place: Range<usize>) {}
