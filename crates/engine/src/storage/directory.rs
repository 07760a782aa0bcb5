//! The directory in which tantivy keeps a generation: reads are mapped, writes are synced together.
//!
//! Tantivy would sync each of the eight files of a segment as it is closed and rewrite a list of
//! its files for each of them. Here files are synced in one go just before `meta.json` names them,
//! and the list of files is the directory itself. While much is written, memory is given back
//! ([`super::mapped_files`], [`crate::memory`]), and a batch that is to stop writes no more.
//!
//! # Invariants
//! 1. When `meta.json` changes, everything it names is on disk.
//! 2. `meta.json` is replaced by a rename, and the rename is on disk before the write returns.
//! 3. Files that nothing names, left by a crash, are listed like others and therefore collected.
//! 4. A file that could not be synced is never named: the system may have dropped its pages, so
//!    that syncing it once more would succeed and mean nothing.
//! 5. When `meta.json` could not be replaced durably, the one before is put back.
//! 6. `meta.json` carries a checksum, which is compared whenever it is read.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
};

use super::mapped_files::MappedFiles;
use super::named_segments::NamedSegments;
use super::sealed::{seal, unseal};
use crate::memory;

const META: &str = "meta.json";
const FILE_LIST: &str = ".managed.json";
/// Length of the name of a segment's file without its extension.
const SEGMENT_ID_LEN: usize = 32;

/// Bytes written after which memory is given back.
const RELEASE_BYTES: u64 = 16 << 20;

/// Bytes written since memory was given back for which it is at a commit.
const LARGE_COMMIT_BYTES: u64 = 4 << 20;

/// Says whether the batch that writes is to stop.
pub(crate) type IsStopped = Arc<dyn Fn() -> bool + Send + Sync>;

/// Is told that a commit or a merge has changed which files are in use.
pub(crate) type OnChange = Arc<dyn Fn() + Send + Sync>;

/// A generation directory.
#[derive(Clone, Debug)]
pub(crate) struct GenerationDirectory {
    mapped: MmapDirectory,
    state: Arc<State>,
}

struct State {
    root: PathBuf,
    files: MappedFiles,
    unsynced: Mutex<BTreeSet<PathBuf>>,
    /// Files that could not be synced.
    lost: Mutex<BTreeSet<PathBuf>>,
    version: AtomicU64,
    written: AtomicU64,
    stopped: RwLock<Option<IsStopped>>,
    on_change: RwLock<Option<OnChange>>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("State").field(&self.root).finish()
    }
}

impl State {
    /// Counts bytes read or written, and gives memory back when they are many.
    fn count(&self, n_bytes: usize) {
        let n_bytes = n_bytes as u64;
        let written = self.written.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes;
        if written >= RELEASE_BYTES {
            self.written.store(0, Ordering::Relaxed);
            self.files.release();
            memory::release();
        }
    }

    /// Gives back what a large batch leaves behind; a small one leaves little, and its memory is
    /// wanted again by the next.
    fn end_commit(&self) {
        if self.written.load(Ordering::Relaxed) >= LARGE_COMMIT_BYTES {
            self.written.store(0, Ordering::Relaxed);
            memory::release();
        }
    }

    fn check(&self) -> io::Result<()> {
        let stopped = self.stopped.read();
        if stopped.as_ref().is_some_and(|is_stopped| is_stopped()) {
            return Err(io::Error::other("the batch is to stop"));
        }
        Ok(())
    }
}

impl GenerationDirectory {
    /// Opens a directory that exists.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn open(root: &Path) -> tantivy::Result<Self> {
        Ok(Self {
            mapped: MmapDirectory::open(root)?,
            state: Arc::new(State {
                root: root.to_owned(),
                files: MappedFiles::default(),
                unsynced: Mutex::default(),
                lost: Mutex::default(),
                version: AtomicU64::new(0),
                written: AtomicU64::new(0),
                stopped: RwLock::default(),
                on_change: RwLock::default(),
            }),
        })
    }

    /// Grows with every change of `meta.json` through this handle or its clones: commits and
    /// finished merges.
    pub(crate) fn version(&self) -> u64 {
        self.state.version.load(Ordering::Acquire)
    }

    /// Says who knows whether the batch that writes is to stop: then no file can be written. What
    /// decides over a commit is asked elsewhere, so that one that has begun goes through.
    pub(crate) fn watch_stop(&self, is_stopped: IsStopped) {
        *self.state.stopped.write() = Some(is_stopped);
    }

    /// Says who is told of every change of `meta.json`, on the thread that made it.
    pub(crate) fn watch_changes(&self, on_change: OnChange) {
        *self.state.on_change.write() = Some(on_change);
    }

    /// Counts bytes read from mapped files, whose pages are given back when they are many.
    pub(crate) fn count_read(&self, n_bytes: usize) {
        self.state.count(n_bytes);
    }

    fn sync_pending(&self) -> io::Result<()> {
        let pending = std::mem::take(&mut *self.state.unsynced.lock());
        let mut failure = None;
        for path in pending {
            let synced = match File::open(self.state.root.join(&path)) {
                Ok(file) => file.sync_data(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = synced {
                self.state.lost.lock().insert(path);
                failure.get_or_insert(error);
            }
        }
        failure.map_or(Ok(()), Err)
    }

    fn replace_meta(&self, data: &[u8]) -> io::Result<()> {
        let named = NamedSegments::read(data)?;
        let lost = self.state.lost.lock().clone();
        if let Some(path) = lost.iter().find(|path| named.contains(path)) {
            let message = format!("`{}` could not be synced before", path.display());
            return Err(io::Error::other(message));
        }
        let replaced = replace_or_restore(&self.state.root.join(META), &seal(data));
        self.state.version.fetch_add(1, Ordering::AcqRel);
        replaced
    }
}

/// Makes the entries of a directory durable. Nothing to do where directories cannot be synced.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    File::open(path)?.sync_all()
}

/// Replaces a file by a rename; content and rename are on disk when this returns.
pub(crate) fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let directory = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut name = path
        .file_name()
        .ok_or(io::ErrorKind::InvalidInput)?
        .to_owned();
    name.push(".new");
    let temporary = directory.join(name);
    let written = write_synced(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // What cannot be removed now is overwritten by the next one.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    sync_directory(directory)
}

/// [`replace_file`] for a file that names others: when the new content cannot be made durable, the
/// one before is put back. Should that fail as well, the file holds the new one.
pub(crate) fn replace_or_restore(path: &Path, content: &[u8]) -> io::Result<()> {
    let before = fs::read(path).ok();
    let replaced = replace_file(path, content);
    if replaced.is_err()
        && let Some(before) = before
        && fs::read(path).ok().as_ref() != Some(&before)
    {
        let _ = replace_file(path, &before);
    }
    replaced
}

/// Writes a file; its content is on disk when this returns.
pub(crate) fn write_synced(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_data()
}

struct UnsyncedFile {
    file: File,
    path: PathBuf,
    state: Arc<State>,
}

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.state.check()?;
        self.state.count(bytes.len());
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl TerminatingWrite for UnsyncedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.file.flush()?;
        self.state.unsynced.lock().insert(self.path.clone());
        Ok(())
    }
}

impl Directory for GenerationDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        match self.state.files.open(&self.state.root.join(path)) {
            Ok(bytes) => Ok(Arc::new(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(OpenReadError::FileDoesNotExist(path.to_owned()))
            }
            Err(error) => Err(OpenReadError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.state.unsynced.lock().remove(path);
        self.state.files.forget(&self.state.root.join(path));
        self.state.lost.lock().remove(path);
        self.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let full = self.state.root.join(path);
        let file = create_new(&full)
            .or_else(|error| match error.kind() {
                io::ErrorKind::AlreadyExists if is_deletions(path) => {
                    fs::remove_file(&full)?;
                    self.state.files.forget(&full);
                    create_new(&full)
                }
                _ => Err(error),
            })
            .map_err(|error| {
                if error.kind() == io::ErrorKind::AlreadyExists {
                    OpenWriteError::FileAlreadyExists(path.to_owned())
                } else {
                    OpenWriteError::wrap_io_error(error, path.to_owned())
                }
            })?;
        let state = Arc::clone(&self.state);
        Ok(BufWriter::new(Box::new(UnsyncedFile {
            file,
            path: path.to_owned(),
            state,
        })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if path == Path::new(FILE_LIST) {
            return list_files(&self.state.root)
                .map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()));
        }
        let bytes = self.mapped.atomic_read(path)?;
        if path != Path::new(META) {
            return Ok(bytes);
        }
        unseal(bytes).map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if path == Path::new(FILE_LIST) {
            return Ok(());
        }
        self.sync_pending()?;
        if path == Path::new(META) {
            let replaced = self.replace_meta(data);
            self.state.end_commit();
            let on_change = self.state.on_change.read().clone();
            on_change.into_iter().for_each(|on_change| on_change());
            return replaced;
        }
        replace_file(&self.state.root.join(path), data)
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.mapped.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.mapped.watch(callback)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }
}

fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Whether a file holds the deletions of a segment. Its name counts operations since the last
/// commit, so that a batch that runs again after a crash or a stop meets the file of the time
/// before, which no commit names and nobody reads.
fn is_deletions(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "del")
}

/// Whether a name is that of a file of a segment.
pub(crate) fn is_segment_file(name: &Path) -> bool {
    let id = name.to_str().and_then(|name| name.split_once('.'));
    id.is_some_and(|(id, _)| {
        id.len() == SEGMENT_ID_LEN && id.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// The names of all segment files, as tantivy's list of files.
fn list_files(root: &Path) -> io::Result<Vec<u8>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root)? {
        let name = entry?.file_name();
        let Some(name) = name.to_str() else { continue };
        if is_segment_file(Path::new(name)) || name == META {
            names.push(name.to_owned());
        }
    }
    serde_json::to_vec(&names).map_err(io::Error::other)
}
