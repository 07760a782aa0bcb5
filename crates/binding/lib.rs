//! The Node addon: converts, calls the engine or the store, converts back.
//!
//! Every call that may wait returns a promise of an outcome, `{ok}` or `{error: {code, message}}`,
//! and runs on a Rust thread; see [`runtime`]. Panics are caught there and answered as `internal`.

pub mod answer_bytes;
pub mod answer_string;
pub mod any_length;
pub mod dispatch;
pub mod embedding;
mod foreign;
pub mod free_memory;
pub mod job_queue;
pub mod js_answer;
pub mod js_archive;
pub mod js_check;
pub mod js_document_lines;
pub mod js_edition;
pub mod js_engine;
pub mod js_federation;
pub mod js_filter;
pub mod js_index;
pub mod js_payload;
pub mod js_rules;
pub mod js_sockets;
pub mod js_stop;
mod js_store;
pub mod js_template;
pub mod js_transformer;
pub mod js_zstd;
pub mod open_indexes;
pub mod outcome;
pub mod runtime;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
