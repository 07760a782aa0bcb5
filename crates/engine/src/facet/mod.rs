//! What the values of attributes answer: filters, counts per value, and the search for values.
//!
//! ```text
//! filter tree ──filter_docs──> documents (a filter decides membership, never order)
//! names + candidates ──facets──> how many candidates have each value, smallest and largest number
//! facet name + text + candidates ──facet_search──> values that start with the text
//! ```
//!
//! # Invariants
//! 1. Only what `filterableAttributes` allows is read; everything else is refused with the place
//!    of the fault, or, in `facets` of a search, left out.
//! 2. `NOT` and `!=` complement over all living documents.
//!
//! # Not here
//! The grammar of filters is `serval-filter`'s; how values lie on disk is `storage`'s.

mod condition;
mod distribution;
mod evaluate_filter;
mod facet_search;
mod foreign_filter;
#[cfg(test)]
mod foreign_tests;
mod geo_filter;
#[cfg(test)]
mod naive_tests;
mod number_text;
mod refusal;
#[cfg(test)]
mod shard_tests;
#[cfg(test)]
mod tests;
mod waiting_filter;

pub use distribution::{facet_order, facets};
pub use evaluate_filter::{allowed, filter_docs};
pub use facet_search::{FacetSearchRequest, check_facet_search, facet_search};
pub use foreign_filter::foreign_index;
pub use refusal::not_countable;
