//! A copy of the whole store while it is in use, for snapshots.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;
use crate::store::Store;

/// Tasks that a copy does not hold: it would only show the snapshot that it came from, unfinished.
const LEFT_OUT: &str = "kind = 'snapshotCreation' AND status = 'enqueued'";

impl Store {
    /// Writes the committed state of this moment to `target`, which must not exist: one compact
    /// file that opens like any store. Reads and writes go on meanwhile; the caller's thread does
    /// the work. Tasks that wait to make a snapshot are left out.
    ///
    /// # Errors
    /// When the store cannot be read or `target` cannot be written; what is there of it then is
    /// the caller's to remove.
    pub fn copy_to(&self, target: &Path) -> Result<(), StoreError> {
        let text = target
            .to_str()
            .ok_or_else(|| StoreError::Invalid(format!("`{}` is not UTF-8", target.display())))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let source = Connection::open_with_flags(self.path(), flags)?;
        source.busy_timeout(std::time::Duration::from_secs(30))?;
        source.execute("VACUUM INTO ?1", [text])?;
        let copy = Connection::open(target)?;
        copy.execute_batch(&format!(
            "BEGIN;
             DELETE FROM task_indexes WHERE task_uid IN (SELECT uid FROM tasks WHERE {LEFT_OUT});
             DELETE FROM tasks WHERE {LEFT_OUT};
             COMMIT;"
        ))?;
        copy.close().map_err(|(_, error)| error.into())
    }
}
