//! An index on disk: one writer, any number of readers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard, RwLock};

use super::batch_control::{BatchControl, BatchProgress, BatchStep};
use super::current::Current;
use super::index_meta::{IndexMeta, now};
use super::kept_writers::{WriterSlot, close_idle};
use super::merged_vectors::MergedVectors;
use super::snapshot::Snapshot;
use super::stored_documents::commit_of;
use super::{IndexError, SearchMemory, Shared};
use crate::settings::IndexSettings;
use crate::storage::generation::{self, Generation};
use crate::storage::in_flight::InFlight;
use crate::storage::writer::Writer;
use crate::vectors::{BackgroundMerges, Embedding, remove_unfinished, remove_unnamed};

/// One part of so many of the memory is for documents that wait for the writer.
const IN_FLIGHT_SHARE: usize = 16;
/// Bounds of that part.
const IN_FLIGHT_BYTES: std::ops::RangeInclusive<usize> = 1 << 20..=16 << 20;

/// How much memory an index may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexOptions {
    /// Bytes for the plan of a batch and for building segments before they are written.
    pub indexing_memory_bytes: usize,
    /// Threads that turn documents into words and columns; one more builds segments from these.
    pub indexing_threads: usize,
    /// For what searches remember: sets of documents of frequent words, summaries, answers.
    pub search_memory: SearchMemory,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            indexing_memory_bytes: 256 << 20,
            indexing_threads: 1,
            search_memory: SearchMemory::default(),
        }
    }
}

/// An open index. Dropping it waits for merges that are under way.
pub struct Index {
    path: PathBuf,
    options: IndexOptions,
    shared: Shared,
    current: Arc<Current>,
    writer: Arc<WriterSlot>,
    embedding: RwLock<Option<Embedding>>,
    control: Arc<BatchControl>,
    vector_merges: Arc<BackgroundMerges>,
}

impl Index {
    /// Creates an index in a directory that does not hold one yet.
    ///
    /// # Errors
    /// When there is one, or files cannot be written.
    pub fn create(
        path: &Path,
        primary_key: Option<&str>,
        options: IndexOptions,
    ) -> Result<Self, IndexError> {
        Self::create_among(&Shared::default(), path, primary_key, options)
    }

    /// The same for one of several indexes.
    ///
    /// # Errors
    /// Those of [`create`](Self::create).
    pub fn create_among(
        others: &Shared,
        path: &Path,
        primary_key: Option<&str>,
        options: IndexOptions,
    ) -> Result<Self, IndexError> {
        fs::create_dir_all(path)?;
        if generation::current(path)?.is_some() {
            return Err(IndexError::Exists(path.to_owned()));
        }
        let first = generation::next(path, None);
        if first.exists() {
            fs::remove_dir_all(&first)?;
        }
        let generation = Arc::new(Generation::open(first)?);
        let meta = IndexMeta::new(
            primary_key.map(str::to_owned),
            IndexSettings::default(),
            now(),
        );
        let mut writer = generation.writer(options.indexing_memory_bytes)?;
        write_commit(&mut writer, &meta, &BatchControl::default())?;
        generation::set_current(path, generation.path())?;
        let index = Self::with_generation(path, &generation, Some(writer), (options, others))?;
        index.keep_writer();
        Ok(index)
    }

    /// Opens an index.
    ///
    /// # Errors
    /// When there is none, another process has it, or files are damaged.
    pub fn open(path: &Path, options: IndexOptions) -> Result<Self, IndexError> {
        Self::open_among(&Shared::default(), path, options)
    }

    /// The same for one of several indexes.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn open_among(
        others: &Shared,
        path: &Path,
        options: IndexOptions,
    ) -> Result<Self, IndexError> {
        let current =
            generation::current(path)?.ok_or_else(|| IndexError::Missing(path.to_owned()))?;
        if !current.join("meta.json").exists() {
            return Err(IndexError::Corrupt(format!(
                "`{}` has no commit",
                current.display()
            )));
        }
        // An upgrade may be at work beside a generation that this build cannot read.
        commit_of(&current)?.check_version()?;
        generation::remove_others(path, &current)?;
        generation::remove_leftovers(&current)?;
        remove_unfinished(&current);
        let generation = Arc::new(Generation::open(current)?);
        Self::with_generation(path, &generation, None, (options, others))
    }

    fn with_generation(
        path: &Path,
        generation: &Arc<Generation>,
        writer: Option<Writer>,
        (options, shared): (IndexOptions, &Shared),
    ) -> Result<Self, IndexError> {
        let budget = shared.budget(options.search_memory);
        let snapshot = Snapshot::load(generation, None, &budget)?;
        remove_unnamed(generation.path(), &snapshot.meta().vectors)?;
        let writer = Arc::new(Mutex::new(writer));
        Ok(Self {
            path: path.to_owned(),
            options,
            shared: shared.clone(),
            current: Current::new(snapshot, budget, Arc::clone(&writer)),
            writer,
            embedding: RwLock::default(),
            control: Arc::default(),
            vector_merges: Arc::default(),
        })
    }

    /// The state at hand: that of the last batch. A merge that has finished since is being taken in
    /// beside, for those who ask later.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.current.newest()
    }

    /// Asks a batch to stop, whether it runs or is about to; `apply_batch` then answers
    /// [`IndexError::Aborted`], and nothing of the batch is kept. A batch that has committed a
    /// part of its operations answers with the results of these.
    pub fn abort_batch(&self, batch_uid: u64) {
        self.control.stop(batch_uid);
    }

    /// Says that another batch is to come after one that runs or is about to: merges of large
    /// segments are left to it.
    pub fn expect_more(&self, batch_uid: u64) {
        self.control.expect_more(batch_uid);
    }

    /// How far the running batch is; `None` without one.
    #[must_use]
    pub fn batch_progress(&self) -> Option<BatchProgress> {
        self.control.progress()
    }

    /// Steps that the running or last batch has ended, with the microseconds each took.
    #[must_use]
    pub fn batch_trace(&self) -> Vec<(BatchStep, u64)> {
        self.control.trace()
    }

    pub(crate) fn vector_merges(&self) -> &BackgroundMerges {
        &self.vector_merges
    }

    /// Starts the next merge of vectors that is due in the last commit, to be taken in when it ends.
    pub(crate) fn start_vector_merge(&self, last: &Snapshot) {
        let merged = MergedVectors {
            merges: Arc::clone(&self.vector_merges),
            current: Arc::clone(&self.current),
            writer: Arc::clone(&self.writer),
            memory_bytes: self.options.indexing_memory_bytes,
        };
        merged.start(last);
    }

    pub(crate) const fn control(&self) -> &Arc<BatchControl> {
        &self.control
    }

    /// Sets where vectors come from that documents do not bring themselves; batches that start
    /// later use it. Without it only vectors given by the user are indexed.
    pub fn set_embedding(&self, embedding: Embedding) {
        *self.embedding.write() = Some(embedding);
    }

    pub(crate) fn embedding(&self) -> Option<Embedding> {
        self.embedding.read().clone()
    }

    /// Merges all segments into one without dead documents, and waits for it.
    ///
    /// # Errors
    /// When the merge fails.
    pub fn compact(&self) -> Result<(), IndexError> {
        let mut guard = self.writer.lock();
        // Segments that a background merge holds could not be merged again.
        if let Some(writer) = guard.take() {
            writer.wait_merging_threads()?;
        }
        let snapshot = self.refresh()?;
        let generation = snapshot.generation();
        let segments = generation.index().searchable_segment_ids()?;
        if segments.len() > 1 || snapshot.has_dead_documents() {
            let mut writer = generation.writer(self.options.indexing_memory_bytes)?;
            writer.merge(&segments).wait()?;
            drop(snapshot);
            writer.garbage_collect_files().wait()?;
            *guard = Some(writer);
        }
        self.refresh()?;
        drop(guard);
        self.keep_writer();
        Ok(())
    }

    /// Waits until background merges are done and taken in.
    ///
    /// # Errors
    /// When a merge fails.
    pub fn wait_for_merges(&self) -> Result<(), IndexError> {
        self.vector_merges.wait();
        let mut guard = self.writer.lock();
        if let Some(writer) = guard.take() {
            writer.wait_merging_threads()?;
        }
        self.refresh()?;
        Ok(())
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The generation of the last commit, without looking for a newer state.
    pub(crate) fn generation(&self) -> Arc<Generation> {
        Arc::clone(self.current.at_hand().generation())
    }

    /// Keeps everybody else from writing.
    pub(crate) fn lock_writer(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock()
    }

    /// Keeps the writer open, at the cost of one that was not used for longer.
    pub(crate) fn keep_writer(&self) {
        self.shared.writers.used(&self.writer);
    }

    /// Whether nobody reads the index, writes to it, or merges in it: closing it then takes no time.
    /// Its writer is closed.
    pub(crate) fn is_idle(&self) -> bool {
        self.current.is_unread() && !self.vector_merges.is_merging() && close_idle(&self.writer)
    }

    /// Bounds what waits for the writer to a small part of the memory.
    pub(crate) fn in_flight(&self) -> Arc<InFlight> {
        in_flight_of(self.options)
    }

    pub(crate) const fn options(&self) -> &IndexOptions {
        &self.options
    }

    /// Reads the last commit if the snapshot at hand is older.
    pub(crate) fn refresh(&self) -> Result<Snapshot, IndexError> {
        self.current.refresh()
    }

    /// Reads the last commit of another generation.
    pub(crate) fn load(&self, generation: &Arc<Generation>) -> Result<Snapshot, IndexError> {
        let budget = self.shared.budget(self.options.search_memory);
        Snapshot::load(generation, None, &budget)
    }

    /// Makes a snapshot of another generation the current one.
    pub(crate) fn switch(&self, snapshot: Snapshot) {
        self.current.switch(snapshot);
    }

    pub(crate) fn write_commit(
        &self,
        writer: &mut Writer,
        meta: &IndexMeta,
    ) -> Result<(), IndexError> {
        write_commit(writer, meta, &self.control)
    }
}

impl Drop for Index {
    /// Waits for background merges: one that ended after the index was opened again would remove
    /// segments under it.
    fn drop(&mut self) {
        // First, because its thread may commit.
        self.vector_merges.close();
        if let Some(writer) = self.writer.lock().take() {
            // What failed in a merge is as if it had not been tried.
            let _ = writer.wait_merging_threads();
        }
    }
}

/// Bounds what waits for a writer to a small part of its memory.
pub(crate) fn in_flight_of(options: IndexOptions) -> Arc<InFlight> {
    let share = options.indexing_memory_bytes / IN_FLIGHT_SHARE;
    InFlight::new(share.clamp(*IN_FLIGHT_BYTES.start(), *IN_FLIGHT_BYTES.end()))
}

/// Commits what was written, with what the index knows about itself.
pub(crate) fn write_commit(
    writer: &mut Writer,
    meta: &IndexMeta,
    control: &BatchControl,
) -> Result<(), IndexError> {
    let payload = serde_json::to_string(meta)
        .map_err(|error| IndexError::Corrupt(format!("the meta data: {error}")))?;
    control.enter(BatchStep::WritingSegments, 0);
    let mut commit = writer.prepare_commit()?;
    commit.set_payload(&payload);
    control.check()?;
    control.enter(BatchStep::Committing, 0);
    commit.commit()?;
    Ok(())
}
