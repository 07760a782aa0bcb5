//! Text of which a part can be cut by itself: see [`crate::latin_cut`] for which texts these are.
//!
//! # Invariants
//! 1. A word begins a token wherever it stands, and so does what follows it: the tokens of a part
//!    from one such place to another are those of the whole there.
//! 2. [`FlatText::look_through`] passes over words only that [`WordStarts`] stops, and counts them.
//!
//! # Cost
//! A look into a table for each byte and two for each word; folding and calls only for the words that
//! may matter.

use std::cell::Cell;
use std::ops::Range;

use crate::latin_cut::{LatinCut, Needs, is_separator};
use crate::latin_path::Path;
use crate::separators::Cuts;
use crate::token::Token;
use crate::word_marks::WordMarks;
use crate::word_starts::WordStarts;

/// A text that can be cut from the beginning of any word.
#[derive(Debug, Clone, Copy)]
pub struct FlatText<'t> {
    text: &'t str,
    latin: &'t LatinCut,
    cuts: &'t Cuts,
}

impl<'t> FlatText<'t> {
    /// `None` when settings let words be other tokens, or a separator end inside of a word.
    pub(crate) fn new(text: &'t str, latin: &'t LatinCut, cuts: &'t Cuts) -> Option<Self> {
        latin
            .words_stand_alone(cuts)
            .then_some(Self { text, latin, cuts })
    }

    /// Calls `each` with the words that may be among those expected, and with how many words stand
    /// before each. [`Token::original_prefix`] is exact.
    pub fn look_through(&self, starts: &WordStarts, mut each: impl FnMut(usize, Token<'_>)) {
        let n_words = Cell::new(0);
        let mut number = |token: Token<'_>| each(n_words.get(), token);
        let mut path = Path::new(self.text, self.cuts, (true, false), &mut number);
        let mut marks = WordMarks::new(self.text, self.latin);
        let bytes = self.text.as_bytes();
        while let Some((block, mut places)) = marks.next_block() {
            while places != 0 {
                let at = block + places.trailing_zeros() as usize;
                places &= places - 1;
                let second = bytes.get(at + 1).copied().unwrap_or(b' ');
                let is_word = match self.latin.plain_start(bytes[at], second) {
                    Some((first, second)) if !starts.may_begin(first, second) => true,
                    _ => self.word_at(at, starts, &mut path),
                };
                n_words.set(n_words.get() + usize::from(is_word));
            }
        }
    }

    /// Gives on the token that begins there, if it may be among the words; whether it is a word.
    fn word_at(
        &self,
        at: usize,
        starts: &WordStarts,
        path: &mut Path<'_, '_, impl FnMut(Token<'_>)>,
    ) -> bool {
        let (end, needs) = self.latin.end_of_word(self.text, at);
        if end == at {
            // What cuts may be none once it is decomposed: an ellipsis becomes three dots.
            let (end, kind) = self.latin.end_of_separator(self.text, at);
            path.emit(at, end, Needs::of(&self.text[at..end]), kind);
            return true;
        }
        let raw = &self.text[at..end];
        let kind = path.kind(raw, needs);
        if is_separator(kind) {
            return false;
        }
        if !needs.keeps_length() || starts.may_hold(raw) {
            path.emit(at, end, needs, kind);
        }
        true
    }

    /// The part around a range of tokens with that many words before and behind it, or as many as
    /// there are.
    pub fn around(&self, range: Range<usize>, n_words: usize) -> Range<usize> {
        self.start_before(range.start, n_words)..self.end_behind(range.end, n_words)
    }

    /// Calls `each` for the tokens of a part, which [`FlatText::around`] gave.
    pub fn tokenize(&self, part: Range<usize>, mut each: impl FnMut(Token<'_>)) {
        let start = part.start;
        let mut shift = |mut token: Token<'_>| {
            token.byte_start += start;
            token.byte_end += start;
            each(token);
        };
        self.latin
            .tokenize(&self.text[part], self.cuts, true, &mut shift);
    }

    fn start_before(&self, from: usize, n_words: usize) -> usize {
        let mut left = n_words;
        let mut word_end = None;
        for (at, c) in self.text[..from].char_indices().rev() {
            let behind = at + c.len_utf8();
            if !self.latin.cuts_at(c) {
                word_end.get_or_insert(behind);
            } else if let Some(end) = word_end.take() {
                left = left.saturating_sub(usize::from(is_surely_word(&self.text[behind..end])));
                if left == 0 {
                    return behind;
                }
            }
        }
        0
    }

    fn end_behind(&self, to: usize, n_words: usize) -> usize {
        let mut left = n_words;
        let mut at = to;
        while at < self.text.len() {
            let (end, _) = self.latin.end_of_word(self.text, at);
            if end > at && is_surely_word(&self.text[at..end]) {
                left = left.saturating_sub(1);
                if left == 0 {
                    return end;
                }
            }
            at = self.behind_separator(end);
        }
        self.text.len()
    }

    /// Byte behind the separator that begins there, if the text goes on.
    fn behind_separator(&self, at: usize) -> usize {
        match at < self.text.len() {
            true => self.latin.end_of_separator(self.text, at).0,
            false => at,
        }
    }
}

/// False for what may turn out to be a separator once it is decomposed.
fn is_surely_word(raw: &str) -> bool {
    raw.is_ascii() || raw.bytes().any(|byte| byte.is_ascii_alphanumeric())
}
