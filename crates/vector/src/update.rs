//! Changes to an index: collected, written as one file, and then seen by those who open the next
//! manifest.
//!
//! # Invariants
//! 1. Nothing that exists is changed: an update writes a new file beside the others. Dropped
//!    before or after [`Update::finish`], it leaves the index as it was, and at most a file that no
//!    manifest names.
//! 2. The new file lists the documents whose vectors in older files no longer count.
//!
//! # Cost
//! Memory: 12 bytes a document, and a buffer of rows; more rows go to a file without a name.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::VectorError;
use crate::cells::Partition;
use crate::code::to_row;
use crate::error::at;
use crate::file_writer::{RowSource, write_file};
use crate::index::VectorIndex;
use crate::part::Part;
use crate::shape::{DocId, VectorShape};
use crate::spool::{Spool, Spooled};
use crate::touched::Touched;
use crate::vector_file::VectorFile;

/// Changes to be made together. The last change of a document is the one that counts.
pub struct Update {
    base: VectorIndex,
    directory: PathBuf,
    spool: Spool,
    changes: Vec<Change>,
    n_rows: u32,
    row: Vec<u8>,
}

/// The rows that a document has from now on; none when it was removed.
#[derive(Clone, Copy)]
struct Change {
    doc: DocId,
    first_row: u32,
    n_rows: u32,
}

impl Update {
    pub(crate) fn new(base: &VectorIndex, directory: &Path) -> Self {
        Self {
            base: base.clone(),
            directory: directory.to_owned(),
            spool: Spool::new(directory),
            changes: Vec::new(),
            n_rows: 0,
            row: Vec::new(),
        }
    }

    /// Gives a document these vectors in place of those it has. No vectors: removes it.
    ///
    /// # Errors
    /// When a vector has other dimensions than the index or numbers that are not finite, in which
    /// case nothing changed; when the rows cannot be put aside.
    pub fn put<V: AsRef<[f32]>>(&mut self, doc: DocId, vectors: &[V]) -> Result<(), VectorError> {
        let shape = self.base.shape();
        for vector in vectors.iter().map(AsRef::as_ref) {
            check(shape, doc, vector)?;
        }
        let n_rows = u32::try_from(vectors.len()).map_err(|_| VectorError::TooManyVectors)?;
        let end = self.n_rows.checked_add(n_rows);
        let end = end
            .filter(|end| *end < u32::MAX)
            .ok_or(VectorError::TooManyVectors)?;
        for vector in vectors {
            to_row(shape, vector.as_ref(), &mut self.row);
            self.spool.push(&self.row)?;
        }
        self.changes.push(Change {
            doc,
            first_row: self.n_rows,
            n_rows,
        });
        self.n_rows = end;
        Ok(())
    }

    /// Takes the vectors of a document away, if it has any.
    pub fn remove(&mut self, doc: DocId) {
        self.changes.push(Change {
            doc,
            first_row: 0,
            n_rows: 0,
        });
    }

    /// Takes all vectors away: those of the index, and those put so far.
    pub fn clear(&mut self) {
        self.base = VectorIndex::of(self.base.shape(), Vec::new());
        self.changes.clear();
    }

    /// Writes and syncs what changed, and returns the index with it. Its
    /// [`manifest`](VectorIndex::manifest) is to be kept: what it names is on disk.
    ///
    /// # Errors
    /// When a file cannot be written; the index that the update began with is still good.
    pub fn finish(self) -> Result<VectorIndex, VectorError> {
        let Self {
            base,
            directory,
            spool,
            mut changes,
            ..
        } = self;
        keep_last_of_each_document(&mut changes);
        let shape = base.shape();
        let mut parts = base.parts().to_vec();
        let mut kills: Vec<DocId> = Vec::new();
        for part in &mut parts {
            part.kill(changes.iter().map(|change| change.doc), |doc| {
                kills.push(doc)
            });
        }
        kills.sort_unstable();
        drop_useless(&mut parts);
        let rows = SpooledRows::new(shape, spool.finish()?, &changes);
        if rows.len() > 0 || !kills.is_empty() {
            let entry = write_file(&directory, &rows, &kills, &Partition::of(&rows)?)?;
            sync_directory(&directory)?;
            parts.push(Part::new(VectorFile::open(&directory, &entry, shape)?));
        }
        VectorIndex::of(shape, parts).merge_small(&directory)
    }
}

fn check(shape: VectorShape, doc: DocId, vector: &[f32]) -> Result<(), VectorError> {
    if vector.len() != shape.width() {
        return Err(VectorError::Dimensions {
            expected: shape.width(),
            found: vector.len(),
        });
    }
    match vector.iter().all(|value| value.is_finite()) {
        true => Ok(()),
        false => Err(VectorError::NotFinite { doc }),
    }
}

/// Leaves the last change of each document, by document.
fn keep_last_of_each_document(changes: &mut Vec<Change>) {
    changes.reverse();
    changes.sort_by_key(|change| change.doc);
    changes.dedup_by_key(|change| change.doc);
}

/// Drops parts without rows, unless they say of older parts which rows count no longer.
pub(crate) fn drop_useless(parts: &mut Vec<Part>) {
    let mut is_oldest = true;
    parts.retain(|part| {
        let is_used = part.n_rows() > 0 || (!is_oldest && !part.file().kills().is_empty());
        is_oldest &= !is_used;
        is_used
    });
}

/// Makes the names of new files last.
pub(crate) fn sync_directory(directory: &Path) -> Result<(), VectorError> {
    // Directories cannot be opened as files on Windows, where names need no syncing.
    if cfg!(windows) {
        return Ok(());
    }
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(at(directory))
}

/// The rows of the changes that are left.
struct SpooledRows {
    shape: VectorShape,
    bytes: Spooled,
    /// Document and place in the spool of each row.
    rows: Vec<(DocId, u32)>,
    touched: Touched,
}

impl SpooledRows {
    fn new(shape: VectorShape, bytes: Spooled, changes: &[Change]) -> Self {
        let rows_of = |change: &Change| {
            let Change {
                doc,
                first_row,
                n_rows,
            } = *change;
            (first_row..first_row + n_rows).map(move |row| (doc, row))
        };
        Self {
            shape,
            bytes,
            rows: changes.iter().flat_map(rows_of).collect(),
            touched: Touched::default(),
        }
    }
}

impl RowSource for SpooledRows {
    fn shape(&self) -> VectorShape {
        self.shape
    }

    fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    fn doc(&self, row: u32) -> DocId {
        self.rows[row as usize].0
    }

    fn row(&self, row: u32) -> &[u8] {
        let width = self.shape.row_bytes();
        if self.touched.add(width) {
            self.bytes.release();
        }
        &self.bytes.bytes()[self.rows[row as usize].1 as usize * width..][..width]
    }
}
