//! Makes the vectors of a plan ready, and says what of `_vectors` stays in the documents.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::change::member_of;
use super::stage::VectorStage;
use super::staged::{StageError, Staged, StagedDocument, Upkeep};
use crate::batch::OperationError;
use crate::document::raw_document::{JsonText, RawDocument};
use crate::index::{BatchControl, IndexError, IndexMeta};
use crate::indexing::document_source::{self, DocumentSource};
use crate::indexing::emit::{EmitError, payload_of};
use crate::indexing::write_plan::{Content, PlannedWrite, WritePlan};
use crate::vectors::{self, Embedder, Embedding, VECTORS, VectorFiles, VectorSet};

impl From<StageError> for EmitError {
    fn from(error: StageError) -> Self {
        match error {
            StageError::Operation { payload, error } => Self::Operation { payload, error },
            StageError::Index(error) => Self::Index(error),
        }
    }
}

/// Writes the vectors of all planned documents to files, which `meta` then names.
pub(in crate::indexing) fn stage_vectors(
    plan: &WritePlan,
    source: &DocumentSource<'_>,
    meta: &mut IndexMeta,
    embedding: Option<Embedding>,
    control: &BatchControl,
) -> Result<(), EmitError> {
    let embedders = Embedder::all(&meta.settings);
    if embedders.is_empty() {
        return Ok(());
    }
    let stored = source.snapshot.vectors();
    let generation = source.snapshot.generation().path();
    let staged = embedders.into_iter().map(|embedder| {
        let set = stored.get(&embedder.name).filter(|_| !plan.is_cleared());
        let set = set.map(|set| VectorSet::clone(set)).unwrap_or_default();
        Staged::new(embedder, set.clone(), set, Upkeep::Documents, generation)
    });
    let settings = std::sync::Arc::clone(&meta.settings);
    let names = meta.fields.iter().map(|(_, name)| name);
    let mut stage = VectorStage::new(
        &settings,
        names,
        VectorFiles::default(),
        staged.collect(),
        embedding,
    );
    let writes = || (0..plan.len()).map(|index| plan.write(index));
    // First of all, because a document may have the number of one that goes further behind.
    for write in writes() {
        if let Some(committed) = write.committed
            && (write.is_new || matches!(write.content, Content::Deleted))
        {
            stage.remove(committed)?;
        }
    }
    for write in writes() {
        control.advance()?;
        stage_write(&write, source, &mut stage)?;
    }
    meta.vectors = stage.finish()?;
    Ok(())
}

fn stage_write(
    write: &PlannedWrite<'_>,
    source: &DocumentSource<'_>,
    stage: &mut VectorStage<'_>,
) -> Result<(), EmitError> {
    let payload = payload_of(&write.content);
    let failed = |error: OperationError| EmitError::Operation { payload, error };
    let stored = source.stored_under(&write.content)?;
    let document = source
        .document(&write.content, stored.as_deref())
        .map_err(|error| failed(error.into()))?;
    let Some(document) = document else {
        return Ok(());
    };
    let mut said = Vec::new();
    for location in write.replaced.iter().chain(write.content.texts()) {
        let text = source
            .text(*location)
            .map_err(|error| failed(error.into()))?;
        let text = document_source::parse(text).map_err(|error| failed(error.into()))?;
        if let Some(member) = text.get(VECTORS) {
            let entries = vectors::entries(member, write.external_id);
            let entries = entries.map_err(|error| EmitError::Operation {
                payload: location.payload,
                error: OperationError::new(error.code(), error.to_string()),
            })?;
            said.push((entries, location.payload));
        }
    }
    let given = stage.names().filter_map(|name| {
        let newest = said.iter().rev();
        newest
            .filter_map(|(entries, payload)| Some((name, entries.get(name)?, *payload)))
            .next()
    });
    let given: Vec<(String, JsonText<'_>, u32)> = given
        .map(|(name, value, payload)| (name.to_owned(), value, payload))
        .collect();
    let before = || -> Result<Option<String>, IndexError> {
        let Some(committed) = write.committed.filter(|_| !write.is_new) else {
            return Ok(None);
        };
        let bytes = source.snapshot.document(committed)?;
        let text = String::from_utf8(bytes);
        text.map(Some)
            .map_err(|_| IndexError::Corrupt(format!("document {committed} is not UTF-8")))
    };
    let given = given
        .iter()
        .map(|(name, value, payload)| (name.as_str(), *value, *payload))
        .collect();
    Ok(stage.add(&StagedDocument {
        doc: write.doc_id,
        external_id: write.external_id,
        payload,
        given,
        is_new: write.is_new,
        members: &document,
        before: &before,
    })?)
}

/// What of a planned document's `_vectors` is stored with it: entries of names that are no
/// embedder, later ones over earlier ones.
pub(in crate::indexing) fn kept_member(
    write: &PlannedWrite<'_>,
    stored: Option<&str>,
    source: &DocumentSource<'_>,
    embedders: &Map<String, Value>,
) -> Result<Option<Box<RawValue>>, OperationError> {
    let mut texts = Vec::from_iter(stored);
    for location in write.content.texts() {
        texts.push(source.text(*location)?);
    }
    let mut kept = RawDocument::default();
    for text in texts {
        if let Some(member) = document_source::parse(text)?.get(VECTORS) {
            let entries = vectors::entries(member, write.external_id);
            let refused =
                |error: vectors::VectorsError| OperationError::new(error.code(), error.to_string());
            kept.merge(entries.map_err(refused)?);
        }
    }
    let mut entries = kept.into_entries();
    entries.retain(|(name, _)| !embedders.contains_key(&**name));
    let entries = entries.into_iter();
    let entries: Vec<(String, JsonText<'_>)> = entries
        .map(|(name, value): (Cow<'_, str>, _)| (name.into_owned(), value))
        .collect();
    member_of(entries).map_err(|error| OperationError::new("malformed_payload", error.to_string()))
}
