//! Operations on batches: start, look up, list. The running batch is not stored; it is laid over.

use rusqlite::{OptionalExtension, Row, params_from_iter};
use serde_json::value::RawValue;

use crate::batch::{Batch, BatchPage, BatchStart};
use crate::current_batch::CurrentBatch;
use crate::error::StoreError;
use crate::list_page::ListPage;
use crate::task_query::{Conditions, TaskFilter, within};
use crate::task_rows::raw_json;
use crate::timestamp::{Timestamp, duration_text};
use crate::transaction::ReadTx;

pub(crate) const COLUMNS: &str = "batches.uid, details, stats, started_at, finished_at, strategy";

impl CurrentBatch {
    /// A batch that starts now with the given tasks. `details` and `stats` are JSON objects.
    #[must_use]
    pub fn new(
        start: BatchStart,
        mut task_uids: Vec<u32>,
        details: &RawValue,
        stats: &RawValue,
        strategy: &str,
    ) -> Self {
        task_uids.sort_unstable();
        let list: Vec<String> = task_uids.iter().map(ToString::to_string).collect();
        Self {
            uid: start.uid,
            started_at: start.started_at,
            task_uids_json: format!("[{}]", list.join(",")),
            task_uids,
            details: details.get().to_owned(),
            stats: stats.get().to_owned(),
            strategy: strategy.to_owned(),
        }
    }

    fn as_batch(&self) -> Result<Batch, StoreError> {
        Ok(Batch {
            uid: self.uid,
            progress: None,
            details: RawValue::from_string(self.details.clone())?,
            stats: RawValue::from_string(self.stats.clone())?,
            duration: None,
            started_at: self.started_at,
            finished_at: None,
            batch_strategy: self.strategy.clone(),
        })
    }
}

impl ReadTx<'_> {
    /// The identity of the batch that would start now. Nothing is stored: a batch that does not
    /// end leaves its uid to the next one.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn next_batch(&self) -> Result<BatchStart, StoreError> {
        let sql = "SELECT next FROM counters WHERE name = 'batch'";
        let uid = self.connection.query_row(sql, [], |row| row.get(0))?;
        Ok(BatchStart {
            uid,
            started_at: Timestamp::now(),
        })
    }

    /// One batch, or `None`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn batch(&self, uid: u32) -> Result<Option<Batch>, StoreError> {
        if let Some(current) = self.running().filter(|current| current.uid == uid) {
            return current.as_batch().map(Some);
        }
        let sql = format!("SELECT {COLUMNS} FROM batches WHERE uid = ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row([uid], read_batch).optional()?)
    }

    /// One page of the batches that match, newest first unless reversed; one that would be very
    /// long ends early, with the place where the next one starts.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn batches(&self, filter: &TaskFilter) -> Result<BatchPage, StoreError> {
        let mut conditions = Conditions::default();
        self.add_batch_filter(&mut conditions, filter);
        let count = format!("SELECT count(*) FROM batches{}", conditions.where_sql());
        let values = params_from_iter(conditions.values.iter());
        let stored: u64 = self
            .connection
            .prepare_cached(&count)?
            .query_row(values, |row| row.get(0))?;
        let running = self.running_match(filter)?;

        conditions.add_from("batches.uid", filter);
        let order = if filter.reverse { "ASC" } else { "DESC" };
        let limit = filter.page_size() as usize;
        let sql = format!(
            "SELECT {COLUMNS} FROM batches{} ORDER BY batches.uid {order} LIMIT {}",
            conditions.where_sql(),
            limit + 1,
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let values = params_from_iter(conditions.values.iter());
        let rows = statement.query_map(values, read_batch)?;
        let total = stored + u64::from(running.is_some());
        let running = running.filter(|batch| starts_before(filter, batch.uid));
        let (first, last) = if filter.reverse {
            (None, running)
        } else {
            (running, None)
        };
        let batches = first.into_iter().map(Ok).chain(rows);
        let page = ListPage::read(batches.chain(last.into_iter().map(Ok)), limit)?;
        Ok(BatchPage {
            from: page.from(),
            results: page.results,
            total,
            limit: filter.page_size(),
            next: page.next,
        })
    }

    /// The running batch, unless the state read here already holds it as ended.
    fn running(&self) -> Option<&CurrentBatch> {
        let current = self.current.as_deref()?;
        let sql = "SELECT 1 FROM batches WHERE uid = ?1";
        let ended = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut s| s.exists([current.uid]));
        (!ended.unwrap_or(false)).then_some(current)
    }

    fn add_batch_filter(&self, conditions: &mut Conditions, filter: &TaskFilter) {
        if let Some(uids) = &filter.batch_uids {
            let list: Vec<String> = uids.iter().map(ToString::to_string).collect();
            conditions.add(format!("batches.uid IN ({})", list.join(",")));
        }
        conditions.add_bounds(
            "batches.started_at",
            filter.after_started_at,
            filter.before_started_at,
        );
        conditions.add_bounds(
            "batches.finished_at",
            filter.after_finished_at,
            filter.before_finished_at,
        );
        if filter.restricts_tasks() || filter.visible_indexes.is_some() {
            let mut tasks = Conditions::default();
            tasks.add("tasks.batch_uid IS NOT NULL");
            tasks.add_task_filter(&of_tasks(filter), None, false);
            conditions.add(format!(
                "batches.uid IN (SELECT batch_uid FROM tasks{})",
                tasks.where_sql()
            ));
            conditions.values.append(&mut tasks.values);
        }
    }

    /// The running batch if it matches.
    fn running_match(&self, filter: &TaskFilter) -> Result<Option<Batch>, StoreError> {
        let Some(current) = self.running() else {
            return Ok(None);
        };
        let listed = filter
            .batch_uids
            .as_ref()
            .is_none_or(|uids| uids.contains(&current.uid));
        let unfinished = filter.after_finished_at.is_none() && filter.before_finished_at.is_none();
        let started = within(
            current.started_at,
            filter.after_started_at,
            filter.before_started_at,
        );
        if !(listed && unfinished && started) {
            return Ok(None);
        }
        let mut conditions = Conditions::default();
        let inside = TaskFilter {
            statuses: Some(vec!["processing".into()]),
            ..TaskFilter::default()
        };
        conditions.add_task_filter(&inside, Some(current), false);
        conditions.add_task_filter(&of_tasks(filter), Some(current), false);
        let sql = format!("SELECT 1 FROM tasks{} LIMIT 1", conditions.where_sql());
        let values = params_from_iter(conditions.values.iter());
        let matches = self.connection.prepare_cached(&sql)?.exists(values)?;
        if matches {
            current.as_batch().map(Some)
        } else {
            Ok(None)
        }
    }
}

/// The criteria that look at the tasks of a batch.
fn of_tasks(filter: &TaskFilter) -> TaskFilter {
    TaskFilter {
        batch_uids: None,
        after_started_at: None,
        before_started_at: None,
        after_finished_at: None,
        before_finished_at: None,
        ..filter.clone()
    }
}

fn starts_before(filter: &TaskFilter, uid: u32) -> bool {
    filter.from.is_none_or(|from| {
        if filter.reverse {
            uid >= from
        } else {
            uid <= from
        }
    })
}

pub(crate) fn read_batch(row: &Row<'_>) -> rusqlite::Result<Batch> {
    let json = |text: String| {
        raw_json(Some(text)).map(|raw| raw.unwrap_or_else(|| RawValue::NULL.to_owned()))
    };
    let (started_at, finished_at) = (Timestamp(row.get(3)?), Timestamp(row.get(4)?));
    Ok(Batch {
        uid: row.get(0)?,
        progress: None,
        details: json(row.get(1)?)?,
        stats: json(row.get(2)?)?,
        duration: duration_text(started_at, finished_at),
        started_at,
        finished_at: Some(finished_at),
        batch_strategy: row.get(5)?,
    })
}
