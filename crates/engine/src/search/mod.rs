//! One search from its request to the finished JSON bytes.

mod answer;
mod answer_text;
#[cfg(test)]
mod cutoff_tests;
mod execute;
mod facet_values;
#[cfg(test)]
mod first_page_tests;
mod foreign_hits;
#[cfg(test)]
mod foreign_tests;
mod hybrid;
#[cfg(test)]
mod hybrid_tests;
mod index_view;
mod keyword;
mod localized;
#[cfg(test)]
mod long_document_tests;
mod match_words;
mod raw_members;
#[cfg(test)]
mod regressions;
#[cfg(test)]
mod remembered_tests;
#[cfg(test)]
mod repeated_tests;
mod rerank;
mod response;
mod response_tail;
mod search_kind;
mod similar;
#[cfg(test)]
mod stop_tests;
#[cfg(test)]
mod worked_examples;

pub use crate::ranking::Stop;
pub use answer::{recall, search_remembering};
pub use answer_text::AnswerText;
pub(crate) use execute::{Demand, Executed, execute};
pub use execute::{n_degraded_searches, search};
pub use facet_values::search_facet_values;
pub use index_view::{IndexView, QueryConfigs};
pub use keyword::{KeywordOutcome, KeywordSearch};
pub use localized::FieldLocales;
pub(crate) use raw_members::members;
pub use rerank::{reordered, unpinned_documents};
pub(crate) use response::ResponseWriter;
pub(crate) use response_tail::metadata;
pub use similar::{SimilarRequest, search_similar};
