//! Takes the chance out of this process: the standard library seeds its hash maps, and names of files
//! are made, with what `getrandom` gives, and they find this function before that of the C library.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many numbers were given.
static GIVEN: AtomicU64 = AtomicU64::new(0);

/// Fills a buffer with numbers that differ, in the same order in each run.
#[unsafe(no_mangle)]
extern "C" fn getrandom(buffer: *mut u8, length: usize, _flags: u32) -> isize {
    // SAFETY: callers of `getrandom` give a buffer of so many bytes that they may write.
    let bytes = unsafe {
        buffer.write_bytes(0, length);
        std::slice::from_raw_parts_mut(buffer, length)
    };
    for part in bytes.chunks_mut(size_of::<u64>()) {
        let number = GIVEN.fetch_add(1, Ordering::Relaxed) + 1;
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        part.copy_from_slice(&mixed.to_le_bytes()[..part.len()]);
    }
    length as isize
}
