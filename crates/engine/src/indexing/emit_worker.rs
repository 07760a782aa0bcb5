//! One thread that writes documents of a plan.

use serde_json::{Map, Value};

use super::document_source::DocumentSource;
use super::emit::{Emission, EmitError, payload_of};
use super::extract::Extractor;
use super::field_counts::FieldCounts;
use super::guarded_deletion::GuardedDeletion;
use super::indexing_rules::IndexingRules;
use super::vectors::kept_member;
use super::write_plan::PlannedWrite;
use crate::batch::OperationError;
use crate::document::FieldIds;
use crate::index::{IndexError, IndexMeta};
use crate::vectors::VECTORS;

/// Writes documents one after the other on one thread.
pub(super) struct EmitWorker<'a> {
    emission: &'a Emission<'a>,
    source: DocumentSource<'a>,
    extractor: Extractor<'a>,
    embedders: &'a Map<String, Value>,
    counts: FieldCounts,
}

impl<'a> EmitWorker<'a> {
    /// A worker that knows the given names.
    pub(super) fn new(
        emission: &'a Emission<'a>,
        rules: &'a IndexingRules,
        fields: FieldIds,
        meta: &'a IndexMeta,
    ) -> Result<Self, EmitError> {
        Ok(Self {
            emission,
            source: emission.source(),
            extractor: Extractor::new(rules, fields),
            embedders: &meta.settings.embedders,
            counts: FieldCounts::default(),
        })
    }

    /// Writes one document, or what is left of it.
    ///
    /// # Errors
    /// When the document is at fault, the index fails, or the batch is to stop.
    pub(super) fn write(&mut self, write: &PlannedWrite<'_>) -> Result<(), EmitError> {
        let Emission {
            control, writer, ..
        } = self.emission;
        control.advance()?;
        let source = &self.source;
        let stored = source.stored_under(&write.content)?;
        if let Some(committed) = write.committed {
            let deletion = GuardedDeletion::new(write.external_id);
            let deleted = writer.delete_query(Box::new(deletion));
            deleted.map_err(IndexError::from)?;
            match &stored {
                Some(text) => self.counts.forget(text.as_bytes())?,
                None => self.counts.forget(&source.snapshot.document(committed)?)?,
            }
        }
        let failed = |error: OperationError| EmitError::Operation {
            payload: payload_of(&write.content),
            error,
        };
        let member;
        let document = source
            .document(&write.content, stored.as_deref())
            .map_err(|error| failed(error.into()))?;
        let Some(mut document) = document else {
            return Ok(());
        };
        if document.get(VECTORS).is_some() {
            let kept = kept_member(write, stored.as_deref(), source, self.embedders);
            member = kept.map_err(failed)?;
            document.set(VECTORS, member.as_deref().map(Into::into));
        }
        let (id, external_id) = (write.doc_id, write.external_id);
        let extracted = self.extractor.extract(id, external_id, &mut document);
        let mut indexed = extracted.map_err(|error| failed(error.into()))?;
        self.counts.count(&document, 1);
        control.admit(&mut indexed, self.emission.in_flight)?;
        writer
            .add_document(Box::new(indexed))
            .map_err(|error| EmitError::Writer(error.into()))?;
        Ok(())
    }

    /// All names met so far, and how often fields come or go.
    pub(super) fn finish(self) -> (FieldIds, FieldCounts) {
        (self.extractor.into_fields(), self.counts)
    }
}
