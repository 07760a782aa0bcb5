//! Failures of the index itself: disk, damage, wrong versions. None of them is the user's fault.

use std::io;

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::error::DataCorruption;

/// Why an index could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The operating system refused.
    #[error("the index cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// A segment could not be read, written or merged.
    #[error("a segment of the index cannot be used: {0}")]
    Segment(#[from] tantivy::TantivyError),
    /// The index does not exist.
    #[error("there is no index in `{0}`")]
    Missing(std::path::PathBuf),
    /// The index exists already.
    #[error("there is an index in `{0}` already")]
    Exists(std::path::PathBuf),
    /// Something on disk contradicts itself.
    #[error("the index is damaged: {0}")]
    Corrupt(String),
    /// Another version wrote the index.
    #[error(
        "the index has format version {found}, this build reads {expected}: make a dump with the \
         version that wrote it, and import it"
    )]
    Version {
        /// Version on disk.
        found: u32,
        /// Version of this build.
        expected: u32,
    },
    /// The batch was asked to stop; the index is as it was before.
    #[error("the batch was stopped")]
    Aborted,
}

impl IndexError {
    /// The stable code of the interface.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io(error) => code_of_io(error),
            Self::Segment(error) => code_of_segment(error),
            Self::Missing(_) | Self::Corrupt(_) | Self::Version { .. } => DAMAGED,
            Self::Aborted => "aborted",
            Self::Exists(_) => INTERNAL,
        }
    }
}

const DAMAGED: &str = "invalid_store_file";
const INTERNAL: &str = "internal";

/// What a failure of the system means: a file of an index that is missing, or does not hold what
/// it should, is damage.
fn code_of_io(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "no_space_left_on_device",
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound => {
            DAMAGED
        }
        _ => code_of_os(
            error
                .raw_os_error()
                .or_else(|| os_error_in(&error.to_string())),
        ),
    }
}

const EIO: i32 = 5;
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;

fn code_of_os(error: Option<i32>) -> &'static str {
    match error {
        Some(ENOSPC) => "no_space_left_on_device",
        Some(EIO) => "io_error",
        Some(EMFILE | ENFILE) => "too_many_open_files",
        _ => INTERNAL,
    }
}

/// The number of an error of the system in a text: tantivy hands some on as texts only.
fn os_error_in(message: &str) -> Option<i32> {
    let (_, rest) = message.split_once("(os error ")?;
    rest.split_once(')')?.0.parse().ok()
}

fn code_of_segment(error: &TantivyError) -> &'static str {
    match error {
        TantivyError::IoError(error)
        | TantivyError::LockFailure(LockError::IoError(error), _)
        | TantivyError::OpenReadError(OpenReadError::IoError {
            io_error: error, ..
        })
        | TantivyError::OpenWriteError(OpenWriteError::IoError {
            io_error: error, ..
        })
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError {
            io_error: error, ..
        }) => code_of_io(error),
        TantivyError::OpenReadError(_)
        | TantivyError::OpenDirectoryError(_)
        | TantivyError::DataCorruption(_)
        | TantivyError::IncompatibleIndex(_)
        | TantivyError::DeserializeError(_) => DAMAGED,
        other => code_of_os(os_error_in(&other.to_string())),
    }
}

/// A segment whose files contradict each other.
pub(super) fn damaged(what: &str) -> TantivyError {
    TantivyError::DataCorruption(DataCorruption::comment_only(what))
}

/// Why a dictionary is not opened: what is wrong with its bytes is said by an error of no kind.
pub(super) fn of_dictionary(error: TantivyError) -> TantivyError {
    match error {
        TantivyError::IoError(error) if error.kind() == io::ErrorKind::Other => {
            damaged(&error.to_string())
        }
        error => error,
    }
}
