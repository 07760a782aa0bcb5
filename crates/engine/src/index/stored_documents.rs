//! The documents of a commit of any format, read without the files that change with formats.
//!
//! # Invariants
//! 1. Only what every format has is read: tantivy's segments, the stored documents and their
//!    dictionaries, and the payload of the commit. Forward indexes and columns may be missing.
//! 2. Documents are read where the format of the index has them.
//!
//! # Cost
//! Twelve bytes of memory for each document, and one read of its stored bytes.

use std::fs;
use std::path::Path;

use tantivy::SegmentReader;
use tantivy::directory::error::OpenReadError;
use tantivy::index::Segment;

use super::IndexError;
use super::index_meta::IndexMeta;
use crate::docset::DocId;
use crate::storage::directory::GenerationDirectory;
use crate::storage::document_codec::DocumentCodec;
use crate::storage::document_plugin;
use crate::storage::document_reader::DocumentReader;
use crate::storage::generation::{self, META};
use crate::storage::named_segments::NamedSegments;
use crate::storage::schema::SEQ;
use crate::storage::sealed::unseal;
use crate::storage::single_documents::SingleDocuments;

/// What the last commit of the index in a folder says of it, whatever the format of its files.
///
/// # Errors
/// When there is no index, or its commit cannot be read.
pub fn last_commit(path: &Path) -> Result<IndexMeta, IndexError> {
    let current = generation::current(path)?.ok_or_else(|| IndexError::Missing(path.to_owned()))?;
    commit_of(&current)
}

/// What the commit of a generation says.
pub(crate) fn commit_of(generation: &Path) -> Result<IndexMeta, IndexError> {
    let commit = NamedSegments::read(&unseal(fs::read(generation.join(META))?)?)?;
    let payload = commit
        .payload
        .ok_or_else(|| IndexError::Corrupt("a commit has no payload".into()))?;
    serde_json::from_str(&payload)
        .map_err(|error| IndexError::Corrupt(format!("a commit's payload: {error}")))
}

/// The place of a living document.
struct Place {
    id: DocId,
    segment: u32,
    local: tantivy::DocId,
}

/// The documents of a segment, wherever its format has them.
enum Store {
    Blocks(DocumentReader),
    Single(SingleDocuments),
}

impl Store {
    fn open(segment: &Segment, reader: &SegmentReader) -> Result<Self, IndexError> {
        match segment.open_read(document_plugin::component()) {
            Ok(file) => Ok(Self::Blocks(DocumentReader::open(&file)?)),
            Err(OpenReadError::FileDoesNotExist(_)) => {
                Ok(Self::Single(SingleDocuments::open(reader)?))
            }
            Err(error) => Err(tantivy::TantivyError::from(error).into()),
        }
    }

    fn document(
        &self,
        local: tantivy::DocId,
        codec: &DocumentCodec,
    ) -> Result<Vec<u8>, IndexError> {
        match self {
            Self::Blocks(blocks) => Ok(blocks.document(local, codec)?.to_vec()),
            Self::Single(single) => Ok(codec.decode(&single.stored(local)?)?),
        }
    }
}

/// The living documents of a generation, in the order of their numbers.
pub(crate) struct StoredDocuments {
    directory: GenerationDirectory,
    stores: Vec<Store>,
    places: Vec<Place>,
    codec: DocumentCodec,
}

impl StoredDocuments {
    /// Opens the stored documents of a generation that nobody writes to.
    pub(crate) fn open(generation: &Path, n_dictionaries: u8) -> Result<Self, IndexError> {
        let directory = GenerationDirectory::open(generation)?;
        let index = tantivy::Index::open(directory.clone())?;
        let mut opened = Self {
            directory,
            stores: Vec::new(),
            places: Vec::new(),
            codec: DocumentCodec::open(generation, n_dictionaries)?,
        };
        for segment in index.searchable_segments()? {
            opened.add(&segment)?;
        }
        opened.places.sort_unstable_by_key(|place| place.id);
        Ok(opened)
    }

    fn add(&mut self, of: &Segment) -> Result<(), IndexError> {
        let reader = SegmentReader::open(of)?;
        let segment = self.stores.len() as u32;
        let numbers = reader.fast_fields().u64(SEQ)?;
        for local in reader.doc_ids_alive() {
            let id = numbers
                .first(local)
                .and_then(|id| DocId::try_from(id).ok())
                .ok_or_else(|| IndexError::Corrupt("a document has no number".into()))?;
            self.places.push(Place { id, segment, local });
        }
        self.stores.push(Store::open(of, &reader)?);
        Ok(())
    }

    /// Calls `each` with the number and the JSON of every document.
    pub(crate) fn for_each(
        &self,
        mut each: impl FnMut(DocId, &str) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        for Place { id, segment, local } in &self.places {
            let store = &self.stores[*segment as usize];
            let json = store.document(*local, &self.codec)?;
            self.directory.count_read(json.len());
            let text = std::str::from_utf8(&json)
                .map_err(|_| IndexError::Corrupt(format!("document {id} is not UTF-8")))?;
            each(*id, text)?;
        }
        Ok(())
    }

    /// The dictionaries that documents are compressed with, in order.
    pub(crate) const fn codec(&self) -> &DocumentCodec {
        &self.codec
    }
}
