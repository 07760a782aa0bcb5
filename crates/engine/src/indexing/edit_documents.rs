//! Editing documents by a function: what becomes of each is worked out before any is planned, so
//! that a function that fails leaves nothing behind.
//!
//! # Cost
//! Changed documents wait in a file without a name, and so do their identifiers when they are many.

use std::io::{BufWriter, IntoInnerError, Write};
use std::sync::Arc;

use super::batch_session::{BatchSession, Failure};
use super::document_source;
use super::indexing_rules::kept_places;
use super::named_texts::NamedTexts;
use super::payload_bytes::PayloadBytes;
use crate::batch::{AdditionMethod, Edition, OperationError, OperationOutcome};
use crate::docset::DocSet;
use crate::document::places::PlaceFields;
use crate::document::raw_document::RawDocument;
use crate::document::{DocumentError, PrimaryKey};
use crate::edition::{DocumentFunction, Edited, EditionError, on_deep_stack};
use crate::index::{BatchControl, BatchStep, Snapshot};

impl From<EditionError> for OperationError {
    fn from(error: EditionError) -> Self {
        Self::new("edit_documents_by_function_error", error.to_string())
    }
}

/// What all documents of an edition have in common.
struct Editor<'e> {
    snapshot: &'e Snapshot,
    key: PrimaryKey,
    edition: &'e Edition,
    control: &'e Arc<BatchControl>,
    /// Number that the file will have among the payloads.
    payload: u32,
    /// Whether coordinates must be right.
    places: PlaceFields,
}

impl BatchSession<'_> {
    /// Runs a function on the committed documents and plans what it changed.
    pub(super) fn plan_edition(
        &mut self,
        number: usize,
        edition: &Edition,
    ) -> Result<OperationOutcome, Failure> {
        if !self.plan.is_empty() {
            self.commit()?;
        }
        let documents = match &edition.filter {
            Some(filter) => (self.evaluate)(&self.snapshot, filter)?,
            None => self.snapshot.documents().clone(),
        };
        let editor = Editor {
            snapshot: &self.snapshot,
            key: PrimaryKey::new(self.meta.primary_key.as_deref().unwrap_or_default()),
            edition,
            control: self.index.control(),
            payload: self.payloads.len() as u32,
            places: kept_places(&self.meta.settings),
        };
        let (changes, bytes) = on_deep_stack(|| editor.edit(&documents))??;
        let mut n_deleted = 0;
        let mut n_edited = 0;
        for (id, location) in changes.iter() {
            if let Some(location) = location {
                n_edited += 1;
                let method = AdditionMethod::Replace;
                self.plan.add(&self.snapshot, id, location, method, false)?;
            } else {
                n_deleted += u64::from(self.plan.delete(&self.snapshot, id)?);
            }
        }
        self.payloads.push(bytes);
        self.payload_operations.push(number);
        Ok(OperationOutcome::Succeeded {
            indexed_documents: None,
            deleted_documents: Some(n_deleted),
            edited_documents: Some(n_edited),
        })
    }
}

impl Editor<'_> {
    /// Documents that are not as they were, without a text when they go, and the new texts.
    fn edit(&self, documents: &DocSet) -> Result<(NamedTexts, PayloadBytes), Failure> {
        let control = Arc::clone(self.control);
        let context = self.edition.context.as_ref();
        let is_stopped = move || control.is_stopped();
        let mut function = DocumentFunction::compile(&self.edition.function, context, is_stopped)
            .map_err(OperationError::from)?;
        let n_documents = documents.len() as u64;
        self.control.enter(BatchStep::ComputingChanges, n_documents);
        let folder = self.snapshot.generation().path();
        let mut file = BufWriter::new(tempfile::tempfile_in(folder)?);
        let mut n_bytes = 0;
        let mut changes = NamedTexts::new(folder, self.payload);
        for id in documents {
            let stored = self.snapshot.document(id)?;
            let document = document_source::parse(document_source::text_of(&stored)?)?;
            let external_id = self.key.external_id(&document)?;
            match self.edit_one(&mut function, &document, &external_id)? {
                Edited::Unchanged => {}
                Edited::Deleted => changes.push(&external_id, None)?,
                Edited::Changed(json) => {
                    file.write_all(&json)?;
                    file.write_all(b"\n")?;
                    let len = u32::try_from(json.len()).map_err(|_| too_large())?;
                    changes.push(&external_id, Some((n_bytes, len)))?;
                    n_bytes += u64::from(len) + 1;
                }
            }
            self.control.advance()?;
        }
        let file = file.into_inner().map_err(IntoInnerError::into_error)?;
        Ok((changes, PayloadBytes::map(&file)?))
    }

    fn edit_one(
        &self,
        function: &mut DocumentFunction,
        document: &RawDocument<'_>,
        external_id: &str,
    ) -> Result<Edited, Failure> {
        let edited = match function.apply(document) {
            Ok(edited) => edited,
            Err(error) => {
                // A script that was stopped has not failed.
                self.control.check()?;
                return Err(OperationError::from(error).into());
            }
        };
        if let Edited::Changed(json) = &edited {
            let changed = document_source::parse(document_source::text_of(json)?)?;
            let kept = self.key.external_id(&changed);
            if kept.ok().as_deref() != Some(external_id) {
                return Err(OperationError::from(EditionError::PrimaryKey).into());
            }
            self.places.check(&changed, external_id)?;
        }
        Ok(edited)
    }
}

fn too_large() -> DocumentError {
    DocumentError::Malformed("a document exceeds 4 GiB".to_owned())
}
