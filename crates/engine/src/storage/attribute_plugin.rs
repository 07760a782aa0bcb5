//! Keeps attribute columns beside every tantivy segment: values of faceted attributes.
//!
//! # Invariants
//! 1. Columns number documents as the segment does.
//! 2. A merge keeps exactly the values of living documents.
//!
//! # Cost
//! Values are interned once per segment that is built; a merge is one of sorted lists, see
//! [`super::attribute_merge`].

use std::any::Any;
use std::path::PathBuf;

use tantivy::DocId as LocalId;
use tantivy::TantivyError;
use tantivy::directory::TerminatingWrite;
use tantivy::error::DataCorruption;
use tantivy::index::{Segment, SegmentComponent, SegmentReader};
use tantivy::indexer::DocIdMapping;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::Schema;
use tantivy::schema::document::ErasedDocument;

use super::attribute_file::{AttributeBuilder, AttributeReader};
use super::attribute_merge::{Part, merge_attributes};
use super::column_merge::{GONE, NewIds};
use super::indexed_document::IndexedDocument;

/// File extension of the attribute columns.
pub(crate) const EXTENSION: &str = "attr";

/// The component of a segment that holds the attribute columns.
pub(crate) fn component() -> SegmentComponent {
    SegmentComponent::Custom(EXTENSION.to_owned())
}

/// Registers the attribute columns with tantivy.
pub(crate) struct AttributePlugin {
    /// Where what a merge cannot write yet waits.
    pub(crate) folder: PathBuf,
}

impl SegmentPlugin for AttributePlugin {
    fn extensions(&self) -> &[&str] {
        &[EXTENSION]
    }

    fn create_writer(&self, _: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        Ok(Box::new(AttributeWriter::default()))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        self.merge_into(context.readers, context.target_segment)
    }
}

/// Collects values until the segment is written.
#[derive(Default)]
struct AttributeWriter {
    builder: AttributeBuilder,
    n_docs: u32,
}

impl PluginWriter for AttributeWriter {
    fn add_document(
        &mut self,
        local: LocalId,
        document: &dyn ErasedDocument,
        _: &Schema,
    ) -> tantivy::Result<()> {
        let document = IndexedDocument::given(document)?;
        self.builder.push(local, &document.attributes);
        self.n_docs = local + 1;
        Ok(())
    }

    fn serialize(
        self: Box<Self>,
        segment: &Segment,
        order: Option<&DocIdMapping>,
    ) -> tantivy::Result<()> {
        if order.is_some() {
            let message = "columns do not support sorted segments";
            return Err(TantivyError::InternalError(message.to_owned()));
        }
        self.builder
            .write(self.n_docs, segment.open_write(component())?)?
            .terminate()?;
        Ok(())
    }

    fn mem_usage(&self) -> usize {
        self.builder.mem_usage()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl AttributePlugin {
    fn merge_into(&self, readers: &[SegmentReader], target: &Segment) -> tantivy::Result<()> {
        let mut parts = Vec::with_capacity(readers.len());
        let mut next = 0;
        for reader in readers {
            let attributes = AttributeReader::open(&reader.open_read(component())?)?;
            if attributes.n_docs() != reader.max_doc() {
                let message = "columns do not belong to their segment";
                return Err(DataCorruption::comment_only(message).into());
            }
            let mut new_ids = vec![GONE; reader.max_doc() as usize];
            for local in reader.doc_ids_alive() {
                new_ids[local as usize] = next;
                next += 1;
            }
            parts.push(Part {
                attributes,
                new_ids: NewIds::Listed(new_ids),
            });
        }
        let out = target.open_write(component())?;
        merge_attributes(&parts, next, &self.folder, out)?.terminate()?;
        Ok(())
    }
}
