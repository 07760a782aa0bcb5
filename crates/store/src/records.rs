//! Small JSON values under a namespace and a key: API keys, webhooks, features, chats, network.

use rusqlite::{OptionalExtension, params};

use crate::error::StoreError;
use crate::transaction::{ReadTx, WriteTx};

impl ReadTx<'_> {
    /// The JSON under a key, or `None`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn record(&self, namespace: &str, key: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT json FROM records WHERE namespace = ?1 AND key = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement
            .query_row(params![namespace, key], |row| row.get(0))
            .optional()?)
    }

    /// Every key of a namespace with its JSON, by key in byte order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn records(&self, namespace: &str) -> Result<Vec<(String, String)>, StoreError> {
        let sql = "SELECT key, json FROM records WHERE namespace = ?1 ORDER BY key";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([namespace], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl WriteTx<'_> {
    /// Stores JSON under a key, replacing what was there.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn put_record(&self, namespace: &str, key: &str, json: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO records (namespace, key, json) VALUES (?1, ?2, ?3) \
                   ON CONFLICT (namespace, key) DO UPDATE SET json = excluded.json";
        self.connection
            .prepare_cached(sql)?
            .execute(params![namespace, key, json])?;
        Ok(())
    }

    /// Removes a key; `false` when it was not there.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn delete_record(&self, namespace: &str, key: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM records WHERE namespace = ?1 AND key = ?2";
        Ok(self
            .connection
            .prepare_cached(sql)?
            .execute(params![namespace, key])?
            > 0)
    }
}
