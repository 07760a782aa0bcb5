//! Large merges of files of vectors, on a thread of their own while batches go on.
//!
//! Small merges are part of the batch that makes them due. A large one reads files that never
//! change and writes one that nothing names; the first commit after its end takes it over.
//!
//! # Invariants
//! 1. A file that a merge writes lies in [`FOLDER`] until a commit is about to name it; what lies
//!    there when an index is opened is left over from a crash and goes.
//! 2. Documents that change while a merge runs stay changed.
//! 3. A merge whose files the index no longer has is forgotten.
//!
//! # Cost
//! One thread while a merge is under way; at most one is, for each index. Memory is a sample of the
//! rows and some 60 bytes for each.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use serval_vector::{Merge, Merged, VectorError};

use super::index_vectors::{IndexVectors, VectorFiles, directory_in};
use super::vector_set::into_io;
use crate::storage::directory::sync_directory;

/// Where files in the making are, in the folder of the vectors of a generation. Hidden, so that
/// nobody takes them for a part of the index.
const FOLDER: &str = ".merging";

/// The large merge of an index that is under way or has ended, if there is one.
#[derive(Default)]
pub(crate) struct BackgroundMerges(Mutex<Option<Running>>);

struct Running {
    embedder: String,
    generation: PathBuf,
    stop: Arc<AtomicBool>,
    state: State,
}

enum State {
    Merging(JoinHandle<Result<Merged, VectorError>>),
    Ended(Box<Merged>),
    Failed,
}

impl State {
    fn is_under_way(&self) -> bool {
        matches!(self, Self::Merging(thread) if !thread.is_finished())
    }

    /// Waits for the end. What failed is as if it had not been tried: the files that were to be
    /// merged are still good.
    fn joined(self) -> Self {
        match self {
            Self::Merging(thread) => match thread.join() {
                Ok(Ok(merged)) => Self::Ended(Box::new(merged)),
                _ => Self::Failed,
            },
            ended => ended,
        }
    }
}

impl BackgroundMerges {
    /// Starts the next merge that is due in a generation, unless there is one that has not been
    /// taken over.
    pub(crate) fn start(&self, generation: &Path, vectors: &IndexVectors) {
        let mut running = self.0.lock();
        if let Some(running) = &*running {
            if running.generation != generation {
                // It will never be taken over.
                running.stop.store(true, Ordering::Relaxed);
            }
            return;
        }
        let Some((embedder, merge)) = vectors.next_merge() else {
            return;
        };
        let stop = Arc::new(AtomicBool::new(false));
        let folder = directory_in(generation).join(FOLDER);
        if let Ok(thread) = spawn(merge, folder, Arc::clone(&stop)) {
            *running = Some(Running {
                embedder: embedder.to_owned(),
                generation: generation.to_owned(),
                stop,
                state: State::Merging(thread),
            });
        }
    }

    /// Lets what the next commit of a generation names have the file of a merge that has ended.
    /// `vectors` are those of the commit before.
    ///
    /// # Errors
    /// When a file can neither be read nor put in its place; the merge is then forgotten.
    pub(crate) fn adopt(
        &self,
        generation: &Path,
        vectors: &IndexVectors,
        files: &mut VectorFiles,
    ) -> io::Result<()> {
        let mut guard = self.0.lock();
        let Some(running) = guard.take_if(|running| !running.state.is_under_way()) else {
            return Ok(());
        };
        drop(guard);
        let is_here = running.generation == generation;
        match running.state.joined() {
            State::Ended(merged) if is_here => {
                take_over(&running.embedder, *merged, generation, vectors, files)
            }
            _ => Ok(()),
        }
    }

    /// Waits until no merge is under way.
    pub(crate) fn wait(&self) {
        let mut guard = self.0.lock();
        if let Some(running) = guard.take() {
            let state = running.state.joined();
            *guard = Some(Running { state, ..running });
        }
    }
}

impl Drop for BackgroundMerges {
    /// Stops a merge and waits for its thread, which nobody else would.
    fn drop(&mut self) {
        if let Some(running) = self.0.get_mut().take() {
            running.stop.store(true, Ordering::Relaxed);
            running.state.joined();
        }
    }
}

fn spawn(
    merge: Merge,
    folder: PathBuf,
    stop: Arc<AtomicBool>,
) -> io::Result<JoinHandle<Result<Merged, VectorError>>> {
    fs::create_dir_all(&folder)?;
    std::thread::Builder::new()
        .name("serval-vectors".to_owned())
        .spawn(move || merge.run(&folder, &stop))
}

fn take_over(
    embedder: &str,
    merged: Merged,
    generation: &Path,
    vectors: &IndexVectors,
    files: &mut VectorFiles,
) -> io::Result<()> {
    let directory = directory_in(generation);
    let name = merged.file_name().to_owned();
    let (from, to) = (directory.join(FOLDER).join(&name), directory.join(&name));
    let manifest = files
        .embedders
        .get_mut(embedder)
        .and_then(|files| files.index.as_mut());
    let next = match (manifest, vectors.get(embedder)) {
        (Some(manifest), Some(set)) => set
            .with_merged(&directory, manifest, merged)
            .map_err(into_io)?
            .map(|next| (manifest, next)),
        _ => None,
    };
    let Some((manifest, next)) = next else {
        // The files that were merged are not in use any more.
        let _ = fs::remove_file(from);
        return Ok(());
    };
    fs::rename(from, to)?;
    sync_directory(&directory)?;
    *manifest = next;
    Ok(())
}

/// Removes what a merge left in a generation that nobody writes to.
pub(crate) fn remove_unfinished(generation: &Path) {
    // What cannot be removed now is removed when the index is opened the next time.
    let _ = fs::remove_dir_all(directory_in(generation).join(FOLDER));
}
