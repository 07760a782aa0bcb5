//! Requests to callgrind, which watches this process: instructions that do nothing on a processor,
//! and that valgrind knows. On other processors than x86-64 there are none.

/// What callgrind calls its tool: the first two letters of its requests.
const TOOL: u64 = (b'C' as u64) << 24 | (b'T' as u64) << 16;
const DUMP_AS: u64 = TOOL + 3;
const START: u64 = TOOL + 4;
const STOP: u64 = TOOL + 5;

/// Starts to count, in all threads.
pub(crate) fn start() {
    request(START, 0);
}

/// Stops counting.
pub(crate) fn stop() {
    request(STOP, 0);
}

/// Writes what was counted since the last time into a file, with a text that names it, and starts
/// again at zero.
pub(crate) fn dump(name: &std::ffi::CStr) {
    request(DUMP_AS, name.as_ptr() as u64);
}

#[cfg(target_arch = "x86_64")]
fn request(code: u64, argument: u64) {
    let block = [code, argument, 0, 0, 0, 0];
    // SAFETY: the rotations add up to 128 bits and leave `rdi` as it was, and exchanging a register
    // with itself changes nothing. Under valgrind the sequence reads `block`, which outlives it, and
    // writes `rdx`; the text that `argument` may point to is borrowed by the caller.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            inout("rdx") 0_u64 => _,
            in("rax") block.as_ptr(),
            inout("rdi") 0_u64 => _,
            options(nostack),
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
const fn request(_code: u64, _argument: u64) {}
