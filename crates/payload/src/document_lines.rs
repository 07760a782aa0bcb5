//! Walks the documents of an NDJSON file written by this crate.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

const BUFFER: usize = 256 * 1024;

/// One document and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentLine<'l> {
    /// Bytes before the line in the file.
    pub offset: u64,
    /// The document, without its line end.
    pub bytes: &'l [u8],
}

/// A walk over the lines of an NDJSON text. Lines share one buffer: each is valid until the next
/// one is read.
#[derive(Debug)]
pub struct DocumentLines<R> {
    reader: R,
    offset: u64,
    line: Vec<u8>,
}

/// Opens an NDJSON file for a walk from its start.
///
/// # Errors
/// When the file cannot be opened.
pub fn document_lines(path: &Path) -> io::Result<DocumentLines<BufReader<File>>> {
    Ok(DocumentLines::new(BufReader::with_capacity(
        BUFFER,
        File::open(path)?,
    )))
}

impl<R: BufRead> DocumentLines<R> {
    /// A walk over any reader; `&[u8]` is one.
    pub fn new(reader: R) -> Self {
        DocumentLines {
            reader,
            offset: 0,
            line: Vec::new(),
        }
    }

    /// The next line that is not empty, `None` after the last one.
    ///
    /// # Errors
    /// When reading fails; the walk then has no defined place any more.
    pub fn next_line(&mut self) -> io::Result<Option<DocumentLine<'_>>> {
        loop {
            self.line.clear();
            let offset = self.offset;
            let n_read = self.reader.read_until(b'\n', &mut self.line)?;
            self.offset += n_read as u64;
            if n_read == 0 {
                return Ok(None);
            }
            let n_end = usize::from(self.line.ends_with(b"\n"));
            if self.line.len() > n_end {
                let bytes = &self.line[..self.line.len() - n_end];
                return Ok(Some(DocumentLine { offset, bytes }));
            }
        }
    }
}
