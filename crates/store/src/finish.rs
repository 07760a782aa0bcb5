//! The end of a batch: task outcomes, the batch row, registry changes and forgotten tasks, all in
//! one command, so that after a crash either the whole batch ended or none of it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::StoreError;
use crate::task_query::Conditions;
use crate::timestamp::Timestamp;
use crate::transaction::WriteTx;
use crate::uid_ranges::UidRanges;

/// How one task ended.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskOutcome {
    /// The task.
    pub uid: u32,
    /// `succeeded`, `failed` or `canceled`.
    pub status: String,
    /// The details shown from now on; absent keeps those it has.
    #[serde(default)]
    pub details: Option<Box<RawValue>>,
    /// JSON error object of a failed task.
    #[serde(default)]
    pub error: Option<Box<RawValue>>,
    /// The task that canceled it.
    #[serde(default)]
    pub canceled_by: Option<u32>,
}

/// A change of the index registry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "op")]
pub enum RegistryChange {
    /// A new index; its uid and its directory must be free.
    Create {
        /// Public name.
        uid: String,
        /// Name of its folder.
        directory: String,
        /// Attribute that identifies documents.
        primary_key: Option<String>,
    },
    /// The index changed: `updatedAt` becomes now and the primary key is noted.
    Touch {
        /// Public name.
        uid: String,
        /// Attribute that identifies documents.
        primary_key: Option<String>,
    },
    /// The index is gone; its folder is the caller's business.
    Delete {
        /// Public name.
        uid: String,
    },
    /// The index takes a free name; tasks older than `before_task` follow.
    Rename {
        /// Present name.
        from: String,
        /// New name.
        to: String,
        /// Tasks with a lower uid are rewritten.
        before_task: u32,
    },
    /// Two indexes exchange names; tasks older than `before_task` follow.
    Swap {
        /// One index.
        a: String,
        /// The other index.
        b: String,
        /// Tasks with a lower uid are rewritten.
        before_task: u32,
    },
}

/// Everything a batch leaves behind.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FinishedBatch {
    /// The uid given at its start.
    pub uid: u32,
    /// The moment given at its start.
    pub started_at: Timestamp,
    /// Details of its tasks, added up.
    pub details: Box<RawValue>,
    /// Members that stand behind those of `details`, by name: each is taken from the details of a
    /// task of the batch, where it may be long, and is left out if it is not there.
    #[serde(default)]
    pub taken_details: Vec<(String, u32)>,
    /// Counts of its tasks.
    pub stats: Box<RawValue>,
    /// Why it held these tasks.
    pub strategy: String,
    /// How its tasks ended.
    pub tasks: Vec<TaskOutcome>,
    /// Changes of the registry, carried out in order.
    #[serde(default)]
    pub registry: Vec<RegistryChange>,
    /// Finished tasks to forget; those that are not finished are kept.
    #[serde(default)]
    pub forgotten_tasks: Option<UidRanges>,
}

/// What the end of a batch came to.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchEnd {
    /// The batch.
    pub uid: u32,
    /// When it ended.
    pub finished_at: Timestamp,
}

impl WriteTx<'_> {
    /// Ends a batch. See the module text.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] when the batch already ended, a task is not enqueued, or a registry
    /// change does not fit; otherwise what the database said. Nothing is kept then.
    pub fn finish_batch(&self, batch: &FinishedBatch) -> Result<BatchEnd, StoreError> {
        let finished_at = Timestamp::now().max(batch.started_at);
        self.insert_batch(batch, finished_at)?;
        for outcome in &batch.tasks {
            self.finish_task(batch, outcome, finished_at)?;
        }
        for change in &batch.registry {
            self.change_registry(change, finished_at)?;
        }
        if let Some(uids) = &batch.forgotten_tasks {
            self.forget_tasks(uids)?;
        }
        Ok(BatchEnd {
            uid: batch.uid,
            finished_at,
        })
    }

    fn insert_batch(
        &self,
        batch: &FinishedBatch,
        finished_at: Timestamp,
    ) -> Result<(), StoreError> {
        let next = self.next_batch()?;
        if batch.uid != next.uid {
            let text = format!(
                "batch {} cannot end, the next one is {}",
                batch.uid, next.uid
            );
            return Err(StoreError::Invalid(text));
        }
        let uid = self.next_uid("batch")?;
        let sql = "INSERT INTO batches (uid, started_at, finished_at, details, stats, strategy) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.connection.prepare_cached(sql)?.execute(params![
            uid,
            batch.started_at.0,
            finished_at.0,
            self.batch_details(batch)?,
            batch.stats.get(),
            batch.strategy,
        ])?;
        Ok(())
    }

    fn batch_details(&self, batch: &FinishedBatch) -> Result<String, StoreError> {
        let mut details = batch.details.get().to_owned();
        let mut tasks = HashMap::new();
        for (name, uid) in &batch.taken_details {
            let members = match tasks.entry(*uid) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(self.task_members(*uid)?),
            };
            if let Some(value) = members.get(name) {
                append_member(&mut details, name, value)?;
            }
        }
        Ok(details)
    }

    fn task_members(&self, uid: u32) -> Result<TaskMembers, StoreError> {
        let sql = "SELECT details FROM tasks WHERE uid = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let details: Option<Option<String>> =
            statement.query_row([uid], |row| row.get(0)).optional()?;
        let text = details.flatten();
        Ok(serde_json::from_str(text.as_deref().unwrap_or("{}"))?)
    }

    fn finish_task(
        &self,
        batch: &FinishedBatch,
        outcome: &TaskOutcome,
        finished_at: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE tasks SET batch_uid = ?2, status = ?3, canceled_by = ?4, \
                   details = coalesce(?5, details), error = ?6, started_at = ?7, \
                   finished_at = ?8, content = NULL WHERE uid = ?1 AND status = 'enqueued'";
        let n_changed = self.connection.prepare_cached(sql)?.execute(params![
            outcome.uid,
            batch.uid,
            outcome.status,
            outcome.canceled_by,
            outcome.details.as_ref().map(|json| json.get()),
            outcome.error.as_ref().map(|json| json.get()),
            batch.started_at.0,
            finished_at.0,
        ])?;
        if n_changed == 0 {
            return Err(StoreError::Invalid(format!(
                "task {} is not enqueued",
                outcome.uid
            )));
        }
        let sql = "DELETE FROM payloads WHERE task_uid = ?1";
        self.connection
            .prepare_cached(sql)?
            .execute([outcome.uid])?;
        Ok(())
    }

    /// Forgets the finished ones of the given tasks, and the batches that are left without tasks.
    fn forget_tasks(&self, uids: &UidRanges) -> Result<(), StoreError> {
        let mut conditions = Conditions::default();
        conditions.add("status IN ('succeeded', 'failed', 'canceled')");
        conditions.add_ranges("uid", uids);
        let chosen = conditions.where_sql();
        self.connection.execute_batch(&format!(
            "CREATE TEMP TABLE forgotten AS SELECT uid, batch_uid FROM tasks{chosen};
             DELETE FROM task_indexes WHERE task_uid IN (SELECT uid FROM forgotten);
             DELETE FROM tasks WHERE uid IN (SELECT uid FROM forgotten);
             DELETE FROM batches WHERE uid IN (SELECT batch_uid FROM forgotten)
               AND NOT EXISTS (SELECT 1 FROM tasks WHERE batch_uid = batches.uid);
             DROP TABLE forgotten;"
        ))?;
        Ok(())
    }
}

/// The members of an object, as they are written.
type TaskMembers = HashMap<String, Box<RawValue>>;

/// Adds a member to the text of an object.
fn append_member(object: &mut String, name: &str, value: &RawValue) -> Result<(), StoreError> {
    let end = object.rfind('}').unwrap_or(object.len());
    object.truncate(end);
    if !object.trim_end().ends_with('{') {
        object.push(',');
    }
    object.push_str(&serde_json::to_string(name)?);
    object.push(':');
    object.push_str(value.get());
    object.push('}');
    Ok(())
}
