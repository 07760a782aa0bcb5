//! Keeps attribute columns beside every tantivy segment: values of faceted attributes.
//!
//! # Invariants
//! 1. Columns number documents as the segment does.
//! 2. A merge keeps exactly the values of living documents.
//!
//! # Cost
//! Values are interned once per segment and copied as ordinals, both when written and merged.

use std::any::Any;

use tantivy::DocId as LocalId;
use tantivy::TantivyError;
use tantivy::directory::TerminatingWrite;
use tantivy::index::{Segment, SegmentComponent, SegmentReader};
use tantivy::indexer::DocIdMapping;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::Schema;
use tantivy::schema::document::ErasedDocument;

use super::attribute_file::{AttributeBuilder, AttributeReader};
use super::column_builder::ColumnBuilder;
use super::column_reader::ColumnReader;
use super::indexed_document::IndexedDocument;

/// File extension of the attribute columns.
pub(crate) const EXTENSION: &str = "attr";
const UNSEEN: u32 = u32::MAX;

/// The component of a segment that holds the attribute columns.
pub(crate) fn component() -> SegmentComponent {
    SegmentComponent::Custom(EXTENSION.to_owned())
}

/// Registers the attribute columns with tantivy.
pub(crate) struct AttributePlugin;

impl SegmentPlugin for AttributePlugin {
    fn extensions(&self) -> &[&str] {
        &[EXTENSION]
    }

    fn create_writer(&self, _: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        Ok(Box::new(AttributeWriter::default()))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        merge(context.readers, context.target_segment)
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
        let document = document
            .as_any()
            .downcast_ref::<IndexedDocument>()
            .ok_or_else(|| {
                TantivyError::InternalError("columns take prepared documents only".to_owned())
            })?;
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

fn merge(readers: &[SegmentReader], target: &Segment) -> tantivy::Result<()> {
    let mut builder = AttributeBuilder::default();
    let mut next = 0;
    for reader in readers {
        let attributes = AttributeReader::open(&reader.open_read(component())?)?;
        let mut new_ids = vec![UNSEEN; reader.max_doc() as usize];
        for local in reader.doc_ids_alive() {
            new_ids[local as usize] = next;
            next += 1;
        }
        for field in attributes.fields() {
            if let Some(column) = attributes.column(field) {
                merge_column(builder.column(field), column, &new_ids);
            }
        }
        attributes.for_each_geo(|local, point| {
            if let Some(doc) = living(&new_ids, local) {
                builder.push_geo(doc, point);
            }
        });
        attributes.shapes().for_each(|local, shape| {
            if let Some(doc) = living(&new_ids, local) {
                builder.push_shape(doc, &shape.bounds, shape.bytes);
            }
        });
    }
    builder
        .write(next, target.open_write(component())?)?
        .terminate()?;
    Ok(())
}

fn living(new_ids: &[u32], local: u32) -> Option<u32> {
    new_ids
        .get(local as usize)
        .copied()
        .filter(|doc| *doc != UNSEEN)
}

fn merge_column(target: &mut ColumnBuilder, source: &ColumnReader, new_ids: &[u32]) {
    let mut null = vec![false; new_ids.len()];
    source.for_each_null(|local| null[local as usize] = true);
    let mut empty = vec![false; new_ids.len()];
    source.for_each_empty(|local| empty[local as usize] = true);
    let mut numbers = vec![UNSEEN; source.n_numbers() as usize];
    let mut strings = vec![UNSEEN; source.n_strings() as usize];
    source.for_each_existing(|local| {
        let Some(doc) = living(new_ids, local) else {
            return;
        };
        target.push_presence(doc, null[local as usize], empty[local as usize]);
        source.number_rows.for_each(local, |ordinal| {
            let id = &mut numbers[ordinal as usize];
            if *id == UNSEEN {
                *id = target.intern_number(source.number(ordinal));
            }
            target.push_number(doc, *id);
        });
        source.string_rows.for_each(local, |ordinal| {
            let id = &mut strings[ordinal as usize];
            if *id == UNSEEN {
                *id = target.intern_string(source.string_value(ordinal));
            }
            target.push_string(doc, *id);
        });
    });
}
