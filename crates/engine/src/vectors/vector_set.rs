//! All vectors of one embedder at one commit: an index of vectors and the status of documents.
//!
//! # Invariants
//! 1. A set never changes; the next one shares the files that stay.
//! 2. A document with vectors has a status; one with a status may have no vectors.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serval_vector::{
    DocFilter, Encoding, Manifest, Merge, Merged, Neighbor, Update, VectorError, VectorIndex,
    VectorShape,
};
use uuid::Uuid;

use super::statuses::{Statuses, VectorStatus};
use crate::docset::{DocId, DocSet};
use crate::storage::directory::sync_directory;

/// The files of one embedder, as a commit names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbedderFiles {
    /// The vectors; `None` before the first one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub index: Option<Manifest>,
    /// File of the statuses.
    pub statuses: String,
}

impl EmbedderFiles {
    /// Names of all files.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let vectors = self.index.iter().flat_map(Manifest::file_names);
        vectors.chain(std::iter::once(self.statuses.as_str()))
    }
}

/// All vectors of one embedder at one commit.
#[derive(Clone, Default)]
pub struct VectorSet {
    index: Option<VectorIndex>,
    embedded: DocSet,
    statuses: Statuses,
    statuses_name: String,
}

impl DocFilter for DocSet {
    fn contains(&self, doc: DocId) -> bool {
        Self::contains(self, doc)
    }

    fn count(&self) -> u64 {
        self.len() as u64
    }

    fn docs(&self) -> Box<dyn Iterator<Item = DocId> + '_> {
        Box::new(self.iter())
    }
}

impl VectorSet {
    /// Opens the files of a set, sharing those that `older` has open.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn open(
        directory: &Path,
        files: &EmbedderFiles,
        older: Option<&Arc<Self>>,
    ) -> io::Result<Arc<Self>> {
        if let Some(older) = older
            && older.manifest() == *files
        {
            return Ok(Arc::clone(older));
        }
        let known = older.and_then(|older| older.index.as_ref());
        let index = files.index.as_ref().map(|manifest| match known {
            Some(known) => known.reopen(directory, manifest),
            None => VectorIndex::open(directory, manifest),
        });
        let statuses = Statuses::open(&directory.join(&files.statuses))?;
        let index = index.transpose().map_err(into_io)?;
        let set = Self::new(index, statuses, files.statuses.clone());
        Ok(Arc::new(set))
    }

    fn new(index: Option<VectorIndex>, statuses: Statuses, statuses_name: String) -> Self {
        let embedded = index.as_ref().map(VectorIndex::documents);
        Self {
            embedded: DocSet::from_sorted(embedded.unwrap_or_default()),
            index,
            statuses,
            statuses_name,
        }
    }

    /// What a commit names.
    pub(crate) fn manifest(&self) -> EmbedderFiles {
        EmbedderFiles {
            index: self.index.as_ref().map(VectorIndex::manifest),
            statuses: self.statuses_name.clone(),
        }
    }

    /// The next merge that is due and was too large for the batch that made it due.
    pub(crate) fn next_merge(&self) -> Option<Merge> {
        self.index.as_ref().and_then(VectorIndex::next_merge)
    }

    /// The manifest with the merged file in place of those it was made of; `None` when it does not
    /// name all of them.
    ///
    /// # Errors
    /// When a file that it names cannot be read.
    pub(crate) fn with_merged(
        &self,
        directory: &Path,
        manifest: &Manifest,
        merged: Merged,
    ) -> Result<Option<Manifest>, VectorError> {
        let Some(index) = &self.index else {
            return Ok(None);
        };
        let next = index.reopen(directory, manifest)?.with_merged(merged);
        Ok(next.map(|next| next.manifest()))
    }

    /// Whether nothing is known of any document.
    pub(crate) fn is_empty(&self) -> bool {
        self.statuses_name.is_empty()
    }

    /// Length of the vectors, once there is one.
    #[must_use]
    pub fn dimensions(&self) -> Option<usize> {
        let shape = self.index.as_ref().map(VectorIndex::shape);
        shape.map(|shape| shape.dimensions as usize)
    }

    /// Number of vectors.
    #[must_use]
    pub fn n_vectors(&self) -> u64 {
        self.index.as_ref().map_or(0, VectorIndex::n_vectors)
    }

    /// Documents that have vectors.
    #[must_use]
    pub const fn embedded(&self) -> &DocSet {
        &self.embedded
    }

    /// Documents whose vectors the user gave.
    pub(crate) const fn provided(&self) -> &DocSet {
        self.statuses.provided()
    }

    /// Documents whose vectors are made again when the text changes.
    pub(crate) const fn regenerated(&self) -> &DocSet {
        self.statuses.regenerated()
    }

    /// What is known of a document.
    pub(crate) fn status(&self, doc: DocId) -> Option<VectorStatus> {
        self.statuses.get(doc)
    }

    /// The vectors of a document; of quantized ones, their signs.
    #[must_use]
    pub fn vectors(&self, doc: DocId) -> Vec<Vec<f32>> {
        let index = self.index.as_ref();
        index.map_or_else(Vec::new, |index| index.vectors(doc))
    }

    /// The `k` allowed documents that are most similar to a vector, best first; equally similar
    /// ones in order of their numbers. Of several vectors of a document the best one counts. A
    /// vector that does not fit finds nothing.
    #[must_use]
    pub fn search(&self, query: &[f32], k: usize, allowed: &DocSet) -> Vec<Neighbor> {
        let found = self
            .index
            .as_ref()
            .map(|index| index.search(query, k, Some(allowed)));
        found.and_then(Result::ok).unwrap_or_default()
    }
}

/// Makes the next set of an embedder.
pub(crate) struct SetWriter {
    base: VectorSet,
    directory: PathBuf,
    is_quantized: bool,
    dimensions: Option<usize>,
    update: Option<Update>,
    statuses: Vec<(DocId, Option<VectorStatus>)>,
}

impl SetWriter {
    /// Starts on a set; files go to `directory`. Dimensions that are not known are those of the
    /// first vector.
    pub(crate) fn new(
        base: VectorSet,
        directory: &Path,
        is_quantized: bool,
        dimensions: Option<usize>,
    ) -> Self {
        Self {
            base,
            directory: directory.to_owned(),
            is_quantized,
            dimensions,
            update: None,
            statuses: Vec::new(),
        }
    }

    /// Length of the vectors, once it is known.
    pub(crate) fn dimensions(&self) -> Option<usize> {
        self.dimensions.or_else(|| self.base.dimensions())
    }

    /// What was there before.
    pub(crate) const fn base(&self) -> &VectorSet {
        &self.base
    }

    /// Gives a document these vectors and this status.
    ///
    /// # Errors
    /// When a vector does not fit, or the disk refuses.
    pub(crate) fn put(
        &mut self,
        doc: DocId,
        vectors: &[Vec<f32>],
        status: VectorStatus,
    ) -> Result<(), VectorError> {
        if let Some(first) = vectors.first() {
            self.update(first.len())?.put(doc, vectors)?;
        } else if let Some(known) = self
            .dimensions()
            .filter(|_| self.base.index.is_some() || self.update.is_some())
        {
            self.update(known)?.remove(doc);
        }
        self.statuses.push((doc, Some(status)));
        Ok(())
    }

    /// Forgets a document.
    ///
    /// # Errors
    /// When the index of vectors refuses.
    pub(crate) fn remove(&mut self, doc: DocId) -> Result<(), VectorError> {
        if let Some(known) = self.base.dimensions() {
            self.update(known)?.remove(doc);
        }
        self.statuses.push((doc, None));
        Ok(())
    }

    fn update(&mut self, dimensions: usize) -> Result<&mut Update, VectorError> {
        match &mut self.update {
            Some(update) => Ok(update),
            none => {
                let shape = VectorShape {
                    dimensions: u32::try_from(dimensions).unwrap_or(u32::MAX),
                    encoding: if self.is_quantized {
                        Encoding::Binary
                    } else {
                        Encoding::F32
                    },
                };
                self.dimensions = Some(dimensions);
                let base = match &self.base.index {
                    Some(index) => index.clone(),
                    None => VectorIndex::empty(shape)?,
                };
                fs::create_dir_all(&self.directory).map_err(|source| VectorError::Io {
                    path: self.directory.clone(),
                    source,
                })?;
                Ok(none.insert(base.update(&self.directory)))
            }
        }
    }

    /// The next set, on disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn finish(self) -> Result<VectorSet, VectorError> {
        if self.statuses.is_empty() {
            return Ok(self.base);
        }
        let index = match self.update {
            Some(update) => Some(update.finish()?),
            None => self.base.index.clone(),
        };
        let statuses = self.base.statuses.with(&self.statuses);
        let name = format!("{}.{STATUSES}", Uuid::new_v4().simple());
        let failed = |source| VectorError::Io {
            path: self.directory.clone(),
            source,
        };
        fs::create_dir_all(&self.directory).map_err(failed)?;
        statuses
            .write(&self.directory.join(&name))
            .and_then(|()| sync_directory(&self.directory))
            .map_err(failed)?;
        Ok(VectorSet::new(index, statuses, name))
    }
}

/// Ending of files of statuses.
const STATUSES: &str = "statuses";

/// A failure of files of vectors as one of the system.
pub(crate) fn into_io(error: VectorError) -> io::Error {
    match error {
        VectorError::Io { source, .. } => source,
        other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
    }
}
