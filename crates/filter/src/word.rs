//! A piece of a filter's text, and the context line that shows it in an error.

use std::ops::Range;
use std::sync::Arc;

/// Where a fragment is in the text it comes from: columns, counted in characters from 1. `end` is
/// the column after the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Column of the first character.
    pub start: usize,
    /// Column after the last character.
    pub end: usize,
}

impl Span {
    /// The columns of a byte range. O(length of the text): meant for errors.
    pub(crate) fn of(source: &str, range: &Range<usize>) -> Self {
        let start = source[..range.start].chars().count() + 1;
        Span {
            start,
            end: start + source[range.clone()].chars().count(),
        }
    }
}

/// Appends the context line to a message: `message`, a line end, `start:end source`.
///
/// ```
/// use serval_filter::{Span, with_context};
///
/// let line = with_context("bad attribute", Span { start: 1, end: 5 }, "many = Glass");
/// assert_eq!(line, "bad attribute\n1:5 many = Glass");
/// ```
pub fn with_context(message: &str, span: Span, source: &str) -> String {
    format!("{message}\n{}:{} {source}", span.start, span.end)
}

/// An attribute, a value, a number or a keyword of a filter, tied to the text it was read from.
///
/// Two words are equal when their unescaped texts are, wherever they come from.
#[derive(Clone, Debug)]
pub struct Word {
    text: Box<str>,
    quoted: bool,
    source: Arc<str>,
    range: Range<usize>,
}

impl Word {
    pub(crate) fn new(text: &str, quoted: bool, source: &Arc<str>, range: Range<usize>) -> Self {
        Word {
            text: text.into(),
            quoted,
            source: Arc::clone(source),
            range,
        }
    }

    /// The unescaped text, without quotes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the word stands between quotes in its source.
    pub fn quoted(&self) -> bool {
        self.quoted
    }

    /// Columns of the word in [`Self::source`], quotes left out. O(length of the source).
    pub fn span(&self) -> Span {
        Span::of(&self.source, &self.range)
    }

    /// The whole text this word was read from: one string of an array filter, or the canonical
    /// form after [`Filter::canonical`](crate::Filter::canonical).
    pub fn source(&self) -> &str {
        &self.source
    }

    /// `message` with the context line that points at this word.
    pub fn with_context(&self, message: &str) -> String {
        with_context(message, self.span(), &self.source)
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    pub(crate) fn shared_source(&self) -> Arc<str> {
        Arc::clone(&self.source)
    }

    pub(crate) fn move_to(&mut self, source: &Arc<str>, range: Range<usize>, quoted: bool) {
        self.source = Arc::clone(source);
        self.range = range;
        self.quoted = quoted;
    }
}

/// A word that is its own source, to build filters by hand.
impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Word::new(text, false, &text.into(), 0..text.len())
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Word {}
