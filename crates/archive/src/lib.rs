//! Archives of dumps and snapshots: gzip over tar, in one pass and constant memory.
//!
//! ```text
//! ArchiveWriter ── entry ──> header | content | padding ──> gzip ──> <name>.part ──rename──> <name>
//! extract        <── folder <── checked path <── header <── gzip <── any file a user may name
//! ```
//!
//! # Invariants
//! 1. A name that an archive is written under holds a whole archive or what was there before.
//! 2. Nothing is written outside of the folder that an archive is extracted into, whatever the
//!    archive says; links and devices are refused.
//! 3. No archive, damaged or made to harm, causes a panic, more memory than a few buffers, or more
//!    bytes on disk than the caller allows.
//!
//! # Cost
//! Compression: some 100 MB of text a second and core. Memory: under a megabyte either way.

mod cancel;
mod entry_path;
mod error;
mod extract;
mod header;
mod partial_file;
mod writer;

pub use cancel::Cancel;
pub use error::ExtractError;
pub use extract::{ExtractOptions, Extracted, extract};
pub use partial_file::remove_abandoned;
pub use writer::ArchiveWriter;
