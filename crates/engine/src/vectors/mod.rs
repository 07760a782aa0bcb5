//! Vectors of documents, in files beside the segments: read, merged and looked through; and the embedders that
//! they are of.
//!
//! How documents get theirs while they are indexed is part of `indexing`.
//!
//! # Invariants
//! 1. A snapshot reads the files that its commit names, until it is dropped.
//! 2. A file is on disk before the commit that names it.

mod background_merges;
mod embedder;
mod embedding;
pub(crate) mod given;
mod index_vectors;
mod statuses;
#[cfg(test)]
mod tests;
mod vector_set;

pub(crate) use background_merges::{BackgroundMerges, remove_unfinished};
pub(crate) use embedder::EmbedderChange;
pub use embedder::{Distribution, Embedder};
pub use embedding::{
    DocumentTemplate, DocumentTemplates, Embedding, EmbeddingError, EmbeddingSource, TemplateField,
};
pub use given::VectorsError;
pub(crate) use given::{VECTORS, entries};
pub use index_vectors::VectorFiles;
pub(crate) use index_vectors::{IndexVectors, carry_over, directory_in, remove_unnamed};
pub use serval_vector::Neighbor;
pub(crate) use statuses::{Statuses, VectorStatus};
pub use vector_set::{EmbedderFiles, VectorSet};
pub(crate) use vector_set::{SetWriter, into_io};
