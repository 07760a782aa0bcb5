//! The bytes of a payload: mapped from its file, or held.

use std::fs::File;
use std::io;

use memmap2::Mmap;

use crate::batch::Payload;

/// Bytes read from mapped payloads after which their memory is given back.
pub(crate) const RELEASE_BYTES: usize = 8 << 20;

/// NDJSON text of one operation.
pub(crate) enum PayloadBytes {
    Mapped(Mmap),
    Held(Vec<u8>),
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
        Self::map(&File::open(path)?)
    }

    /// Maps a file that was written and is not touched again: a payload file of the server has a name of
    /// its own until its batch is finished, other files have none.
    ///
    /// # Errors
    /// When it cannot be mapped.
    pub(crate) fn map(file: &File) -> io::Result<Self> {
        if file.metadata()?.len() == 0 {
            return Ok(Self::Held(Vec::new()));
        }
        // SAFETY: nobody writes to the file as long as it is mapped, see above.
        Ok(Self::Mapped(unsafe { Mmap::map(file)? }))
    }

    /// The text.
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Mapped(bytes) => bytes,
            Self::Held(bytes) => bytes,
        }
    }

    /// Gives the memory of a mapped file back; bytes that are looked at again come from the file.
    pub(crate) fn release(&self) {
        let Self::Mapped(map) = self else { return };
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
