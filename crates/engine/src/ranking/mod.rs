//! Orders documents by a chain of ranking rules, opening only what the page needs.
//!
//! Each rule cuts the documents it is given into ordered *buckets*; the next rule works inside one
//! bucket at a time, and the walk stops once `offset + limit` documents are placed.
//!
//! ```text
//! universe {1..9} --words--> {2,5,7} > {1,3} > {4,6,8,9}
//!                               '--typo--> {5} > {2,7}        limit = 2: the rest is never split
//! ```
//!
//! # Invariants
//! 1. The buckets of a rule are disjoint, and no document outside its input is in one.
//! 2. No rule moves a document out of the bucket that an earlier rule gave it.
//! 3. Ties keep ascending [`crate::docset::DocId`], so two pages never overlap.
//! 4. A rule hands on only the interpretations of the query (paths) that some document of the
//!    bucket needed; the next rule measures documents along those.
//!
//! # Cost
//! `words`, `typo` and the exact words are set algebra. Proximity, attribute, position and the
//! exact attribute read the documents of their input bucket, together each of them once when there
//! are many. A bucket whose first documents no other can come before is not read to its end.

mod best_groups;
mod bucket_sort;
mod by_cost;
mod by_document;
mod by_measures;
mod by_summaries;
mod chain;
mod deadline;
mod doc_measurer;
mod doc_words;
mod first_docs;
mod first_look;
mod measured_docs;
mod reader;
mod rule;
mod rules;
mod score;
mod score_keys;
mod stop;
mod term_summaries;
mod timings;

pub use bucket_sort::{Page, RankedHit, Ranking, rank};
pub use chain::{SortCriterion, build_rules, build_vector_rules};
pub use deadline::Deadline;
pub use doc_words::DocWords;
pub use measured_docs::MeasuredSets;
pub use rule::{Bucket, Buckets, MeasuredBy, RankContext, RankingRule, Untyped};
pub use rules::VectorRule;
pub use score::{MatchType, Rank, ScoreDetail, details_to_json, global_score};
pub(crate) use score_keys::ScoreKeys;
pub use stop::Stop;
pub use timings::Timings;
