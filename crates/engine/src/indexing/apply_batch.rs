//! Where a batch enters an index.

use super::batch_session::{BatchSession, EvaluateFilter};
use crate::batch::{Batch, OperationResult};
use crate::index::{Index, IndexError};

impl Index {
    /// Applies a batch: its operations in order, each on its own, all in the end durable.
    ///
    /// # Errors
    /// When the index itself fails; the last commit then still stands, and none of the operations
    /// not named in its `last_batch` is applied.
    pub fn apply_batch(
        &self,
        batch: &Batch,
        evaluate: EvaluateFilter<'_>,
    ) -> Result<Vec<OperationResult>, IndexError> {
        let mut writer = self.lock_writer();
        let _running = self.control().begin(batch.batch_uid);
        self.generation().watch_stop(self.control().stop_watch());
        let results = BatchSession::new(self, &mut writer, batch, evaluate)?.run();
        self.control().forget_stop();
        drop(writer);
        self.keep_writer();
        results
    }
}
