//! Finds the matches of a query in one text.

use std::ops::Range;

use serval_text::{Locale, SeparatorKind, Token, Tokenizer};

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
    /// One more than the place of what is known of the word; 0 for nothing.
    known: u32,
}

/// What the query says of a word of a text.
#[derive(Debug)]
struct KnownWord {
    found: TokenMatch,
    /// Byte where the mark of the token alone ends.
    mark_end: usize,
}

/// A text in pieces.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    pub(crate) all: Vec<Piece>,
    known: Vec<KnownWord>,
}

impl Pieces {
    fn known(&self, piece: &Piece) -> Option<&KnownWord> {
        self.known.get((piece.known as usize).checked_sub(1)?)
    }

    /// Number of the word of a token, for sequences.
    fn number(&self, token: usize) -> Option<u32> {
        self.known(&self.all[token])?.found.number
    }
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
    pieces: &mut Pieces,
) {
    let Pieces { all, known } = pieces;
    all.clear();
    known.clear();
    tokenizer.tokenize_mapped(text, locales, |token| {
        let separator = token.separator_kind();
        if separator.is_none()
            && let Some(found) = words.look_up(&token.text)
        {
            let mark_end = mark_end(&token, &found);
            known.push(KnownWord { found, mark_end });
            all.push(piece(&token, separator, known.len() as u32));
        } else {
            all.push(piece(&token, separator, 0));
        }
    });
}

fn piece(token: &Token<'_>, separator: Option<SeparatorKind>, known: u32) -> Piece {
    Piece {
        byte_start: token.byte_start,
        byte_end: token.byte_end,
        separator,
        known,
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

/// All matches of a text in order, where no sequence of words can match: each is one token.
pub(crate) fn find_single_matches(
    text: &str,
    tokenizer: &Tokenizer,
    locales: &[Locale],
    words: &MatchWords,
) -> Vec<Match> {
    let mut matches = Vec::new();
    let (mut n_tokens, mut n_words) = (0, 0);
    tokenizer.tokenize_mapped(text, locales, |token| {
        n_tokens += 1;
        if token.separator_kind().is_some() {
            return;
        }
        n_words += 1;
        let Some(found) = words.look_up(&token.text) else {
            return;
        };
        let mark_end = mark_end(&token, &found);
        if let Some((ids, _)) = found.alone {
            matches.push(Match {
                tokens: (n_tokens - 1, n_tokens - 1),
                words: (n_words - 1, n_words - 1),
                byte_start: token.byte_start,
                mark_end,
                byte_end: token.byte_end,
                ids,
            });
        }
    });
    matches
}

/// All matches in order; they do not overlap.
pub(crate) fn find_matches(pieces: &Pieces, words: &MatchWords) -> Vec<Match> {
    let mut matches = Vec::new();
    if pieces.known.is_empty() {
        return matches;
    }
    let mut word = 0;
    let mut at = 0;
    while let Some(piece) = pieces.all.get(at) {
        if piece.separator.is_some() {
            at += 1;
            continue;
        }
        let known = pieces.known(piece);
        let found = known.and_then(|known| {
            sequence_at(pieces, words, at, word).or_else(|| alone_at(piece, known, at, word))
        });
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

fn alone_at(piece: &Piece, known: &KnownWord, token: usize, word: usize) -> Option<Match> {
    let (ids, _) = known.found.alone.as_ref()?;
    Some(Match {
        tokens: (token, token),
        words: (word, word),
        byte_start: piece.byte_start,
        mark_end: known.mark_end,
        byte_end: piece.byte_end,
        ids: ids.clone(),
    })
}

fn sequence_at(pieces: &Pieces, words: &MatchWords, token: usize, word: usize) -> Option<Match> {
    if !words.has_sequences() {
        return None;
    }
    let number = pieces.number(token)?;
    words.sequences_from(number).find_map(|sequence| {
        let last = end_of_sequence(pieces, sequence, token)?;
        let byte_end = pieces.all[last].byte_end;
        Some(Match {
            tokens: (token, last),
            words: (word, word + sequence.words.len() - 1),
            byte_start: pieces.all[token].byte_start,
            mark_end: byte_end,
            byte_end,
            ids: sequence.ids.clone(),
        })
    })
}

/// Last token of `sequence` when it stands at `token`.
fn end_of_sequence(pieces: &Pieces, sequence: &Sequence, token: usize) -> Option<usize> {
    let is_word = |index: &usize| pieces.all[*index].separator.is_none();
    let mut last = token;
    let mut next_words = (token..pieces.all.len()).filter(is_word);
    for &wanted in &sequence.words {
        last = next_words
            .next()
            .filter(|&index| pieces.number(index) == Some(wanted))?;
    }
    Some(last)
}
