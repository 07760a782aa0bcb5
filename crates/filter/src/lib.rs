//! Parses the filter language into a tree with source spans.
//!
//! ```text
//! JSON value --compose--> strings --parser (lexer)--> Filter --canonical--> Filter with the
//!                                                       |                   spans of its
//!                                                       '-- nodes,          canonical text
//!                                                           attributes
//! ```
//!
//! # Invariants
//! 1. Every word of a tree knows the text it came from and its place there, so any later error can
//!    quote it: [`Word::with_context`].
//! 2. Parsing the canonical text of a parsed filter gives an equal filter, as long as the
//!    parentheses it adds stay within the depth limit.
//! 3. Recursion is bounded by the depth limit, never by the length of a text; chains and lists of
//!    any length are flat nodes.
//!
//! # Cost
//! Linear in the length of the text. Columns are counted when they are asked for.
//!
//! # Not here
//! What a filter selects, which attributes and operators are allowed, and coordinate ranges: those
//! are evaluation.
#![forbid(unsafe_code)]

mod ast;
mod canonical;
mod compose;
mod condition;
mod error;
mod geo;
mod lexer;
mod number;
mod parser;
mod suggestion;
mod unescape;
mod vectors;
mod walk;
mod word;

pub use ast::{Filter, Operator, VectorScope};
pub use compose::{parse_json, parse_required};
pub use error::FilterError;
pub use parser::parse;
pub use word::{Span, Word, with_context};
