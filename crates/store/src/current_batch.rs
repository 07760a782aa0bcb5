//! The batch that is running. It lives in memory only: after a crash its tasks are enqueued again.

use crate::timestamp::Timestamp;

/// The running batch, as it is laid over the stored state in answers.
#[derive(Debug)]
pub struct CurrentBatch {
    pub(crate) uid: u32,
    pub(crate) started_at: Timestamp,
    /// Ascending.
    pub(crate) task_uids: Vec<u32>,
    /// The same as a JSON array, for SQL.
    pub(crate) task_uids_json: String,
    pub(crate) details: String,
    pub(crate) stats: String,
    pub(crate) strategy: String,
}

impl CurrentBatch {
    pub(crate) fn holds(&self, task_uid: u32) -> bool {
        self.task_uids.binary_search(&task_uid).is_ok()
    }
}
