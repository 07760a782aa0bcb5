//! Turns a filter on tasks into SQL. The running batch is laid over the stored rows: its tasks
//! are stored as enqueued and answered as processing.
//!
//! Numbers are written into the SQL, text is always bound.

use rusqlite::types::Value;
use serde::Deserialize;

use crate::current_batch::CurrentBatch;
use crate::timestamp::Timestamp;
use crate::uid_ranges::UidRanges;

/// Which tasks, or batches, are asked for. An absent list does not restrict; an empty one matches
/// nothing. Values of one list are alternatives, lists are combined. Date bounds are exclusive.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TaskFilter {
    /// Size of the page, 20 when absent.
    pub limit: Option<u32>,
    /// Uid the page starts at.
    pub from: Option<u32>,
    /// Oldest first.
    pub reverse: bool,
    /// Uids of tasks.
    pub uids: Option<Vec<u32>>,
    /// Uids of tasks, as ranges.
    pub uid_ranges: Option<UidRanges>,
    /// Uids of batches.
    pub batch_uids: Option<Vec<u32>>,
    /// Uids of canceling tasks.
    pub canceled_by: Option<Vec<u32>>,
    /// Task types.
    pub types: Option<Vec<String>>,
    /// Statuses.
    pub statuses: Option<Vec<String>>,
    /// Index uids, exact.
    pub index_uids: Option<Vec<String>>,
    /// Index patterns the asker may see (`*` at the end stands for any rest): tasks that mention
    /// any other index, or none, are hidden.
    pub visible_indexes: Option<Vec<String>>,
    /// Enqueued after.
    pub after_enqueued_at: Option<Timestamp>,
    /// Enqueued before.
    pub before_enqueued_at: Option<Timestamp>,
    /// Started after.
    pub after_started_at: Option<Timestamp>,
    /// Started before.
    pub before_started_at: Option<Timestamp>,
    /// Finished after.
    pub after_finished_at: Option<Timestamp>,
    /// Finished before.
    pub before_finished_at: Option<Timestamp>,
}

/// Ranges of uids that every task is compared with; of more, the tasks are looked up.
const FEW_RANGES: usize = 16;

impl TaskFilter {
    /// Page size when none is asked for.
    pub const DEFAULT_LIMIT: u32 = 20;

    pub(crate) fn page_size(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    /// Whether any criterion looks at tasks rather than at batches.
    pub(crate) fn restricts_tasks(&self) -> bool {
        self.uids.is_some()
            || self.uid_ranges.is_some()
            || self.canceled_by.is_some()
            || self.types.is_some()
            || self.statuses.is_some()
            || self.index_uids.is_some()
            || self.after_enqueued_at.is_some()
            || self.before_enqueued_at.is_some()
    }
}

/// Conditions joined by AND, with the values they bind, in order.
#[derive(Default)]
pub(crate) struct Conditions {
    clauses: Vec<String>,
    pub(crate) values: Vec<Value>,
}

impl Conditions {
    pub(crate) fn add(&mut self, clause: impl Into<String>) {
        self.clauses.push(clause.into());
    }

    fn bind(&mut self, value: impl Into<Value>) -> &'static str {
        self.values.push(value.into());
        "?"
    }

    /// `WHERE a AND b`, or nothing.
    pub(crate) fn where_sql(&self) -> String {
        if self.clauses.is_empty() {
            return String::new();
        }
        format!(" WHERE {}", self.clauses.join(" AND "))
    }

    fn number_list(&mut self, column: &str, numbers: &[u32]) -> String {
        let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        format!("{column} IN ({})", list.join(","))
    }

    fn text_list<'a>(&mut self, column: &str, texts: impl Iterator<Item = &'a String>) -> String {
        let marks: Vec<&str> = texts.map(|text| self.bind(text.clone())).collect();
        format!("{column} IN ({})", marks.join(","))
    }

    /// Lets the tasks of the running batch through beside those of `clause`.
    fn or_current(&mut self, clause: String, current: &CurrentBatch) -> String {
        let mark = self.bind(current.task_uids_json.clone());
        format!("({clause} OR tasks.uid IN (SELECT value FROM json_each({mark})))")
    }

    fn except_current(&mut self, clause: String, current: &CurrentBatch) -> String {
        let mark = self.bind(current.task_uids_json.clone());
        format!("({clause} AND tasks.uid NOT IN (SELECT value FROM json_each({mark})))")
    }

    /// Adds every criterion of the filter on rows of `tasks`. `hide_global` hides tasks without
    /// an index as soon as indexes are restricted.
    pub(crate) fn add_task_filter(
        &mut self,
        filter: &TaskFilter,
        current: Option<&CurrentBatch>,
        hide_global: bool,
    ) {
        self.add_numbers(filter, current);
        self.add_texts(filter, current);
        self.add_indexes(filter, hide_global);
        self.add_dates(filter, current);
    }

    fn add_numbers(&mut self, filter: &TaskFilter, current: Option<&CurrentBatch>) {
        if let Some(uids) = &filter.uids {
            let clause = self.number_list("tasks.uid", uids);
            self.add(clause);
        }
        if let Some(ranges) = &filter.uid_ranges {
            self.add_ranges("tasks.uid", ranges);
        }
        if let Some(uids) = &filter.canceled_by {
            let clause = self.number_list("tasks.canceled_by", uids);
            self.add(clause);
        }
        if let Some(uids) = &filter.batch_uids {
            let clause = self.number_list("tasks.batch_uid", uids);
            let clause = match current.filter(|current| uids.contains(&current.uid)) {
                Some(current) => self.or_current(clause, current),
                None => clause,
            };
            self.add(clause);
        }
    }

    fn add_texts(&mut self, filter: &TaskFilter, current: Option<&CurrentBatch>) {
        if let Some(types) = &filter.types {
            let clause = self.text_list("tasks.kind", types.iter());
            self.add(clause);
        }
        if let Some(statuses) = &filter.statuses {
            let stored = statuses.iter().filter(|status| *status != "processing");
            let clause = self.text_list("tasks.status", stored);
            let processing = statuses.iter().any(|status| status == "processing");
            let clause = match (current, processing) {
                (None, _) => clause,
                (Some(current), true) => self.or_current(clause, current),
                (Some(current), false) => self.except_current(clause, current),
            };
            self.add(clause);
        }
    }

    fn add_indexes(&mut self, filter: &TaskFilter, hide_global: bool) {
        if let Some(uids) = &filter.index_uids {
            let list = self.text_list("index_uid", uids.iter());
            self.add(format!(
                "tasks.uid IN (SELECT task_uid FROM task_indexes WHERE {list})"
            ));
        }
        if let Some(patterns) = &filter.visible_indexes {
            let visible = self.pattern_list(patterns);
            self.add(format!(
                "tasks.uid IN (SELECT task_uid FROM task_indexes WHERE {visible})"
            ));
            let visible = self.pattern_list(patterns);
            self.add(format!(
                "NOT EXISTS (SELECT 1 FROM task_indexes WHERE task_uid = tasks.uid AND NOT {visible})"
            ));
        }
        if hide_global && (filter.index_uids.is_some() || filter.visible_indexes.is_some()) {
            self.add("tasks.index_uid IS NOT NULL");
        }
    }

    fn pattern_list(&mut self, patterns: &[String]) -> String {
        let clauses: Vec<String> = patterns
            .iter()
            .map(|pattern| match pattern.strip_suffix('*') {
                Some(prefix) => {
                    let n_chars = prefix.chars().count();
                    let mark = self.bind(prefix.to_owned());
                    format!("substr(index_uid, 1, {n_chars}) = {mark}")
                }
                None => format!("index_uid = {}", self.bind(pattern.clone())),
            })
            .collect();
        any_of(&clauses)
    }

    fn add_dates(&mut self, filter: &TaskFilter, current: Option<&CurrentBatch>) {
        self.add_bounds(
            "tasks.enqueued_at",
            filter.after_enqueued_at,
            filter.before_enqueued_at,
        );
        self.add_bounds(
            "tasks.finished_at",
            filter.after_finished_at,
            filter.before_finished_at,
        );
        let (after, before) = (filter.after_started_at, filter.before_started_at);
        let Some(current) = current.filter(|_| after.is_some() || before.is_some()) else {
            self.add_bounds("tasks.started_at", after, before);
            return;
        };
        let clause = bounds_sql("tasks.started_at", after, before);
        let inside = within(current.started_at, after, before);
        let clause = if inside {
            self.or_current(clause, current)
        } else {
            clause
        };
        self.add(clause);
    }

    pub(crate) fn add_bounds(
        &mut self,
        column: &str,
        after: Option<Timestamp>,
        before: Option<Timestamp>,
    ) {
        if after.is_some() || before.is_some() {
            self.add(bounds_sql(column, after, before));
        }
    }

    /// Adds that a uid of a task lies in one of the ranges.
    pub(crate) fn add_ranges(&mut self, column: &str, ranges: &UidRanges) {
        let ranges = ranges.ranges();
        if ranges.len() <= FEW_RANGES {
            let clauses: Vec<String> = ranges
                .iter()
                .map(|(start, end)| format!("{column} BETWEEN {start} AND {end}"))
                .collect();
            self.add(any_of(&clauses));
            return;
        }
        let pairs: Vec<String> = ranges
            .iter()
            .map(|(start, end)| format!("[{start},{end}]"))
            .collect();
        self.add(format!(
            "{column} IN (SELECT named.uid FROM json_each('[{}]') AS pair CROSS JOIN tasks AS named \
             ON named.uid BETWEEN pair.value ->> 0 AND pair.value ->> 1)",
            pairs.join(",")
        ));
    }

    pub(crate) fn add_from(&mut self, column: &str, filter: &TaskFilter) {
        if let Some(from) = filter.from {
            let comparison = if filter.reverse { ">=" } else { "<=" };
            self.add(format!("{column} {comparison} {from}"));
        }
    }
}

/// Alternatives, nested by halves: SQLite bounds how deep an expression may be. None of none.
fn any_of(clauses: &[String]) -> String {
    match clauses {
        [] => "(0)".to_owned(),
        [only] => format!("({only})"),
        several => {
            let (first, last) = several.split_at(several.len() / 2);
            format!("({} OR {})", any_of(first), any_of(last))
        }
    }
}

/// `1` when nothing bounds. A missing moment is never inside of a bound.
fn bounds_sql(column: &str, after: Option<Timestamp>, before: Option<Timestamp>) -> String {
    let after = after.map(|bound| format!("{column} > {}", bound.0));
    let before = before.map(|bound| format!("{column} < {}", bound.0));
    let clauses: Vec<String> = after.into_iter().chain(before).collect();
    if clauses.is_empty() {
        "1".to_owned()
    } else {
        format!("({})", clauses.join(" AND "))
    }
}

/// Whether a moment lies strictly between the bounds.
pub(crate) fn within(
    moment: Timestamp,
    after: Option<Timestamp>,
    before: Option<Timestamp>,
) -> bool {
    after.is_none_or(|bound| moment > bound) && before.is_none_or(|bound| moment < bound)
}
