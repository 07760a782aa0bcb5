//! The search engine: indexes of JSON documents, queries over them, ranked answers as JSON bytes.

pub mod batch;
pub mod docset;
pub mod document;
pub mod edition;
pub mod facet;
pub mod federation;
pub mod fetch;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod geometry;
pub mod index;
pub mod indexing;
pub mod memory;
pub mod open_indexes;
mod parallel;
pub mod query;
pub mod ranking;
pub mod request;
pub mod rules;
pub mod search;
pub mod settings;
pub mod storage;
#[cfg(any(test, feature = "fuzzing"))]
mod testing;
pub mod vectors;
