//! Large merges of files of vectors, on a thread of their own while batches go on.
//!
//! Small merges are part of the batch that makes them due. A large one reads files that never
//! change and writes one that nothing names; the first commit after its end takes it over: that of
//! a batch that is running then, else one that its own thread makes.
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
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use serval_vector::{Merge, Merged};

use super::index_vectors::{IndexVectors, VectorFiles, directory_in};
use super::vector_set::into_io;
use crate::storage::directory::sync_directory;

/// Where files in the making are, in the folder of the vectors of a generation. Hidden, so that
/// nobody takes them for a part of the index.
const FOLDER: &str = ".merging";

/// The large merge of an index that is under way or has ended, if there is one.
#[derive(Default)]
pub(crate) struct BackgroundMerges {
    merge: Arc<Mutex<Option<Running>>>,
    /// The thread of the last merge that was started.
    thread: Mutex<Option<JoinHandle<()>>>,
    is_closed: AtomicBool,
}

struct Running {
    embedder: String,
    generation: PathBuf,
    stop: Arc<AtomicBool>,
    state: State,
}

enum State {
    Merging,
    Ended(Box<Merged>),
    /// As if it had not been tried: the files that were to be merged are still good.
    Failed,
}

impl BackgroundMerges {
    /// Starts the next merge that is due in a generation, unless there is one that has not been
    /// taken over. Its thread calls `ended` after it.
    pub(crate) fn start(
        &self,
        generation: &Path,
        vectors: &IndexVectors,
        ended: impl FnOnce() + Send + 'static,
    ) {
        let mut running = self.merge.lock();
        if let Some(running) = &*running {
            if running.generation != generation {
                // It will never be taken over.
                running.stop.store(true, Ordering::Relaxed);
            }
            return;
        }
        if self.is_closed() {
            return;
        }
        let Some((embedder, merge)) = vectors.next_merge() else {
            return;
        };
        let stop = Arc::new(AtomicBool::new(false));
        let folder = directory_in(generation).join(FOLDER);
        let work = Work {
            merge,
            folder,
            stop: Arc::clone(&stop),
            running: Arc::clone(&self.merge),
        };
        if let Ok(thread) = work.spawn(ended) {
            *self.thread.lock() = Some(thread);
            *running = Some(Running {
                embedder: embedder.to_owned(),
                generation: generation.to_owned(),
                stop,
                state: State::Merging,
            });
        }
    }

    /// Lets what the next commit of a generation names have the file of a merge that has ended, if
    /// there is one. `vectors` are those of the commit before.
    ///
    /// # Errors
    /// When a file can neither be read nor put in its place; the merge is then forgotten.
    pub(crate) fn adopt(
        &self,
        generation: &Path,
        vectors: &IndexVectors,
        files: &mut VectorFiles,
    ) -> io::Result<bool> {
        let mut guard = self.merge.lock();
        let is_over = |running: &mut Running| !matches!(running.state, State::Merging);
        let Some(running) = guard.take_if(is_over) else {
            return Ok(false);
        };
        drop(guard);
        match running.state {
            State::Ended(merged) if running.generation == generation => {
                take_over(&running.embedder, *merged, generation, vectors, files)
            }
            _ => Ok(false),
        }
    }

    /// Waits until no merge is under way and none waits to be taken over. Who holds what a commit
    /// needs would wait forever.
    pub(crate) fn wait(&self) {
        loop {
            let thread = self.thread.lock().take();
            let Some(thread) = thread else { return };
            // What failed is as if it had not been tried.
            let _ = thread.join();
        }
    }

    /// Stops a merge, waits for its thread, and has no other one start.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        if let Some(running) = &*self.merge.lock() {
            running.stop.store(true, Ordering::Relaxed);
        }
        self.wait();
    }

    /// Whether a merge is under way or waits to be taken over.
    pub(crate) fn is_merging(&self) -> bool {
        self.merge.lock().is_some()
    }

    /// Whether nothing is to be merged or taken over any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Whether a merge has ended that was not taken over yet.
    #[cfg(test)]
    pub(crate) fn has_ended(&self) -> bool {
        let running = self.merge.lock();
        let state = running.as_ref().map(|running| &running.state);
        matches!(state, Some(State::Ended(_)))
    }
}

/// A merge, and where to leave what comes of it.
struct Work {
    merge: Merge,
    folder: PathBuf,
    stop: Arc<AtomicBool>,
    running: Arc<Mutex<Option<Running>>>,
}

impl Work {
    fn spawn(self, ended: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
        fs::create_dir_all(&self.folder)?;
        let work = move || {
            self.run();
            ended();
        };
        std::thread::Builder::new()
            .name("serval-vectors".to_owned())
            .spawn(work)
    }

    fn run(self) {
        let Self {
            merge,
            folder,
            stop,
            running,
        } = self;
        let merged = catch_unwind(AssertUnwindSafe(|| merge.run(&folder, &stop)));
        let state = match merged {
            Ok(Ok(merged)) => State::Ended(Box::new(merged)),
            _ => State::Failed,
        };
        if let Some(running) = &mut *running.lock() {
            running.state = state;
        }
    }
}

fn take_over(
    embedder: &str,
    merged: Merged,
    generation: &Path,
    vectors: &IndexVectors,
    files: &mut VectorFiles,
) -> io::Result<bool> {
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
        return Ok(false);
    };
    fs::rename(from, to)?;
    sync_directory(&directory)?;
    *manifest = next;
    Ok(true)
}

/// Removes what a merge left in a generation that nobody writes to.
pub(crate) fn remove_unfinished(generation: &Path) {
    // What cannot be removed now is removed when the index is opened the next time.
    let _ = fs::remove_dir_all(directory_in(generation).join(FOLDER));
}
