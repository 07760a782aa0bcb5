//! Why an archive could not be extracted.

/// Why an archive could not be extracted. What was written by then is the caller's to remove.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The file ends early, fails its checksum, or is no archive at all.
    #[error("the archive is damaged: {0}")]
    Damaged(String),
    /// An entry that no honest archive of ours has: a path out of the folder, a link, a device.
    #[error("the archive holds an entry that is refused: `{path}` {reason}")]
    Refused {
        /// The path as the archive gives it, cut to a length that can be shown.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// More than the caller allows.
    #[error("the archive is too large: {0}")]
    TooLarge(String),
    /// The operating system refused to read the archive or to write the files.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl ExtractError {
    pub(crate) fn damaged(reason: impl Into<String>) -> Self {
        Self::Damaged(reason.into())
    }
}
