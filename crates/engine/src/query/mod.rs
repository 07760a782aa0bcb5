//! From the text a user typed to the words, classes and paths that can match it.
//!
//! ```text
//! text ──parse──> terms ──graph──> nodes (terms and n-grams) ──derive──> derivations by class
//!                                    └──paths: the interpretations of the query──> ranking
//! ```
//!
//! # Not here
//! Which documents come first is `ranking`'s; where words and documents are kept is behind
//! [`Corpus`].

mod best_docs;
mod corpus;
mod derive;
mod graph;
mod matching;
mod measure;
mod node;
mod parse;
mod phrase_match;
mod splits;
mod summaries;
mod summary_reader;
mod synonyms;
mod typed_text;
mod typos;

pub use best_docs::DROPPED;
pub use corpus::{
    Corpus, FieldId, GeoOrder, Occurrence, PlacedDoc, Reach, Scanner, Slot, SortColumn, SortValue,
};
pub use derive::QueryConfig;
pub use graph::{Path, Paths, QueryGraph, ReducedPath, Removal, Step};
pub use matching::{FieldMask, Matching};
pub use measure::{FAR, MeasurePlan, MeasuredPair, MeasuredTerm, Measurer, NOWHERE};
pub use node::{Classes, Derivation, Form, Node, NodeIdx, PhraseIdx, SlotIdx};
pub use parse::{LocatedTerm, ParsedQuery, Phrase, TermText, parse_query, read_part};
pub use summaries::{Summaries, SummariesRequest, Summary, TypedPlace, bucketed};
pub use summary_reader::{SummaryKinds, SummaryReader};
pub use typed_text::{TypedMatch, TypedText, TypedTextReader};
pub use typos::{TypoWords, shortest_words_with};
