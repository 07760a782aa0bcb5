//! Keeps the documents beside every tantivy segment, compressed in blocks.
//!
//! # Invariants
//! 1. The documents stand in the order of the segment's documents.
//! 2. A merge uses no dictionary that none of its segments uses: it may be one of a batch that has
//!    not committed yet and never does.
//!
//! # Cost
//! Documents are compressed as they come, so that a kilobyte or two waits in memory. A merge copies
//! blocks that are full and of which every document lives, and compresses the others again.

use std::any::Any;
use std::io;
use std::sync::Arc;

use parking_lot::RwLock;
use tantivy::directory::{TerminatingWrite, WritePtr};
use tantivy::index::{Segment, SegmentComponent, SegmentReader};
use tantivy::indexer::DocIdMapping;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::Schema;
use tantivy::schema::document::ErasedDocument;
use tantivy::{DocId as LocalId, TantivyError};

use super::document_codec::DocumentCodec;
use super::document_file::{BLOCK_BYTES, DocumentFileWriter};
use super::document_reader::{DocumentReader, document_of};
use super::indexed_document::IndexedDocument;

/// File extension of the documents.
pub(crate) const EXTENSION: &str = "doc";

/// How documents are compressed at the moment.
pub(crate) type SharedCodec = Arc<RwLock<Arc<DocumentCodec>>>;

/// The component of a segment that holds the documents.
pub(crate) fn component() -> SegmentComponent {
    SegmentComponent::Custom(EXTENSION.to_owned())
}

/// Registers the documents with tantivy.
pub(crate) struct DocumentPlugin {
    pub(crate) codec: SharedCodec,
}

impl SegmentPlugin for DocumentPlugin {
    fn extensions(&self) -> &[&str] {
        &[EXTENSION]
    }

    fn create_writer(
        &self,
        context: &PluginWriterContext,
    ) -> tantivy::Result<Box<dyn PluginWriter>> {
        let codec = Arc::clone(&self.codec.read());
        let encoder = codec.encoder(codec.n_dictionaries())?;
        let out = context.segment.open_write(component())?;
        Ok(Box::new(DocumentWriter(DocumentFileWriter::new(
            out, encoder,
        ))))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        let codec = Arc::clone(&self.codec.read());
        merge(context.readers, &codec, context.target_segment)
    }
}

/// Compresses documents as they come.
struct DocumentWriter(DocumentFileWriter<WritePtr>);

impl PluginWriter for DocumentWriter {
    fn add_document(
        &mut self,
        _: LocalId,
        document: &dyn ErasedDocument,
        _: &Schema,
    ) -> tantivy::Result<()> {
        let texts = &IndexedDocument::given(document)?.texts;
        Ok(self.0.push(texts.document().as_bytes())?)
    }

    fn serialize(
        self: Box<Self>,
        _: &Segment,
        order: Option<&DocIdMapping>,
    ) -> tantivy::Result<()> {
        if order.is_some() {
            return Err(internal("stored documents do not support sorted segments"));
        }
        Ok(self.0.finish()?.terminate()?)
    }

    fn mem_usage(&self) -> usize {
        self.0.mem_usage()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

fn internal(message: &str) -> TantivyError {
    TantivyError::InternalError(message.to_owned())
}

fn merge(
    readers: &[SegmentReader],
    codec: &DocumentCodec,
    target: &Segment,
) -> tantivy::Result<()> {
    let mut parts = Vec::with_capacity(readers.len());
    for reader in readers {
        let documents = DocumentReader::open(&reader.open_read(component())?)?;
        if documents.n_docs() != reader.max_doc() {
            return Err(internal(
                "a file of documents does not belong to its segment",
            ));
        }
        parts.push((documents, reader));
    }
    let newest = parts.iter().map(|(part, _)| part.newest_dictionary());
    let encoder = codec.encoder(newest.max().unwrap_or_default())?;
    let mut file = DocumentFileWriter::new(target.open_write(component())?, encoder);
    for (documents, reader) in &parts {
        let alive = reader.alive_bitset();
        let lives = |local| alive.is_none_or(|alive| alive.is_alive(local));
        merge_part(documents, codec, &lives, &mut file)?;
    }
    Ok(file.finish()?.terminate()?)
}

/// Appends the living documents of a segment.
fn merge_part<W: io::Write>(
    part: &DocumentReader,
    codec: &DocumentCodec,
    lives: &dyn Fn(u32) -> bool,
    file: &mut DocumentFileWriter<W>,
) -> io::Result<()> {
    for block in 0..part.n_blocks() {
        let stored = part.stored(block);
        let docs = part.docs_of(block);
        let n_living = docs.clone().filter(|local| lives(*local)).count();
        if n_living == 0 {
            continue;
        }
        let documents = codec.decode(stored)?;
        let is_whole = n_living == docs.len() && documents.len() >= BLOCK_BYTES;
        if is_whole && stored.first() == Some(&file.dictionary()) {
            file.push_block(stored, docs.len() as u32)?;
            continue;
        }
        let n_docs = docs.len();
        for (index, _) in docs.enumerate().filter(|(_, local)| lives(*local)) {
            file.push(document_of(&documents, n_docs, index)?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "document_plugin_tests.rs"]
mod tests;
