//! What lies on disk and in mapped memory: tantivy segments, our own files beside them, generations.
//!
//! This is the only place that knows tantivy's directory, schema and plugins. Files of our own:
//! the documents (`document_file`), the forward index (`forward_file`) and the attribute columns
//! (`attribute_file`).

pub(crate) mod attribute_file;
pub(crate) mod attribute_merge;
#[cfg(test)]
mod attribute_merge_tests;
pub(crate) mod attribute_plugin;
pub(crate) mod attribute_row;
pub(crate) mod bit_pack;
mod column_builder;
pub(crate) mod column_merge;
pub(crate) mod column_reader;
pub(crate) mod directory;
mod doc_list;
pub(crate) mod document_codec;
mod document_file;
pub(crate) mod document_plugin;
pub(crate) mod document_reader;
mod expected_bytes;
mod file_footer;
mod file_sizes;
pub(crate) mod forward_file;
pub(crate) mod forward_plugin;
pub(crate) mod forward_reader;
pub(crate) mod forward_row;
pub(crate) mod generation;
pub(crate) mod in_flight;
pub(crate) mod indexed_document;
pub(crate) mod kept_blocks;
pub(crate) mod mapped_files;
mod merge_origins;
mod merge_policy;
pub(crate) mod named_segments;
pub(crate) mod ordinal_rows;
mod ordinal_scan;
pub(crate) mod schema;
pub(crate) mod sealed;
pub(crate) mod segment_files;
pub(crate) mod shape_section;
pub(crate) mod single_documents;
mod spool;
mod string_table;
mod symbol_list;
mod varint;
pub(crate) mod word_places;
pub(crate) mod word_tokenizer;
pub(crate) mod writer;

pub use file_sizes::file_sizes;
pub use forward_row::FieldId;
