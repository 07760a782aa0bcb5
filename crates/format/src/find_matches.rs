//! Finds the matches of a query in one text.
//!
//! # Cost
//! Text that can be cut anywhere is only looked through for words that may match; what cropping
//! needs around them is cut when it is known where that is. Other text is cut as a whole, once.

use std::ops::Range;

use serval_text::{FlatText, Locale, SeparatorKind, Token, Tokenizer};

use crate::match_words::{MatchWords, Sequence, TokenMatch};

/// Where a match stands in the original text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchSpan {
    /// First byte.
    pub byte_start: usize,
    /// Length in bytes; for a prefix match only the part that was typed.
    pub byte_len: usize,
}

/// A token as cropping needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) byte_start: usize,
    pub(crate) byte_end: usize,
    /// `None` for words.
    pub(crate) separator: Option<SeparatorKind>,
}

/// A word of a text of which the query says something.
#[derive(Debug)]
struct KnownWord {
    /// Words before it.
    word: usize,
    byte_start: usize,
    byte_end: usize,
    /// Byte where the mark of the word alone ends.
    mark_end: usize,
    found: TokenMatch,
}

/// What was found in a text; keeps its memory from text to text.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    known: Vec<KnownWord>,
    pieces: Vec<Piece>,
}

/// One match: a token, or consecutive tokens of a sequence.
#[derive(Debug)]
pub(crate) struct Match {
    /// First and last word position; separators have none.
    pub(crate) words: (usize, usize),
    pub(crate) byte_start: usize,
    pub(crate) mark_end: usize,
    /// End of the last token, past the mark of a prefix match.
    pub(crate) byte_end: usize,
    pub(crate) ids: Range<u16>,
}

impl Match {
    pub(crate) fn n_words(&self) -> usize {
        self.words.1 - self.words.0 + 1
    }

    pub(crate) fn span(&self) -> MatchSpan {
        MatchSpan {
            byte_start: self.byte_start,
            byte_len: self.mark_end - self.byte_start,
        }
    }
}

impl Looked {
    /// Looks for known words in a text. What it gives is for [`Looked::pieces_around`].
    pub(crate) fn look_through<'t>(
        &mut self,
        text: &'t str,
        tokenizer: &'t Tokenizer,
        locales: &[Locale],
        words: &MatchWords,
    ) -> Option<FlatText<'t>> {
        self.known.clear();
        self.pieces.clear();
        let flat = tokenizer.flat(text, locales);
        match &flat {
            Some(flat) => flat.look_through(words.starts(), |n, token| self.know(n, &token, words)),
            None => self.cut(text, tokenizer, locales, words),
        }
        flat
    }

    /// Cuts a text as a whole.
    fn cut(&mut self, text: &str, tokenizer: &Tokenizer, locales: &[Locale], words: &MatchWords) {
        let mut n_words = 0;
        tokenizer.tokenize_mapped(text, locales, |token| {
            self.pieces.push(piece(&token));
            if token.separator_kind().is_none() {
                self.know(n_words, &token, words);
                n_words += 1;
            }
        });
    }

    fn know(&mut self, word: usize, token: &Token<'_>, words: &MatchWords) {
        if let Some(found) = words.look_up(&token.text) {
            self.known.push(KnownWord {
                word,
                byte_start: token.byte_start,
                byte_end: token.byte_end,
                mark_end: mark_end(token, &found),
                found,
            });
        }
    }

    /// The tokens from `n_words` words before a range of bytes to as many behind it, at least.
    pub(crate) fn pieces_around(
        &mut self,
        flat: Option<&FlatText<'_>>,
        range: Range<usize>,
        n_words: usize,
    ) -> &[Piece] {
        if let Some(flat) = flat {
            let pieces = &mut self.pieces;
            pieces.clear();
            flat.tokenize(flat.around(range, n_words), |token| {
                pieces.push(piece(&token));
            });
        }
        &self.pieces
    }

    /// All matches in order; they do not overlap.
    pub(crate) fn matches(&self, words: &MatchWords) -> Vec<Match> {
        let mut matches = Vec::new();
        let mut at = 0;
        while let Some(known) = self.known.get(at) {
            match self.sequence_at(at, words).or_else(|| known.alone()) {
                Some(found) => {
                    at += found.n_words();
                    matches.push(found);
                }
                None => at += 1,
            }
        }
        matches
    }

    fn sequence_at(&self, at: usize, words: &MatchWords) -> Option<Match> {
        if !words.has_sequences() {
            return None;
        }
        let first = &self.known[at];
        words
            .sequences_from(first.found.number?)
            .find_map(|sequence| {
                let last = self.end_of_sequence(at, sequence)?;
                Some(Match {
                    words: (first.word, last.word),
                    byte_start: first.byte_start,
                    mark_end: last.byte_end,
                    byte_end: last.byte_end,
                    ids: sequence.ids.clone(),
                })
            })
    }

    /// The last word of `sequence` when it stands at a known word.
    fn end_of_sequence(&self, at: usize, sequence: &Sequence) -> Option<&KnownWord> {
        let there = self.known.get(at..at + sequence.words.len())?;
        let is_sequence = there.iter().enumerate().all(|(place, known)| {
            known.word == there[0].word + place && known.found.number == Some(sequence.words[place])
        });
        there.last().filter(|_| is_sequence)
    }
}

impl KnownWord {
    fn alone(&self) -> Option<Match> {
        let (ids, _) = self.found.alone.as_ref()?;
        Some(Match {
            words: (self.word, self.word),
            byte_start: self.byte_start,
            mark_end: self.mark_end,
            byte_end: self.byte_end,
            ids: ids.clone(),
        })
    }
}

fn piece(token: &Token<'_>) -> Piece {
    Piece {
        byte_start: token.byte_start,
        byte_end: token.byte_end,
        separator: token.separator_kind(),
    }
}

/// Byte where the mark of a token that matches alone ends.
fn mark_end(token: &Token<'_>, found: &TokenMatch) -> usize {
    match &found.alone {
        Some((_, marked)) if *marked < usize::MAX => {
            token.byte_start + token.original_prefix(*marked)
        }
        _ => token.byte_end,
    }
}
