//! What a running batch shares with those who watch it: how far it is, and whether it should stop.
//!
//! # Cost
//! The batch counts with relaxed atomic additions and checks with one load; nothing is put
//! together until somebody asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use super::IndexError;
use crate::storage::directory::IsStopped;
use crate::storage::in_flight::InFlight;
use crate::storage::indexed_document::IndexedDocument;

/// What a batch is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchStep {
    /// Reading payloads and working out what becomes of each document.
    ComputingChanges,
    /// Choosing documents to delete.
    DeletingDocuments,
    /// Reading new settings.
    ApplyingSettings,
    /// Taking vectors from documents, or asking for them.
    ExtractingEmbeddings,
    /// Reading documents into words and columns.
    ExtractingDocuments,
    /// Waiting until segments are on disk.
    WritingSegments,
    /// Making it all visible.
    Committing,
}

const N_STEPS: usize = 7;

impl BatchStep {
    const ALL: [Self; N_STEPS] = [
        Self::ComputingChanges,
        Self::DeletingDocuments,
        Self::ApplyingSettings,
        Self::ExtractingEmbeddings,
        Self::ExtractingDocuments,
        Self::WritingSegments,
        Self::Committing,
    ];

    /// Steps that follow one another in a commit.
    pub const N_IN_SEQUENCE: u64 = 5;

    /// Its name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ComputingChanges => "computing document changes",
            Self::DeletingDocuments => "delete documents",
            Self::ApplyingSettings => "apply the settings",
            Self::ExtractingEmbeddings => "extracting embeddings",
            Self::ExtractingDocuments => "extracting documents",
            Self::WritingSegments => "waiting for database writes",
            Self::Committing => "committing",
        }
    }

    /// Number of steps before it.
    #[must_use]
    pub const fn place(self) -> u64 {
        match self {
            Self::ComputingChanges | Self::DeletingDocuments | Self::ApplyingSettings => 0,
            Self::ExtractingEmbeddings => 1,
            Self::ExtractingDocuments => 2,
            Self::WritingSegments => 3,
            Self::Committing => 4,
        }
    }
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchProgress {
    /// What it is at.
    pub step: BatchStep,
    /// Documents that the step is done with.
    pub finished: u64,
    /// Documents that the step is about; 0 when it does not count them.
    pub total: u64,
}

#[derive(Default)]
struct Steps {
    current: Option<(BatchStep, Instant)>,
    micros: [u64; N_STEPS],
}

/// Says at a step, with so many documents done, that the batch is to stop.
#[cfg(test)]
type StopAt = Box<dyn Fn(BatchStep, u64) -> bool + Send>;

/// The block that a batch and its watchers share.
#[derive(Default)]
pub(crate) struct BatchControl {
    /// Number of the running batch, plus one; 0 without one.
    running: AtomicU64,
    /// Number of the batch to stop, plus one.
    unwanted: AtomicU64,
    /// Number of the batch that others follow, plus one.
    followed: AtomicU64,
    finished: AtomicU64,
    total: AtomicU64,
    steps: Mutex<Steps>,
    #[cfg(test)]
    stop_at: Mutex<Option<StopAt>>,
}

/// Ends the batch for watchers when dropped.
pub(crate) struct Running<'c>(&'c BatchControl);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.leave();
        self.0.running.store(0, Ordering::Relaxed);
    }
}

impl BatchControl {
    /// Starts a batch. A wish to stop it may have come before.
    pub(crate) fn begin(&self, batch_uid: u64) -> Running<'_> {
        *self.steps.lock() = Steps::default();
        self.running
            .store(batch_uid.wrapping_add(1), Ordering::Relaxed);
        Running(self)
    }

    /// Asks a batch to stop, which may be running or about to.
    pub(crate) fn stop(&self, batch_uid: u64) {
        self.unwanted
            .store(batch_uid.wrapping_add(1), Ordering::Relaxed);
    }

    /// Forgets a wish to stop a batch that has ended.
    pub(crate) fn forget_stop(&self) {
        let running = self.running.load(Ordering::Relaxed);
        let order = Ordering::Relaxed;
        // Another batch may have been asked to stop in between.
        let _ = self.unwanted.compare_exchange(running, 0, order, order);
    }

    /// Says that more is to come after a batch, which may be running or about to.
    pub(crate) fn expect_more(&self, batch_uid: u64) {
        self.followed
            .store(batch_uid.wrapping_add(1), Ordering::Relaxed);
    }

    /// Whether more is to come after the running batch.
    pub(crate) fn is_followed(&self) -> bool {
        let followed = self.followed.load(Ordering::Relaxed);
        followed != 0 && followed == self.running.load(Ordering::Relaxed)
    }

    /// Whether the running batch should stop.
    pub(crate) fn is_stopped(&self) -> bool {
        let unwanted = self.unwanted.load(Ordering::Relaxed);
        unwanted != 0 && unwanted == self.running.load(Ordering::Relaxed)
    }

    /// What tells others whether the running batch should stop.
    pub(crate) fn stop_watch(self: &Arc<Self>) -> IsStopped {
        let control = Arc::clone(self);
        Arc::new(move || control.is_stopped())
    }

    /// An error when the running batch should stop.
    pub(crate) fn check(&self) -> Result<(), IndexError> {
        if self.is_stopped() {
            Err(IndexError::Aborted)
        } else {
            Ok(())
        }
    }

    /// Waits until there is room for a document on its way to the writer.
    pub(crate) fn admit(
        &self,
        document: &mut IndexedDocument,
        in_flight: &Arc<InFlight>,
    ) -> Result<(), IndexError> {
        let share = in_flight.share(document.mem_usage(), &|| self.is_stopped());
        document.share = Some(share.ok_or(IndexError::Aborted)?);
        Ok(())
    }

    /// Ends the step before and enters one about so many documents.
    pub(crate) fn enter(&self, step: BatchStep, total: u64) {
        self.leave();
        self.finished.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.steps.lock().current = Some((step, Instant::now()));
        #[cfg(test)]
        self.stop_if_it_is_time();
    }

    /// Counts a document as done; an error when the batch should stop.
    pub(crate) fn advance(&self) -> Result<(), IndexError> {
        self.finished.fetch_add(1, Ordering::Relaxed);
        #[cfg(test)]
        self.stop_if_it_is_time();
        self.check()
    }

    /// Stops the next batch, of whatever number, at the first place that `stop_at` says.
    #[cfg(test)]
    pub(crate) fn stop_once(&self, stop_at: StopAt) {
        *self.stop_at.lock() = Some(stop_at);
    }

    #[cfg(test)]
    fn stop_if_it_is_time(&self) {
        let Some(at) = self.progress() else { return };
        let mut stop_at = self.stop_at.lock();
        let reached = stop_at.take_if(|stop_at| stop_at(at.step, at.finished));
        if reached.is_some() {
            let running = self.running.load(Ordering::Relaxed);
            self.unwanted.store(running, Ordering::Relaxed);
        }
    }

    fn leave(&self) {
        let mut steps = self.steps.lock();
        if let Some((step, since)) = steps.current.take() {
            let took = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
            let micros = &mut steps.micros[step as usize];
            *micros = micros.saturating_add(took);
        }
    }

    /// How far the running batch is; `None` without one.
    pub(crate) fn progress(&self) -> Option<BatchProgress> {
        let (step, _) = self.steps.lock().current?;
        let total = self.total.load(Ordering::Relaxed);
        let finished = self.finished.load(Ordering::Relaxed);
        Some(BatchProgress {
            step,
            finished: finished.min(total),
            total,
        })
    }

    /// Steps that the running or last batch has ended, with the microseconds they took.
    pub(crate) fn trace(&self) -> Vec<(BatchStep, u64)> {
        let micros = self.steps.lock().micros;
        let steps = BatchStep::ALL.into_iter().zip(micros);
        steps.filter(|(_, micros)| *micros > 0).collect()
    }
}
