//! Formats document values for a query: highlight, crop and match positions.
//!
//! ```text
//! query --engine--> MatchWords --.
//! request --------> FormatPlan --+--> DocumentFormatter --> `_formatted`, `_matchesPosition`
//! document -----------------------'         |
//!                                     TextFormatter: one text at a time
//! ```
//!
//! Nothing here knows an index: the engine says which words match and which attributes exist, and
//! gets JSON bytes back.
//!
//! # Invariants
//! 1. Taking the inserted tags and markers out of a formatted text leaves a substring of the
//!    original; characters are never split.
//! 2. Content is never escaped: tags go in as they are given.
//!
//! ```
//! use serval_format::{FormatOptions, MatchWords, Markers, TextFormatter};
//! use serval_text::Tokenizer;
//!
//! let mut words = MatchWords::default();
//! words.add_prefix("westfali", 8, 0..1);
//! let tokenizer = Tokenizer::default();
//! let mut formatter = TextFormatter::new(&tokenizer, &words, Markers::default());
//! let options = FormatOptions { highlight: true, crop: None };
//! assert_eq!(formatter.format("Westfália", &[], options), "<em>Westfáli</em>a");
//! ```

mod best_interval;
mod crop_window;
mod document_formatter;
mod find_matches;
mod format_plan;
mod match_words;
mod selection;
mod text_formatter;

pub use document_formatter::DocumentFormatter;
pub use find_matches::MatchSpan;
pub use format_plan::{FormatOptions, FormatPlan, FormatRequest};
pub use match_words::MatchWords;
pub use selection::{Selection, retrieved_attributes, write_selected};
pub use text_formatter::{MAX_INSERTED_BYTES, Markers, TextFormatter};
