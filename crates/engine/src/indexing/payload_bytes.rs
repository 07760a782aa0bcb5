//! The bytes of a payload: mapped from its file, or held.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::batch::Payload;

/// Bytes read from mapped payloads after which their memory is given back.
pub(crate) const RELEASE_BYTES: usize = 8 << 20;

/// NDJSON text of one operation.
pub(crate) enum PayloadBytes {
    Mapped(Mmap),
    Held(Vec<u8>),
    Temporary(TemporaryText),
}

/// A mapped file that goes away with the mapping.
pub(crate) struct TemporaryText {
    /// `None` while it goes away.
    bytes: Option<Mmap>,
    path: PathBuf,
}

impl Drop for TemporaryText {
    fn drop(&mut self) {
        self.bytes = None;
        // A file that stays is overwritten by the next one of its name.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl PayloadBytes {
    /// Maps the file or copies the text.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(crate) fn open(payload: &Payload) -> io::Result<Self> {
        let path = match payload {
            Payload::Inline(text) => return Ok(Self::Held(text.as_bytes().to_vec())),
            Payload::File(path) => path,
        };
        Ok(map(path)?.map_or(Self::Held(Vec::new()), Self::Mapped))
    }

    /// Maps a file that nothing else uses, and removes it in the end.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(crate) fn open_temporary(path: PathBuf) -> io::Result<Self> {
        let bytes = map(&path)?;
        Ok(Self::Temporary(TemporaryText { bytes, path }))
    }

    /// The text.
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Mapped(bytes) => bytes,
            Self::Held(bytes) => bytes,
            Self::Temporary(text) => text.bytes.as_deref().unwrap_or_default(),
        }
    }

    /// Gives the memory of a mapped file back; bytes that are looked at again come from the file.
    pub(crate) fn release(&self) {
        let map = match self {
            Self::Mapped(map) => map,
            Self::Temporary(TemporaryText {
                bytes: Some(map), ..
            }) => map,
            _ => return,
        };
        #[cfg(unix)]
        // SAFETY: the mapping is of a file and never written to, so that pages that are dropped
        // come back with the same bytes. That it fails costs memory only.
        let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        #[cfg(not(unix))]
        let _ = map;
    }

    /// The lines that are not blank, with their places.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let bytes = self.as_slice();
        let mut at = 0;
        let mut released = 0;
        std::iter::from_fn(move || {
            while at < bytes.len() {
                if at - released > RELEASE_BYTES {
                    self.release();
                    released = at;
                }
                let start = at;
                let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n);
                at = end + 1;
                if !bytes[start..end].trim_ascii().is_empty() {
                    return Some((start, &bytes[start..end]));
                }
            }
            None
        })
    }
}

/// The bytes of a file; `None` when there are none.
fn map(path: &Path) -> io::Result<Option<Mmap>> {
    let file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(None);
    }
    // SAFETY: payload files are written once by the server, under a name of its own, and not
    // touched again until the batch is finished and the mapping gone.
    Ok(Some(unsafe { Mmap::map(&file)? }))
}
