//! Vectors of documents: given by the user or embedded, stored beside the segments, searched.

mod embedding;

pub use embedding::{
    DocumentTemplate, DocumentTemplates, Embedding, EmbeddingError, EmbeddingSource, TemplateField,
};
