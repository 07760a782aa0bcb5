//! Vectors of the documents of a batch: given by the user or embedded.
//!
//! ```text
//! _vectors of a document --> stage --> files of one embedder --> commit names them
//! text of a document ---> renderer --> EmbeddingSource --^
//! ```
//!
//! Vectors of configured embedders are no part of the stored document; those of other names are.

mod change;
mod missing;
mod of_plan;
mod renderer;
mod stage;
mod staged;

pub(super) use change::VectorsChange;
pub(super) use of_plan::{kept_member, stage_vectors};
pub(super) use staged::StageError;
