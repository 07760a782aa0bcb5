//! Reads the documents of a segment from mapped memory; see [`super::document_file`] for bytes.
//!
//! # Cost
//! A binary search over the blocks, and one block decompressed, of a kilobyte or two unless the
//! document is larger, unless it was lately: [`super::kept_blocks`], or for long documents a
//! [`DocumentMemory`].

use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

use tantivy::directory::{FileSlice, OwnedBytes};

use super::column_reader::{u32_at, u64_at};
use super::document_codec::DocumentCodec;
use super::document_file::{ENTRY_LEN, FOOTER_LEN, MAGIC, VERSION};
use super::file_footer::footer_at;
use super::kept_blocks::{BlockPlace, MAX_KEPT_BYTES, ReaderNumber};
use super::varint;

/// A block that is stored in fewer bytes counts as short, as nearly all of these are.
const MIN_LONG_STORED_BYTES: usize = MAX_KEPT_BYTES / 4;

/// The JSON of a document where it was decompressed.
pub struct DocumentBytes {
    block: Block,
    place: Range<usize>,
}

enum Block {
    Kept(Arc<[u8]>),
    Own(Vec<u8>),
}

impl Deref for DocumentBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let block: &[u8] = match &self.block {
            Block::Kept(block) => block,
            Block::Own(block) => block,
        };
        &block[self.place.clone()]
    }
}

/// Keeps documents that are too long for [`super::kept_blocks`], each alone in its block.
pub(crate) trait DocumentMemory {
    /// The JSON of a document, if it is kept.
    fn kept(&self, place: BlockPlace) -> Option<Arc<[u8]>>;
    /// Says that a document was decompressed, as it was not kept.
    fn was_read(&self, place: BlockPlace, json: &[u8]);
}

/// The documents of one segment.
#[derive(Clone)]
pub(crate) struct DocumentReader {
    bytes: OwnedBytes,
    table_at: usize,
    n_blocks: u32,
    n_docs: u32,
    newest: u8,
    number: ReaderNumber,
}

fn corrupt(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the file of documents is damaged: {what}"),
    )
}

impl DocumentReader {
    /// Opens the file of a segment.
    ///
    /// # Errors
    /// When the file cannot be read, or is not one of ours.
    pub(crate) fn open(file: &FileSlice) -> io::Result<Self> {
        let bytes = file.read_bytes()?;
        let footer = footer_at(&bytes, FOOTER_LEN, MAGIC, VERSION..=VERSION).map_err(corrupt)?;
        let table_at = usize::try_from(u64_at(&bytes, footer)).unwrap_or(usize::MAX);
        let n_blocks = u32_at(&bytes, footer + 8);
        if table_at.checked_add(n_blocks as usize * ENTRY_LEN) != Some(footer) {
            return Err(corrupt("its table does not fit"));
        }
        Ok(Self {
            table_at,
            n_blocks,
            n_docs: u32_at(&bytes, footer + 12),
            newest: bytes[footer + 16],
            bytes,
            number: ReaderNumber::next(),
        })
    }

    /// Number of documents.
    pub(crate) const fn n_docs(&self) -> u32 {
        self.n_docs
    }

    /// Number of blocks.
    pub(super) const fn n_blocks(&self) -> u32 {
        self.n_blocks
    }

    /// Number of the newest dictionary that a block may use.
    pub(super) const fn newest_dictionary(&self) -> u8 {
        self.newest
    }

    /// The documents of a block.
    pub(super) fn docs_of(&self, block: u32) -> Range<u32> {
        let end = match block + 1 < self.n_blocks {
            true => self.first_of(block + 1).min(self.n_docs),
            false => self.n_docs,
        };
        self.first_of(block).min(end)..end
    }

    /// A block as it is stored.
    pub(super) fn stored(&self, block: u32) -> &[u8] {
        let end = match block + 1 < self.n_blocks {
            true => self.start_of(block + 1),
            false => self.table_at,
        };
        let blocks = &self.bytes[..self.table_at];
        blocks.get(self.start_of(block)..end).unwrap_or_default()
    }

    fn first_of(&self, block: u32) -> u32 {
        u32_at(&self.bytes, self.table_at + block as usize * ENTRY_LEN)
    }

    fn start_of(&self, block: u32) -> usize {
        u64_at(&self.bytes, self.table_at + block as usize * ENTRY_LEN + 4) as usize
    }

    /// The block in which a document is.
    fn block_of(&self, local: u32) -> u32 {
        let (mut low, mut high) = (0, self.n_blocks);
        while low < high {
            let middle = low.midpoint(high);
            if self.first_of(middle) <= local {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.saturating_sub(1)
    }

    /// Which reader this is, of all of the process.
    pub(crate) const fn number(&self) -> ReaderNumber {
        self.number
    }

    /// The JSON of a document, which nobody is expected to ask for again if it is long.
    ///
    /// # Errors
    /// When there is no such document, or its block is damaged.
    pub(crate) fn document(&self, local: u32, codec: &DocumentCodec) -> io::Result<DocumentBytes> {
        let place = self.block_with(local)?;
        self.document_at(place, local, codec)
    }

    /// The JSON of a document that is asked for again.
    ///
    /// # Errors
    /// Those of [`DocumentReader::document`].
    pub(crate) fn repeated(
        &self,
        local: u32,
        codec: &DocumentCodec,
        memory: &dyn DocumentMemory,
    ) -> io::Result<DocumentBytes> {
        let (block, docs) = self.block_with(local)?;
        let Some(place) = self.long_place(block, &docs) else {
            return self.document_at((block, docs), local, codec);
        };
        if let Some(kept) = memory.kept(place) {
            return Ok(DocumentBytes {
                place: 0..kept.len(),
                block: Block::Kept(kept),
            });
        }
        let document = self.document_at((block, docs), local, codec)?;
        memory.was_read(place, &document);
        Ok(document)
    }

    /// The place of the block of a long document.
    #[inline]
    fn long_place(&self, block: u32, docs: &Range<u32>) -> Option<BlockPlace> {
        let is_alone = docs.len() == 1;
        (is_alone && is_long(self.stored(block))).then_some(BlockPlace {
            reader: self.number,
            block,
        })
    }

    fn document_at(
        &self,
        (block, docs): (u32, Range<u32>),
        local: u32,
        codec: &DocumentCodec,
    ) -> io::Result<DocumentBytes> {
        let index = (local - docs.start) as usize;
        let block = match self.number.kept(block) {
            Some(kept) => Block::Kept(kept),
            None => {
                let documents = codec.decode(self.stored(block))?;
                match self.number.keep(block, &documents) {
                    Some(kept) => Block::Kept(kept),
                    None => Block::Own(documents),
                }
            }
        };
        let whole = match &block {
            Block::Kept(block) => block,
            Block::Own(block) => block.as_slice(),
        };
        let place = place_of(whole, docs.len(), index)?;
        Ok(DocumentBytes { block, place })
    }

    /// Appends the JSON of a document that is asked for again to `out`. Where it is long it is copied
    /// from `memory`, or else decompressed to there, not copied.
    ///
    /// # Errors
    /// Those of [`DocumentReader::document`]; what was in `out` stays.
    pub(crate) fn append(
        &self,
        local: u32,
        codec: &DocumentCodec,
        memory: &dyn DocumentMemory,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let (block, docs) = self.block_with(local)?;
        let Some(place) = self.long_place(block, &docs) else {
            out.extend_from_slice(&self.document_at((block, docs), local, codec)?);
            return Ok(());
        };
        if let Some(kept) = memory.kept(place) {
            out.extend_from_slice(&kept);
            return Ok(());
        }
        let start = out.len();
        append_alone(self.stored(block), codec, out)?;
        memory.was_read(place, &out[start..]);
        Ok(())
    }

    /// The block in which a document is, and the documents of it.
    fn block_with(&self, local: u32) -> io::Result<(u32, Range<u32>)> {
        if local >= self.n_docs {
            return Err(corrupt("it ends before a document"));
        }
        let block = self.block_of(local);
        let docs = self.docs_of(block);
        if !docs.contains(&local) {
            return Err(corrupt("its table is not in order"));
        }
        Ok((block, docs))
    }
}

/// Whether a stored block is too long for [`super::kept_blocks`].
#[inline]
fn is_long(stored: &[u8]) -> bool {
    stored.len() >= MIN_LONG_STORED_BYTES && DocumentCodec::len_of(stored) > MAX_KEPT_BYTES
}

/// Appends the document of a block that has no other to `out`.
fn append_alone(stored: &[u8], codec: &DocumentCodec, out: &mut Vec<u8>) -> io::Result<()> {
    // Its length stands in front of it, and is written over the end of what was there: that is put back
    // then, and the document need not be moved.
    let n_lent = varint::len(DocumentCodec::len_of(stored) as u64).min(out.len());
    let start = out.len() - n_lent;
    let mut lent = [0; varint::MAX_LEN];
    lent[..n_lent].copy_from_slice(&out[start..]);
    out.truncate(start);
    let place = codec
        .decode_behind(stored, out)
        .and_then(|()| place_of(&out[start..], 1, 0));
    let (length, end) = match &place {
        Ok(place) => (place.start, place.end),
        Err(_) => (0, 0),
    };
    out.truncate(start + end);
    out.splice(start..start + length, lent[..n_lent].iter().copied());
    place.map(|_| ())
}

/// The document at a place among the `n_docs` of a block.
pub(super) fn document_of(block: &[u8], n_docs: usize, index: usize) -> io::Result<&[u8]> {
    place_of(block, n_docs, index).map(|place| &block[place])
}

fn place_of(block: &[u8], n_docs: usize, index: usize) -> io::Result<Range<usize>> {
    // Each has a length of at least a byte.
    if n_docs > block.len() {
        return Err(corrupt("a block is too short for its documents"));
    }
    let (mut at, mut start, mut len) = (0, 0_usize, 0_usize);
    for other in 0..n_docs {
        let other_len = varint::get(block, &mut at) as usize;
        if other < index {
            start = start.saturating_add(other_len);
        } else if other == index {
            len = other_len;
        }
    }
    let start = start.saturating_add(at);
    let end = start.saturating_add(len);
    let fits = end <= block.len();
    fits.then_some(start..end)
        .ok_or_else(|| corrupt("a document ends behind its block"))
}
