//! Writes the documents of a segment, the `doc` file: compressed in blocks of a few.
//!
//! ```text
//! blocks   one after the other, each a stored block of [`super::document_codec`]
//! table    per block: u32 its first document, u64 where it starts
//! footer   u64 start of table, u32 blocks, u32 documents, u8 newest dictionary, 3 zero bytes,
//!          u32 version, u32 magic
//! ```
//!
//! A block, uncompressed, is a varint length for each of its documents, then the documents. All
//! numbers are little-endian. See `docs/formats/documents.md`.
//!
//! # Invariants
//! 1. Documents stand in the order of the segment.
//! 2. A document of [`BLOCK_BYTES`] or more is a block of its own, so that no look at a small one
//!    reads a large one.

use std::io::{self, Write};

use super::document_codec::BlockEncoder;
use super::varint;

/// Last four bytes of the file.
pub(super) const MAGIC: u32 = u32::from_le_bytes(*b"SVDC");
/// Version of the layout.
pub(super) const VERSION: u32 = 1;
/// Bytes of the footer.
pub(super) const FOOTER_LEN: usize = 28;
/// Bytes of an entry of the table.
pub(super) const ENTRY_LEN: usize = 12;
/// Bytes of documents with which a block is full: more make smaller files and slower look-ups.
pub(super) const BLOCK_BYTES: usize = 1 << 10;

/// Writes documents in order, then everything needed to find them.
pub(super) struct DocumentFileWriter<W> {
    out: W,
    encoder: BlockEncoder,
    /// Newest dictionary of a block that was copied.
    newest: u8,
    lengths: Vec<u8>,
    documents: Vec<u8>,
    block: Vec<u8>,
    table: Vec<u8>,
    written: u64,
    /// Documents of all blocks that are written.
    first: u32,
    n_waiting: u32,
}

impl<W: Write> DocumentFileWriter<W> {
    /// Starts a file.
    pub(super) const fn new(out: W, encoder: BlockEncoder) -> Self {
        Self {
            out,
            encoder,
            newest: 0,
            lengths: Vec::new(),
            documents: Vec::new(),
            block: Vec::new(),
            table: Vec::new(),
            written: 0,
            first: 0,
            n_waiting: 0,
        }
    }

    /// Bytes of memory in use, roughly.
    pub(super) const fn mem_usage(&self) -> usize {
        self.table.capacity() + self.documents.capacity() + self.block.capacity()
    }

    /// Number of the dictionary that new blocks use.
    pub(super) const fn dictionary(&self) -> u8 {
        self.encoder.dictionary()
    }

    /// Appends the next document.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn push(&mut self, document: &[u8]) -> io::Result<()> {
        if document.len() >= BLOCK_BYTES {
            self.end_block()?;
        }
        varint::put(&mut self.lengths, document.len() as u64);
        self.documents.extend_from_slice(document);
        self.n_waiting += 1;
        if self.documents.len() >= BLOCK_BYTES {
            self.end_block()?;
        }
        Ok(())
    }

    /// Appends a stored block of so many documents as it is.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn push_block(&mut self, stored: &[u8], n_docs: u32) -> io::Result<()> {
        self.end_block()?;
        self.newest = self.newest.max(stored.first().copied().unwrap_or_default());
        note(&mut self.table, self.first, self.written);
        self.out.write_all(stored)?;
        self.written += stored.len() as u64;
        self.first += n_docs;
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        if self.n_waiting == 0 {
            return Ok(());
        }
        self.block.clear();
        self.block.extend_from_slice(&self.lengths);
        self.block.extend_from_slice(&self.documents);
        let stored = self.encoder.encode(&self.block)?;
        note(&mut self.table, self.first, self.written);
        self.out.write_all(stored)?;
        self.written += stored.len() as u64;
        self.newest = self.newest.max(self.encoder.dictionary());
        self.first += self.n_waiting;
        self.n_waiting = 0;
        self.lengths.clear();
        self.documents.clear();
        // One large document does not keep its memory for all that follow.
        self.documents.shrink_to(2 * BLOCK_BYTES);
        self.block.shrink_to(4 * BLOCK_BYTES);
        Ok(())
    }

    /// Writes what waits, the table and the footer, and gives the writer back for closing.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.end_block()?;
        let n_blocks = (self.table.len() / ENTRY_LEN) as u32;
        self.out.write_all(&self.table)?;
        self.out.write_all(&self.written.to_le_bytes())?;
        self.out.write_all(&n_blocks.to_le_bytes())?;
        self.out.write_all(&self.first.to_le_bytes())?;
        self.out.write_all(&[self.newest, 0, 0, 0])?;
        self.out.write_all(&VERSION.to_le_bytes())?;
        self.out.write_all(&MAGIC.to_le_bytes())?;
        Ok(self.out)
    }
}

fn note(table: &mut Vec<u8>, first: u32, start: u64) {
    table.extend_from_slice(&first.to_le_bytes());
    table.extend_from_slice(&start.to_le_bytes());
}
