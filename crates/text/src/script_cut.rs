//! The general path: any script, any language, any settings.

use std::borrow::Cow;

use charabia::{Language, Script, Segment, Token as Lemma};

use crate::east_asian;
use crate::locale::Locale;
use crate::normalize::normalize_segment;
use crate::separators::Cuts;
use crate::token::{Token, TokenKind, is_numeric_word};

/// Calls `each` for every token of `text`; with a character map each if `mapped`.
pub(crate) fn tokenize(
    text: &str,
    cuts: &Cuts,
    locales: &[Locale],
    mapped: bool,
    each: &mut impl FnMut(Token<'_>),
) {
    let languages: Vec<Language> = locales.iter().map(|locale| locale.language()).collect();
    let allowed = (!languages.is_empty()).then_some(languages.as_slice());
    let mut path = Path {
        cuts,
        mapped,
        buffer: String::new(),
    };
    for segment in text.segment_with_option(Some(cuts.automaton()), allowed) {
        let whole = !east_asian::is_east_asian(segment.script, segment.language)
            || cuts.is_cut_piece(&segment.lemma)
            || is_numeric_word(&segment.lemma);
        if whole {
            path.emit(segment, each);
            continue;
        }
        let mut byte_start = segment.byte_start;
        let run = &text[segment.byte_start..segment.byte_end];
        east_asian::for_each_word(run, |word| {
            let byte_end = byte_start + word.len();
            let lemma = Cow::Borrowed(word);
            path.emit(
                Lemma {
                    lemma,
                    byte_start,
                    byte_end,
                    ..segment.clone()
                },
                each,
            );
            byte_start = byte_end;
        });
    }
}

struct Path<'a> {
    cuts: &'a Cuts,
    mapped: bool,
    buffer: String,
}

impl Path<'_> {
    fn emit(&mut self, segment: Lemma<'_>, each: &mut impl FnMut(Token<'_>)) {
        if is_simple(&segment) {
            return self.emit_simple(&segment, each);
        }
        let segment = east_asian::with_kana_as_japanese(segment);
        let (byte_start, byte_end) = (segment.byte_start, segment.byte_end);
        let (kind, lemma) = normalize_segment(segment, self.cuts, self.mapped);
        let char_map = lemma.char_map;
        each(Token {
            kind,
            text: lemma.lemma,
            byte_start,
            byte_end,
            char_map,
        });
    }

    /// An ASCII piece without control characters: only its case may change.
    fn emit_simple(&mut self, segment: &Lemma<'_>, each: &mut impl FnMut(Token<'_>)) {
        let kind: TokenKind = self.cuts.kind_of(&segment.lemma);
        let folds =
            has_case(segment.script) && segment.lemma.bytes().any(|b| b.is_ascii_uppercase());
        let text = if folds {
            self.buffer.clear();
            self.buffer.push_str(&segment.lemma);
            self.buffer.make_ascii_lowercase();
            self.buffer.as_str()
        } else {
            &segment.lemma
        };
        let (byte_start, byte_end) = (segment.byte_start, segment.byte_end);
        each(Token {
            kind,
            text: Cow::Borrowed(text),
            byte_start,
            byte_end,
            char_map: None,
        });
    }
}

fn is_simple(segment: &Lemma<'_>) -> bool {
    let keeps = |byte: u8| byte.is_ascii() && (is_space(byte) || !byte.is_ascii_control());
    segment.script != Script::Cj && segment.lemma.bytes().all(keeps)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r')
}

fn has_case(script: Script) -> bool {
    use Script::{Armenian, Cyrillic, Georgian, Greek, Latin};
    matches!(script, Latin | Cyrillic | Greek | Georgian | Armenian)
}
