//! Nearest neighbours: vectors of documents on disk, and which of them are most similar to one.
//!
//! A [`VectorIndex`] is what one commit holds of one embedder. It never changes: an [`Update`]
//! writes what is new into a file beside the others and gives the next index; both stay good. The
//! owner of an index keeps its [`Manifest`] with whatever else belongs to a commit.
//!
//! ```
//! use serval_vector::{Encoding, VectorIndex, VectorShape};
//!
//! # let directory = tempfile::tempdir()?;
//! let shape = VectorShape { dimensions: 2, encoding: Encoding::F32 };
//! let mut update = VectorIndex::empty(shape)?.update(directory.path());
//! update.put(7, &[[1.0, 0.0]])?;
//! update.put(9, &[[0.0, 1.0], [-1.0, 0.0]])?;
//! let index = update.finish()?;
//!
//! let found = index.search(&[0.1, 1.0], 1, None)?;
//! assert_eq!(found[0].doc, 9);
//!
//! let again = VectorIndex::open(directory.path(), &index.manifest())?;
//! assert_eq!(again.search(&[0.1, 1.0], 1, None)?, found);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Not here
//! Where vectors come from, what a similarity means for a ranking, when files are removed: whoever
//! owns an index removes those that no manifest in use names.

mod bit_set;
mod cells;
mod code;
mod error;
mod file_writer;
mod filter;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod index;
mod kernel;
mod layout;
mod manifest;
mod merge;
mod part;
mod probe;
mod scan;
mod search;
mod shape;
mod spool;
mod top;
mod touched;
mod update;
mod vector_file;

pub use error::VectorError;
pub use filter::DocFilter;
pub use index::VectorIndex;
pub use manifest::{FileEntry, Manifest};
pub use merge::{Merge, Merged};
pub use shape::{DocId, Encoding, VectorShape};
pub use top::Neighbor;
pub use update::Update;
