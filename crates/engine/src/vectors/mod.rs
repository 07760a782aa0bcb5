//! Vectors of documents: given by the user or embedded, stored beside the segments, searched.
//!
//! ```text
//! _vectors of a document --> stage --> files of one embedder --> commit names them
//! text of a document ---> renderer --> EmbeddingSource --^
//! ```
//!
//! Vectors of configured embedders are no part of the stored document; those of other names are.
//!
//! # Invariants
//! 1. A snapshot reads the files that its commit names, until it is dropped.
//! 2. A file is on disk before the commit that names it.

mod background_merges;
mod change;
mod check;
mod embedder;
mod embedding;
mod given;
mod index_vectors;
mod member;
mod missing;
mod renderer;
mod stage;
mod staged;
mod statuses;
#[cfg(test)]
mod tests;
mod vector_set;

pub(crate) use background_merges::{BackgroundMerges, remove_unfinished};
pub(crate) use change::{VectorsChange, member_of};
pub(crate) use check::check_vectors;
pub use embedder::{Distribution, Embedder};
pub use embedding::{
    DocumentTemplate, DocumentTemplates, Embedding, EmbeddingError, EmbeddingSource, TemplateField,
};
pub use given::VectorsError;
pub(crate) use given::{VECTORS, entries};
pub use index_vectors::VectorFiles;
pub(crate) use index_vectors::{IndexVectors, carry_over, remove_unnamed};
pub(crate) use member::write_member;
pub use serval_vector::Neighbor;
pub(crate) use stage::VectorStage;
pub(crate) use staged::{StageError, Staged, StagedDocument, Upkeep};
pub use vector_set::{EmbedderFiles, VectorSet};
