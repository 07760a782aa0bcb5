//! One search from its request to the finished JSON bytes.

mod answer;
mod answer_text;
#[cfg(test)]
mod cutoff_tests;
mod error;
mod execute;
mod facet_values;
#[cfg(test)]
mod first_page_tests;
mod hybrid;
mod index_view;
mod keyword;
mod localized;
mod match_words;
mod permissions;
mod raw_members;
#[cfg(test)]
mod regressions;
#[cfg(test)]
mod remembered_tests;
#[cfg(test)]
mod repeated_tests;
mod request;
mod rerank;
mod response;
mod search_kind;
mod similar;
mod source;
#[cfg(test)]
mod stop_tests;
mod window;
#[cfg(test)]
mod worked_examples;

pub use crate::ranking::Stop;
pub use answer::{recall, search_remembering};
pub use answer_text::AnswerText;
pub use error::SearchError;
pub(crate) use execute::{Demand, Executed, execute, parsed_filter};
pub use execute::{n_degraded_searches, search};
pub use facet_values::search_facet_values;
pub(crate) use hybrid::PageWindow;
pub use index_view::{IndexView, QueryConfigs};
pub use keyword::{KeywordOutcome, KeywordSearch};
pub use localized::FieldLocales;
pub(crate) use permissions::{distinct_attribute, listed_names, not_sortable};
pub(crate) use raw_members::members;
pub use request::{MatchingStrategy, SearchRequest, check_coordinates, parse_sort};
pub use rerank::{reordered, unpinned_documents};
pub(crate) use response::{ResponseWriter, metadata};
pub use search_kind::Hybrid;
pub use similar::{SimilarRequest, search_similar};
pub use source::{Allowed, Facets, SearchSource};
pub use window::Window;
