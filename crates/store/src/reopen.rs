//! Tasks that failed and are run again, as the batch they were.

use rusqlite::params;

use crate::error::StoreError;
use crate::transaction::WriteTx;

impl WriteTx<'_> {
    /// Lets the failed tasks of a kind wait again, and tells how many there were. Batches that held
    /// them alone have never been: the next batch gets the uid of one, when none ended after it.
    ///
    /// # Errors
    /// What the database said; nothing is changed then.
    pub fn reopen_failed(&self, kind: &str) -> Result<u64, StoreError> {
        let sql = "CREATE TEMP TABLE reopened AS SELECT DISTINCT batch_uid FROM tasks \
                   WHERE kind = ?1 AND status = 'failed'";
        self.connection.execute(sql, params![kind])?;
        let sql = "UPDATE tasks SET status = 'enqueued', batch_uid = NULL, error = NULL, \
                   started_at = NULL, finished_at = NULL WHERE kind = ?1 AND status = 'failed'";
        let n_tasks = self.connection.execute(sql, params![kind])?;
        self.connection.execute_batch(
            "DELETE FROM batches WHERE uid IN (SELECT batch_uid FROM reopened)
               AND NOT EXISTS (SELECT 1 FROM tasks WHERE batch_uid = batches.uid);
             UPDATE counters SET next = next - 1 WHERE name = 'batch'
               AND next - 1 IN (SELECT batch_uid FROM reopened)
               AND NOT EXISTS (SELECT 1 FROM batches WHERE uid = next - 1);
             DROP TABLE reopened;",
        )?;
        Ok(n_tasks as u64)
    }
}
