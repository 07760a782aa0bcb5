//! Rows of another store, put in as they are: only for a store that was just made.

use rusqlite::params;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::StoreError;
use crate::timestamp::Timestamp;
use crate::transaction::WriteTx;

const STATUSES: [&str; 4] = ["enqueued", "succeeded", "failed", "canceled"];

/// A task with everything that is known of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportedTask {
    /// Position in the queue.
    pub uid: u32,
    /// The batch it was run in.
    #[serde(default)]
    pub batch_uid: Option<u32>,
    /// The index it is shown under.
    #[serde(default)]
    pub index_uid: Option<String>,
    /// `enqueued`, `succeeded`, `failed` or `canceled`.
    pub status: String,
    /// Task type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The task that canceled it.
    #[serde(default)]
    pub canceled_by: Option<u32>,
    /// JSON object shown of it.
    #[serde(default)]
    pub details: Option<Box<RawValue>>,
    /// JSON error object.
    #[serde(default)]
    pub error: Option<Box<RawValue>>,
    /// When it was accepted.
    pub enqueued_at: Timestamp,
    /// When its batch started.
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    /// When its batch ended.
    #[serde(default)]
    pub finished_at: Option<Timestamp>,
    /// Where it came from.
    #[serde(default)]
    pub network: Option<Box<RawValue>>,
    /// Free text of the client.
    #[serde(default)]
    pub custom_metadata: Option<String>,
    /// Every index it mentions.
    #[serde(default)]
    pub mentions: Vec<String>,
    /// What is needed to run it.
    #[serde(default)]
    pub content: Option<Box<RawValue>>,
    /// Small payload of a task that waits.
    #[serde(default)]
    pub payload: Option<String>,
}

/// A batch that has ended.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportedBatch {
    /// Position among the batches.
    pub uid: u32,
    /// Details of its tasks, added up.
    pub details: Box<RawValue>,
    /// Counts of its tasks.
    pub stats: Box<RawValue>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended.
    pub finished_at: Timestamp,
    /// Why it held these tasks.
    pub batch_strategy: String,
}

/// An index of the registry.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportedIndex {
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

/// Some rows of another store. All are optional.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ImportedRows {
    /// Tasks.
    pub tasks: Vec<ImportedTask>,
    /// Batches.
    pub batches: Vec<ImportedBatch>,
    /// Indexes.
    pub indexes: Vec<ImportedIndex>,
}

impl WriteTx<'_> {
    /// Puts rows in. Uids given later come after the highest of them.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] when a uid is taken or cannot be, or a status is none that is
    /// stored; otherwise what the database said. Nothing is kept then.
    pub fn import(&self, rows: &ImportedRows) -> Result<(), StoreError> {
        for task in &rows.tasks {
            self.import_task(task)?;
        }
        for batch in &rows.batches {
            self.import_batch(batch)?;
        }
        for index in &rows.indexes {
            let sql = "INSERT INTO indexes (uid, directory, created_at, updated_at, primary_key) \
                       VALUES (?1, ?2, ?3, ?4, ?5)";
            self.insert(
                sql,
                params![
                    index.uid,
                    index.directory,
                    index.created_at.0,
                    index.updated_at.0,
                    index.primary_key
                ],
                &format!("index `{}`", index.uid),
            )?;
        }
        Ok(())
    }

    fn import_task(&self, task: &ImportedTask) -> Result<(), StoreError> {
        let name = format!("task {}", task.uid);
        if !STATUSES.contains(&task.status.as_str()) {
            let text = format!("{name} has the status `{}`", task.status);
            return Err(StoreError::Invalid(text));
        }
        let text = |json: &Option<Box<RawValue>>| json.as_ref().map(|raw| raw.get().to_owned());
        let sql = "INSERT INTO tasks (uid, batch_uid, index_uid, kind, status, canceled_by, \
                   enqueued_at, started_at, finished_at, details, error, custom_metadata, network, \
                   content) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
        self.insert(
            sql,
            params![
                task.uid,
                task.batch_uid,
                task.index_uid,
                task.kind,
                task.status,
                task.canceled_by,
                task.enqueued_at.0,
                task.started_at.map(|moment| moment.0),
                task.finished_at.map(|moment| moment.0),
                text(&task.details),
                text(&task.error),
                task.custom_metadata,
                text(&task.network),
                text(&task.content),
            ],
            &name,
        )?;
        for index_uid in task.index_uid.iter().chain(&task.mentions) {
            self.add_mention(index_uid, task.uid)?;
        }
        if let Some(payload) = &task.payload {
            let sql = "INSERT INTO payloads (task_uid, body) VALUES (?1, ?2)";
            self.insert(sql, params![task.uid, payload.as_bytes()], &name)?;
        }
        self.count_past("task", task.uid)?;
        task.batch_uid
            .map_or(Ok(()), |uid| self.count_past("batch", uid))
    }

    fn import_batch(&self, batch: &ImportedBatch) -> Result<(), StoreError> {
        let sql = "INSERT INTO batches (uid, started_at, finished_at, details, stats, strategy) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.insert(
            sql,
            params![
                batch.uid,
                batch.started_at.0,
                batch.finished_at.0,
                batch.details.get(),
                batch.stats.get(),
                batch.batch_strategy,
            ],
            &format!("batch {}", batch.uid),
        )?;
        self.count_past("batch", batch.uid)
    }

    fn insert(
        &self,
        sql: &str,
        values: &[&dyn rusqlite::ToSql],
        name: &str,
    ) -> Result<(), StoreError> {
        let inserted = self.connection.prepare_cached(sql)?.execute(values);
        match inserted {
            Err(error)
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) =>
            {
                Err(StoreError::Invalid(format!("{name} is there twice")))
            }
            other => Ok(other.map(drop)?),
        }
    }

    /// Lets a counter go on after a uid.
    fn count_past(&self, counter: &str, uid: u32) -> Result<(), StoreError> {
        let next = uid.checked_add(1).ok_or_else(|| {
            StoreError::Invalid(format!("{counter} {uid} leaves no uid after it"))
        })?;
        let sql = "UPDATE counters SET next = max(next, ?2) WHERE name = ?1";
        self.connection
            .prepare_cached(sql)?
            .execute(params![counter, next])?;
        Ok(())
    }
}
