//! Functions that edit documents: scripts that see one document at a time.
//!
//! A script reads and changes `doc` and may read `context`. It has no files, no network, no clock
//! and no other documents, so what it does depends on nothing but its arguments.
//!
//! # Invariants
//! 1. A script ends: its operations, calls, values and stack are limited.
//! 2. A member that the script leaves as it is keeps the exact text it was stored with, and its
//!    place among the others.
//!
//! # Cost
//! A document is parsed once and written once; unchanged ones are not written.

mod document_function;
mod script_engine;
mod script_value;

pub(crate) use document_function::{DocumentFunction, Edited};
pub(crate) use script_engine::on_deep_stack;
pub use script_engine::{CheckError, EditionError, check_function};
