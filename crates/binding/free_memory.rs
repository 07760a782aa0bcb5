//! Gives memory that the allocator keeps back to the system while indexes are written, and soon
//! after.
//!
//! The allocator keeps what is freed for a while, in the hope that it is asked for again. A batch
//! frees more than any search asks for, on threads that then do nothing. The same holds for the
//! allocator of the C library, from which the JavaScript engine has the buffers of request bodies:
//! after a large one it keeps some 30 MiB for good unless it is told.
//!
//! While much is written the allocator keeps what is freed for a few milliseconds only: what one
//! segment held would otherwise still be there while the next one grows. At other times it keeps it
//! for its usual while, as searches and small commits ask for the same sizes again and again.
//!
//! # Cost
//! A thread that sleeps; one round of system calls for each time it is woken, and two after that. A
//! look through the free memory of the C library, at most once a second while it is woken.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};

/// Times without a wake-up after which memory is given back once more: what a batch or a merge
/// held is freed after its last write.
const QUIET: [Duration; 2] = [Duration::from_millis(300), Duration::from_secs(3)];

/// Between two looks at what the C library keeps, for which its allocations wait.
const TRIM_PAUSE: Duration = Duration::from_secs(1);

/// Starts the thread and has the engine wake it; once for the process.
pub fn start() {
    static WAKE: OnceLock<Sender<()>> = OnceLock::new();
    WAKE.get_or_init(|| {
        let (wake, woken) = bounded(1);
        // Without the thread memory is given back by the allocator when it is asked for some.
        let _ = std::thread::Builder::new()
            .name("serval-memory".to_owned())
            .spawn(move || run(&woken));
        wake
    });
    serval_engine::memory::on_release(|| {
        if let Some(wake) = WAKE.get() {
            // One wake-up that waits is as good as two.
            let _ = wake.try_send(());
        }
    });
}

/// Number of the allocator's option that says for how many milliseconds it keeps what is freed;
/// the crate does not name it.
const KEEPS_FOR: libmimalloc_sys::mi_option_t = 15;

/// Milliseconds for which it does while much is written.
const BUSY_MS: std::ffi::c_long = 10;

fn run(woken: &Receiver<()>) {
    // SAFETY: reads an option, which any thread may at any time.
    let usual = unsafe { libmimalloc_sys::mi_option_get(KEEPS_FOR) };
    let mut trimmed: Option<Instant> = None;
    while woken.recv().is_ok() {
        keep_for(BUSY_MS);
        collect(&mut trimmed);
        let mut rounds = QUIET.into_iter();
        let mut quiet = rounds.next();
        while let Some(pause) = quiet {
            quiet = match woken.recv_timeout(pause) {
                Ok(()) => {
                    keep_for(BUSY_MS);
                    rounds = QUIET.into_iter();
                    rounds.next()
                }
                Err(crossbeam_channel::RecvTimeoutError::Timeout) => {
                    keep_for(usual);
                    rounds.next()
                }
                Err(crossbeam_channel::RecvTimeoutError::Disconnected) => return,
            };
            collect(&mut trimmed);
        }
    }
}

/// Says for how many milliseconds the allocator keeps what is freed.
fn keep_for(milliseconds: std::ffi::c_long) {
    // SAFETY: writes a word that the allocator reads whenever it frees much; every value is valid.
    unsafe { libmimalloc_sys::mi_option_set(KEEPS_FOR, milliseconds) };
}

fn collect(trimmed: &mut Option<Instant>) {
    // SAFETY: the function has no preconditions; it may be called on any thread at any time.
    unsafe { libmimalloc_sys::mi_collect(true) };
    if trimmed.is_none_or(|trimmed| trimmed.elapsed() >= TRIM_PAUSE) {
        trim();
        *trimmed = Some(Instant::now());
    }
}

/// Has the C library give back what it keeps, where it can be told to.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn trim() {
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }
    // SAFETY: a function of glibc without preconditions, that any thread may call at any time.
    unsafe { malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const fn trim() {}
