//! Files mapped for reading, whose pages can be given back while much is read and written.
//!
//! Mapped pages count as memory of the process until the system needs them elsewhere. While an
//! index is written they are given back every so often; pages that are read again come from the
//! system's cache.
//!
//! # Cost
//! One system call per mapping and release; a soft fault for 16 pages that are read again.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use memmap2::Mmap;
use parking_lot::Mutex;
use stable_deref_trait::StableDeref;
use tantivy::directory::OwnedBytes;

/// Mappings that are in use.
#[derive(Debug, Default)]
pub(super) struct MappedFiles {
    mappings: Mutex<HashMap<PathBuf, Weak<Mmap>>>,
}

/// A mapping as tantivy holds it.
struct Mapping(Arc<Mmap>);

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

// SAFETY: a mapping stays where it is until it is dropped, and is shared, not copied.
unsafe impl StableDeref for Mapping {}

/// The bytes of a file without a name, which nobody else writes.
///
/// # Errors
/// When it cannot be mapped.
pub(crate) fn map_unnamed(file: &File) -> io::Result<OwnedBytes> {
    // SAFETY: the file has no name, and its only handle is not written to any more.
    let mapping = unsafe { Mmap::map(file)? };
    Ok(OwnedBytes::new(Mapping(Arc::new(mapping))))
}

impl MappedFiles {
    /// Maps a file, once for all who read it at the time.
    ///
    /// # Errors
    /// When it cannot be opened or mapped.
    pub(super) fn open(&self, path: &Path) -> io::Result<OwnedBytes> {
        let mut mappings = self.mappings.lock();
        if let Some(mapping) = mappings.get(path).and_then(Weak::upgrade) {
            return Ok(OwnedBytes::new(Mapping(mapping)));
        }
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(OwnedBytes::empty());
        }
        // SAFETY: files of segments are written once, under names of their own, and only then read.
        let mapping = Arc::new(unsafe { Mmap::map(&file)? });
        mappings.retain(|_, other| other.strong_count() > 0);
        mappings.insert(path.to_owned(), Arc::downgrade(&mapping));
        Ok(OwnedBytes::new(Mapping(mapping)))
    }

    /// Forgets a file that is removed, as another may come under its name.
    pub(super) fn forget(&self, path: &Path) {
        self.mappings.lock().remove(path);
    }

    /// Gives back the pages of all mappings.
    pub(super) fn release(&self) {
        #[cfg(unix)]
        for mapping in self.mappings.lock().values().filter_map(Weak::upgrade) {
            // SAFETY: the mapping is of a file that does not change, so that pages that are
            // dropped come back with the same bytes. That it fails costs memory only.
            let _ = unsafe { mapping.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}
