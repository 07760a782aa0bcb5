//! The files of an index, held still: for copies of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Index, IndexError};
use crate::storage::generation;

/// Ending of files that are not in their place yet.
const UNFINISHED: &str = ".new";

impl Index {
    /// Calls `job` with the paths, relative to the directory, of all files that make the index up.
    /// Until `job` returns nothing is written, merged or removed; reads go on.
    ///
    /// # Errors
    /// When a merge that was under way fails, files cannot be listed, or as `job` did.
    pub fn with_settled_files<T>(
        &self,
        job: impl FnOnce(&[PathBuf]) -> io::Result<T>,
    ) -> Result<T, IndexError> {
        let mut writer = self.lock_writer();
        if let Some(writer) = writer.take() {
            writer.wait_merging_threads()?;
        }
        let current = generation::current(self.path())?
            .ok_or_else(|| IndexError::Missing(self.path().to_owned()))?;
        // Older snapshots may still read what merges have replaced; no copy needs it.
        let unused = generation::leftovers(&current)?;
        let mut files = Vec::new();
        list(self.path(), &mut files, |path| {
            !generation::is_generation(path) || path == current
        })?;
        files.retain(|file| !unused.contains(file));
        for file in &mut files {
            *file = file.strip_prefix(self.path()).unwrap_or(file).to_owned();
        }
        files.sort_unstable();
        Ok(job(&files)?)
    }
}

/// Adds all files below a directory that are in use; locks and files in the making are not.
fn list(
    directory: &Path,
    files: &mut Vec<PathBuf>,
    enters: impl Fn(&Path) -> bool + Copy,
) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_none_or(|name| name.starts_with('.') || name.ends_with(UNFINISHED)) {
            continue;
        }
        if !path.is_dir() {
            files.push(path);
        } else if enters(&path) {
            list(&path, files, enters)?;
        }
    }
    Ok(())
}
