//! The handle of an open store: sends commands to the threads that own the connections.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, unbounded};
use rusqlite::Connection;
use serde::Serialize;

use crate::connection::{open_reader, open_writer};
use crate::current_batch::CurrentBatch;
use crate::error::StoreError;
use crate::lock::FolderLock;
use crate::readers::{ReadJob, read_once, run_reader};
use crate::transaction::{ReadTx, WriteTx};
use crate::writer::{ClosureJob, WriteJob, run_writer};

const N_READERS: usize = 2;

/// Bytes of the database file: all of it, and without its free pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// Size of all pages.
    pub total: u64,
    /// Size of the pages in use.
    pub used: u64,
}

impl Sizes {
    /// The sizes as a connection sees them.
    pub(crate) fn of(connection: &Connection) -> Result<Self, StoreError> {
        let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
        let (page, count, free) = (
            pragma("page_size")?,
            pragma("page_count")?,
            pragma("freelist_count")?,
        );
        Ok(Self {
            total: page * count,
            used: page * count.saturating_sub(free),
        })
    }
}

/// An open store. Dropping or closing it waits for the commands already given.
pub struct Store {
    path: PathBuf,
    writes: Option<Sender<Box<dyn WriteJob>>>,
    reads: Option<Sender<ReadJob>>,
    threads: Vec<JoinHandle<()>>,
    current: Arc<Mutex<Option<Arc<CurrentBatch>>>>,
    /// Held by whoever writes to the database.
    writing: Arc<Mutex<()>>,
    lock: Option<FolderLock>,
}

impl Store {
    /// Opens or creates `folder/server.sqlite`, creating the folder if it is missing.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another process holds the folder, [`StoreError::Corrupt`] and
    /// [`StoreError::TooNew`] when the file cannot be used, otherwise what the system said.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder)?;
        let lock = FolderLock::take(folder)?;
        let path = folder.join("server.sqlite");
        let writer = open_writer(&path)?;
        let mut store = Self {
            path: path.clone(),
            writes: None,
            reads: None,
            threads: Vec::new(),
            current: Arc::default(),
            writing: Arc::default(),
            lock: Some(lock),
        };
        store.start_readers(&path)?;
        store.start_writer(writer)?;
        Ok(store)
    }

    fn start_writer(&mut self, connection: rusqlite::Connection) -> Result<(), StoreError> {
        let (sender, receiver) = unbounded();
        let (current, writing) = (Arc::clone(&self.current), Arc::clone(&self.writing));
        let body = move || run_writer(&connection, &receiver, &current, &writing);
        self.threads.push(
            std::thread::Builder::new()
                .name("store-writer".into())
                .spawn(body)?,
        );
        self.writes = Some(sender);
        Ok(())
    }

    fn start_readers(&mut self, path: &Path) -> Result<(), StoreError> {
        let (sender, receiver) = unbounded();
        for _ in 0..N_READERS {
            let connection = open_reader(path)?;
            let (receiver, current) = (receiver.clone(), Arc::clone(&self.current));
            let body = move || run_reader(&connection, &receiver, &current);
            self.threads.push(
                std::thread::Builder::new()
                    .name("store-reader".into())
                    .spawn(body)?,
            );
        }
        self.reads = Some(sender);
        Ok(())
    }

    /// Runs `operation` on the writer thread; `done` is called there once it is on disk or failed.
    pub fn write<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&WriteTx<'_>) -> Result<T, StoreError> + Send + 'static,
        done: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        let job = ClosureJob {
            operation: Some(operation),
            done: Some(done),
            result: None,
        };
        let mut job: Box<dyn WriteJob> = Box::new(job);
        let sent = match &self.writes {
            Some(writes) => writes.send(job).map_err(|refused| refused.0),
            None => Err(job),
        };
        if let Err(returned) = sent {
            job = returned;
            job.fail(StoreError::Closed);
            job.answer();
        }
    }

    /// Runs `operation` on a reader thread and calls `done` there.
    pub fn read<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError> + Send + 'static,
        done: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        match &self.reads {
            Some(reads) => {
                let job: ReadJob = Box::new(move |tx| done(read_once(tx, operation)));
                let _ = reads.send(job);
            }
            None => done(Err(StoreError::Closed)),
        }
    }

    /// [`Store::write`], waiting for the answer.
    ///
    /// # Errors
    /// What the operation or the commit failed with.
    pub fn write_wait<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&WriteTx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, receiver) = unbounded();
        self.write(operation, move |result| drop(sender.send(result)));
        receiver.recv().unwrap_or(Err(StoreError::Closed))
    }

    /// [`Store::read`], waiting for the answer.
    ///
    /// # Errors
    /// What the operation failed with.
    pub fn read_wait<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, receiver) = unbounded();
        self.read(operation, move |result| drop(sender.send(result)));
        receiver.recv().unwrap_or(Err(StoreError::Closed))
    }

    /// The database file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Lets the writer wait, however long that takes: SQLite alone would make it fail after a while.
    pub(crate) fn keep_from_writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lays a running batch over the answers, or takes it away.
    pub fn set_current(&self, batch: Option<CurrentBatch>) {
        if let Ok(mut current) = self.current.lock() {
            *current = batch.map(Arc::new);
        }
    }

    /// Waits for the commands already given, then frees the threads, the files and the lock.
    /// Commands given later fail with [`StoreError::Closed`].
    pub fn close(&mut self) {
        self.writes = None;
        self.reads = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        self.lock = None;
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}

impl ReadTx<'_> {
    /// Bytes of the database file.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn sizes(&self) -> Result<Sizes, StoreError> {
        Sizes::of(self.connection)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_write_waits_for_a_compaction_and_reads_do_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(folder.path()).expect("a new store");
        let compaction = store.keep_from_writing();
        let (sender, receiver) = unbounded();
        store.write(
            |tx| tx.put_record("n", "k", "1"),
            move |result| drop(sender.send(result)),
        );
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
        let read = |store: &Store| store.read_wait(|tx| tx.record("n", "k"));
        assert_eq!(read(&store), Ok(None));
        drop(compaction);
        assert_eq!(receiver.recv(), Ok(Ok(())));
        assert_eq!(read(&store), Ok(Some("1".to_owned())));
    }
}
