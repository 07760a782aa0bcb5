//! Why a command of the store failed.

/// A failed command. `Clone`, because one failed commit answers every command of its group.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The disk, or the quota of the folder, is full. Nothing of the command was kept.
    #[error("no space left on device")]
    DiskFull,
    /// The database file is damaged or is not a database.
    #[error("the task database is corrupt: {0}")]
    Corrupt(String),
    /// The process may not open more files.
    #[error("too many open files")]
    TooManyFiles,
    /// The operating system refused to read or write.
    #[error("{0}")]
    Io(String),
    /// Another process holds the data folder.
    #[error("the data folder `{0}` is in use: it is open in this process or in another one")]
    Locked(String),
    /// The file was written by a newer version of this crate.
    #[error("the task database has format {found}, this version reads up to {supported}")]
    TooNew {
        /// Format number in the file.
        found: u32,
        /// Highest format number known here.
        supported: u32,
    },
    /// The caller gave something that cannot be carried out; the text names it.
    #[error("{0}")]
    Invalid(String),
    /// The store was closed before the command ran.
    #[error("the store is closed")]
    Closed,
    /// The command panicked; it was rolled back.
    #[error("the command crashed: {0}")]
    Crashed(String),
    /// Any other failure of the database.
    #[error("{0}")]
    Database(String),
}

impl StoreError {
    /// Stable id, shared with the error table of the HTTP surface.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::DiskFull => "no_space_left_on_device",
            Self::Corrupt(_) | Self::TooNew { .. } => "invalid_store_file",
            Self::TooManyFiles => "too_many_open_files",
            Self::Io(_) => "io_error",
            Self::Locked(_) => "invalid_state",
            Self::Invalid(_) | Self::Closed | Self::Crashed(_) | Self::Database(_) => "internal",
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt(text),
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied,
            ) => Self::Io(text),
            _ => Self::Database(text),
        }
    }
}

const ENFILE: i32 = 23;
const EMFILE: i32 = 24;

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind;
        match (error.kind(), error.raw_os_error()) {
            (ErrorKind::StorageFull | ErrorKind::QuotaExceeded, _) => Self::DiskFull,
            (_, Some(ENFILE | EMFILE)) => Self::TooManyFiles,
            _ => Self::Io(error.to_string()),
        }
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Invalid(error.to_string())
    }
}
