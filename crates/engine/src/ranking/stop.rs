//! The wish that a search end, given from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A shared wish to end a search; clones share it. It is never taken back, and it is a wish alone:
/// nothing else is told by it, so no memory is ordered around it.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    is_asked_for: Arc<AtomicBool>,
    /// Questions that are still answered with no; without it, any number.
    #[cfg(test)]
    n_left: Option<Arc<std::sync::atomic::AtomicU32>>,
}

impl From<Arc<AtomicBool>> for Stop {
    /// The end is asked for by setting the flag.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self {
            is_asked_for: flag,
            #[cfg(test)]
            n_left: None,
        }
    }
}

impl Stop {
    /// Asks for the end.
    pub fn stop(&self) {
        self.is_asked_for.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        #[cfg(test)]
        if let Some(n_left) = &self.n_left {
            let less = |n: u32| n.checked_sub(1);
            let left = n_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
            self.is_asked_for.fetch_or(left.is_err(), Ordering::Relaxed);
        }
        self.is_asked_for.load(Ordering::Relaxed)
    }

    /// A wish that comes after so many questions.
    #[cfg(test)]
    pub(crate) fn after_questions(n: u32) -> Self {
        Self {
            n_left: Some(Arc::new(n.into())),
            ..Self::default()
        }
    }
}
