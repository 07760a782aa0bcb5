//! Failures of the index itself: disk, damage, wrong versions. None of them is the user's fault.

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
    #[error("the index has format version {found}, this build reads {expected}")]
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
            Self::Io(error) => match error.kind() {
                std::io::ErrorKind::StorageFull => "no_space_left_on_device",
                _ => "internal",
            },
            Self::Aborted => "aborted",
            _ => "internal",
        }
    }
}
