//! Vectors of the documents of a batch: taken from them or embedded, and written to files.

mod change;
mod missing;
mod of_plan;
mod renderer;
mod stage;
mod staged;

pub(super) use change::VectorsChange;
pub(super) use of_plan::{kept_member, stage_vectors};
pub(super) use staged::StageError;
