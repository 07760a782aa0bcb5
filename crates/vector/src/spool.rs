//! Rows that wait to be written: in memory while they are few, then in a file that has no name.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::VectorError;
use crate::error::at;
use crate::touched;

/// Bytes held in memory before they go to the file.
const BUFFER_BYTES: usize = 8 << 20;

/// Bytes that are appended, and then read in any order.
pub(crate) struct Spool {
    directory: PathBuf,
    buffer: Vec<u8>,
    file: Option<File>,
}

/// What was appended.
pub(crate) enum Spooled {
    /// Few bytes, in words so that rows of floats and bits are aligned.
    Memory(Vec<u64>),
    /// Many.
    Mapped(Mmap),
}

impl Spool {
    pub(crate) fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            buffer: Vec::new(),
            file: None,
        }
    }

    /// Appends bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), VectorError> {
        self.buffer.extend_from_slice(bytes);
        match self.buffer.len() < BUFFER_BYTES {
            true => Ok(()),
            false => self.flush(),
        }
    }

    fn flush(&mut self) -> Result<(), VectorError> {
        let error = at(&self.directory);
        let file = match &mut self.file {
            Some(file) => file,
            none => match tempfile::tempfile_in(&self.directory) {
                Ok(file) => none.insert(file),
                Err(source) => return Err(error(source)),
            },
        };
        file.write_all(&self.buffer).map_err(error)?;
        self.buffer.clear();
        Ok(())
    }

    /// Everything that was appended.
    pub(crate) fn finish(mut self) -> Result<Spooled, VectorError> {
        if self.file.is_some() && !self.buffer.is_empty() {
            self.flush()?;
        }
        match self.file {
            None => {
                let mut words = vec![0u64; self.buffer.len().div_ceil(8)];
                bytemuck::cast_slice_mut(&mut words)[..self.buffer.len()]
                    .copy_from_slice(&self.buffer);
                Ok(Spooled::Memory(words))
            }
            // SAFETY: the file has no name, so nobody else can change it.
            Some(file) => match unsafe { Mmap::map(&file) } {
                Ok(map) => Ok(Spooled::Mapped(map)),
                Err(source) => Err(at(&self.directory)(source)),
            },
        }
    }
}

impl Spooled {
    /// Gives mapped pages back.
    pub(crate) fn release(&self) {
        if let Self::Mapped(map) = self {
            touched::release(map);
        }
    }

    /// All bytes, aligned to 8; zeros may follow them.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Memory(words) => bytemuck::cast_slice(words),
            Self::Mapped(map) => map,
        }
    }
}
