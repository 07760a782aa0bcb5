//! Reads documents as they are stored: pages of them, and single ones; and lists their fields.
//!
//! Nothing is searched here and `displayedAttributes` does not apply. A page is in the order of
//! first insertion unless it is sorted.

mod document_lines;
mod document_writer;
mod field_list;
mod listing;
mod sort_documents;
#[cfg(test)]
mod tests;

pub use document_lines::DocumentLines;
pub use field_list::{FieldFilter, FieldsRequest, fields};
pub use listing::{DocumentOptions, DocumentsRequest, document, documents, filter_docs};
