//! Turns text into normalised tokens with positions; knows no index and no JSON.
//!
//! ```text
//! "L'été!" --script groups--> cut at separators --segment by script and language-->
//!          --normalise, classify--> l ' ete !  --positions--> l@0 ete@1
//! ```
//!
//! The same code serves documents, queries and highlighting, so that all three see the same words.
//! Segmentation and normalisation come from `charabia`; Japanese and Korean are cut by the Unicode
//! segmenter instead (see `docs/languages.md`), and Western European text takes a path of its own
//! that gives the same tokens many times faster.
//!
//! ```
//! use serval_text::{PositionCounter, Tokenizer, TokenizerOptions};
//!
//! let tokenizer = Tokenizer::new(&TokenizerOptions::default());
//! let mut counter = PositionCounter::new(0);
//! let mut words = Vec::new();
//! tokenizer.tokenize("Hello, world!", &[], |token| {
//!     if let Some(position) = counter.advance(&token) {
//!         words.push((token.indexed_text().to_owned(), position));
//!     }
//! });
//! assert_eq!(words, [("hello".to_owned(), 0), ("world".to_owned(), 8)]);
//! ```

mod east_asian;
mod flat_text;
mod latin_cut;
mod latin_path;
mod latin_table;
mod locale;
mod normalize;
mod options;
mod position;
mod script_cut;
mod separators;
mod token;
mod tokenizer;
mod word_marks;
mod word_starts;

pub use flat_text::FlatText;
pub use locale::{Locale, UnknownLocale};
pub use normalize::{MAX_FACET_BYTES, normalize_facet, normalize_text};
pub use options::TokenizerOptions;
pub use position::{HARD_GAP, MAX_POSITIONS, PositionCounter};
pub use token::{MAX_WORD_BYTES, SeparatorKind, Token, TokenKind, is_numeric_word};
pub use tokenizer::Tokenizer;
pub use word_starts::WordStarts;
