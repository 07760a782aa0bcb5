//! Settings in a batch: what a change of them does to the documents that are there.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::batch_session::{BatchSession, Failure, plan_over, succeeded};
use super::rebuild::{RebuildError, rebuild};
use super::rebuild_columns::rebuild_columns;
use super::vectors::{StageError, VectorsChange};
use crate::batch::{Operation, OperationError, OperationOutcome};
use crate::index::{BatchStep, IndexError, IndexMeta};
use crate::settings::{IndexSettings, ReindexScope};
use crate::storage::generation::{self, Generation};
use crate::storage::writer::Writer;

impl BatchSession<'_> {
    /// Changes settings. `None` when the change has been committed and reported.
    pub(super) fn change_settings(
        &mut self,
        operation: &Operation,
        delta: &Map<String, Value>,
    ) -> Result<Option<OperationOutcome>, Failure> {
        self.index.control().enter(BatchStep::ApplyingSettings, 0);
        let (settings, scope) = self
            .meta
            .settings
            .apply(delta)
            .map_err(|error| OperationError::new(error.code(), error.to_string()))?;
        self.check_chat_template(&settings)?;
        let changes_embedders = settings.embedders != self.meta.settings.embedders;
        if (scope > ReindexScope::None || changes_embedders) && !self.plan.is_empty() {
            self.commit()?;
        }
        let before = self.meta.clone();
        self.meta.settings = Arc::new(settings);
        let vectors = VectorsChange::new(&self.snapshot, &self.meta);
        let needs_rebuild =
            scope > ReindexScope::None || vectors.rewrites_documents(&self.snapshot);
        if self.snapshot.documents().is_empty() || !needs_rebuild {
            return self.change_vectors(operation, &vectors, before);
        }
        let keeps_words = scope < ReindexScope::Full && vectors.is_empty();
        let built = if keeps_words {
            rebuild_columns(&self.snapshot, &mut self.meta, self.index)
        } else {
            let embedding = self.index.embedding();
            rebuild(&self.snapshot, &mut self.meta, embedding, self.index)
        };
        let (next, mut writer) = match built {
            Ok(built) => built,
            Err(error) => {
                self.meta = before;
                return Err(match error {
                    RebuildError::Document(error) => Failure::Operation(error),
                    RebuildError::Index(error) => Failure::Index(error),
                });
            }
        };
        self.report(operation, succeeded(None, None));
        let n_committed = self.n_committed;
        if let Err(error) = self.commit_payload(&mut writer) {
            drop(writer);
            next.mark_obsolete();
            return Err(error.into());
        }
        if let Err(error) = self.use_generation(&next, writer) {
            self.n_committed = n_committed;
            return Err(error.into());
        }

        Ok(None)
    }

    /// Makes a generation with everything in it the one in use, on disk and here.
    fn use_generation(&mut self, next: &Arc<Generation>, writer: Writer) -> Result<(), IndexError> {
        let path = self.index.path();
        let old = Arc::clone(self.snapshot.generation());
        let snapshot = self.index.load(next)?;
        let named = generation::set_current(path, next.path());
        if named.is_err() && generation::current(path)?.as_deref() != Some(next.path()) {
            return Ok(named?);
        }
        *self.writer = Some(writer);
        self.index.switch(snapshot.clone());
        self.snapshot = snapshot;
        self.plan = plan_over(self.index, &self.snapshot, &self.meta);
        // Who cannot be sure that the new name is on disk keeps what the old one names.
        named?;
        old.mark_obsolete();
        Ok(())
    }

    /// Refuses a new chat template that cannot be read.
    fn check_chat_template(&self, settings: &IndexSettings) -> Result<(), OperationError> {
        let template = &settings.chat.document_template;
        let Some(embedding) = self.index.embedding() else {
            return Ok(());
        };
        if *template == self.meta.settings.chat.document_template {
            return Ok(());
        }
        let refused = |reason: String| {
            OperationError::new(
                "invalid_chat_setting_document_template",
                format!("`.chat.documentTemplate`: Invalid document template: {reason}."),
            )
        };
        embedding.templates.parse(template).map_err(refused)?;
        Ok(())
    }

    /// Makes settings those of the index that need no other words or columns, with what they ask
    /// of the vectors.
    fn change_vectors(
        &mut self,
        operation: &Operation,
        vectors: &VectorsChange,
        before: IndexMeta,
    ) -> Result<Option<OperationOutcome>, Failure> {
        if vectors.is_empty() {
            return Ok(Some(succeeded(None, None)));
        }
        let generation = self.snapshot.generation().path();
        let embedding = self.index.embedding();
        let changed = vectors.apply(&self.snapshot, &mut self.meta, generation, embedding);
        match changed {
            Ok(()) => {
                self.report(operation, succeeded(None, None));
                self.commit()?;
                Ok(None)
            }
            Err(error) => {
                self.meta = before;
                Err(match error {
                    StageError::Operation { error, .. } => Failure::Operation(error),
                    StageError::Index(error) => Failure::Index(error),
                })
            }
        }
    }
}
