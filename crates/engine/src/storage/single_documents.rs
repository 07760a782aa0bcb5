//! Documents of format 1, each compressed by itself in the document store of tantivy. They are only
//! read, to be upgraded.

use tantivy::schema::document::{
    DeserializeError, DocumentDeserialize, DocumentDeserializer, ValueDeserialize,
    ValueDeserializer,
};
use tantivy::store::StoreReader;
use tantivy::{DocId as LocalId, SegmentReader};

/// Each document is read once, in order: its block need not be kept.
const CACHED_BLOCKS: usize = 0;

/// The documents of one segment.
pub(crate) struct SingleDocuments(StoreReader);

impl SingleDocuments {
    /// Opens the document store of a segment.
    pub(crate) fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        Ok(Self(segment.get_store_reader(CACHED_BLOCKS)?))
    }

    /// What is stored of a document, for [`super::document_codec`].
    pub(crate) fn stored(&self, local: LocalId) -> tantivy::Result<Vec<u8>> {
        Ok(self.0.get::<Stored>(local)?.0)
    }
}

struct Stored(Vec<u8>);

struct Bytes(Vec<u8>);

impl ValueDeserialize for Bytes {
    fn deserialize<'de, D: ValueDeserializer<'de>>(value: D) -> Result<Self, DeserializeError> {
        value.deserialize_bytes().map(Self)
    }
}

impl DocumentDeserialize for Stored {
    fn deserialize<'de, D: DocumentDeserializer<'de>>(
        mut document: D,
    ) -> Result<Self, DeserializeError> {
        match document.next_field::<Bytes>()? {
            Some((_, bytes)) => Ok(Self(bytes.0)),
            None => Err(DeserializeError::custom("a stored document has no value")),
        }
    }
}
