//! Extracts an archive that may be damaged, or made to harm.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::cancel::Cancel;
use crate::entry_path::{MAX_PATH_BYTES, checked_path, refused};
use crate::error::ExtractError;
use crate::header::{BLOCK, Block, EntryHeader, EntryKind, padding, until_nul};

const BUFFER_BYTES: usize = 1 << 18;
/// Longest list of attributes of an entry, in bytes.
const MAX_ATTRIBUTES_BYTES: u64 = 1 << 16;
/// Most zero bytes after the end of the entries.
const MAX_TRAILING_BYTES: u64 = 1 << 20;

/// What an archive may become at the most, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtractOptions {
    /// Bytes of all files together.
    pub max_bytes: u64,
    /// Files and folders.
    pub max_entries: u64,
    /// Whether the content of each file is on disk before the next one is begun.
    pub durable: bool,
}

/// What was extracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Number of files.
    pub n_files: u64,
    /// Bytes of all files together.
    pub n_bytes: u64,
}

/// Extracts the files of `archive` below `folder`, which must exist and should be empty. The
/// archive is read to its end, so that its checksum was compared when this succeeds.
///
/// # Errors
/// See [`ExtractError`]. Files written by then are left to the caller.
pub fn extract(
    archive: &Path,
    folder: &Path,
    options: ExtractOptions,
    cancel: &Cancel,
) -> Result<Extracted, ExtractError> {
    let file = File::open(archive)?;
    let buffered = BufReader::with_capacity(BUFFER_BYTES, file);
    let mut extraction = Extraction {
        input: MultiGzDecoder::new(buffered),
        folder,
        options,
        cancel,
        buffer: vec![0; BUFFER_BYTES],
        n_entries: 0,
        done: Extracted::default(),
    };
    extraction.run()?;
    Ok(extraction.done)
}

/// What stands before an entry about it.
#[derive(Default)]
struct Announced {
    path: Option<Vec<u8>>,
    size: Option<u64>,
}

struct Extraction<'a, R> {
    input: R,
    folder: &'a Path,
    options: ExtractOptions,
    cancel: &'a Cancel,
    buffer: Vec<u8>,
    n_entries: u64,
    done: Extracted,
}

impl<R: Read> Extraction<'_, R> {
    fn run(&mut self) -> Result<(), ExtractError> {
        let mut announced = Announced::default();
        while let Some(header) = self.next_header()? {
            self.cancel.check()?;
            self.count_entry()?;
            match header.kind {
                EntryKind::LongPath => announced.path = Some(self.read_long_path(header.size)?),
                EntryKind::Attributes => {
                    let attributes = self.read_small(header.size, MAX_ATTRIBUTES_BYTES)?;
                    read_attributes(&attributes, &mut announced)?;
                }
                EntryKind::GlobalAttributes => {
                    self.read_small(header.size, MAX_ATTRIBUTES_BYTES)?;
                }
                _ => self.write_entry(&header, std::mem::take(&mut announced))?,
            }
        }
        self.read_to_end()
    }

    fn write_entry(
        &mut self,
        header: &EntryHeader,
        announced: Announced,
    ) -> Result<(), ExtractError> {
        let path = announced.path.as_deref().unwrap_or(&header.path);
        let size = announced.size.unwrap_or(header.size);
        let relative = checked_path(path)?;
        let target = self.folder.join(&relative);
        match header.kind {
            EntryKind::Folder if size == 0 => {
                fs::create_dir_all(target).map_err(|error| unplaced(path, error))
            }
            EntryKind::File => {
                let is_folder = relative.as_os_str().is_empty() || path.ends_with(b"/");
                if is_folder {
                    return Err(refused(path, "is a file without a name"));
                }
                self.check_room(size)?;
                let file = new_file(&target).map_err(|error| unplaced(path, error))?;
                self.write_file(file, size)
            }
            _ => Err(refused(path, "is neither a file nor a folder")),
        }
    }

    fn check_room(&self, size: u64) -> Result<(), ExtractError> {
        let total = self.done.n_bytes.checked_add(size);
        if total.is_none_or(|total| total > self.options.max_bytes) {
            let text = format!("more than {} bytes", self.options.max_bytes);
            return Err(ExtractError::TooLarge(text));
        }
        Ok(())
    }

    fn write_file(&mut self, mut file: File, size: u64) -> Result<(), ExtractError> {
        let mut left = size;
        while left > 0 {
            self.cancel.check()?;
            let most = left.min(self.buffer.len() as u64) as usize;
            let n_bytes = read_some(&mut self.input, &mut self.buffer[..most])?;
            if n_bytes == 0 {
                return Err(ExtractError::damaged("it ends inside of a file"));
            }
            file.write_all(&self.buffer[..n_bytes])?;
            left -= n_bytes as u64;
        }
        if self.options.durable {
            file.sync_all()?;
        }
        self.skip_padding(size)?;
        self.done.n_files += 1;
        self.done.n_bytes += size;
        Ok(())
    }

    /// The next header; `None` at the mark of the end.
    fn next_header(&mut self) -> Result<Option<EntryHeader>, ExtractError> {
        let mut block: Block = [0; BLOCK];
        self.fill(&mut block, "it ends without its end mark")?;
        EntryHeader::read(&block)
    }

    fn count_entry(&mut self) -> Result<(), ExtractError> {
        self.n_entries += 1;
        if self.n_entries > self.options.max_entries {
            let text = format!("more than {} entries", self.options.max_entries);
            return Err(ExtractError::TooLarge(text));
        }
        Ok(())
    }

    fn read_long_path(&mut self, size: u64) -> Result<Vec<u8>, ExtractError> {
        let bytes = self.read_small(size, MAX_PATH_BYTES as u64)?;
        Ok(until_nul(&bytes).to_vec())
    }

    fn read_small(&mut self, size: u64, most: u64) -> Result<Vec<u8>, ExtractError> {
        if size > most {
            return Err(ExtractError::damaged("a path or an attribute is too long"));
        }
        let mut bytes = vec![0; size as usize];
        self.fill(&mut bytes, "it ends inside of an entry")?;
        self.skip_padding(size)?;
        Ok(bytes)
    }

    fn skip_padding(&mut self, size: u64) -> Result<(), ExtractError> {
        let mut block = [0; BLOCK];
        self.fill(&mut block[..padding(size)], "it ends inside of an entry")
    }

    fn fill(&mut self, bytes: &mut [u8], at_end: &str) -> Result<(), ExtractError> {
        let mut filled = 0;
        while filled < bytes.len() {
            match read_some(&mut self.input, &mut bytes[filled..])? {
                0 => return Err(ExtractError::damaged(at_end)),
                n_bytes => filled += n_bytes,
            }
        }
        Ok(())
    }

    /// Reads the zeros after the end mark, so that the checksum is reached and compared.
    fn read_to_end(&mut self) -> Result<(), ExtractError> {
        let mut n_trailing = 0;
        loop {
            let n_bytes = read_some(&mut self.input, &mut self.buffer)?;
            if n_bytes == 0 {
                return Ok(());
            }
            n_trailing += n_bytes as u64;
            let is_zero = self.buffer[..n_bytes].iter().all(|byte| *byte == 0);
            if !is_zero || n_trailing > MAX_TRAILING_BYTES {
                return Err(ExtractError::damaged("it goes on after its end mark"));
            }
        }
    }
}

/// The file of an entry, in folders that are made for it; one that is there is an error.
fn new_file(target: &Path) -> io::Result<File> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).open(target)
}

/// Why an entry could not be put in its place: that of another one is the fault of the archive.
fn unplaced(path: &[u8], error: io::Error) -> ExtractError {
    match error.kind() {
        io::ErrorKind::AlreadyExists
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::IsADirectory => refused(path, "is in the place of another entry"),
        _ => error.into(),
    }
}

/// Reads from the decoder: what it cannot make sense of is damage.
fn read_some(input: &mut impl Read, bytes: &mut [u8]) -> Result<usize, ExtractError> {
    loop {
        match input.read(bytes) {
            Ok(n_bytes) => return Ok(n_bytes),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.raw_os_error().is_some() => return Err(error.into()),
            Err(error) => return Err(ExtractError::damaged(error.to_string())),
        }
    }
}

/// Lines of the form `<length> <name>=<value>\n`.
fn read_attributes(mut bytes: &[u8], announced: &mut Announced) -> Result<(), ExtractError> {
    while !bytes.is_empty() {
        let (line, rest) =
            next_attribute(bytes).ok_or_else(|| ExtractError::damaged("attributes of an entry"))?;
        bytes = rest;
        let Some(at) = line.iter().position(|byte| *byte == b'=') else {
            return Err(ExtractError::damaged("attributes of an entry"));
        };
        let (name, value) = (&line[..at], &line[at + 1..]);
        match name {
            b"path" => announced.path = Some(value.to_vec()),
            b"size" => {
                let size = std::str::from_utf8(value)
                    .ok()
                    .and_then(|text| text.parse().ok());
                announced.size =
                    Some(size.ok_or_else(|| ExtractError::damaged("the size of an entry"))?);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The first line without its length and line feed, and what follows it.
fn next_attribute(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = bytes.iter().position(|byte| *byte == b' ')?;
    let length: usize = std::str::from_utf8(&bytes[..space]).ok()?.parse().ok()?;
    let line = bytes.get(space + 1..length)?;
    let line = line.strip_suffix(b"\n")?;
    Some((line, bytes.get(length..)?))
}
