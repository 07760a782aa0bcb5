//! The bytes of a payload: mapped from its file, or held.

use std::fs::File;
use std::io;

use memmap2::Mmap;

use super::operation::Payload;

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
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Self::Held(Vec::new()));
        }
        // SAFETY: payload files are written once by the server, under a name of its own, and not
        // touched again until the batch is finished and the mapping gone.
        Ok(Self::Mapped(unsafe { Mmap::map(&file)? }))
    }

    /// The text.
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Mapped(bytes) => bytes,
            Self::Held(bytes) => bytes,
        }
    }

    /// The lines that are not blank, with their places.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let bytes = self.as_slice();
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < bytes.len() {
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
