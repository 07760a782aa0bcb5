//! What is known of each document's vectors beside the vectors: one small file per commit.
//!
//! ```text
//! known, provided, regenerated    three bitmaps of documents, in the portable Roaring format
//! seal                            their checksum, see [`crate::storage::sealed`]
//! ```

use std::io;
use std::path::Path;

use roaring::RoaringBitmap;

use crate::docset::{DocId, DocSet};
use crate::storage::directory::write_synced;
use crate::storage::sealed::{seal, unseal};

/// What is known of a document's vectors beside the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VectorStatus {
    /// Whether the user gave them.
    pub(crate) is_provided: bool,
    /// Whether they are made again when the text changes.
    pub(crate) regenerates: bool,
}

/// The status of all documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statuses {
    /// Documents of which something is known, though they may have no vectors.
    known: DocSet,
    /// Documents whose vectors the user gave.
    provided: DocSet,
    /// Documents whose vectors are made again when the text changes.
    regenerated: DocSet,
}

impl Statuses {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is damaged.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let bytes = unseal(std::fs::read(path)?)?;
        let mut rest = bytes.as_slice();
        let mut next = || -> io::Result<DocSet> {
            let bitmap = RoaringBitmap::deserialize_from(&mut rest)?;
            Ok(DocSet::from_sorted(bitmap.iter().collect()))
        };
        Ok(Self {
            known: next()?,
            provided: next()?,
            regenerated: next()?,
        })
    }

    /// Writes a file, on disk when this returns.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let mut bytes = Vec::new();
        for docs in [&self.known, &self.provided, &self.regenerated] {
            let bitmap: RoaringBitmap = docs.iter().collect();
            bitmap.serialize_into(&mut bytes)?;
        }
        write_synced(path, &seal(&bytes))
    }

    /// Documents whose vectors the user gave.
    pub(crate) const fn provided(&self) -> &DocSet {
        &self.provided
    }

    /// Documents whose vectors are made again when the text changes.
    pub(crate) const fn regenerated(&self) -> &DocSet {
        &self.regenerated
    }

    /// The status of a document, if it has one.
    pub(crate) fn get(&self, doc: DocId) -> Option<VectorStatus> {
        self.known.contains(doc).then(|| VectorStatus {
            is_provided: self.provided.contains(doc),
            regenerates: self.regenerated.contains(doc),
        })
    }

    /// The statuses after changes, of which the last one of a document counts; `None` forgets one.
    pub(crate) fn with(&self, changes: &[(DocId, Option<VectorStatus>)]) -> Self {
        let last: std::collections::BTreeMap<DocId, Option<VectorStatus>> =
            changes.iter().copied().collect();
        let touched = DocSet::from_sorted(last.keys().copied().collect());
        let updated = |docs: &DocSet, holds: &dyn Fn(VectorStatus) -> bool| {
            let added = last.iter().filter(|(_, status)| status.is_some_and(holds));
            let added = DocSet::from_sorted(added.map(|(doc, _)| *doc).collect());
            docs.and_not(&touched).or(&added)
        };
        Self {
            known: updated(&self.known, &|_| true),
            provided: updated(&self.provided, &|status| status.is_provided),
            regenerated: updated(&self.regenerated, &|status| status.regenerates),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_change_of_a_document_counts_and_survives_the_file() {
        let status = |is_provided, regenerates| {
            Some(VectorStatus {
                is_provided,
                regenerates,
            })
        };
        let changes = [
            (7, status(true, false)),
            (9, status(true, true)),
            (7, None),
            (3, status(false, true)),
        ];
        let statuses = Statuses::default()
            .with(&changes)
            .with(&[(3, status(false, false))]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        statuses.write(&path).expect("written");
        let read = Statuses::open(&path).expect("read");
        assert_eq!(read, statuses);
        assert_eq!(read.get(7), None);
        assert_eq!(read.get(9), status(true, true));
        assert_eq!(read.get(3), status(false, false));
    }
}
