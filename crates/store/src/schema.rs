//! The tables, and the migrations that lead to them. `PRAGMA user_version` is the format number.
//!
//! Moments are nanoseconds since 1970, JSON is text. Bodies of small payloads have a table of
//! their own, so that rows of `tasks` stay short and a finished task frees its pages.

use rusqlite::Connection;

use crate::error::StoreError;

/// One step per format number: step `n` leads from format `n` to `n + 1`.
const MIGRATIONS: &[&str] = &["
CREATE TABLE counters (name TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counters VALUES ('task', 0), ('batch', 0);

CREATE TABLE tasks (
  uid INTEGER PRIMARY KEY,
  batch_uid INTEGER,
  index_uid TEXT,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  canceled_by INTEGER,
  enqueued_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  details TEXT,
  error TEXT,
  custom_metadata TEXT,
  network TEXT,
  content TEXT
);
CREATE INDEX tasks_by_status ON tasks (status);
CREATE INDEX tasks_by_kind ON tasks (kind);
CREATE INDEX tasks_by_batch ON tasks (batch_uid) WHERE batch_uid IS NOT NULL;
CREATE INDEX tasks_by_canceler ON tasks (canceled_by) WHERE canceled_by IS NOT NULL;

CREATE TABLE task_indexes (
  index_uid TEXT NOT NULL,
  task_uid INTEGER NOT NULL,
  PRIMARY KEY (index_uid, task_uid)
) WITHOUT ROWID;
CREATE INDEX task_indexes_by_task ON task_indexes (task_uid);

CREATE TABLE payloads (task_uid INTEGER PRIMARY KEY, body BLOB NOT NULL);

CREATE TABLE batches (
  uid INTEGER PRIMARY KEY,
  started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  details TEXT NOT NULL,
  stats TEXT NOT NULL,
  strategy TEXT NOT NULL
);

CREATE TABLE indexes (
  uid TEXT PRIMARY KEY,
  directory TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  primary_key TEXT
) WITHOUT ROWID;

CREATE TABLE records (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (namespace, key)
) WITHOUT ROWID;
"];

/// Brings the database to the newest format; each step is one transaction.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let supported = MIGRATIONS.len() as u32;
    if found > supported {
        return Err(StoreError::TooNew { found, supported });
    }
    for (step, sql) in MIGRATIONS.iter().enumerate().skip(found as usize) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", step as u32 + 1)?;
        transaction.commit()?;
    }
    Ok(())
}
