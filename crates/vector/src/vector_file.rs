//! A vector file, mapped and checked.
//!
//! # Invariants
//! 1. Opening checks length, header and every checksum, and then everything that is used as a
//!    place: rows in `ByDoc`, starts of cells. Nothing after that needs a check to stay in bounds.
//! 2. Whatever floats, codes and notes hold can make a similarity wrong, but nothing else.
//!
//! # Cost
//! Opening reads the file once, for its checksums, and keeps none of its pages.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;

use crate::VectorError;
use crate::code::Note;
use crate::error::at;
use crate::layout::{Counts, HEADER_BYTES, Header, N_SECTIONS, SECTIONS, Section};
use crate::manifest::FileEntry;
use crate::shape::{DocId, Encoding, VectorShape};
use crate::touched;

#[cfg(target_endian = "big")]
compile_error!("vector files are little-endian and used in place");

/// Bytes that are read at a time when a file is checked.
const PIECE_BYTES: usize = 16 << 20;

/// An open file.
#[derive(Debug)]
pub(crate) struct VectorFile {
    entry: FileEntry,
    map: Mmap,
    header: Header,
    starts: [usize; N_SECTIONS],
}

impl VectorFile {
    /// Opens and checks a file that a manifest names.
    pub(crate) fn open(
        directory: &Path,
        entry: &FileEntry,
        shape: VectorShape,
    ) -> Result<Self, VectorError> {
        let path = directory.join(&entry.name);
        let file = File::open(&path).map_err(at(&path))?;
        // SAFETY: vector files are written once, under a name never used again, and only removed,
        // which leaves a map of them intact. Whoever else changes them breaks that promise, as for
        // every mapped file; the checks below find what was changed before.
        let map = unsafe { Mmap::map(&file) }.map_err(at(&path))?;
        let damaged = |reason| VectorError::Damaged {
            path: path.clone(),
            reason,
        };
        let opened = Self::check_header(entry, map, shape).map_err(damaged)?;
        opened.check_sections().map_err(damaged)?;
        opened.check_places().map_err(damaged)?;
        opened.release();
        Ok(opened)
    }

    fn check_header(
        entry: &FileEntry,
        map: Mmap,
        shape: VectorShape,
    ) -> Result<Self, &'static str> {
        if map.len() as u64 != entry.bytes {
            return Err("it does not have the length that was committed");
        }
        let header = Header::from_bytes(&map)?;
        if crc32fast::hash(&header.to_bytes()) != entry.checksum {
            return Err("it is not the file that was committed");
        }
        if header.shape != shape {
            return Err("its vectors have another shape");
        }
        let (starts, end) = header.offsets();
        if end != entry.bytes {
            return Err("its length does not fit its counts");
        }
        // Every start is at most the length of a map, which is a usize.
        let starts = starts.map(|start| start as usize);
        Ok(Self {
            entry: entry.clone(),
            map,
            header,
            starts,
        })
    }

    fn check_sections(&self) -> Result<(), &'static str> {
        let intact = |section: Section| {
            let mut crc = crc32fast::Hasher::new();
            for piece in self.section(section).chunks(PIECE_BYTES) {
                crc.update(piece);
                self.release();
            }
            crc.finalize() == self.header.checksums[section as usize]
        };
        if !SECTIONS.into_iter().all(intact) {
            return Err("its content does not have its checksum");
        }
        match self.gaps().all(|gap| gap.iter().all(|byte| *byte == 0)) {
            true => Ok(()),
            false => Err("something lies between its sections"),
        }
    }

    /// The bytes that bring each section to its multiple of the alignment.
    fn gaps(&self) -> impl Iterator<Item = &[u8]> {
        let mut end = HEADER_BYTES;
        SECTIONS.into_iter().map(move |section| {
            let start = self.starts[section as usize];
            let gap = &self.map[end..start];
            end = start + self.header.section_bytes(section) as usize;
            gap
        })
    }

    fn check_places(&self) -> Result<(), &'static str> {
        let Counts {
            rows,
            strays,
            documents,
            ..
        } = self.counts();
        let by_doc = self.by_doc();
        let docs = self.docs();
        let known = |&[doc, row]: &[u32; 2]| docs.get(row as usize) == Some(&doc);
        if !by_doc.is_sorted_by_key(|pair| pair[0]) || !by_doc.iter().all(known) {
            return Err("its documents are not in order");
        }
        let distinct = by_doc.chunk_by(|a, b| a[0] == b[0]).count();
        if distinct != documents as usize {
            return Err("it does not hold as many documents as it says");
        }
        if !self.kills().is_sorted() {
            return Err("its replaced documents are not in order");
        }
        let starts = self.cell_starts();
        let covers = starts.first() == Some(&strays) && starts.last() == Some(&rows);
        if !starts.is_empty() && (!covers || !starts.is_sorted()) {
            return Err("its cells do not hold its vectors");
        }
        Ok(())
    }

    fn section(&self, section: Section) -> &[u8] {
        let start = self.starts[section as usize];
        // `check_header` held the sum of all sections against the length of the map.
        &self.map[start..start + self.header.section_bytes(section) as usize]
    }

    /// Gives the pages of the file back.
    pub(crate) fn release(&self) {
        touched::release(&self.map);
    }

    pub(crate) fn entry(&self) -> &FileEntry {
        &self.entry
    }

    pub(crate) fn shape(&self) -> VectorShape {
        self.header.shape
    }

    pub(crate) fn counts(&self) -> Counts {
        self.header.counts
    }

    /// The row of a vector, as [`crate::code::from_row`] takes it.
    pub(crate) fn row(&self, row: u32) -> &[u8] {
        let width = self.shape().row_bytes();
        let section = match self.shape().encoding {
            Encoding::F32 => Section::Floats,
            Encoding::Binary => Section::Codes,
        };
        &self.section(section)[row as usize * width..][..width]
    }

    /// Padded floats of a row. Only for vectors of floats.
    pub(crate) fn floats(&self, row: u32) -> &[f32] {
        bytemuck::cast_slice(self.row(row))
    }

    /// Codes of rows, one after the other. Only for vectors of floats.
    pub(crate) fn codes(&self, rows: Range<u32>) -> &[i8] {
        bytemuck::cast_slice(self.code_rows(rows))
    }

    /// Bits of rows, one after the other. Only for binary vectors.
    pub(crate) fn bits(&self, rows: Range<u32>) -> &[u64] {
        bytemuck::cast_slice(self.code_rows(rows))
    }

    fn code_rows(&self, rows: Range<u32>) -> &[u8] {
        let width = self.shape().code_bytes();
        &self.section(Section::Codes)[rows.start as usize * width..rows.end as usize * width]
    }

    /// Scale, error and inverse length of every row. Only for vectors of floats.
    pub(crate) fn notes(&self) -> &[Note] {
        bytemuck::cast_slice(self.section(Section::Notes))
    }

    /// The document of every row.
    pub(crate) fn docs(&self) -> &[DocId] {
        bytemuck::cast_slice(self.section(Section::Docs))
    }

    /// Pairs of document and row, by document, then in the order of its vectors.
    pub(crate) fn by_doc(&self) -> &[[u32; 2]] {
        bytemuck::cast_slice(self.section(Section::ByDoc))
    }

    /// Documents whose vectors in older files no longer count, ascending.
    pub(crate) fn kills(&self) -> &[DocId] {
        bytemuck::cast_slice(self.section(Section::Kills))
    }

    /// First row of every cell and the number of rows; empty without cells.
    pub(crate) fn cell_starts(&self) -> &[u32] {
        bytemuck::cast_slice(self.section(Section::Cells))
    }

    /// Padded floats of all centres, one after the other.
    pub(crate) fn centres(&self) -> &[f32] {
        bytemuck::cast_slice(self.section(Section::Centres))
    }

    /// The part of [`VectorFile::by_doc`] that is about a document.
    pub(crate) fn pairs_of(&self, doc: DocId) -> &[[u32; 2]] {
        let pairs = self.by_doc();
        let start = pairs.partition_point(|pair| pair[0] < doc);
        let n = pairs[start..]
            .iter()
            .take_while(|pair| pair[0] == doc)
            .count();
        &pairs[start..start + n]
    }
}
