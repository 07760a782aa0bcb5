//! Cuts the tokens of a query into terms: words, phrases and exclusions.
//!
//! Positions follow the words of the query: every word counts one, whether it is searched,
//! skipped or excluded, and every hard separator counts seven more, so that they compare with
//! the positions of words in documents.

use serval_text::{MAX_WORD_BYTES, SeparatorKind, Token, TokenKind};

/// Tokens of a query that are read; the rest is ignored.
const MAX_TOKENS: usize = 1000;
/// Bytes of a query that are read: so many tokens of words that an index can hold take no more.
const MAX_BYTES: usize = MAX_TOKENS * MAX_WORD_BYTES;
/// Terms of a query that are searched; the rest is ignored.
const MAX_TERMS: usize = 10;
/// What a hard separator adds to the position.
const HARD_SEPARATOR_GAP: u16 = 7;

/// Words that must stand next to each other; `None` is a hole left by a stop word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// At least one is `Some`.
    pub words: Vec<Option<String>>,
}

impl Phrase {
    /// The words that are not holes, with their place in the phrase.
    pub fn placed(&self) -> impl Iterator<Item = (usize, &str)> {
        self.words
            .iter()
            .enumerate()
            .filter_map(|(at, word)| Some((at, word.as_deref()?)))
    }
}

/// What a term looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermText {
    /// One word.
    Word {
        /// Normalised text.
        text: String,
        /// Whether longer words match too: the last word of the query.
        is_prefix: bool,
    },
    /// A quoted phrase.
    Phrase(Phrase),
}

/// A term and the positions it takes in the query, both inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedTerm {
    /// What to look for.
    pub text: TermText,
    /// Position of its first word.
    pub first: u16,
    /// Position of its last word.
    pub last: u16,
}

impl LocatedTerm {
    /// Whether the term is a quoted phrase.
    #[must_use]
    pub const fn is_phrase(&self) -> bool {
        matches!(self.text, TermText::Phrase(_))
    }

    /// Words of the phrase, holes not counted; 0 for a plain word.
    #[must_use]
    pub fn n_phrase_words(&self) -> u32 {
        match &self.text {
            TermText::Phrase(phrase) => phrase.placed().count() as u32,
            TermText::Word { .. } => 0,
        }
    }
}

/// A query, cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedQuery {
    /// Terms to look for, at most ten.
    pub terms: Vec<LocatedTerm>,
    /// Words no document may hold.
    pub negative_words: Vec<String>,
    /// Phrases no document may hold.
    pub negative_phrases: Vec<Phrase>,
}

/// What is read of a query. A token takes many times its bytes, and a query may be as long as a body.
#[must_use]
pub fn read_part(text: &str) -> &str {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Cuts a query. `prefix_search` says whether a last word may stand for longer ones.
#[must_use]
pub fn parse_query(tokens: &[Token<'_>], prefix_search: bool) -> ParsedQuery {
    let mut parser = Parser::new(prefix_search);
    let tokens = &tokens[..tokens.len().min(MAX_TOKENS)];
    for (at, token) in tokens.iter().enumerate() {
        if token.text.is_empty() {
            continue;
        }
        if parser.query.terms.len() >= MAX_TERMS {
            return parser.query;
        }
        match token.kind {
            TokenKind::Word | TokenKind::StopWord => parser.word(token, at + 1 == tokens.len()),
            TokenKind::Separator(kind) => parser.separator(token, kind),
        }
        parser.after_space = token.text.ends_with(char::is_whitespace);
    }
    parser.close_phrase();
    parser.query
}

struct Parser {
    query: ParsedQuery,
    prefix_search: bool,
    /// Position of the last word; wraps, so that the first word is at 0.
    position: u16,
    open: Option<OpenPhrase>,
    /// The open phrase is an exclusion.
    excludes_phrase: bool,
    /// The next token is excluded.
    excludes_next: bool,
    after_space: bool,
}

#[derive(Default)]
struct OpenPhrase {
    words: Vec<Option<String>>,
    first: u16,
    last: u16,
}

impl OpenPhrase {
    fn has_words(&self) -> bool {
        self.words.iter().any(Option::is_some)
    }
}

impl Parser {
    fn new(prefix_search: bool) -> Self {
        Self {
            query: ParsedQuery::default(),
            prefix_search,
            position: u16::MAX,
            open: None,
            excludes_phrase: false,
            excludes_next: false,
            after_space: true,
        }
    }

    fn word(&mut self, token: &Token<'_>, is_final: bool) {
        self.position = self.position.wrapping_add(1);
        let position = self.position;
        if let Some(phrase) = &mut self.open {
            if !phrase.has_words() {
                phrase.first = position;
            }
            phrase.last = position;
            let searched = token.kind == TokenKind::Word;
            phrase.words.push(searched.then(|| token.text.to_string()));
        } else if std::mem::take(&mut self.excludes_next) {
            self.query.negative_words.push(token.text.to_string());
        } else if is_final || token.kind == TokenKind::Word {
            let is_prefix = is_final && self.prefix_search;
            self.query.terms.push(LocatedTerm {
                text: TermText::Word {
                    text: token.text.to_string(),
                    is_prefix,
                },
                first: position,
                last: position,
            });
        }
    }

    fn separator(&mut self, token: &Token<'_>, kind: SeparatorKind) {
        if kind == SeparatorKind::Hard {
            self.position = self.position.wrapping_add(HARD_SEPARATOR_GAP);
            if self.open.is_some() {
                let excludes = self.excludes_phrase;
                self.close_phrase();
                self.open = Some(OpenPhrase::default());
                self.excludes_phrase = excludes;
            }
        }
        let mut quotes = token.text.matches('"').count();
        if quotes > 0 {
            if self.open.is_some() {
                quotes -= 1;
                self.close_phrase();
            }
            if quotes % 2 == 1 {
                self.excludes_phrase = self.excludes_next;
                self.open = Some(OpenPhrase::default());
            }
        }
        self.excludes_next = self.open.is_none() && token.text == "-" && self.after_space;
    }

    fn close_phrase(&mut self) {
        let Some(phrase) = self.open.take() else {
            return;
        };
        let excludes = std::mem::take(&mut self.excludes_phrase);
        if !phrase.has_words() {
            return;
        }
        let OpenPhrase { words, first, last } = phrase;
        let phrase = Phrase { words };
        if excludes {
            self.query.negative_phrases.push(phrase);
        } else {
            self.query.terms.push(LocatedTerm {
                text: TermText::Phrase(phrase),
                first,
                last,
            });
        }
    }
}

/// Whether a word is too long to be in any index.
#[must_use]
pub(super) fn is_too_long(word: &str) -> bool {
    word.len() > MAX_WORD_BYTES
}

#[cfg(test)]
mod tests {
    use serval_text::Tokenizer;

    use super::*;

    #[test]
    fn a_query_as_long_as_a_body_is_read_as_far_as_its_words_count() {
        let tokenizer = Tokenizer::default();
        let parsed = |text: &str| parse_query(&tokenizer.tokens(text, &[]), true);
        for word in ["a ", "-night ", "\"dark night\" ", "é-日本 "] {
            let long = word.repeat(1_000_000);
            let read = read_part(&long);
            assert!(read.len() <= MAX_BYTES && long.starts_with(read));
            let words_that_count = word.repeat(2 * MAX_TOKENS);
            assert_eq!(parsed(read), parsed(&words_that_count), "{word}");
            assert_eq!(read_part(&words_that_count), words_that_count);
        }
    }
}
