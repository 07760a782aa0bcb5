//! The writer thread: group commit.
//!
//! The first waiting command opens a transaction, every command that waits by then joins it with
//! a savepoint of its own, one commit (one fsync) ends it, and only then all are answered.
//!
//! While many wait for one another, a group waits a moment for as many commands as the one before
//! had: those that were just answered are about to send their next.
//!
//! # Cost
//! One fsync per group; the longer the disk takes, the larger the next group. A command that comes
//! alone is not kept waiting.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use rusqlite::Connection;

use crate::current_batch::CurrentBatch;
use crate::error::StoreError;
use crate::transaction::{ReadTx, WriteTx};

/// Commands of one transaction at most, so that the first of them is not kept waiting for ever.
const MAX_GROUP: usize = 1024;

/// Commands of a group from which on the next one waits for more.
const LARGE_GROUP: usize = 8;

/// How long a group waits for commands that are likely to come: a fraction of what a sync takes.
const PATIENCE: Duration = Duration::from_millis(1);

/// A command for the writer: run inside a savepoint, answered after the commit.
pub(crate) trait WriteJob: Send {
    /// Runs the command; `false` means that it failed and must be rolled back.
    fn run(&mut self, tx: &WriteTx<'_>) -> bool;
    /// Notes a failure that is not the command's own, unless it already failed.
    fn fail(&mut self, error: StoreError);
    /// Hands the result to whoever waits for it.
    fn answer(self: Box<Self>);
}

/// A [`WriteJob`] made of two closures.
pub(crate) struct ClosureJob<F, D, T> {
    pub(crate) operation: Option<F>,
    pub(crate) done: Option<D>,
    pub(crate) result: Option<Result<T, StoreError>>,
}

impl<F, D, T> WriteJob for ClosureJob<F, D, T>
where
    F: FnOnce(&WriteTx<'_>) -> Result<T, StoreError> + Send,
    D: FnOnce(Result<T, StoreError>) + Send,
    T: Send,
{
    fn run(&mut self, tx: &WriteTx<'_>) -> bool {
        let Some(operation) = self.operation.take() else {
            return false;
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| operation(tx)));
        let result = outcome.unwrap_or_else(|panic| Err(crash_error(panic.as_ref())));
        let succeeded = result.is_ok();
        self.result = Some(result);
        succeeded
    }

    fn fail(&mut self, error: StoreError) {
        if !matches!(self.result, Some(Err(_))) {
            self.result = Some(Err(error));
        }
    }

    fn answer(mut self: Box<Self>) {
        if let Some(done) = self.done.take() {
            done(self.result.take().unwrap_or(Err(StoreError::Closed)));
        }
    }
}

/// The text a panic was raised with.
pub(crate) fn crash_error(panic: &(dyn std::any::Any + Send)) -> StoreError {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    StoreError::Crashed(text.unwrap_or_else(|| "unknown".to_owned()))
}

/// The body of the writer thread; ends when the last sender is dropped.
pub(crate) fn run_writer(
    connection: &Connection,
    jobs: &Receiver<Box<dyn WriteJob>>,
    current: &Mutex<Option<Arc<CurrentBatch>>>,
    writing: &Mutex<()>,
) {
    let mut expected = 1;
    while let Ok(first) = jobs.recv() {
        let mut group = vec![first];
        gather(&mut group, jobs, expected);
        expected = group.len();
        let turn = writing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = current.lock().map(|guard| guard.clone()).unwrap_or(None);
        if let Err(error) = run_group(connection, &mut group, current) {
            if !connection.is_autocommit() {
                let _ = connection.execute_batch("ROLLBACK");
            }
            group.iter_mut().for_each(|job| job.fail(error.clone()));
        }
        drop(turn);
        group.into_iter().for_each(WriteJob::answer);
    }
}

/// Adds what waits to the group, and what comes within [`PATIENCE`] as long as there are fewer
/// commands than a large group before had.
fn gather(group: &mut Vec<Box<dyn WriteJob>>, jobs: &Receiver<Box<dyn WriteJob>>, expected: usize) {
    group.extend(jobs.try_iter().take(MAX_GROUP - 1));
    if expected < LARGE_GROUP {
        return;
    }
    let deadline = Instant::now() + PATIENCE;
    while group.len() < expected.min(MAX_GROUP) {
        let Ok(job) = jobs.recv_deadline(deadline) else {
            return;
        };
        group.push(job);
    }
}

fn run_group(
    connection: &Connection,
    group: &mut [Box<dyn WriteJob>],
    current: Option<Arc<CurrentBatch>>,
) -> Result<(), StoreError> {
    run_statement(connection, "BEGIN IMMEDIATE")?;
    let tx = WriteTx {
        view: ReadTx {
            connection,
            current,
        },
    };
    for job in group.iter_mut() {
        run_statement(connection, "SAVEPOINT command")?;
        let succeeded = job.run(&tx);
        if connection.is_autocommit() {
            // A full disk or a failed read can make SQLite roll back the whole transaction.
            return Err(StoreError::Database(
                "the transaction was rolled back".to_owned(),
            ));
        }
        if !succeeded {
            run_statement(connection, "ROLLBACK TO command")?;
        }
        run_statement(connection, "RELEASE command")?;
    }
    run_statement(connection, "COMMIT")
}

/// Runs a statement that is compiled once.
fn run_statement(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}
