//! What a dump takes from the store, page by page, so that memory does not grow with history.

use rusqlite::params;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::batch_rows::{self, read_batch};
use crate::error::StoreError;
use crate::task::Task;
use crate::task_rows::{self, raw_json, until_long};
use crate::transaction::ReadTx;

/// One keyed value.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// What it belongs to.
    pub namespace: String,
    /// Its key there.
    pub key: String,
    /// Any JSON.
    pub value: Box<RawValue>,
}

/// A page of lines, and the uid of the last one.
type Lines = (Vec<String>, Option<u32>);

/// A page of the entries, which are lines with their uids: it ends where they are long, as settings among the
/// details of a task may be.
fn page_of(
    entries: impl Iterator<Item = Result<(u32, String), StoreError>>,
) -> Result<Lines, StoreError> {
    let page = until_long(entries, |(_, line)| line.len())?;
    let last = page.last().map(|(uid, _)| *uid);
    Ok((page.into_iter().map(|(_, line)| line).collect(), last))
}

impl ReadTx<'_> {
    /// Tasks with uids above `after` and below `before` as JSON objects, oldest first: what is
    /// shown of each, its `mentions`, and its `content` while it waits. A page of long ones ends
    /// before it has `limit` of them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn dumped_tasks(
        &self,
        after: Option<u32>,
        before: u32,
        limit: u32,
    ) -> Result<Lines, StoreError> {
        let sql = format!(
            "SELECT {}, content FROM tasks WHERE uid > ?1 AND uid < ?2 ORDER BY uid LIMIT ?3",
            task_rows::COLUMNS
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let values = params![after.map_or(-1, i64::from), before, limit];
        let rows = statement.query_map(values, |row| {
            Ok((self.read_task(row)?, raw_json(row.get("content")?)?))
        })?;
        page_of(rows.map(|row| {
            let (task, content) = row?;
            Ok((task.uid, self.task_line(&task, content.as_deref())?))
        }))
    }

    /// Ended batches with uids above `after` as JSON objects, oldest first; pages end as those of
    /// tasks do.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn dumped_batches(&self, after: Option<u32>, limit: u32) -> Result<Lines, StoreError> {
        let sql = format!(
            "SELECT {} FROM batches WHERE uid > ?1 ORDER BY uid LIMIT ?2",
            batch_rows::COLUMNS
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let values = params![after.map_or(-1, i64::from), limit];
        let batches = statement.query_map(values, read_batch)?;
        page_of(batches.map(|batch| {
            let batch = batch?;
            Ok((batch.uid, serde_json::to_string(&batch)?))
        }))
    }

    /// Every keyed value, by namespace and key.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn all_records(&self) -> Result<Vec<Record>, StoreError> {
        let sql = "SELECT namespace, key, json FROM records ORDER BY namespace, key";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            let value = raw_json(row.get(2)?)?;
            Ok(Record {
                namespace: row.get(0)?,
                key: row.get(1)?,
                value: value.unwrap_or_else(|| RawValue::NULL.to_owned()),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn task_line(&self, task: &Task, content: Option<&RawValue>) -> Result<String, StoreError> {
        let sql = "SELECT index_uid FROM task_indexes WHERE task_uid = ?1 ORDER BY index_uid";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mentions = statement
            .query_map([task.uid], |row| row.get(0))?
            .collect::<Result<Vec<String>, _>>()?;
        let mut line = serde_json::to_string(task)?;
        line.pop();
        line.push_str(",\"mentions\":");
        line.push_str(&serde_json::to_string(&mentions)?);
        if let Some(content) = content {
            line.push_str(",\"content\":");
            line.push_str(content.get());
        }
        line.push('}');
        Ok(line)
    }
}
