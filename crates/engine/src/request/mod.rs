//! What is asked of an index, and why it may be refused.
//!
//! A request crosses from the interface; a source is what answers it needs of an index. Filters, rules and
//! searches all speak in these terms.

mod error;
mod filter_features;
mod foreign;
mod permissions;
mod search_request;
mod source;
mod window;

pub use error::SearchError;
pub use filter_features::{FilterFeatures, check_features};
pub(crate) use filter_features::{SHARD, parsed_filter};
pub use foreign::{ForeignIndex, ForeignIndexes, ForeignPlace};
pub(crate) use permissions::{
    check_searched, check_sort, distinct_attribute, filterable_patterns, is_filterable,
    listed_names, not_sortable,
};
pub use search_request::{Hybrid, MatchingStrategy, SearchRequest, check_coordinates, parse_sort};
pub(crate) use source::members_of;
pub use source::{Allowed, Facets, SearchSource};
pub(crate) use window::PageWindow;
pub use window::Window;
