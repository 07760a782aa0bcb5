//! From the pieces that [`crate::latin_cut`] finds to tokens in normal form.

use std::borrow::Cow;

use crate::latin_cut::{DROPPED, FOLDED, Needs, PLAIN, WIDE, has_letter, plain_class};
use crate::latin_table::{all_forms, place_of};
use crate::separators::Cuts;
use crate::token::{Token, TokenKind};

/// One text on its way.
pub(crate) struct Path<'p, 'e, E> {
    text: &'p str,
    cuts: &'p Cuts,
    mapped: bool,
    /// A word may be a stop word, or a separator by its decomposed form.
    check_all: bool,
    buffer: String,
    each: &'e mut E,
}

impl<'p, 'e, E: FnMut(Token<'_>)> Path<'p, 'e, E> {
    /// A path whose tokens carry maps or not, and whose words may all be something else or not.
    pub(crate) fn new(
        text: &'p str,
        cuts: &'p Cuts,
        (mapped, check_all): (bool, bool),
        each: &'e mut E,
    ) -> Self {
        Self {
            text,
            cuts,
            mapped,
            check_all,
            buffer: String::new(),
            each,
        }
    }

    /// Gives a word on.
    pub(crate) fn word(&mut self, byte_start: usize, byte_end: usize, needs: Needs) {
        let kind = self.kind(&self.text[byte_start..byte_end], needs);
        self.emit(byte_start, byte_end, needs, kind);
    }

    /// What a word is. Beyond ASCII even one may turn out a separator: a no-break space decomposes
    /// to one.
    pub(crate) fn kind(&mut self, raw: &str, needs: Needs) -> TokenKind {
        match self.check_all || (needs.0 & WIDE != 0 && !has_letter(raw)) {
            true => self.kind_of_word(raw, needs),
            false => TokenKind::Word,
        }
    }

    fn kind_of_word(&mut self, raw: &str, needs: Needs) -> TokenKind {
        if needs.keeps_length() {
            return self.cuts.kind_of(raw);
        }
        self.buffer.clear();
        for c in raw.chars() {
            match place_of(c) {
                Some(place) => self.buffer.push_str(&all_forms()[place].decomposed),
                None if plain_class(c as u8) == DROPPED => {}
                None => self.buffer.push(c),
            }
        }
        self.cuts.kind_of(&self.buffer)
    }

    /// Gives a token on in its normal form.
    pub(crate) fn emit(
        &mut self,
        byte_start: usize,
        byte_end: usize,
        needs: Needs,
        kind: TokenKind,
    ) {
        let raw = &self.text[byte_start..byte_end];
        let mut char_map = None;
        let text = if needs.0 == PLAIN {
            raw
        } else {
            if self.mapped && !needs.keeps_length() {
                char_map = Some(map_of(raw));
            }
            fold(raw, needs.0, &mut self.buffer);
            &self.buffer
        };
        (self.each)(Token {
            kind,
            text: Cow::Borrowed(text),
            byte_start,
            byte_end,
            char_map,
        });
    }
}

/// Few words take more bytes.
const USUAL_BYTES: usize = 32;

/// Writes the normal form of `raw` into `buffer`.
fn fold(raw: &str, needs: u8, buffer: &mut String) {
    buffer.clear();
    // Once for most words of a text.
    buffer.reserve(raw.len().max(USUAL_BYTES));
    if needs == FOLDED {
        buffer.push_str(raw);
        buffer.make_ascii_lowercase();
        return;
    }
    for c in raw.chars() {
        match place_of(c) {
            Some(place) => buffer.push_str(&all_forms()[place].folded),
            None if plain_class(c as u8) == DROPPED => {}
            None => buffer.push(c.to_ascii_lowercase()),
        }
    }
}

fn map_of(raw: &str) -> Vec<(u8, u8)> {
    let folded_len = |c: char| match place_of(c) {
        Some(place) => all_forms()[place].folded.len(),
        None => usize::from(plain_class(c as u8) != DROPPED),
    };
    raw.chars()
        .map(|c| (c.len_utf8() as u8, folded_len(c) as u8))
        .collect()
}
