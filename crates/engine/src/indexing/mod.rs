//! Writing: from a batch of operations to one commit.
//!
//! ```text
//! operations -> WritePlan (final state per document) -> Extractor (words, columns, JSON)
//!            -> tantivy writer + plugins -> commit with payload -> new snapshot
//! ```

mod apply_batch;
mod batch_session;
mod checked_addition;
mod doc_id_allocator;
mod document_source;
mod edit_documents;
mod emit;
mod emit_worker;
mod extract;
mod field_counts;
mod guarded_deletion;
mod ids_file;
mod indexing_rules;
mod named_texts;
mod payload_bytes;
mod place_table;
mod plan_operation;
mod planned_write;
mod rebuild;
mod rebuild_columns;
mod recent_strings;
mod settings_change;
mod settings_file;
mod spilled_bytes;
mod upgrade;
mod vectors;
mod word_set;
mod write_plan;

pub use batch_session::EvaluateFilter;
pub use indexing_rules::tokenizer_options;
pub use upgrade::upgrade_index;
