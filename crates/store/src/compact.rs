//! Gives the space of removed rows back to the file system.

use std::time::Duration;

use rusqlite::Connection;

use crate::error::StoreError;
use crate::store::{Sizes, Store};

impl Store {
    /// Rewrites the database file without its free pages; sizes before and after. Reads go on
    /// meanwhile, writes wait; needs as much free space as the file has content. The caller's
    /// thread does the work.
    ///
    /// # Errors
    /// When the file cannot be read or written; it is then as it was.
    pub fn compact(&self) -> Result<(Sizes, Sizes), StoreError> {
        let connection = Connection::open(self.path())?;
        connection.busy_timeout(Duration::from_secs(30))?;
        let _turn = self.keep_from_writing();
        let before = Sizes::of(&connection)?;
        connection.execute_batch("VACUUM")?;
        // The new pages are in the log until they are carried over; readers may put that off.
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        let after = Sizes::of(&connection)?;
        connection.close().map_err(|(_, error)| error)?;
        Ok((before, after))
    }
}
