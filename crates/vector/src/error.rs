//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

use crate::DocId;

/// Why vectors could not be stored, opened or searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// A vector, or a query, has another number of dimensions than the index.
    #[error("found a vector of {found} dimensions, expected {expected}")]
    Dimensions {
        /// What the index holds.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A number is infinite or not a number.
    #[error("a vector of document {doc} holds a number that is not finite")]
    NotFinite {
        /// The document it was given for.
        doc: DocId,
    },
    /// A query holds a number that is infinite or not a number.
    #[error("the query vector holds a number that is not finite")]
    QueryNotFinite,
    /// The shape of an index is out of bounds.
    #[error("an index cannot hold vectors of {dimensions} dimensions, from 1 to 65536 would work")]
    Shape {
        /// What was asked for.
        dimensions: u32,
    },
    /// A file does not hold what the manifest or its own checksums say.
    #[error("vector file {} is damaged: {reason}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: &'static str,
    },
    /// The manifest names what cannot be.
    #[error("the list of vector files is damaged: {0}")]
    Manifest(&'static str),
    /// More vectors than row numbers.
    #[error("an index part cannot hold more than 4294967295 vectors")]
    TooManyVectors,
    /// A merge was asked to stop.
    #[error("the merge of vector files was stopped")]
    Stopped,
    /// Reading or writing failed.
    #[error("cannot use vector file {}: {source}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Names the file that an input or output error is about.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> VectorError + '_ {
    |source| VectorError::Io {
        path: path.to_owned(),
        source,
    }
}
