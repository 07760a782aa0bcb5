//! A file that shows under its name only when it is whole.
//!
//! It is written as `.<name>.<process>.part` beside its place, locked as long as it is written, and
//! renamed in the end. A process that dies leaves the part unlocked: [`remove_abandoned`] finds it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

const ENDING: &str = ".part";

/// A file that is being written; dropped unfinished, it is removed.
pub(crate) struct PartialFile {
    target: PathBuf,
    part: PathBuf,
    lock: File,
    is_finished: bool,
}

impl PartialFile {
    /// Starts the file that will be `target`, making its folder when it is missing.
    ///
    /// # Errors
    /// When the folder or the file cannot be made.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let folder = folder_of(target);
        fs::create_dir_all(folder)?;
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut part_name = OsString::from(".");
        part_name.push(name);
        part_name.push(format!(".{}{ENDING}", std::process::id()));
        let part = folder.join(part_name);
        let lock = File::create(&part)?;
        lock.try_lock()?;
        Ok(Self {
            target: target.to_owned(),
            part,
            lock,
            is_finished: false,
        })
    }

    /// A handle to write with.
    ///
    /// # Errors
    /// When the system has no handle left.
    pub(crate) fn handle(&self) -> io::Result<File> {
        self.lock.try_clone()
    }

    /// Puts the file in its place, replacing what is there; content and name are on disk then.
    ///
    /// # Errors
    /// When the disk or the folder refuses; the part is removed then.
    pub(crate) fn finish(mut self, read_only: bool) -> io::Result<u64> {
        self.lock.sync_all()?;
        let metadata = self.lock.metadata()?;
        if read_only {
            let mut permissions = metadata.permissions();
            make_read_only(&mut permissions);
            self.lock.set_permissions(permissions)?;
        }
        fs::rename(&self.part, &self.target)?;
        self.is_finished = true;
        sync_folder(folder_of(&self.target))?;
        Ok(metadata.len())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_finished {
            // What stays is removed when the folder is looked after the next time.
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Removes parts in a folder that nobody writes any more; the folder may be missing.
///
/// # Errors
/// When the folder cannot be listed.
pub fn remove_abandoned(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let path = entry?.path();
        if path.file_name().is_some_and(is_part) {
            let abandoned = File::open(&path).is_ok_and(|file| file.try_lock().is_ok());
            if abandoned {
                // Another process may have been faster.
                let _ = fs::remove_file(&path);
            }
        }
    }
    Ok(())
}

fn is_part(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        let number = name
            .strip_suffix(ENDING)
            .and_then(|stem| stem.rsplit_once('.'));
        name.starts_with('.')
            && number.is_some_and(|(_, number)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            })
    })
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(unix)]
fn make_read_only(permissions: &mut fs::Permissions) {
    use std::os::unix::fs::PermissionsExt;
    permissions.set_mode(0o444);
}

#[cfg(not(unix))]
fn make_read_only(permissions: &mut fs::Permissions) {
    permissions.set_readonly(true);
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
