//! Templates in the Liquid language: from a document or a query to text.
//!
//! A template sees `doc` (the document) and `fields` (all fields of the index, each with `name`,
//! `value` and `is_searchable`), or `q` and `media` of a query. A fragment is JSON whose strings
//! are templates.
//!
//! # Invariants
//! The same template and the same document give the same text, unless the template writes out a
//! whole object of `doc`: its members then come in any order.
//!
//! # Cost
//! Parsing costs microseconds; rendering copies the document. Ranges, the steps of a rendering and
//! all texts that it makes are bounded.

mod bounds;
mod captured;
mod fragment;
mod language;
mod node;
mod template;
mod work;

pub use fragment::Fragment;
pub use template::{Field, Globals, Template, TemplateError, truncate};
