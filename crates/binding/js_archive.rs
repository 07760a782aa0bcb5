//! `NativeArchive` writes dumps and snapshots; `extractArchive` and the rest reads them.
//!
//! Documents, tasks and files go from the index, the store and the disk into the archive on Rust
//! threads; JavaScript only says which and in what order.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Result};
use napi_derive::napi;
use serval_archive::{ArchiveWriter, Cancel, ExtractError, ExtractOptions};
use serval_engine::fetch::DocumentLines;
use serval_engine::index::Index;
use serval_engine::request::FilterFeatures;
use serval_store::{FolderLock, ImportedRows, ReadTx, Store, StoreError};

use crate::js_index::NativeIndex;
use crate::js_store::{NativeStore, StoreResult};
use crate::outcome::{Answer, Failure, Outcome};
use crate::runtime::{Lane, promise_on};

/// Rows of the store that are read at once.
const PAGE: u32 = 1000;

/// An archive that is being written. Calls must wait for each other; unless `finish` succeeds,
/// nothing of it stays.
#[napi]
pub struct NativeArchive {
    writer: Arc<Mutex<Option<ArchiveWriter>>>,
    cancel: Cancel,
}

#[napi]
impl NativeArchive {
    /// Starts the archive that will have the path `target`, and makes its folder. `level` of the
    /// compression: 0 to 9, that of dumps when it is left out.
    #[napi(ts_return_type = "Promise<{ ok: NativeArchive } | { error: JsFailure }>")]
    pub fn create<'e>(env: &'e Env, target: String, level: Option<u32>) -> Result<Object<'e>> {
        promise_on(env, Lane::Long, move || {
            let cancel = Cancel::default();
            let target = Path::new(&target);
            let writer = match level {
                Some(level) => ArchiveWriter::with_level(target, level, cancel.clone())?,
                None => ArchiveWriter::create(target, cancel.clone())?,
            };
            Ok::<_, Failure>(NativeArchive {
                writer: Arc::new(Mutex::new(Some(writer))),
                cancel,
            })
        })
    }

    /// Adds an entry from memory.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn add_bytes<'e>(&self, env: &'e Env, path: String, bytes: Buffer) -> Result<Object<'e>> {
        let bytes = bytes.to_vec();
        self.with(env, move |writer| Ok(writer.add_bytes(&path, &bytes)?))
    }

    /// Adds a file of the disk.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn add_file<'e>(&self, env: &'e Env, path: String, file: String) -> Result<Object<'e>> {
        self.with(env, move |writer| {
            Ok(writer.add_file(&path, Path::new(&file))?)
        })
    }

    /// Adds the tasks with uids below `before`, one JSON object a line.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn add_tasks<'e>(
        &self,
        env: &'e Env,
        path: String,
        store: &NativeStore,
        before: u32,
    ) -> Result<Object<'e>> {
        let store = store.handle();
        self.with(env, move |writer| {
            Ok(writer.add_measured(&path, &mut |out| {
                write_pages(&store, out, move |tx, after| {
                    tx.dumped_tasks(after, before, PAGE)
                })
            })?)
        })
    }

    /// Adds the ended batches, one JSON object a line.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn add_batches<'e>(
        &self,
        env: &'e Env,
        path: String,
        store: &NativeStore,
    ) -> Result<Object<'e>> {
        let store = store.handle();
        self.with(env, move |writer| {
            Ok(writer.add_measured(&path, &mut |out| {
                write_pages(&store, out, |tx, after| tx.dumped_batches(after, PAGE))
            })?)
        })
    }

    /// Adds the documents of an index, one a line.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn add_documents<'e>(
        &self,
        env: &'e Env,
        path: String,
        index: &NativeIndex,
    ) -> Result<Object<'e>> {
        let open = index.handle()?;
        self.with(env, move |writer| {
            let snapshot = open.wake()?.index.snapshot();
            let lines = DocumentLines::new(snapshot, None, &FilterFeatures::default())?;
            Ok(writer.add_measured(&path, &mut |out| lines.write_all(out))?)
        })
    }

    /// Adds the files of an index below `folder`; it is not written to meanwhile.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn add_index_files<'e>(
        &self,
        env: &'e Env,
        folder: String,
        index: &NativeIndex,
    ) -> Result<Object<'e>> {
        let open = index.handle()?;
        self.with(env, move |writer| {
            let awake = open.wake()?;
            let add = |files: &[PathBuf]| add_files(writer, &folder, &awake.index, files);
            Ok(awake.index.with_settled_files(add)?)
        })
    }

    /// Ends the archive and puts it under its name, replacing what is there; its size in bytes.
    #[napi(ts_return_type = "Promise<{ ok: number } | { error: JsFailure }>")]
    pub fn finish<'e>(&self, env: &'e Env, read_only: bool) -> Result<Object<'e>> {
        let writer = Arc::clone(&self.writer);
        promise_on(env, Lane::Long, move || {
            let writer = taken(&writer).ok_or_else(ended)?;
            Ok::<_, Failure>(writer.finish(read_only)? as f64)
        })
    }

    /// Lets the call under way, and all later ones, fail soon.
    #[napi]
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Removes what was written, once the call under way has ended.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn discard<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        let writer = Arc::clone(&self.writer);
        promise_on(env, Lane::Long, move || {
            drop(taken(&writer));
            Ok::<_, Failure>(())
        })
    }
}

impl NativeArchive {
    fn with<'e>(
        &self,
        env: &'e Env,
        job: impl FnOnce(&mut ArchiveWriter) -> Answer<()> + Send + 'static,
    ) -> Result<Object<'e>> {
        let writer = Arc::clone(&self.writer);
        promise_on(env, Lane::Long, move || {
            let mut guard = writer.lock().unwrap_or_else(PoisonError::into_inner);
            job(guard.as_mut().ok_or_else(ended)?)
        })
    }
}

fn taken(writer: &Mutex<Option<ArchiveWriter>>) -> Option<ArchiveWriter> {
    writer.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn ended() -> Failure {
    Failure::internal("the archive has ended")
}

/// Writes page after page of lines, until one is empty.
fn write_pages(
    store: &RwLock<Option<Store>>,
    out: &mut dyn Write,
    page: impl Fn(&ReadTx<'_>, Option<u32>) -> StoreResult<(Vec<String>, Option<u32>)>
    + Clone
    + Send
    + 'static,
) -> io::Result<()> {
    let mut after = None;
    loop {
        let read = page.clone();
        let (lines, last) = with_store(store, |store| store.read_wait(move |tx| read(tx, after)))
            .map_err(io::Error::other)?;
        for line in lines {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
        }
        match last {
            None => return Ok(()),
            last => after = last,
        }
    }
}

fn with_store<T>(
    store: &RwLock<Option<Store>>,
    job: impl FnOnce(&Store) -> StoreResult<T>,
) -> StoreResult<T> {
    let guard = store.read().unwrap_or_else(PoisonError::into_inner);
    guard.as_ref().map_or(Err(StoreError::Closed), job)
}

fn add_files(
    writer: &mut ArchiveWriter,
    folder: &str,
    index: &Index,
    files: &[PathBuf],
) -> io::Result<()> {
    for file in files {
        let parts: Vec<_> = file.iter().map(|part| part.to_string_lossy()).collect();
        let path = format!("{folder}/{}", parts.join("/"));
        writer.add_file(&path, &index.path().join(file))?;
    }
    Ok(())
}

/// Extracts an archive into an empty folder; `{files, bytes}` as JSON. Nothing of it is believed.
#[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
pub fn extract_archive<'e>(
    env: &'e Env,
    archive: String,
    folder: String,
    max_bytes: f64,
    max_entries: f64,
    durable: bool,
) -> Result<Object<'e>> {
    promise_on(env, Lane::Long, move || {
        let limits = ExtractOptions {
            max_bytes: max_bytes as u64,
            max_entries: max_entries as u64,
            durable,
        };
        let (archive, folder) = (Path::new(&archive), Path::new(&folder));
        let done = serval_archive::extract(archive, folder, limits, &Cancel::default())?;
        let answer = serde_json::json!({ "files": done.n_files, "bytes": done.n_bytes });
        Ok::<_, Failure>(answer.to_string())
    })
}

/// Removes what archives that died unfinished left in a folder.
#[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
pub fn remove_abandoned_archives<'e>(env: &'e Env, folder: String) -> Result<Object<'e>> {
    promise_on(env, Lane::Quick, move || {
        serval_archive::remove_abandoned(Path::new(&folder)).map_err(Failure::from)
    })
}

/// Writes a copy of the store, as it is at this moment, to a file that does not exist.
#[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
pub fn copy_store<'e>(env: &'e Env, store: &NativeStore, target: String) -> Result<Object<'e>> {
    let store = store.handle();
    promise_on(env, Lane::Long, move || {
        with_store(&store, |store| store.copy_to(Path::new(&target))).map_err(Failure::from)
    })
}

/// Gives the space of removed rows back; the outcome is `{before, after}` in bytes, as JSON.
#[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
pub fn compact_store<'e>(env: &'e Env, store: &NativeStore) -> Result<Object<'e>> {
    let store = store.handle();
    promise_on(env, Lane::Long, move || {
        let (before, after) = with_store(&store, serval_store::Store::compact)?;
        let sizes = serde_json::json!({ "before": before.total, "after": after.total });
        Ok::<_, Failure>(sizes.to_string())
    })
}

/// Puts rows of another store into one that was just made: `{tasks?, batches?, indexes?}`.
#[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
pub fn import_rows<'e>(env: &'e Env, store: &NativeStore, rows: String) -> Result<Object<'e>> {
    let store = store.handle();
    promise_on(env, Lane::Long, move || {
        let rows: ImportedRows = serde_json::from_str(&rows)?;
        with_store(&store, |store| store.write_wait(move |tx| tx.import(&rows)))
            .map_err(Failure::from)
    })
}

/// Every keyed value of a store, as JSON: `[{namespace, key, value}]`.
#[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
pub fn all_records<'e>(env: &'e Env, store: &NativeStore) -> Result<Object<'e>> {
    let store = store.handle();
    promise_on(env, Lane::Quick, move || {
        let records = with_store(&store, |store| store.read_wait(|tx| tx.all_records()))?;
        Ok::<_, Failure>(serde_json::to_string(&records)?)
    })
}

/// Keeps other processes out of a data folder that is not open.
#[napi]
pub struct NativeFolderLock {
    lock: Option<FolderLock>,
}

/// Takes the lock of a data folder, which must exist, at once or not at all.
#[napi(ts_return_type = "{ ok: NativeFolderLock } | { error: JsFailure }")]
pub fn lock_folder(folder: String) -> Outcome<NativeFolderLock> {
    let lock = FolderLock::take(Path::new(&folder));
    Outcome(
        lock.map_err(Failure::from)
            .map(|lock| NativeFolderLock { lock: Some(lock) }),
    )
}

#[napi]
impl NativeFolderLock {
    /// Lets others in.
    #[napi]
    pub fn release(&mut self) {
        self.lock = None;
    }
}

impl From<ExtractError> for Failure {
    fn from(error: ExtractError) -> Self {
        match error {
            ExtractError::Io(error) => error.into(),
            error => Self::internal(error.to_string()),
        }
    }
}
