//! Folders in memory where the system has them, so that a disk does not slow the fuzzer down.

use std::path::Path;

/// A folder that goes away with the value.
pub(crate) fn temporary_folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    };
    made.expect("a folder")
}
