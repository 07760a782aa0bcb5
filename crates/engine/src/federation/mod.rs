//! One list of hits from queries over several indexes.
//!
//! Each query runs as it would alone. Its hits are merged first with those of the other queries of
//! its index, where a document keeps its best place, then with those of the other indexes. Hits
//! are compared by the verdicts of the ranking rules, weighted by query; ties go to the earlier
//! query.
//!
//! # Cost
//! Every query finds as many hits as the page and everything before it need. Documents are read
//! for the hits of the page alone, unless hits are to be distinct.

mod compatibility;
mod distinct;
mod execute;
mod facets;
mod merge;
mod request;

pub use execute::federated_search;
pub use request::{FederatedQuery, FederatedRequest, Federation, FederationError, MergeFacets};
