//! Operations on tasks: enqueue, look up, list, match.

use rusqlite::{OptionalExtension, Row, params, params_from_iter};
use serde_json::value::RawValue;

use crate::error::StoreError;
use crate::list_page::ListPage;
use crate::task::{EndableTask, NewTask, QueuedTask, RunnableTask, Task, TaskPage};
use crate::task_query::{Conditions, TaskFilter};
use crate::timestamp::Timestamp;
use crate::transaction::{ReadTx, WriteTx};
use crate::uid_ranges::UidRanges;

pub(crate) const COLUMNS: &str = "tasks.uid, batch_uid, index_uid, status, kind, canceled_by, details, error, \
                       enqueued_at, started_at, finished_at, network, custom_metadata";

/// Text that this crate stored as JSON, as raw JSON again.
pub(crate) fn raw_json(text: Option<String>) -> rusqlite::Result<Option<Box<RawValue>>> {
    text.map(RawValue::from_string)
        .transpose()
        .map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(
                0,
                rusqlite::types::Type::Text,
                Box::new(error),
            )
        })
}

/// The details that the end of a task may change: not those of changes of settings.
const OPEN_DETAILS: &str = "CASE kind WHEN 'settingsUpdate' THEN NULL ELSE details END";

/// Bytes of contents after which a page of waiting tasks ends, and of lines after which one of a dump
/// does. A page is held in memory as a whole, and one of waiting tasks becomes one text, for which
/// JavaScript has a limit.
const PAGE_BYTES: usize = 16 << 20;

/// Takes the entries of a page, one of them at least, until they are long.
///
/// # Errors
/// Those of reading an entry.
pub(crate) fn until_long<T, E>(
    entries: impl Iterator<Item = Result<T, E>>,
    bytes_of: impl Fn(&T) -> usize,
) -> Result<Vec<T>, E> {
    let mut page = Vec::new();
    let mut bytes = 0;
    for entry in entries {
        let entry = entry?;
        bytes += bytes_of(&entry);
        page.push(entry);
        if bytes >= PAGE_BYTES {
            break;
        }
    }
    Ok(page)
}

fn json_text(json: Option<&RawValue>) -> Option<&str> {
    json.map(RawValue::get)
}

impl WriteTx<'_> {
    /// Adds a task at the end of the queue.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn enqueue(&self, new: &NewTask) -> Result<Task, StoreError> {
        let uid = self.next_uid("task")?;
        let enqueued_at = Timestamp::now();
        let sql = "INSERT INTO tasks (uid, index_uid, kind, status, enqueued_at, details, content, \
                   custom_metadata, network) VALUES (?1, ?2, ?3, 'enqueued', ?4, ?5, ?6, ?7, ?8)";
        self.connection.prepare_cached(sql)?.execute(params![
            uid,
            new.index_uid,
            new.kind,
            enqueued_at.0,
            json_text(new.details.as_deref()),
            json_text(new.content.as_deref()),
            new.custom_metadata,
            json_text(new.network.as_deref()),
        ])?;
        for index_uid in new.mentioned() {
            self.add_mention(index_uid, uid)?;
        }
        if let Some(payload) = &new.payload {
            let sql = "INSERT INTO payloads (task_uid, body) VALUES (?1, ?2)";
            self.connection
                .prepare_cached(sql)?
                .execute(params![uid, payload])?;
        }
        Ok(Task {
            uid,
            batch_uid: None,
            index_uid: new.index_uid.clone(),
            status: "enqueued".to_owned(),
            kind: new.kind.clone(),
            canceled_by: None,
            details: new.details.clone(),
            error: None,
            duration: None,
            enqueued_at,
            started_at: None,
            finished_at: None,
            network: new.network.clone(),
            custom_metadata: new.custom_metadata.clone(),
        })
    }

    pub(crate) fn add_mention(&self, index_uid: &str, task_uid: u32) -> Result<(), StoreError> {
        let sql = "INSERT OR IGNORE INTO task_indexes (index_uid, task_uid) VALUES (?1, ?2)";
        self.connection
            .prepare_cached(sql)?
            .execute(params![index_uid, task_uid])?;
        Ok(())
    }
}

impl ReadTx<'_> {
    /// One task, or `None`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn task(&self, uid: u32) -> Result<Option<Task>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM tasks WHERE uid = ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement
            .query_row([uid], |row| self.read_task(row))
            .optional()?)
    }

    /// One page of the tasks that match, newest first unless reversed; one that would be very long
    /// ends early, with the place where the next one starts.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tasks(&self, filter: &TaskFilter) -> Result<TaskPage, StoreError> {
        let mut conditions = Conditions::default();
        conditions.add_task_filter(filter, self.current.as_deref(), true);
        let count = format!("SELECT count(*) FROM tasks{}", conditions.where_sql());
        let values = params_from_iter(conditions.values.iter());
        let total = self
            .connection
            .prepare_cached(&count)?
            .query_row(values, |row| row.get(0))?;

        conditions.add_from("tasks.uid", filter);
        let order = if filter.reverse { "ASC" } else { "DESC" };
        let limit = filter.page_size();
        let sql = format!(
            "SELECT {COLUMNS} FROM tasks{} ORDER BY tasks.uid {order} LIMIT {}",
            conditions.where_sql(),
            u64::from(limit) + 1,
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let values = params_from_iter(conditions.values.iter());
        let rows = statement.query_map(values, |row| self.read_task(row))?;
        let page = ListPage::read(rows, limit as usize)?;
        Ok(TaskPage {
            from: page.from(),
            results: page.results,
            total,
            limit,
            next: page.next,
        })
    }

    /// Uids of all tasks that match, whatever the page asked for. Tasks without an index count.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn matching_tasks(&self, filter: &TaskFilter) -> Result<UidRanges, StoreError> {
        let mut conditions = Conditions::default();
        conditions.add_task_filter(filter, self.current.as_deref(), false);
        let sql = format!("SELECT tasks.uid FROM tasks{}", conditions.where_sql());
        let mut statement = self.connection.prepare_cached(&sql)?;
        let values = params_from_iter(conditions.values.iter());
        let uids = statement
            .query_map(values, |row| row.get(0))?
            .collect::<Result<Vec<u32>, _>>()?;
        Ok(UidRanges::from_uids(uids))
    }

    /// The tasks that wait or run, oldest first, from `after` on (exclusive): `limit` at most, fewer
    /// where their contents are large, none only when there are no more.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn queued_tasks(
        &self,
        after: Option<u32>,
        limit: u32,
    ) -> Result<Vec<QueuedTask>, StoreError> {
        let sql = "SELECT uid, kind, index_uid, content FROM tasks \
                   WHERE status = 'enqueued' AND uid > ?1 ORDER BY uid LIMIT ?2";
        let after = after.map_or(-1, i64::from);
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![after, limit], |row| {
            Ok(QueuedTask {
                uid: row.get(0)?,
                kind: row.get(1)?,
                index_uid: row.get(2)?,
                content: raw_json(row.get(3)?)?,
            })
        })?;
        Ok(until_long(rows, |task| {
            task.content.as_ref().map_or(0, |json| json.get().len())
        })?)
    }

    /// What is needed to run the given tasks, in the order given; unknown uids are left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runnable_tasks(&self, uids: &[u32]) -> Result<Vec<RunnableTask>, StoreError> {
        let sql = format!(
            "SELECT uid, content, {OPEN_DETAILS}, body FROM tasks \
             LEFT JOIN payloads ON task_uid = uid WHERE uid = ?1"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut tasks = Vec::with_capacity(uids.len());
        for uid in uids {
            let task = statement.query_row([uid], |row| {
                let body: Option<Vec<u8>> = row.get(3)?;
                Ok(RunnableTask {
                    uid: row.get(0)?,
                    content: raw_json(row.get(1)?)?,
                    details: raw_json(row.get(2)?)?,
                    payload: body.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
                })
            });
            tasks.extend(task.optional()?);
        }
        Ok(tasks)
    }

    /// What is needed to end the given tasks, in the order given; unknown uids are left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn endable_tasks(&self, uids: &[u32]) -> Result<Vec<EndableTask>, StoreError> {
        let sql = format!("SELECT uid, {OPEN_DETAILS} FROM tasks WHERE uid = ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut tasks = Vec::with_capacity(uids.len());
        for uid in uids {
            let task = statement.query_row([uid], |row| {
                Ok(EndableTask {
                    uid: row.get(0)?,
                    details: raw_json(row.get(1)?)?,
                })
            });
            tasks.extend(task.optional()?);
        }
        Ok(tasks)
    }

    /// The uid that the next task will get; every lower one was given away.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn next_task_uid(&self) -> Result<u32, StoreError> {
        let sql = "SELECT next FROM counters WHERE name = 'task'";
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    /// How many tasks the store holds.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn n_tasks(&self) -> Result<u64, StoreError> {
        Ok(self
            .connection
            .query_row("SELECT count(*) FROM tasks", [], |row| row.get(0))?)
    }

    pub(crate) fn read_task(&self, row: &Row<'_>) -> rusqlite::Result<Task> {
        let mut task = Task {
            uid: row.get(0)?,
            batch_uid: row.get(1)?,
            index_uid: row.get(2)?,
            status: row.get(3)?,
            kind: row.get(4)?,
            canceled_by: row.get(5)?,
            details: raw_json(row.get(6)?)?,
            error: raw_json(row.get(7)?)?,
            duration: None,
            enqueued_at: Timestamp(row.get(8)?),
            started_at: row.get::<_, Option<i64>>(9)?.map(Timestamp),
            finished_at: row.get::<_, Option<i64>>(10)?.map(Timestamp),
            network: raw_json(row.get(11)?)?,
            custom_metadata: row.get(12)?,
        };
        task.set_duration();
        if let Some(current) = self
            .current
            .as_ref()
            .filter(|current| current.holds(task.uid))
            && task.status == "enqueued"
        {
            task.status = "processing".to_owned();
            task.batch_uid = Some(current.uid);
            task.started_at = Some(current.started_at);
        }
        Ok(task)
    }
}
