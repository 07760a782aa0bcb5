//! What a command sees: a view of the database that can only read, or one that can also write.
//!
//! The operations are spread over `task_rows`, `batch_rows`, `finish`, `registry` and `records`.

use std::ops::Deref;
use std::sync::Arc;

use rusqlite::Connection;

use crate::current_batch::CurrentBatch;
use crate::error::StoreError;

/// A consistent view of the committed state, with the batch that is running laid over it.
pub struct ReadTx<'c> {
    pub(crate) connection: &'c Connection,
    pub(crate) current: Option<Arc<CurrentBatch>>,
}

/// A [`ReadTx`] that also writes; everything it does is kept or dropped together.
pub struct WriteTx<'c> {
    pub(crate) view: ReadTx<'c>,
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &ReadTx<'c> {
        &self.view
    }
}

impl WriteTx<'_> {
    /// Takes the next number of a counter; a rolled-back command gives it back.
    pub(crate) fn next_uid(&self, counter: &str) -> Result<u32, StoreError> {
        let sql = "UPDATE counters SET next = next + 1 WHERE name = ?1 RETURNING next - 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row([counter], |row| row.get(0))?)
    }
}
