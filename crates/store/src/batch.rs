//! Batches as they come back. The JSON form has the keys of the HTTP surface, in its order.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::list_page::ListEntry;
use crate::timestamp::Timestamp;

/// A batch as it is shown.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// Position among the batches, from 0.
    pub uid: u32,
    /// Always null here: progress lives with whoever runs the batch.
    pub progress: Option<Box<RawValue>>,
    /// Details of its tasks, added up.
    pub details: Box<RawValue>,
    /// Counts of its tasks by status, type and index.
    pub stats: Box<RawValue>,
    /// Time from start to end; null while it runs.
    pub duration: Option<String>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended; null while it runs.
    pub finished_at: Option<Timestamp>,
    /// Why it holds these tasks.
    pub batch_strategy: String,
}

impl ListEntry for Batch {
    fn uid(&self) -> u32 {
        self.uid
    }

    fn text_bytes(&self) -> usize {
        self.details.get().len() + self.stats.get().len() + self.batch_strategy.len()
    }
}

/// The identity of a batch that starts.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchStart {
    /// The uid it will have.
    pub uid: u32,
    /// When it starts.
    pub started_at: Timestamp,
}

/// One page of batches.
#[derive(Debug, Clone, Serialize)]
pub struct BatchPage {
    /// The batches of the page, in the asked order.
    pub results: Vec<Batch>,
    /// How many match, on all pages.
    pub total: u64,
    /// Size asked for.
    pub limit: u32,
    /// Uid of the first result.
    pub from: Option<u32>,
    /// Uid the next page starts at.
    pub next: Option<u32>,
}
