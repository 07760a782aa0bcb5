//! The lock that keeps a second process out of a data folder.
//!
//! An OS lock on an open file: it vanishes with the process, however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::error::StoreError;

/// Holds the folder for this process until dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Takes the lock at once. The folder must exist.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when the folder is in use, otherwise what the system said.
    pub fn take(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join("LOCK");
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked(folder.display().to_string())),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}
