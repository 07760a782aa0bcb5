//! What a stage of vectors works on: the documents of a batch, and one embedder's part of it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde_json::Value;

use super::missing::MissingVectors;
use super::renderer::Renderer;
use crate::batch::OperationError;
use crate::docset::DocId;
use crate::document::raw_document::{JsonText, RawDocument};
use crate::index::IndexError;
use crate::vectors::{Embedder, SetWriter, VECTORS, VectorSet, directory_in};

/// Why vectors could not be made ready.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StageError {
    /// A document of this payload is to blame, or what was asked for it.
    #[error("payload {payload}: {error}")]
    Operation { payload: u32, error: OperationError },
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl From<io::Error> for StageError {
    fn from(error: io::Error) -> Self {
        Self::Index(error.into())
    }
}

/// A document on its way into the index.
pub(crate) struct StagedDocument<'d> {
    pub(crate) doc: DocId,
    pub(crate) external_id: &'d str,
    /// The payload to blame for it.
    pub(crate) payload: u32,
    /// What it says about embedders, with the payload that says it.
    pub(crate) given: Vec<(&'d str, JsonText<'d>, u32)>,
    /// Whether it has no vectors yet.
    pub(crate) is_new: bool,
    /// Its members.
    pub(crate) members: &'d RawDocument<'d>,
    /// The document before.
    pub(crate) before: &'d dyn Fn() -> Result<Option<String>, IndexError>,
}

impl StagedDocument<'_> {
    /// The document as templates see it.
    pub(super) fn value(&self) -> Value {
        let members = self
            .members
            .entries()
            .iter()
            .filter(|(name, _)| name != VECTORS);
        let parsed = members.map(|(name, value)| {
            let value = serde_json::from_str(value.get()).unwrap_or_default();
            (name.to_string(), value)
        });
        Value::Object(parsed.collect())
    }

    pub(super) fn value_before(&self) -> Result<Option<Value>, IndexError> {
        let text = (self.before)()?;
        Ok(text.map(|text| {
            let mut value: Value = serde_json::from_str(&text).unwrap_or_default();
            if let Value::Object(members) = &mut value {
                members.shift_remove(VECTORS);
            }
            value
        }))
    }
}

/// What is done with the documents that an embedder has vectors of.
#[derive(Clone)]
pub(crate) enum Upkeep {
    /// They change with the documents.
    Documents,
    /// All are written anew; those that regenerate are made anew.
    Regenerate,
    /// Those that regenerate are made anew where the text of the embedder given is another one.
    Rerender(Box<Embedder>),
}

/// One embedder of the index, with what the batch changes.
pub(crate) struct Staged {
    pub(crate) embedder: Embedder,
    /// The vectors before.
    pub(crate) old: VectorSet,
    pub(crate) upkeep: Upkeep,
    pub(super) writer: SetWriter,
    pub(super) renderers: Option<(Renderer, Option<Renderer>)>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) n_waiting_bytes: usize,
    pub(super) missing: BTreeMap<u32, MissingVectors>,
}

/// A document whose texts wait for vectors.
pub(super) struct Waiting {
    pub(super) doc: DocId,
    pub(super) payload: u32,
    pub(super) texts: Vec<String>,
}

impl Staged {
    /// Starts on `base`; files go to a generation.
    pub(crate) fn new(
        embedder: Embedder,
        base: VectorSet,
        old: VectorSet,
        upkeep: Upkeep,
        generation: &Path,
    ) -> Self {
        let (is_quantized, dimensions) = (embedder.is_quantized, embedder.dimensions);
        let directory = directory_in(generation);
        Self {
            writer: SetWriter::new(base, &directory, is_quantized, dimensions),
            embedder,
            old,
            upkeep,
            renderers: None,
            waiting: Vec::new(),
            n_waiting_bytes: 0,
            missing: BTreeMap::new(),
        }
    }
}
