//! Finds the matches of a query in one text.

use std::ops::Range;

use serval_text::{Locale, SeparatorKind, Tokenizer};

use crate::match_words::{MatchWords, Sequence, TokenMatch};

/// Where a match stands in the original text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchSpan {
    /// First byte.
    pub byte_start: usize,
    /// Length in bytes; for a prefix match only the part that was typed.
    pub byte_len: usize,
}

/// A token as cropping and marking need it.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) byte_start: usize,
    pub(crate) byte_end: usize,
    /// `None` for words.
    pub(crate) separator: Option<SeparatorKind>,
    found: TokenMatch,
    /// Byte where the mark of the token alone ends.
    mark_end: usize,
}

/// One match: a token, or consecutive tokens of a sequence.
#[derive(Debug)]
pub(crate) struct Match {
    pub(crate) tokens: (usize, usize),
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

/// Cuts `text` into `pieces`, replacing what was there.
pub(crate) fn cut(
    text: &str,
    tokenizer: &Tokenizer,
    locales: &[Locale],
    words: &MatchWords,
    pieces: &mut Vec<Piece>,
) {
    pieces.clear();
    tokenizer.tokenize_mapped(text, locales, |token| {
        let separator = token.separator_kind();
        let found = match separator {
            None => words.look_up(&token.text),
            Some(_) => TokenMatch::default(),
        };
        let mark_end = match &found.alone {
            Some((_, marked)) if *marked < usize::MAX => {
                token.byte_start + token.original_prefix(*marked)
            }
            _ => token.byte_end,
        };
        let (byte_start, byte_end) = (token.byte_start, token.byte_end);
        pieces.push(Piece {
            byte_start,
            byte_end,
            separator,
            found,
            mark_end,
        });
    });
}

/// All matches in order; they do not overlap.
pub(crate) fn find_matches(pieces: &[Piece], words: &MatchWords) -> Vec<Match> {
    let mut matches = Vec::new();
    let mut word = 0;
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        if piece.separator.is_some() {
            at += 1;
            continue;
        }
        let found = sequence_at(pieces, words, at, word).or_else(|| alone_at(piece, at, word));
        match found {
            Some(found) => {
                at = found.tokens.1 + 1;
                word = found.words.1 + 1;
                matches.push(found);
            }
            None => {
                at += 1;
                word += 1;
            }
        }
    }
    matches
}

fn alone_at(piece: &Piece, token: usize, word: usize) -> Option<Match> {
    let (ids, _) = piece.found.alone.as_ref()?;
    Some(Match {
        tokens: (token, token),
        words: (word, word),
        byte_start: piece.byte_start,
        mark_end: piece.mark_end,
        byte_end: piece.byte_end,
        ids: ids.clone(),
    })
}

fn sequence_at(pieces: &[Piece], words: &MatchWords, token: usize, word: usize) -> Option<Match> {
    if !words.has_sequences() {
        return None;
    }
    let number = pieces[token].found.number?;
    words.sequences_from(number).find_map(|sequence| {
        let last = end_of_sequence(pieces, sequence, token)?;
        Some(Match {
            tokens: (token, last),
            words: (word, word + sequence.words.len() - 1),
            byte_start: pieces[token].byte_start,
            mark_end: pieces[last].byte_end,
            byte_end: pieces[last].byte_end,
            ids: sequence.ids.clone(),
        })
    })
}

/// Last token of `sequence` when it stands at `token`.
fn end_of_sequence(pieces: &[Piece], sequence: &Sequence, token: usize) -> Option<usize> {
    let mut last = token;
    let mut next_words = (token..pieces.len()).filter(|&index| pieces[index].separator.is_none());
    for &wanted in &sequence.words {
        last = next_words
            .next()
            .filter(|&index| pieces[index].found.number == Some(wanted))?;
    }
    Some(last)
}
