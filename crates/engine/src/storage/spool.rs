//! Bytes whose number has to be known before they are written: in memory while they are few, in a
//! file without a name once they are many.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes kept in memory before a file is made.
const HELD_BYTES: usize = 256 << 10;

/// Bytes that are written, then copied elsewhere.
pub(super) struct Spool {
    folder: PathBuf,
    held: Vec<u8>,
    file: Option<BufWriter<File>>,
    len: u64,
}

impl Spool {
    /// No bytes; a file, when there is to be one, is made in `folder`.
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            held: Vec::new(),
            file: None,
            len: 0,
        }
    }

    /// Number of bytes.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Copies all bytes.
    ///
    /// # Errors
    /// When they cannot be read back or written.
    pub(super) fn copy_to(self, out: &mut dyn Write) -> io::Result<()> {
        let Some(file) = self.file else {
            return out.write_all(&self.held);
        };
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = BufReader::with_capacity(HELD_BYTES, file).take(self.len);
        io::copy(&mut bytes, out).map(drop)
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.write_all(bytes)?,
            None if self.held.len() + bytes.len() <= HELD_BYTES => {
                self.held.extend_from_slice(bytes);
            }
            None => {
                let mut file = BufWriter::new(tempfile::tempfile_in(&self.folder)?);
                file.write_all(&std::mem::take(&mut self.held))?;
                file.write_all(bytes)?;
                self.file = Some(file);
            }
        }
        self.len += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}
