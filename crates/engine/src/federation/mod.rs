//! One list of hits from queries over several indexes.
//!
//! Each query runs as it would alone, and side by side with the others. Its hits are merged first with those of the other queries of
//! its index, where a document keeps its best place, then with those of the other indexes. Hits
//! are compared by the verdicts of the ranking rules, weighted by query; ties go to the earlier
//! query.
//!
//! Queries may go to other servers: then each server answers its queries as a part, and the parts
//! are put together by [`gather()`].
//!
//! # Cost
//! Every query finds as many hits as the page and everything before it need, seldom more. Documents are read
//! for the hits of the page alone. The exact total of several queries whose hits are to be distinct
//! looks at the values of all that they find.

mod compared_rules;
mod compatibility;
mod distinct;
mod execute;
mod facets;
mod gather;
mod members;
mod merge;
mod page;
mod part;
#[cfg(test)]
mod pinned_tests;
mod request;
mod runs;
mod summed_counts;

pub use execute::federated_search;
pub use gather::{GatherRequest, GatheredPart, GatheredQuery, gather};
pub use request::{FederatedQuery, FederatedRequest, Federation, FederationError, MergeFacets};
