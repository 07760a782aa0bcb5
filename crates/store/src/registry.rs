//! The index registry: public name -> folder, dates, and the primary key as last seen.

use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

use crate::error::StoreError;
use crate::finish::RegistryChange;
use crate::timestamp::Timestamp;
use crate::transaction::{ReadTx, WriteTx};

/// One index of the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexRow {
    /// Public name.
    pub uid: String,
    /// Name of its folder.
    pub directory: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its content or settings last changed.
    pub updated_at: Timestamp,
    /// Attribute that identifies documents.
    pub primary_key: Option<String>,
}

impl ReadTx<'_> {
    /// All indexes, by uid in byte order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn indexes(&self) -> Result<Vec<IndexRow>, StoreError> {
        let sql =
            "SELECT uid, directory, created_at, updated_at, primary_key FROM indexes ORDER BY uid";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement
            .query_map([], read_index)?
            .collect::<Result<_, _>>()?)
    }

    /// One index, or `None`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn index(&self, uid: &str) -> Result<Option<IndexRow>, StoreError> {
        let sql = "SELECT uid, directory, created_at, updated_at, primary_key FROM indexes WHERE uid = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row([uid], read_index).optional()?)
    }
}

fn read_index(row: &Row<'_>) -> rusqlite::Result<IndexRow> {
    Ok(IndexRow {
        uid: row.get(0)?,
        directory: row.get(1)?,
        created_at: Timestamp(row.get(2)?),
        updated_at: Timestamp(row.get(3)?),
        primary_key: row.get(4)?,
    })
}

impl WriteTx<'_> {
    pub(crate) fn change_registry(
        &self,
        change: &RegistryChange,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        match change {
            RegistryChange::Create {
                uid,
                directory,
                primary_key,
            } => {
                let sql = "INSERT INTO indexes (uid, directory, created_at, updated_at, primary_key) \
                           VALUES (?1, ?2, ?3, ?3, ?4)";
                let values = params![uid, directory, now.0, primary_key];
                self.change_one(sql, values, uid)
            }
            RegistryChange::Touch { uid, primary_key } => {
                let sql = "UPDATE indexes SET updated_at = ?2, primary_key = ?3 WHERE uid = ?1";
                self.change_one(sql, params![uid, now.0, primary_key], uid)
            }
            RegistryChange::Delete { uid } => {
                self.change_one("DELETE FROM indexes WHERE uid = ?1", params![uid], uid)
            }
            RegistryChange::Rename {
                from,
                to,
                before_task,
            } => {
                let sql = "UPDATE indexes SET uid = ?2 WHERE uid = ?1";
                self.change_one(sql, params![from, to], from)?;
                self.rename_in_history(&[(from, to)], *before_task)
            }
            RegistryChange::Swap { a, b, before_task } => {
                self.swap_names(a, b)?;
                self.rename_in_history(&[(a, b), (b, a)], *before_task)
            }
        }
    }

    /// Uids are unique at every step, so one of the two waits under a name that no index can have.
    fn swap_names(&self, a: &str, b: &str) -> Result<(), StoreError> {
        let sql = "UPDATE indexes SET uid = ?2 WHERE uid = ?1";
        let aside = "\u{0}aside";
        self.change_one(sql, params![a, aside], a)?;
        self.change_one(sql, params![b, a], b)?;
        self.change_one(sql, params![aside, b], a)
    }

    fn change_one(
        &self,
        sql: &str,
        values: &[&dyn rusqlite::ToSql],
        uid: &str,
    ) -> Result<(), StoreError> {
        match self.connection.prepare_cached(sql)?.execute(values)? {
            0 => Err(StoreError::Invalid(format!(
                "index `{uid}` is not in the registry"
            ))),
            _ => Ok(()),
        }
    }
}
