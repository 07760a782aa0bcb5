//! Writes an archive entry by entry.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::cancel::Cancel;
use crate::header::{BLOCK, file_header, padding};
use crate::partial_file::PartialFile;

/// Fast rather than small: half of the best ratio's time is saved for a tenth more bytes.
const LEVEL: u32 = 3;
/// The slowest and smallest that gzip knows.
const MAX_LEVEL: u32 = 9;
const BUFFER_BYTES: usize = 1 << 18;

/// An archive that is being written; dropped unfinished, nothing of it stays.
pub struct ArchiveWriter {
    out: GzEncoder<BufWriter<File>>,
    file: PartialFile,
    cancel: Cancel,
    modified: u64,
}

impl ArchiveWriter {
    /// Starts the archive that will be `target`.
    ///
    /// # Errors
    /// When its folder or file cannot be made.
    pub fn create(target: &Path, cancel: Cancel) -> io::Result<Self> {
        Self::with_level(target, LEVEL, cancel)
    }

    /// Starts an archive with another compression: from 0, none, to 9, the smallest.
    ///
    /// # Errors
    /// When its folder or file cannot be made.
    pub fn with_level(target: &Path, level: u32, cancel: Cancel) -> io::Result<Self> {
        let file = PartialFile::create(target)?;
        let buffered = BufWriter::with_capacity(BUFFER_BYTES, file.handle()?);
        let modified = SystemTime::now().duration_since(UNIX_EPOCH);
        Ok(Self {
            out: GzEncoder::new(buffered, Compression::new(level.min(MAX_LEVEL))),
            file,
            cancel,
            modified: modified.map_or(0, |since| since.as_secs()),
        })
    }

    /// Adds an entry from memory.
    ///
    /// # Errors
    /// When the archive cannot be written, or was canceled.
    pub fn add_bytes(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.add_measured(path, &mut |out| out.write_all(bytes))
    }

    /// Adds a file as long as it is now; one that is being appended to is cut there.
    ///
    /// # Errors
    /// When the file cannot be read or became shorter, or as for [`Self::add_bytes`].
    pub fn add_file(&mut self, path: &str, file: &Path) -> io::Result<()> {
        let file = File::open(file)?;
        let size = file.metadata()?.len();
        self.start(path, size)?;
        let mut content = file.take(size);
        let mut out = Counted::new(&mut self.out, &self.cancel);
        let copied = copy(&mut content, &mut out)?;
        self.end(path, size, copied)
    }

    /// Adds an entry that is produced as it is written. It is produced twice, the first time only
    /// for its length, so it must be the same both times: nothing is buffered and no scratch file is needed.
    ///
    /// # Errors
    /// What `produce` failed with, or as for [`Self::add_bytes`].
    pub fn add_measured(
        &mut self,
        path: &str,
        produce: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut nothing = io::sink();
        let mut measure = Counted::new(&mut nothing, &self.cancel);
        produce(&mut measure)?;
        let size = measure.n_bytes;
        self.start(path, size)?;
        let mut out = Counted::new(&mut self.out, &self.cancel);
        produce(&mut out)?;
        let written = out.n_bytes;
        self.end(path, size, written)
    }

    /// Ends the archive and puts it under its name; the size of the file in bytes.
    ///
    /// # Errors
    /// When the archive cannot be written, or was canceled; nothing of it stays then.
    pub fn finish(mut self, read_only: bool) -> io::Result<u64> {
        self.cancel.check()?;
        self.out.write_all(&[0; 2 * BLOCK])?;
        let file = self.out.finish()?.into_inner();
        drop(file.map_err(io::IntoInnerError::into_error)?);
        self.file.finish(read_only)
    }

    fn start(&mut self, path: &str, size: u64) -> io::Result<()> {
        self.cancel.check()?;
        self.out.write_all(&file_header(path, size, self.modified))
    }

    fn end(&mut self, path: &str, announced: u64, written: u64) -> io::Result<()> {
        if announced != written {
            let text = format!(
                "`{path}` changed while it was archived: {announced} bytes, then {written}"
            );
            return Err(io::Error::other(text));
        }
        self.out.write_all(&[0; BLOCK][..padding(announced)])
    }
}

/// Counts what passes, and stops when that is wished.
struct Counted<'w> {
    out: &'w mut dyn Write,
    cancel: &'w Cancel,
    n_bytes: u64,
}

impl<'w> Counted<'w> {
    fn new(out: &'w mut dyn Write, cancel: &'w Cancel) -> Self {
        Self {
            out,
            cancel,
            n_bytes: 0,
        }
    }
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.cancel.check()?;
        let n_bytes = self.out.write(bytes)?;
        self.n_bytes += n_bytes as u64;
        Ok(n_bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn copy(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<u64> {
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut copied = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(copied),
            Ok(n_bytes) => {
                to.write_all(&buffer[..n_bytes])?;
                copied += n_bytes as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
