//! Reads words, values and numbers from a filter's text.
//!
//! Every function takes a byte place and returns what it read with the place after it; nothing is
//! remembered between calls, so the parser can look ahead freely.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use crate::Word;
use crate::error::Fault;
use crate::unescape::{EscapeFault, unescape};

/// What was read, and the place after it.
pub(crate) type Read<T> = Result<(T, usize), Stop>;

/// Why reading stopped.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) fault: Fault,
    pub(crate) range: Range<usize>,
    /// Whether no other reading of the text may be tried.
    pub(crate) is_final: bool,
}

impl Stop {
    pub(crate) fn last(fault: Fault, range: Range<usize>) -> Self {
        Stop {
            fault,
            range,
            is_final: true,
        }
    }

    fn recoverable(fault: Fault, range: Range<usize>) -> Self {
        Stop {
            fault,
            range,
            is_final: false,
        }
    }
}

const RESERVED: [&str; 14] = [
    "AND",
    "OR",
    "IN",
    "NOT",
    "TO",
    "EXISTS",
    "IS",
    "NULL",
    "EMPTY",
    "CONTAINS",
    "STARTS",
    "WITH",
    "_geoRadius",
    "_geoBoundingBox",
];

/// Names and values of a filter: each takes a hundred bytes, and a filter may be as long as a body.
const MAX_WORDS: u32 = 2_000_000;

/// How many names and values may still be read.
pub(crate) struct WordsLeft(Cell<u32>);

impl WordsLeft {
    pub(crate) const fn new(n_words: u32) -> Self {
        WordsLeft(Cell::new(n_words))
    }

    /// As many as a filter may have.
    pub(crate) const fn of_filter() -> Self {
        Self::new(MAX_WORDS)
    }
}

/// The text of a filter.
pub(crate) struct Lexer<'l> {
    text: Arc<str>,
    left: &'l WordsLeft,
}

impl<'l> Lexer<'l> {
    pub(crate) fn new(text: &str, left: &'l WordsLeft) -> Self {
        Lexer {
            text: text.into(),
            left,
        }
    }

    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    pub(crate) fn rest(&self, at: usize) -> &str {
        &self.text[at..]
    }

    /// The range from a place to the end.
    pub(crate) fn to_end(&self, at: usize) -> Range<usize> {
        at..self.text.len()
    }

    /// An error about all that follows.
    pub(crate) fn stop(&self, fault: Fault, at: usize) -> Stop {
        Stop::last(fault, self.to_end(at))
    }

    pub(crate) fn skip_space(&self, at: usize) -> usize {
        self.text.len() - self.rest(at).trim_start_matches(is_space).len()
    }

    /// Skips white space, which must be there.
    pub(crate) fn skip_some_space(&self, at: usize) -> Option<usize> {
        let after = self.skip_space(at);
        (after > at).then_some(after)
    }

    /// The place after `expected`, when it is there.
    pub(crate) fn skip(&self, at: usize, expected: &str) -> Option<usize> {
        self.rest(at)
            .starts_with(expected)
            .then_some(at + expected.len())
    }

    /// The longest run of word characters, maybe empty.
    pub(crate) fn bare_word(&self, at: usize) -> &str {
        let rest = self.rest(at);
        let end = rest.find(|c| !is_word_character(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    /// The place after the whole word `expected`, when it is there.
    pub(crate) fn skip_word(&self, at: usize, expected: &str) -> Option<usize> {
        (self.bare_word(at) == expected).then_some(at + expected.len())
    }

    /// Whether one word runs through `at`: a keyword ended inside a longer word.
    pub(crate) fn is_inside_word(&self, at: usize) -> bool {
        self.text[..at].ends_with(is_word_character) && self.rest(at).starts_with(is_word_character)
    }

    pub(crate) fn word(&self, range: Range<usize>) -> Word {
        Word::new(&self.text[range.clone()], false, &self.text, range)
    }

    /// A field name or a value, with the white space around it.
    pub(crate) fn value(&self, at: usize) -> Read<Word> {
        let start = self.text.len() - self.rest(at).trim_start().len();
        self.refuse_functions(start)?;
        let (word, end) = match self.quoted(start)? {
            Some(read) => read,
            None => self.unquoted(start)?,
        };
        let left = self.left.0.get().checked_sub(1);
        let left = left.ok_or_else(|| self.stop(Fault::TooManyWords, start))?;
        self.left.0.set(left);
        Ok((word, self.skip_space(end)))
    }

    /// Geographic names are not values.
    fn refuse_functions(&self, start: usize) -> Result<(), Stop> {
        let word = self.bare_word(start);
        let fault = match word {
            "_geo" => Fault::ReservedGeo("_geo"),
            "_geoRadius" => Fault::MisusedFunction("_geoRadius"),
            "_geoBoundingBox" => Fault::MisusedFunction("_geoBoundingBox"),
            _ if word.starts_with("_geoPoint") => Fault::ReservedGeo("_geoPoint"),
            _ if word.starts_with("_geoDistance") => Fault::ReservedGeo("_geoDistance"),
            _ => return Ok(()),
        };
        Err(self.stop(fault, start))
    }

    fn unquoted(&self, start: usize) -> Read<Word> {
        let word = self.bare_word(start);
        let fault = if RESERVED.contains(&word) {
            Fault::ReservedKeyword
        } else if word.is_empty() {
            Fault::ExpectedValue
        } else {
            let end = start + word.len();
            return Ok((self.word(start..end), end));
        };
        let rest = self.rest(start);
        let shown = rest.find(is_syntax).unwrap_or(rest.len());
        Err(Stop::recoverable(fault, start..start + shown))
    }

    /// A quoted value, `None` when there is no quote at `start`.
    pub(crate) fn quoted(&self, start: usize) -> Result<Option<(Word, usize)>, Stop> {
        let Some(quote) = self
            .rest(start)
            .chars()
            .next()
            .filter(|c| matches!(c, '"' | '\''))
        else {
            return Ok(None);
        };
        let content = start + 1;
        let mut chars = self.rest(content).char_indices();
        while let Some((n_bytes, c)) = chars.next() {
            if c == quote {
                let range = content..content + n_bytes;
                let end = range.end + 1;
                return Ok(Some((self.unescaped(range)?, end)));
            }
            if c == '\\' && chars.next().is_none() {
                return Err(self.stop(Fault::MalformedValue, content));
            }
        }
        Err(self.stop(Fault::MissingClosing(quote), start))
    }

    fn unescaped(&self, range: Range<usize>) -> Result<Word, Stop> {
        match unescape(&self.text[range.clone()]) {
            Ok(text) => Ok(Word::new(&text, true, &self.text, range)),
            Err(EscapeFault::Incomplete) => Err(self.stop(Fault::Incomplete, 0)),
            Err(EscapeFault::Number) => Err(Stop::recoverable(Fault::InvalidEscapedNumber, range)),
            Err(EscapeFault::Character) => Err(Stop::recoverable(Fault::MalformedValue, range)),
        }
    }

    /// A number without quotes. The error is the place where a digit was missing.
    pub(crate) fn number(&self, start: usize) -> Result<usize, MissingDigit> {
        let sign = usize::from(self.rest(start).starts_with(['+', '-']));
        let whole = start + sign;
        let mut at = self.skip_digits(whole);
        if at > whole {
            at = self.skip(at, ".").map_or(at, |at| self.skip_digits(at));
        } else {
            let fraction = self.skip(whole, ".").ok_or(MissingDigit::here(whole))?;
            at = self.skip_digits(fraction);
            if at == fraction {
                return Err(MissingDigit::here(fraction));
            }
        }
        let Some(exponent) = self.skip(at, "e").or_else(|| self.skip(at, "E")) else {
            return Ok(at);
        };
        let exponent = exponent + usize::from(self.rest(exponent).starts_with(['+', '-']));
        at = self.skip_digits(exponent);
        if at == exponent {
            return Err(MissingDigit { at, is_final: true });
        }
        Ok(at)
    }

    fn skip_digits(&self, at: usize) -> usize {
        self.text.len()
            - self
                .rest(at)
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len()
    }
}

/// The text is not a number.
pub(crate) struct MissingDigit {
    pub(crate) at: usize,
    /// Whether the text started as a number: it has an exponent without digits.
    pub(crate) is_final: bool,
}

impl MissingDigit {
    fn here(at: usize) -> Self {
        MissingDigit {
            at,
            is_final: false,
        }
    }
}

/// White space between the parts of a filter.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// Characters of a name or a value without quotes.
pub(crate) fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Where the text shown for a bad value ends.
fn is_syntax(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | '=' | '<' | '>' | '!')
}
