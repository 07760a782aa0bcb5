//! Carries new index names into the history of tasks: the index a task is shown under, the
//! indexes it mentions, and the names inside the details of swaps and renames.

use std::collections::HashMap;

use rusqlite::params;
use serde_json::Value;

use crate::error::StoreError;
use crate::transaction::WriteTx;

impl WriteTx<'_> {
    /// Applies all `(old, new)` pairs at once to tasks older than `before_task`.
    pub(crate) fn rename_in_history(
        &self,
        pairs: &[(&String, &String)],
        before_task: u32,
    ) -> Result<(), StoreError> {
        let names: HashMap<&str, &str> = pairs
            .iter()
            .map(|(old, new)| (old.as_str(), new.as_str()))
            .collect();
        let mut touched = Vec::new();
        for old in names.keys() {
            let sql = "SELECT task_uid FROM task_indexes WHERE index_uid = ?1 AND task_uid < ?2";
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows =
                statement.query_map(params![old, before_task], |row| row.get::<_, u32>(0))?;
            for uid in rows {
                touched.push((uid?, *old));
            }
        }
        self.move_mentions(&touched, &names)?;
        touched.sort_unstable();
        touched.dedup_by_key(|(uid, _)| *uid);
        for (uid, _) in touched {
            self.rename_in_task(uid, &names)?;
        }
        Ok(())
    }

    fn move_mentions(
        &self,
        touched: &[(u32, &str)],
        names: &HashMap<&str, &str>,
    ) -> Result<(), StoreError> {
        for (uid, old) in touched {
            let sql = "DELETE FROM task_indexes WHERE index_uid = ?1 AND task_uid = ?2";
            self.connection
                .prepare_cached(sql)?
                .execute(params![old, uid])?;
        }
        for (uid, old) in touched {
            let sql = "INSERT OR IGNORE INTO task_indexes (index_uid, task_uid) VALUES (?1, ?2)";
            self.connection
                .prepare_cached(sql)?
                .execute(params![names[old], uid])?;
        }
        Ok(())
    }

    fn rename_in_task(&self, uid: u32, names: &HashMap<&str, &str>) -> Result<(), StoreError> {
        let sql = "SELECT index_uid, kind, details FROM tasks WHERE uid = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let (index_uid, kind, details): (Option<String>, String, Option<String>) =
            statement.query_row([uid], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let index_uid = index_uid.map(|uid| renamed(&uid, names));
        let details = match details {
            Some(text) if kind == "indexSwap" || kind == "indexUpdate" => {
                let mut details: Value = serde_json::from_str(&text)?;
                rename_in_details(&mut details, names);
                Some(details.to_string())
            }
            other => other,
        };
        let sql = "UPDATE tasks SET index_uid = ?2, details = ?3 WHERE uid = ?1";
        self.connection
            .prepare_cached(sql)?
            .execute(params![uid, index_uid, details])?;
        Ok(())
    }
}

fn renamed(uid: &str, names: &HashMap<&str, &str>) -> String {
    (*names.get(uid).unwrap_or(&uid)).to_owned()
}

fn rename_in_details(details: &mut Value, names: &HashMap<&str, &str>) {
    for key in ["oldIndexUid", "newIndexUid"] {
        if let Some(value) = details.get_mut(key) {
            rename_value(value, names);
        }
    }
    let swaps = details.get_mut("swaps").and_then(Value::as_array_mut);
    for swap in swaps.into_iter().flatten() {
        let indexes = swap.get_mut("indexes").and_then(Value::as_array_mut);
        indexes
            .into_iter()
            .flatten()
            .for_each(|uid| rename_value(uid, names));
    }
}

fn rename_value(value: &mut Value, names: &HashMap<&str, &str>) {
    if let Value::String(uid) = value {
        *uid = renamed(uid, names);
    }
}
