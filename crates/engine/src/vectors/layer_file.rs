//! One file of vectors of one embedder: what a commit changed, never written again.
//!
//! ```text
//! rows      n_rows times: norm and values as f32, or signs as 64-bit words
//! entries   n_entries times, by document: document u32, first row u32, rows u16, flags u16
//! removed   n_removed times, ascending: document u32
//! footer    dimensions u32, kind u32, n_rows u64, n_entries u64, n_removed u64, magic 8 bytes
//! ```
//!
//! All numbers are little-endian. An entry without rows says that a document has no vectors.
//!
//! # Cost
//! Opening reads entries and removed documents once; rows are mapped.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;

use super::distance;
use crate::docset::{DocId, DocSet};

pub(super) const MAGIC: &[u8; 8] = b"SVVEC\0\0\x01";
pub(super) const ENTRY_BYTES: usize = 12;
pub(super) const FOOTER_BYTES: usize = 40;
/// The user gave the vectors.
pub(super) const PROVIDED: u16 = 1;
/// Vectors are made again when the text changes.
pub(super) const REGENERATE: u16 = 2;

/// How rows look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowFormat {
    /// Length of a vector.
    pub(crate) dimensions: usize,
    /// Whether only signs are kept.
    pub(crate) is_quantized: bool,
}

impl RowFormat {
    /// Bytes of a row.
    pub(super) const fn row_bytes(self) -> usize {
        if self.is_quantized {
            self.dimensions.div_ceil(64) * 8
        } else {
            (self.dimensions + 1) * 4
        }
    }

    /// The row of a vector.
    pub(super) fn write(self, vector: &[f32], out: &mut Vec<u8>) {
        out.clear();
        if self.is_quantized {
            let words = distance::signs(vector);
            out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        } else {
            out.extend(distance::norm(vector).to_le_bytes());
            out.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
        }
    }

    /// The vector of a row; of a quantized one, its signs.
    pub(super) fn read(self, row: &[u8]) -> Vec<f32> {
        if !self.is_quantized {
            return row[4..].chunks_exact(4).map(distance::float).collect();
        }
        let words: Vec<u64> = row.chunks_exact(8).map(distance::bits).collect();
        let sign = |at: usize| words[at / 64] >> (at % 64) & 1 == 1;
        (0..self.dimensions)
            .map(|at| if sign(at) { 1.0 } else { -1.0 })
            .collect()
    }
}

/// What a layer says of one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) doc: DocId,
    pub(super) first_row: u32,
    pub(crate) n_rows: u16,
    pub(super) flags: u16,
}

impl Entry {
    /// Whether the user gave the vectors.
    pub(crate) const fn is_provided(self) -> bool {
        self.flags & PROVIDED != 0
    }

    /// Whether vectors are made again when the text changes.
    pub(crate) const fn regenerates(self) -> bool {
        self.flags & REGENERATE != 0
    }
}

/// An open file.
pub(crate) struct LayerFile {
    path: PathBuf,
    map: Mmap,
    format: RowFormat,
    n_entries: usize,
    entries_at: usize,
    /// Documents with an entry, and those that older layers hold and this one takes away.
    touched: DocSet,
    is_obsolete: AtomicBool,
}

impl LayerFile {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be mapped or is not what it should be.
    pub(crate) fn open(path: PathBuf) -> io::Result<Self> {
        let file = File::open(&path)?;
        // SAFETY: files of a generation are written once and only removed after the last map.
        let map = unsafe { Mmap::map(&file)? };
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a file of vectors is damaged");
        let footer_at = map.len().checked_sub(FOOTER_BYTES).ok_or_else(damaged)?;
        let footer = &map[footer_at..];
        if &footer[32..] != MAGIC {
            return Err(damaged());
        }
        let format = RowFormat {
            dimensions: read_u32(&footer[0..]) as usize,
            is_quantized: read_u32(&footer[4..]) == 1,
        };
        let [n_rows, n_entries, n_removed] =
            [8, 16, 24].map(|at| distance::bits(&footer[at..at + 8]) as usize);
        let entries_at = n_rows * format.row_bytes();
        let removed_at = entries_at + n_entries * ENTRY_BYTES;
        if removed_at + n_removed * 4 != footer_at {
            return Err(damaged());
        }
        let removed: DocSet = map[removed_at..footer_at]
            .chunks_exact(4)
            .map(read_u32)
            .collect();
        let held: DocSet = map[entries_at..removed_at]
            .chunks_exact(ENTRY_BYTES)
            .map(read_u32)
            .collect();
        Ok(Self {
            touched: held.or(&removed),
            path,
            map,
            format,
            n_entries,
            entries_at,
            is_obsolete: AtomicBool::new(false),
        })
    }

    /// Name of the file in its directory.
    pub(crate) fn name(&self) -> &str {
        let name = self.path.file_name().and_then(|name| name.to_str());
        name.unwrap_or_default()
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How its rows look.
    pub(crate) const fn format(&self) -> RowFormat {
        self.format
    }

    /// Bytes of the file.
    pub(crate) fn n_bytes(&self) -> usize {
        self.map.len()
    }

    /// Documents about which older layers do not count any more.
    pub(crate) const fn touched(&self) -> &DocSet {
        &self.touched
    }

    /// Lets the file be removed with the last handle on it.
    pub(crate) fn mark_obsolete(&self) {
        self.is_obsolete.store(true, Ordering::Release);
    }

    /// All entries, by document.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.n_entries).map(|at| self.entry_at(at))
    }

    /// The entry of a document.
    pub(crate) fn entry(&self, doc: DocId) -> Option<Entry> {
        let (mut low, mut high) = (0, self.n_entries);
        while low < high {
            let middle = low.midpoint(high);
            let entry = self.entry_at(middle);
            match entry.doc.cmp(&doc) {
                std::cmp::Ordering::Equal => return Some(entry),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The rows of an entry.
    pub(crate) fn rows(&self, entry: Entry) -> impl Iterator<Item = &[u8]> {
        let row_bytes = self.format.row_bytes();
        let start = entry.first_row as usize * row_bytes;
        let end = start + usize::from(entry.n_rows) * row_bytes;
        let rows = self.map[..self.entries_at].get(start..end);
        rows.unwrap_or_default().chunks_exact(row_bytes.max(1))
    }

    fn entry_at(&self, at: usize) -> Entry {
        let start = self.entries_at + at * ENTRY_BYTES;
        let bytes = &self.map[start..start + ENTRY_BYTES];
        let packed = read_u32(&bytes[8..]);
        Entry {
            doc: read_u32(bytes),
            first_row: read_u32(&bytes[4..]),
            n_rows: packed as u16,
            flags: (packed >> 16) as u16,
        }
    }
}

impl Drop for LayerFile {
    fn drop(&mut self) {
        if self.is_obsolete.load(Ordering::Acquire) {
            // What cannot be removed now is removed when the index is opened the next time.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn read_u32(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |four| u32::from_le_bytes(*four))
}
