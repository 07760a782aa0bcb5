//! Writes one file of vectors: rows as they come, then who they belong to.
//!
//! # Cost
//! Rows go to disk at once; what stays in memory is twelve bytes for each document.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use super::layer_file::{ENTRY_BYTES, Entry, LayerFile, MAGIC, PROVIDED, REGENERATE, RowFormat};
use crate::docset::{DocId, DocSet};

/// What is known of a document's vectors beside the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VectorStatus {
    /// Whether the user gave them.
    pub(crate) is_provided: bool,
    /// Whether they are made again when the text changes.
    pub(crate) regenerates: bool,
}

impl VectorStatus {
    const fn flags(self) -> u16 {
        (if self.is_provided { PROVIDED } else { 0 })
            | (if self.regenerates { REGENERATE } else { 0 })
    }
}

/// A file being written. One that is dropped unfinished is removed.
pub(crate) struct LayerWriter {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    format: RowFormat,
    n_rows: u32,
    entries: Vec<Entry>,
    removed: Vec<DocId>,
    row: Vec<u8>,
}

impl LayerWriter {
    /// Starts a file, in place of one that a crash may have left.
    ///
    /// # Errors
    /// When it cannot be created.
    pub(crate) fn create(path: PathBuf, format: RowFormat) -> io::Result<Self> {
        let file = File::create(&path)?;
        Ok(Self {
            path,
            file: Some(BufWriter::with_capacity(1 << 18, file)),
            format,
            n_rows: 0,
            entries: Vec::new(),
            removed: Vec::new(),
            row: Vec::new(),
        })
    }

    /// Adds a document; one added again counts as last added.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn push(
        &mut self,
        doc: DocId,
        vectors: &[Vec<f32>],
        status: VectorStatus,
    ) -> io::Result<()> {
        if let (0, 0, Some(first)) = (self.format.dimensions, self.n_rows, vectors.first()) {
            self.format.dimensions = first.len();
        }
        let entry = self.next_entry(doc, vectors.len() as u16, status.flags());
        let mut row = std::mem::take(&mut self.row);
        for vector in vectors {
            self.format.write(vector, &mut row);
            self.write(&row)?;
        }
        self.row = row;
        self.entries.push(entry);
        Ok(())
    }

    /// Adds a document as another layer holds it; its rows are quantized if need be.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn copy(&mut self, from: &LayerFile, entry: Entry) -> io::Result<()> {
        let copied = self.next_entry(entry.doc, entry.n_rows, entry.flags);
        for row in from.rows(entry) {
            if from.format() == self.format {
                self.write(row)?;
            } else {
                let mut converted = Vec::new();
                self.format.write(&from.format().read(row), &mut converted);
                self.write(&converted)?;
            }
        }
        self.entries.push(copied);
        Ok(())
    }

    /// Takes a document away that older layers may hold; adding it outweighs that.
    pub(crate) fn remove(&mut self, doc: DocId) {
        self.removed.push(doc);
    }

    /// Length of the vectors, once there is one.
    pub(crate) const fn dimensions(&self) -> Option<usize> {
        match self.format.dimensions {
            0 => None,
            n => Some(n),
        }
    }

    /// Whether there is nothing to keep.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.removed.is_empty()
    }

    /// Ends the file and puts it on disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn finish(mut self) -> io::Result<LayerFile> {
        // Stable: of several entries of a document the last one is kept.
        self.entries.sort_by_key(|entry| entry.doc);
        let mut kept: Vec<Entry> = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            match kept.last_mut() {
                Some(last) if last.doc == entry.doc => *last = *entry,
                _ => kept.push(*entry),
            }
        }
        let held: DocSet = kept.iter().map(|entry| entry.doc).collect();
        let removed: DocSet = std::mem::take(&mut self.removed).into_iter().collect();
        let removed = removed.and_not(&held);
        let mut tail = Vec::with_capacity(kept.len() * ENTRY_BYTES + removed.len() * 4 + 64);
        for entry in &kept {
            tail.extend(entry.doc.to_le_bytes());
            tail.extend(entry.first_row.to_le_bytes());
            tail.extend(entry.n_rows.to_le_bytes());
            tail.extend(entry.flags.to_le_bytes());
        }
        tail.extend(removed.iter().flat_map(u32::to_le_bytes));
        tail.extend((self.format.dimensions as u32).to_le_bytes());
        tail.extend(u32::from(self.format.is_quantized).to_le_bytes());
        for count in [self.n_rows as usize, kept.len(), removed.len()] {
            tail.extend((count as u64).to_le_bytes());
        }
        tail.extend(MAGIC);
        self.write(&tail)?;
        if let Some(mut file) = self.file.take() {
            file.flush()?;
            file.get_ref().sync_data()?;
        }
        LayerFile::open(self.path.clone())
    }

    fn next_entry(&mut self, doc: DocId, n_rows: u16, flags: u16) -> Entry {
        let first_row = self.n_rows;
        self.n_rows += u32::from(n_rows);
        Entry {
            doc,
            first_row,
            n_rows,
            flags,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.write_all(bytes),
            None => Ok(()),
        }
    }
}

impl Drop for LayerWriter {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // A file that nothing names is also removed when the index is opened the next time.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
