//! Takes large merges of vectors in when they end.
//!
//! A batch that is running then names the merged file in its own commit. Without one the thread of
//! the merge makes a commit that changes nothing else: not even what the last batch did, which is
//! read after a crash.

use std::sync::Arc;

use parking_lot::Mutex;

use super::IndexError;
use super::batch_control::BatchControl;
use super::current::Current;
use super::handle::write_commit;
use super::snapshot::Snapshot;
use crate::storage::writer::Writer;
use crate::vectors::{BackgroundMerges, remove_unnamed};

/// What a commit needs, shared by the index and the thread of a merge.
#[derive(Clone)]
pub(super) struct MergedVectors {
    pub(super) merges: Arc<BackgroundMerges>,
    pub(super) current: Arc<Current>,
    pub(super) writer: Arc<Mutex<Option<Writer>>>,
    pub(super) memory_bytes: usize,
}

impl MergedVectors {
    /// Starts the next merge that is due in the last commit.
    pub(super) fn start(&self, last: &Snapshot) {
        let this = self.clone();
        // What fails leaves the files that were merged, which are still good.
        let ended = move || drop(this.take_in());
        self.merges
            .start(last.generation().path(), last.vectors(), ended);
    }

    /// Commits the file of a merge that has ended, unless a batch has done so meanwhile.
    fn take_in(&self) -> Result<(), IndexError> {
        let mut writer = self.writer.lock();
        if self.merges.is_closed() {
            return Ok(());
        }
        let last = self.current.refresh()?;
        let generation = last.generation();
        let mut meta = last.meta().clone();
        let (path, vectors) = (generation.path(), last.vectors());
        if !self.merges.adopt(path, vectors, &mut meta.vectors)? {
            return Ok(());
        }
        let mut committing = match writer.take() {
            Some(writer) => writer,
            None => generation.writer(self.memory_bytes)?,
        };
        write_commit(&mut committing, &meta, &BatchControl::default())?;
        *writer = Some(committing);
        let last = self.current.refresh()?;
        remove_unnamed(path, &meta.vectors)?;
        self.start(&last);
        Ok(())
    }
}
