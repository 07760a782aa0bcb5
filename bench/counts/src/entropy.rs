//! Takes the chance out of this process: the standard library seeds its hash maps with what
//! `getrandom` gives, and finds this function before that of the C library.

/// Fills a buffer with the same bytes each time.
#[unsafe(no_mangle)]
extern "C" fn getrandom(buffer: *mut u8, length: usize, _flags: u32) -> isize {
    // SAFETY: callers of `getrandom` give a buffer of so many bytes that they may write.
    unsafe { buffer.write_bytes(0x5a, length) };
    length as isize
}
