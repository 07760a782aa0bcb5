//! The vectors of a batch, made ready before anything is committed: those given by the user
//! checked, the others asked for, all written to files that the commit then names.
//!
//! # Invariants
//! 1. A document keeps its vectors until the user gives others or, where they regenerate, its text
//!    changes.
//! 2. Nothing that a snapshot reads is touched.
//!
//! # Cost
//! Vectors go to disk as they come. Texts wait until there are enough for one request, so memory
//! does not grow with the batch beyond twelve bytes per document and embedder.

use serde_json::Value;
use serval_vector::VectorError;

use super::renderer::{Renderer, TemplateFields};
use super::staged::{StageError, Staged, StagedDocument, Upkeep, Waiting};
use crate::batch::OperationError;
use crate::docset::DocId;
use crate::document::raw_document::{JsonText, RawDocument};
use crate::settings::IndexSettings;
use crate::vectors::{Embedding, VECTORS, VectorFiles, VectorStatus, VectorsError, given, into_io};

/// Texts of one request at the most.
const MAX_TEXTS: usize = 128;
/// Bytes of texts of one request at the most.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// The status of vectors that a source made.
const MADE: VectorStatus = VectorStatus {
    is_provided: false,
    regenerates: true,
};

/// The vectors of a batch.
pub(crate) struct VectorStage<'s> {
    settings: &'s IndexSettings,
    files: VectorFiles,
    embedders: Vec<Staged>,
    embedding: Option<Embedding>,
    fields: TemplateFields,
}

impl<'s> VectorStage<'s> {
    /// Starts on the files of embedders that stay as they are.
    pub(crate) fn new<'n>(
        settings: &'s IndexSettings,
        names: impl Iterator<Item = &'n str>,
        files: VectorFiles,
        embedders: Vec<Staged>,
        embedding: Option<Embedding>,
    ) -> Self {
        Self {
            fields: TemplateFields::new(names, settings),
            settings,
            files,
            embedders,
            embedding,
        }
    }

    /// The embedders that are worked on.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.embedders
            .iter()
            .map(|staged| staged.embedder.name.as_str())
    }

    /// Takes the vectors of a committed document away.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn remove(&mut self, doc: DocId) -> Result<(), StageError> {
        for staged in &mut self.embedders {
            if staged.writer.base().status(doc).is_some() {
                staged.writer.remove(doc).map_err(into_io)?;
            }
        }
        Ok(())
    }

    /// Takes a document's vectors, or asks for them.
    ///
    /// # Errors
    /// Vectors that are none, or that could not be had.
    pub(crate) fn add(&mut self, document: &StagedDocument<'_>) -> Result<(), StageError> {
        for at in 0..self.embedders.len() {
            let name = &self.embedders[at].embedder.name;
            let given = document.given.iter().find(|(given, ..)| given == name);
            match given {
                Some((_, raw, payload)) => self.take(at, document, *raw, *payload)?,
                None => self.keep_or_make(at, document)?,
            }
        }
        Ok(())
    }

    /// Uses what the user says.
    fn take(
        &mut self,
        at: usize,
        document: &StagedDocument<'_>,
        raw: JsonText<'_>,
        payload: u32,
    ) -> Result<(), StageError> {
        let id = document.external_id;
        let name = &self.embedders[at].embedder.name;
        let given = given::read(raw, name, id).map_err(|error| refused(payload, &error))?;
        match given.vectors {
            Some(vectors) => {
                let status = VectorStatus {
                    is_provided: true,
                    regenerates: given.regenerate,
                };
                self.push(at, document, payload, &vectors, status)
            }
            None if !given.regenerate => {
                let status = VectorStatus {
                    is_provided: false,
                    regenerates: false,
                };
                self.push(at, document, payload, &[], status)
            }
            None => match self.status_before(at, document) {
                Some(status) => self.refresh(at, document, status, true),
                None => self.make(at, document),
            },
        }
    }

    /// Without a word from the user.
    fn keep_or_make(&mut self, at: usize, document: &StagedDocument<'_>) -> Result<(), StageError> {
        let Some(status) = self.status_before(at, document) else {
            return self.make(at, document);
        };
        let staged = &self.embedders[at];
        match (&staged.upkeep, status.regenerates) {
            (Upkeep::Regenerate, true) if !staged.embedder.is_user_provided() => {
                self.make(at, document)
            }
            (Upkeep::Regenerate, _) => {
                let vectors = staged.old.vectors(document.doc);
                self.push(at, document, document.payload, &vectors, status)
            }
            (Upkeep::Documents | Upkeep::Rerender(_), true) => {
                self.refresh(at, document, status, false)
            }
            (Upkeep::Documents | Upkeep::Rerender(_), false) => Ok(()),
        }
    }

    fn status_before(&self, at: usize, document: &StagedDocument<'_>) -> Option<VectorStatus> {
        let old = &self.embedders[at].old;
        old.status(document.doc).filter(|_| !document.is_new)
    }

    /// Makes vectors anew if the text is another one. `sets_status` tells that from now on they
    /// regenerate.
    fn refresh(
        &mut self,
        at: usize,
        document: &StagedDocument<'_>,
        status: VectorStatus,
        sets_status: bool,
    ) -> Result<(), StageError> {
        let new = document.value();
        let old = document.value_before()?;
        let is_other = if self.embedders[at].embedder.is_user_provided() {
            old.as_ref() != Some(&new)
        } else {
            let old = old
                .map(|old| self.texts(at, document, &old, true))
                .transpose()?;
            old != Some(self.texts(at, document, &new, false)?)
        };
        if is_other {
            return self.make(at, document);
        }
        if sets_status && !status.regenerates {
            let vectors = self.embedders[at].old.vectors(document.doc);
            let status = VectorStatus {
                regenerates: true,
                ..status
            };
            return self.push(at, document, document.payload, &vectors, status);
        }
        Ok(())
    }

    /// Asks for vectors.
    fn make(&mut self, at: usize, document: &StagedDocument<'_>) -> Result<(), StageError> {
        if self.embedders[at].embedder.is_user_provided() {
            self.miss(at, document);
            return Ok(());
        }
        let texts = self.texts(at, document, &document.value(), false)?;
        let staged = &mut self.embedders[at];
        staged.n_waiting_bytes += texts.iter().map(String::len).sum::<usize>();
        staged.waiting.push(Waiting {
            doc: document.doc,
            payload: document.payload,
            texts,
        });
        let n_texts: usize = staged.waiting.iter().map(|one| one.texts.len()).sum();
        if n_texts >= MAX_TEXTS || staged.n_waiting_bytes >= MAX_TEXT_BYTES {
            self.embed(at)?;
        }
        Ok(())
    }

    fn miss(&mut self, at: usize, document: &StagedDocument<'_>) {
        let staged = &mut self.embedders[at];
        let missing = staged.missing.entry(document.payload).or_default();
        let members = document.members.entries().iter().map(|(name, _)| &**name);
        let vectors = document.members.get(VECTORS);
        let named = vectors.and_then(|vectors| RawDocument::parse(vectors.get()).ok());
        let named = named.unwrap_or_default();
        let named = named.entries().iter().map(|(name, _)| &**name);
        missing.add(document.external_id, &staged.embedder.name, members, named);
    }

    /// The texts of a document; with `before`, as they were rendered before a settings change.
    fn texts(
        &mut self,
        at: usize,
        document: &StagedDocument<'_>,
        value: &Value,
        before: bool,
    ) -> Result<Vec<String>, StageError> {
        if let Value::Object(members) = value {
            self.fields.add_all(members, self.settings);
        }
        let staged = &mut self.embedders[at];
        let failed = |message: String| StageError::Operation {
            payload: document.payload,
            error: OperationError::new("vector_embedding_error", message),
        };
        if staged.renderers.is_none() {
            let Some(embedding) = &self.embedding else {
                return Err(failed(no_source(&staged.embedder.name)));
            };
            let templates = &*embedding.templates;
            let unreadable = |message: String| failed(format!("Invalid template: {message}"));
            let old = match &staged.upkeep {
                Upkeep::Rerender(old) => Some(Renderer::new(old, templates).map_err(unreadable)?),
                _ => None,
            };
            let new = Renderer::new(&staged.embedder, templates).map_err(unreadable)?;
            staged.renderers = Some((new, old));
        }
        let rendered = staged.renderers.as_ref().map(|(new, old)| {
            let renderer = old.as_ref().filter(|_| before).unwrap_or(new);
            renderer.texts(value, &self.fields)
        });
        rendered
            .unwrap_or_else(|| Ok(Vec::new()))
            .map_err(|message| {
                let id = document.external_id;
                failed(format!("missing field in document `{id}`: {message}"))
            })
    }

    /// Has the waiting texts answered.
    fn embed(&mut self, at: usize) -> Result<(), StageError> {
        let staged = &mut self.embedders[at];
        let waiting = std::mem::take(&mut staged.waiting);
        staged.n_waiting_bytes = 0;
        let Some(payload) = waiting.first().map(|first| first.payload) else {
            return Ok(());
        };
        let name = staged.embedder.name.clone();
        let failed = |payload: u32, message: String| StageError::Operation {
            payload,
            error: OperationError::new(
                "vector_embedding_error",
                format!("While embedding documents for embedder `{name}`: {message}"),
            ),
        };
        let Some(embedding) = &self.embedding else {
            return Err(failed(payload, no_source(&name)));
        };
        let texts: Vec<String> = waiting.iter().flat_map(|one| one.texts.clone()).collect();
        let n_texts = texts.len();
        let vectors = if texts.is_empty() {
            Vec::new()
        } else {
            let settings = staged.embedder.settings_json();
            let answer = embedding.source.embed(&name, &settings, texts);
            answer.map_err(|error| failed(payload, error.message))?
        };
        if vectors.len() != n_texts {
            let message = format!("{} vectors came for {n_texts} texts", vectors.len());
            return Err(failed(payload, message));
        }
        let mut vectors = vectors.into_iter();
        for one in waiting {
            let own: Vec<Vec<f32>> = vectors.by_ref().take(one.texts.len()).collect();
            let expected = self.embedders[at].writer.dimensions();
            let wrong = own
                .iter()
                .find(|vector| expected.is_some_and(|n| n != vector.len()));
            if let (Some(wrong), Some(expected)) = (wrong, expected) {
                let message = format!(
                    "mismatching embedding dimensions: expected {expected}, got {}",
                    wrong.len()
                );
                return Err(failed(one.payload, message));
            }
            let writer = &mut self.embedders[at].writer;
            writer
                .put(one.doc, &own, MADE)
                .map_err(|error| unfit(one.payload, error))?;
        }
        Ok(())
    }

    fn push(
        &mut self,
        at: usize,
        document: &StagedDocument<'_>,
        payload: u32,
        vectors: &[Vec<f32>],
        status: VectorStatus,
    ) -> Result<(), StageError> {
        let staged = &mut self.embedders[at];
        let known = staged.writer.dimensions();
        if let Some(expected) = known.or_else(|| vectors.first().map(Vec::len)) {
            let name = &staged.embedder.name;
            given::check_dimensions(vectors, expected, name, document.external_id)
                .map_err(|error| refused(payload, &error))?;
        }
        let put = staged.writer.put(document.doc, vectors, status);
        put.map_err(|error| unfit(payload, error))
    }

    /// Ends all files and says which ones the next commit has to name.
    ///
    /// # Errors
    /// Documents without vectors, vectors that could not be had, or a disk that refuses.
    pub(crate) fn finish(mut self) -> Result<VectorFiles, StageError> {
        for at in 0..self.embedders.len() {
            self.embed(at)?;
        }
        for staged in &self.embedders {
            if let Some((payload, missing)) = staged.missing.first_key_value() {
                let message = missing.message(&staged.embedder.name);
                let error = OperationError::new("vector_embedding_error", message);
                let payload = *payload;
                return Err(StageError::Operation { payload, error });
            }
        }
        let mut files = self.files;
        for staged in self.embedders {
            let set = staged.writer.finish().map_err(into_io)?;
            if !set.is_empty() {
                files.embedders.insert(staged.embedder.name, set.manifest());
            }
        }
        Ok(files)
    }
}

/// A vector that the files cannot hold, or a failure of the files.
fn unfit(payload: u32, error: VectorError) -> StageError {
    match error {
        VectorError::Shape { .. }
        | VectorError::NotFinite { .. }
        | VectorError::Dimensions { .. } => StageError::Operation {
            payload,
            error: OperationError::new("invalid_vector_dimensions", error.to_string()),
        },
        other => StageError::Index(into_io(other).into()),
    }
}

fn refused(payload: u32, error: &VectorsError) -> StageError {
    StageError::Operation {
        payload,
        error: OperationError::new(error.code(), error.to_string()),
    }
}

fn no_source(embedder: &str) -> String {
    format!("no source of vectors is set up for embedder `{embedder}`")
}
