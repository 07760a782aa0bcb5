//! A view of all vectors of one embedder: what one commit holds, for as long as anyone needs it.

use std::path::Path;

use crate::VectorError;
use crate::code::from_row;
use crate::manifest::Manifest;
use crate::part::Part;
use crate::shape::{DocId, VectorShape};
use crate::update::Update;
use crate::vector_file::VectorFile;

/// An open index. It never changes: an [`Update`] or a merge makes the next one, which shares the
/// files that stayed. Cheap to clone, and searched by any number of threads.
#[derive(Clone, Debug)]
pub struct VectorIndex {
    shape: VectorShape,
    /// Oldest first. A document counts in one part at most.
    parts: Vec<Part>,
}

impl VectorIndex {
    /// An index without vectors.
    ///
    /// # Errors
    /// [`VectorError::Shape`] when the dimensions are out of bounds.
    pub fn empty(shape: VectorShape) -> Result<Self, VectorError> {
        Manifest::empty(shape).check()?;
        Ok(Self::of(shape, Vec::new()))
    }

    /// Opens the files that a manifest names. Reads each once, to check it.
    ///
    /// # Errors
    /// When a file is missing or damaged, or the manifest is.
    pub fn open(directory: &Path, manifest: &Manifest) -> Result<Self, VectorError> {
        Self::open_sharing(directory, manifest, &[])
    }

    /// Opens the files that another manifest names. Those that this index has open are shared and
    /// not read again.
    ///
    /// # Errors
    /// When a file is missing or damaged, or the manifest is.
    pub fn reopen(&self, directory: &Path, manifest: &Manifest) -> Result<Self, VectorError> {
        Self::open_sharing(directory, manifest, &self.parts)
    }

    fn open_sharing(
        directory: &Path,
        manifest: &Manifest,
        known: &[Part],
    ) -> Result<Self, VectorError> {
        manifest.check()?;
        let mut parts: Vec<Part> = Vec::with_capacity(manifest.files.len());
        for entry in &manifest.files {
            let known = known
                .iter()
                .find(|part| part.file().entry() == entry && part.file().shape() == manifest.shape);
            let newer = match known {
                Some(part) => part.anew(),
                None => Part::new(VectorFile::open(directory, entry, manifest.shape)?),
            };
            for older in &mut parts {
                older.kill(newer.file().kills().iter().copied(), |_| ());
            }
            parts.push(newer);
        }
        Ok(Self::of(manifest.shape, parts))
    }

    pub(crate) fn of(shape: VectorShape, parts: Vec<Part>) -> Self {
        Self { shape, parts }
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What makes this index again with [`VectorIndex::open`].
    pub fn manifest(&self) -> Manifest {
        let entries = self.parts.iter().map(|part| part.file().entry().clone());
        Manifest {
            shape: self.shape,
            files: entries.collect(),
        }
    }

    /// What the vectors look like.
    pub fn shape(&self) -> VectorShape {
        self.shape
    }

    /// Number of vectors.
    pub fn n_vectors(&self) -> u64 {
        self.parts.iter().map(|part| u64::from(part.n_rows())).sum()
    }

    /// Number of documents that have vectors.
    pub fn n_documents(&self) -> u64 {
        let documents = |part: &Part| u64::from(part.n_documents());
        self.parts.iter().map(documents).sum()
    }

    /// Whether a document has vectors.
    pub fn contains(&self, doc: DocId) -> bool {
        self.parts.iter().any(|part| !part.rows_of(doc).is_empty())
    }

    /// The vectors of a document, in the order in which they were given; none when it has none.
    /// Binary vectors come back as 1 and -1.
    pub fn vectors(&self, doc: DocId) -> Vec<Vec<f32>> {
        let rows = |part: &Part| {
            let of_row = |pair: &[u32; 2]| from_row(self.shape, part.file().row(pair[1]));
            part.rows_of(doc).iter().map(of_row).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(rows).collect()
    }

    /// Documents that have vectors, ascending.
    pub fn documents(&self) -> Vec<DocId> {
        let docs = self
            .parts
            .iter()
            .flat_map(|part| part.documents().map(|(doc, _)| doc));
        let mut docs: Vec<DocId> = docs.collect();
        docs.sort_unstable();
        docs
    }

    /// Starts an update whose files go to `directory`, where the files of this index are.
    pub fn update(&self, directory: &Path) -> Update {
        Update::new(self, directory)
    }

    pub(crate) fn check_query(&self, query: &[f32]) -> Result<(), VectorError> {
        if query.len() != self.shape.width() {
            return Err(VectorError::Dimensions {
                expected: self.shape.width(),
                found: query.len(),
            });
        }
        match query.iter().all(|value| value.is_finite()) {
            true => Ok(()),
            false => Err(VectorError::QueryNotFinite),
        }
    }
}
