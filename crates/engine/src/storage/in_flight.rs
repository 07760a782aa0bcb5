//! Bounds the bytes of documents that wait for the thread that builds segments.
//!
//! Tantivy's queue counts documents, of which ten thousand long ones would be gigabytes.
//!
//! # Cost
//! One lock each way for every document.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// How often one who waits looks whether the batch is to stop.
const POLL: Duration = Duration::from_millis(20);

/// The bytes on their way.
#[derive(Debug)]
pub(crate) struct InFlight {
    bytes: Mutex<usize>,
    freed: Condvar,
    limit: usize,
}

/// The share of one document; given back when dropped.
#[derive(Debug)]
pub(crate) struct Share {
    of: Arc<InFlight>,
    bytes: usize,
}

impl InFlight {
    /// Lets documents of `limit` bytes in all be on their way, or a larger one alone.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            bytes: Mutex::new(0),
            freed: Condvar::new(),
            limit,
        })
    }

    /// Waits until there is room for a document; `None` when the batch is to stop meanwhile.
    pub(crate) fn share(
        self: &Arc<Self>,
        bytes: usize,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Share> {
        let mut taken = self.bytes.lock();
        while *taken > 0 && *taken + bytes > self.limit {
            self.freed.wait_for(&mut taken, POLL);
            if stopped() {
                return None;
            }
        }
        *taken += bytes;
        Some(Share {
            of: Arc::clone(self),
            bytes,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.of.bytes.lock() -= self.bytes;
        self.of.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever comes when the room is taken waits until it is given back, or is told to stop.
    #[test]
    fn a_document_without_room_waits_or_stops() {
        let in_flight = InFlight::new(100);
        let first = in_flight
            .share(500, &|| false)
            .expect("one alone always fits");
        assert!(in_flight.share(1, &|| true).is_none());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| in_flight.share(60, &|| false).map(|share| share.bytes));
            drop(first);
            assert_eq!(waiting.join().expect("no panic"), Some(60));
        });
        assert_eq!(*in_flight.bytes.lock(), 0);
    }
}
