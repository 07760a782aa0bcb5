//! Where vectors come from that documents do not bring themselves.
//!
//! The engine knows neither providers nor templates: it renders a document through
//! [`DocumentTemplates`], hands the texts to an [`EmbeddingSource`], and stores what comes back.

use std::sync::Arc;

use serde_json::Value;

/// Why texts could not be answered with vectors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EmbeddingError {
    /// What went wrong, for people; the engine puts before it which embedder it was about.
    pub message: String,
}

impl EmbeddingError {
    /// An error with a message for people.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

/// Answers texts with vectors; called on indexing threads, may block.
pub trait EmbeddingSource: Send + Sync {
    /// One vector for each text, in order. `settings_json` is the embedder's complete settings
    /// object. For an embedder with `indexingFragments` each text is the JSON of one rendered
    /// fragment.
    ///
    /// # Errors
    /// When a vector could not be had; the operation that asked for it then fails.
    fn embed(
        &self,
        embedder: &str,
        settings_json: &str,
        texts: Vec<String>,
    ) -> Result<Vec<Vec<f32>>, EmbeddingError>;
}

/// A field of the index as templates see it: its value is looked up in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateField {
    /// Dotted name.
    pub name: String,
    /// Whether its words are searched.
    pub is_searchable: bool,
}

/// A parsed template.
pub trait DocumentTemplate: Send + Sync {
    /// The text of a document. `fields` are all fields of the index.
    ///
    /// # Errors
    /// The message of a template that cannot be rendered for this document.
    fn render(&self, document: &Value, fields: &[TemplateField]) -> Result<String, String>;
}

/// Parses templates.
pub trait DocumentTemplates: Send + Sync {
    /// The template of a text.
    ///
    /// # Errors
    /// The message of a text that is no template.
    fn parse(&self, template: &str) -> Result<Box<dyn DocumentTemplate>, String>;
}

/// What an index needs to embed its documents.
#[derive(Clone)]
pub struct Embedding {
    /// Answers texts.
    pub source: Arc<dyn EmbeddingSource>,
    /// Makes texts of documents.
    pub templates: Arc<dyn DocumentTemplates>,
}
