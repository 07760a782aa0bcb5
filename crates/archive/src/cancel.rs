//! A wish to stop, given from another thread.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A shared wish to stop; clones share it. It is never taken back.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for the end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether the end was asked for.
    #[must_use]
    pub fn is_canceled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Fails once the end was asked for.
    ///
    /// # Errors
    /// Of kind `Interrupted` in meaning, but `Other` in kind: writers try interrupted writes again.
    pub fn check(&self) -> io::Result<()> {
        if self.is_canceled() {
            return Err(io::Error::other("canceled"));
        }
        Ok(())
    }
}
