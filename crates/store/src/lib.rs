//! The durable store of a Serval data folder: tasks, batches, the index registry and keyed records.
//!
//! One SQLite file in WAL mode with `synchronous = FULL`. One writer thread groups the commands
//! that wait into one transaction and one fsync; reader threads of their own answer from the last
//! committed state and never wait for a disk.
//!
//! ```text
//!  callers --write(closure)--> queue --> writer: BEGIN | SAVEPOINT a | SAVEPOINT b | COMMIT --> answers
//!  callers --read(closure)---> queue --> readers (read-only connections) ---------------------> answers
//! ```
//!
//! # Invariants
//! 1. An answered write is on disk: it survives a crash of the process and of the machine.
//! 2. Task uids are dense, ascend from 0 in the order of their commands and are never reused.
//! 3. A command that fails leaves no trace, and the commands grouped with it are not affected.
//! 4. One process owns a data folder; a second one is refused by an OS lock.
//!
//! # Not here
//! What a task means, which tasks form a batch, and the files of indexes and payloads. Details,
//! errors and contents of tasks pass through as JSON text; the one exception is
//! `history`, which renames index uids inside the details of past tasks.
//!
//! ```
//! use serval_store::{NewTask, Store};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let store = Store::open(folder.path()).unwrap();
//! let task = store.write_wait(|tx| tx.enqueue(&NewTask::of_kind("indexCreation"))).unwrap();
//! assert_eq!(task.uid, 0);
//! assert_eq!(store.read_wait(|tx| tx.task(0)).unwrap().unwrap().status, "enqueued");
//! ```

mod batch;
mod batch_rows;
mod check;
mod compact;
mod connection;
mod copy;
mod current_batch;
mod dump;
mod error;
mod finish;
mod history;
mod import;
mod list_page;
mod lock;
mod readers;
mod records;
mod registry;
mod reopen;
mod schema;
mod store;
mod task;
mod task_counts;
mod task_query;
mod task_rows;
mod timestamp;
mod transaction;
mod uid_ranges;
mod writer;

pub use batch::{Batch, BatchPage, BatchStart};
pub use check::check_store;
pub use current_batch::CurrentBatch;
pub use dump::Record;
pub use error::StoreError;
pub use finish::{BatchEnd, FinishedBatch, RegistryChange, TaskOutcome};
pub use import::{ImportedBatch, ImportedIndex, ImportedRows, ImportedTask};
pub use lock::FolderLock;
pub use registry::IndexRow;
pub use store::{Sizes, Store};
pub use task::{EndableTask, NewTask, QueuedTask, RunnableTask, Task, TaskPage};
pub use task_counts::TaskCounts;
pub use task_query::TaskFilter;
pub use timestamp::{Timestamp, duration_text};
pub use transaction::{ReadTx, WriteTx};
pub use uid_ranges::UidRanges;
