//! The reader threads: each owns a read-only connection and answers commands in order of arrival.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use crossbeam_channel::Receiver;
use rusqlite::Connection;

use crate::current_batch::CurrentBatch;
use crate::error::StoreError;
use crate::transaction::ReadTx;
use crate::writer::crash_error;

/// A command for a reader; it answers its caller itself.
pub(crate) type ReadJob = Box<dyn FnOnce(&ReadTx<'_>) + Send>;

/// The body of a reader thread; ends when the last sender is dropped.
pub(crate) fn run_reader(
    connection: &Connection,
    jobs: &Receiver<ReadJob>,
    current: &Mutex<Option<Arc<CurrentBatch>>>,
) {
    while let Ok(job) = jobs.recv() {
        let current = current.lock().map(|guard| guard.clone()).unwrap_or(None);
        job(&ReadTx {
            connection,
            current,
        });
    }
}

/// Runs one read inside a transaction, so that its statements see one state.
pub(crate) fn read_once<T>(
    tx: &ReadTx<'_>,
    operation: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    tx.connection.execute_batch("BEGIN")?;
    let outcome = catch_unwind(AssertUnwindSafe(|| operation(tx)));
    let ended = tx.connection.execute_batch("COMMIT");
    let result = outcome.unwrap_or_else(|panic| Err(crash_error(panic.as_ref())));
    ended?;
    result
}
