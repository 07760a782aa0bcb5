//! Giving memory back to the system: the engine says when, the program that holds it knows how.
//!
//! # Cost
//! One call of a function pointer for every 16 MiB written, and for a commit or merge of 4 MiB.

use std::sync::OnceLock;

static RELEASE: OnceLock<fn()> = OnceLock::new();

/// Says what gives the allocator's free memory back; the first one stays. It is called while
/// indexes are written, on the threads that write, and so has to be quick.
pub fn on_release(release: fn()) {
    // Who comes second changes nothing.
    let _ = RELEASE.set(release);
}

/// Gives back what the allocator keeps.
pub(crate) fn release() {
    if let Some(release) = RELEASE.get() {
        release();
    }
}
