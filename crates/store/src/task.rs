//! Tasks as they are given to the store and as they come back.
//!
//! The JSON form of [`Task`] has the keys of the HTTP surface, in its order.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::list_page::ListEntry;
use crate::timestamp::{Timestamp, duration_text};

/// A task to enqueue.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewTask {
    /// Task type, as on the wire.
    #[serde(rename = "type")]
    pub kind: String,
    /// The index it is shown under; none for global types.
    #[serde(default)]
    pub index_uid: Option<String>,
    /// Other indexes it mentions (swaps, renames): a filter on them finds it too.
    #[serde(default)]
    pub mentions: Vec<String>,
    /// What is shown of it, a JSON object.
    #[serde(default)]
    pub details: Option<Box<RawValue>>,
    /// What is needed to run it, any JSON.
    #[serde(default)]
    pub content: Option<Box<RawValue>>,
    /// Free text of the client.
    #[serde(default)]
    pub custom_metadata: Option<String>,
    /// Where it came from, for tasks of a network.
    #[serde(default)]
    pub network: Option<Box<RawValue>>,
    /// Small payload, kept in the database until the task has finished.
    #[serde(skip)]
    pub payload: Option<Vec<u8>>,
}

impl NewTask {
    /// A task of which only the type is known.
    #[must_use]
    pub fn of_kind(kind: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            index_uid: None,
            mentions: Vec::new(),
            details: None,
            content: None,
            custom_metadata: None,
            network: None,
            payload: None,
        }
    }

    /// Every index uid it mentions, the shown one first, without repeats.
    pub(crate) fn mentioned(&self) -> Vec<&str> {
        let all = self.index_uid.iter().chain(&self.mentions);
        let mut seen = HashSet::new();
        all.map(String::as_str)
            .filter(|uid| seen.insert(*uid))
            .collect()
    }
}

/// A task as it is shown. Absent values are `null`, except `details`, `network` and
/// `customMetadata`, which are left out.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Position in the queue, from 0.
    pub uid: u32,
    /// The batch it was run in.
    pub batch_uid: Option<u32>,
    /// The index it is shown under.
    pub index_uid: Option<String>,
    /// `enqueued`, `processing`, `succeeded`, `failed` or `canceled`.
    pub status: String,
    /// Task type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The task that canceled it.
    pub canceled_by: Option<u32>,
    /// JSON object shown of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Box<RawValue>>,
    /// JSON error object, only when failed.
    pub error: Option<Box<RawValue>>,
    /// Time from start to end, only when finished.
    pub duration: Option<String>,
    /// When it was accepted.
    pub enqueued_at: Timestamp,
    /// When its batch started.
    pub started_at: Option<Timestamp>,
    /// When its batch ended.
    pub finished_at: Option<Timestamp>,
    /// Where it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Box<RawValue>>,
    /// Free text of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_metadata: Option<String>,
}

impl ListEntry for Task {
    fn uid(&self) -> u32 {
        self.uid
    }

    fn text_bytes(&self) -> usize {
        let json = [&self.details, &self.error, &self.network];
        let json = json.into_iter().flatten().map(|json| json.get().len());
        json.sum::<usize>() + self.custom_metadata.as_ref().map_or(0, String::len)
    }
}

impl Task {
    pub(crate) fn set_duration(&mut self) {
        self.duration = match (self.started_at, self.finished_at) {
            (Some(start), Some(end)) => duration_text(start, end),
            _ => None,
        };
    }
}

/// What the scheduler needs to know of a task that waits.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedTask {
    /// Position in the queue.
    pub uid: u32,
    /// Task type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The index it acts on.
    pub index_uid: Option<String>,
    /// What is needed to run it.
    pub content: Option<Box<RawValue>>,
}

/// What is needed to run a task.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunnableTask {
    /// Position in the queue.
    pub uid: u32,
    /// What is needed to run it.
    pub content: Option<Box<RawValue>>,
    /// JSON object shown of it; absent for changes of settings, whose details may be long and stay.
    pub details: Option<Box<RawValue>>,
    /// Small payload given with it, as text.
    pub payload: Option<String>,
}

/// What is needed to end a task.
#[derive(Debug, Clone, Serialize)]
pub struct EndableTask {
    /// Position in the queue.
    pub uid: u32,
    /// JSON object shown of it; absent for changes of settings, whose details may be long and stay.
    pub details: Option<Box<RawValue>>,
}

/// One page of tasks.
#[derive(Debug, Clone, Serialize)]
pub struct TaskPage {
    /// The tasks of the page, in the asked order.
    pub results: Vec<Task>,
    /// How many tasks match, on all pages.
    pub total: u64,
    /// Size asked for.
    pub limit: u32,
    /// Uid of the first result.
    pub from: Option<u32>,
    /// Uid the next page starts at.
    pub next: Option<u32>,
}
