//! What the settings of an index change about tokenisation.

/// Tokeniser settings of one index; the default cuts at the built-in separators only.
///
/// All four lists are taken as written: separators and dictionary words match the raw text, case
/// included. Empty strings are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenizerOptions {
    /// Words that keep their place but are not indexed; case-sensitive, compared before
    /// lower-casing and before accents are removed.
    pub stop_words: Vec<String>,
    /// Strings added to the built-in separators.
    pub separator_tokens: Vec<String>,
    /// Strings taken out of the built-in and added separators.
    pub non_separator_tokens: Vec<String>,
    /// Strings that are always one token, even inside a longer word.
    pub dictionary: Vec<String>,
}
