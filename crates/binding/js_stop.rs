//! `NativeStop`: ends calls that JavaScript does not wait for any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use napi_derive::napi;
use serval_engine::search::Stop;

/// Ends the searches and embeddings that it was given to.
#[napi]
pub struct NativeStop {
    stopped: Arc<AtomicBool>,
}

#[napi]
impl NativeStop {
    /// Nothing is stopped yet.
    #[napi(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self {
            stopped: Arc::default(),
        }
    }

    /// Ends the calls soon; they resolve to `{error}`.
    #[napi]
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

impl NativeStop {
    /// What tells the calls.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopped)
    }
}

/// What tells a search that may be stopped.
pub(crate) fn stop_of(stop: Option<&NativeStop>) -> Stop {
    stop.map(|stop| Stop::from(stop.flag())).unwrap_or_default()
}
