//! An index: opening it, reading it through snapshots, and what it knows about itself.

mod attribute_view;
mod batch_control;
mod check;
mod check_vectors;
mod counted_docs;
mod current;
mod doc_map;
mod doc_moves;
mod error;
mod facet_counts;
mod facet_tally;
mod geo_tree;
mod handle;
mod index_meta;
mod least_places;
mod matcher;
mod measured_row;
mod merged_vectors;
mod remembered;
mod row_measurer;
mod row_summaries;
mod search_memory;
mod segment_view;
mod settled_files;
mod snapshot;
mod stored_documents;
mod symbol_set;
mod symbol_test;
#[cfg(test)]
mod tests;
mod typed_rows;
mod value_order;
mod value_ranges;
mod vectors_member;
mod vocabulary;
#[cfg(target_arch = "x86_64")]
mod wide_symbols;
mod word_docs;
mod words;

pub use attribute_view::{AttributeView, SortValue, ValueRange};
pub(crate) use batch_control::BatchControl;
pub use batch_control::{BatchProgress, BatchStep};
pub use check::{DamagedFile, IndexCheck, check_index};
pub use counted_docs::CountedDocs;
pub use error::IndexError;
pub use facet_counts::{FacetCounts, StringCount};
pub(crate) use geo_tree::Coverage;
pub use geo_tree::GeoWalk;
pub use handle::{Index, IndexOptions, IndexStats};
pub(crate) use handle::{in_flight_of, write_commit};
pub(crate) use index_meta::now;
pub use index_meta::{FORMAT_VERSION, IndexMeta, LastBatch};
pub use matcher::SlotMatcher;
pub(crate) use remembered::{FoundPage, WrittenAnswer};
pub use search_memory::SearchMemory;
pub(crate) use segment_view::SegmentView;
pub use snapshot::Snapshot;
pub use stored_documents::last_commit;
pub(crate) use stored_documents::{StoredDocuments, commit_of};
pub use value_order::ValueWalk;
pub use value_ranges::ValueRanges;

pub use crate::storage::document_reader::DocumentBytes;
