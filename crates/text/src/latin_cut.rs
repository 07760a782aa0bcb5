//! The fast path for ASCII and Western European text.
//!
//! Such text has one script, needs no dictionary, and normalises character by character. Tables
//! made from the same settings as the automaton replace every other step. A property test holds
//! this path to the tokens of the general one.
//!
//! # Cost
//! One pass, no allocation per token: words already in normal form are borrowed from the text,
//! others from one buffer that is reused. Only character maps, for highlighting, are allocated.

use std::borrow::Cow;

use crate::latin_table::{N_CHARS, all_forms, covers, place_of};
use crate::separators::Cuts;
use crate::token::{Token, TokenKind};

// What a byte of ASCII does. Classes of word bytes combine by `|` into what the word needs.
const PLAIN: u8 = 0;
/// Turns to lower case.
const FOLDED: u8 = 1;
/// Vanishes: a control character.
const DROPPED: u8 = 2;
/// Is a separator. Everything from here on ends a word.
const CUT: u8 = 3;
/// Is a separator, and another one together with a following space.
const CUT_WITH_SPACE: u8 = 4;
/// What a word needs that has a character beyond ASCII; no class of a byte.
const WIDE: u8 = 4;

/// The tables of one tokeniser.
#[derive(Debug)]
pub(crate) struct LatinCut {
    class: [u8; 128],
    kind: [TokenKind; 128],
    kind_with_space: [TokenKind; 128],
    /// Kind of each character of the Latin table that is cut, `None` for word characters; the
    /// whole is `None` when settings need the automaton beyond ASCII.
    wide: Option<Box<[Option<TokenKind>; N_CHARS]>>,
    /// Some separator has an ASCII letter or digit; no built-in one has.
    has_letter_separator: bool,
}

impl LatinCut {
    /// `None` when settings need the automaton even for ASCII: a dictionary word, or a separator
    /// of several characters that is not one character and a space.
    pub(crate) fn new(cuts: &Cuts) -> Option<Self> {
        if cuts.dictionary().iter().any(|word| word.is_ascii()) {
            return None;
        }
        let mut table = Self {
            class: std::array::from_fn(|byte| plain_class(byte as u8)),
            kind: [TokenKind::Word; 128],
            kind_with_space: [TokenKind::Word; 128],
            wide: wide_kinds(cuts),
            has_letter_separator: cuts.separators().iter().any(|s| has_letter(s)),
        };
        let ascii = || cuts.separators().iter().filter(|s| s.is_ascii());
        for separator in ascii() {
            match *separator.as_bytes() {
                [byte] => table.cut_at(byte, cuts),
                [_, b' '] => {}
                _ => return None,
            }
        }
        for separator in ascii() {
            if let &[byte, b' '] = separator.as_bytes() {
                let byte = usize::from(byte);
                // The byte alone must cut too, or a word could begin in front of the pair.
                if table.class[byte] != CUT {
                    return None;
                }
                table.class[byte] = CUT_WITH_SPACE;
                table.kind_with_space[byte] = cuts.kind_of(&without_controls(separator));
            }
        }
        Some(table)
    }

    /// True if the table holds for text beyond ASCII.
    pub(crate) fn is_wide(&self) -> bool {
        self.wide.is_some()
    }

    /// Calls `each` for every token of `text`, which must be ASCII, or Latin if the table is wide.
    pub(crate) fn tokenize(
        &self,
        text: &str,
        cuts: &Cuts,
        mapped: bool,
        each: &mut impl FnMut(Token<'_>),
    ) {
        let check_all = cuts.has_stop_words() || self.has_letter_separator;
        let mut path = Path {
            text,
            cuts,
            mapped,
            check_all,
            buffer: String::new(),
            each,
        };
        let mut at = 0;
        while at < text.len() {
            let (word_end, needs) = self.end_of_word(text, at);
            if word_end > at {
                path.word(at, word_end, needs);
            }
            at = word_end;
            if at < text.len() {
                let (end, kind) = self.end_of_separator(text, at);
                let needs = text[at..end]
                    .bytes()
                    .fold(PLAIN, |needs, b| needs | needs_of(b));
                path.emit(at, end, needs, kind);
                at = end;
            }
        }
    }

    fn cut_at(&mut self, byte: u8, cuts: &Cuts) {
        let text = char::from(byte).to_string();
        self.class[usize::from(byte)] = CUT;
        self.kind[usize::from(byte)] = cuts.kind_of(&without_controls(&text));
    }

    fn end_of_word(&self, text: &str, start: usize) -> (usize, u8) {
        let bytes = text.as_bytes();
        let mut needs = PLAIN;
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii() {
                let class = self.class[usize::from(byte)];
                if class >= CUT {
                    break;
                }
                needs |= class;
                at += 1;
            } else {
                let Some(c) = text[at..].chars().next() else {
                    break;
                };
                if self.wide_kind(c).is_some() {
                    break;
                }
                needs |= WIDE;
                at += c.len_utf8();
            }
        }
        (at, needs)
    }

    fn end_of_separator(&self, text: &str, start: usize) -> (usize, TokenKind) {
        let bytes = text.as_bytes();
        let first = usize::from(bytes[start]);
        if first >= 128 {
            let c = text[start..].chars().next().unwrap_or('\0');
            return (
                start + c.len_utf8(),
                self.wide_kind(c).unwrap_or(TokenKind::Word),
            );
        }
        if self.class[first] == CUT_WITH_SPACE && bytes.get(start + 1) == Some(&b' ') {
            (start + 2, self.kind_with_space[first])
        } else {
            (start + 1, self.kind[first])
        }
    }

    fn wide_kind(&self, c: char) -> Option<TokenKind> {
        let kinds = self.wide.as_ref()?;
        place_of(c).and_then(|place| kinds[place])
    }
}

fn wide_kinds(cuts: &Cuts) -> Option<Box<[Option<TokenKind>; N_CHARS]>> {
    if cuts.dictionary().iter().any(|word| covers(word)) {
        return None;
    }
    let mut kinds = Box::new([None; N_CHARS]);
    for separator in cuts
        .separators()
        .iter()
        .filter(|s| !s.is_ascii() && covers(s))
    {
        let mut chars = separator.chars();
        let (Some(c), None) = (chars.next(), chars.next()) else {
            return None;
        };
        let place = place_of(c)?;
        kinds[place] = Some(cuts.kind_of(&all_forms()[place].decomposed));
    }
    Some(kinds)
}

/// What a byte that no separator names asks for.
fn plain_class(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => FOLDED,
        b'\t'..=b'\r' => PLAIN,
        _ if byte.is_ascii_control() => DROPPED,
        _ => PLAIN,
    }
}

fn needs_of(byte: u8) -> u8 {
    if byte.is_ascii() {
        plain_class(byte)
    } else {
        WIDE
    }
}

fn has_letter(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

fn without_controls(raw: &str) -> String {
    raw.chars()
        .filter(|&c| !c.is_ascii() || plain_class(c as u8) != DROPPED)
        .collect()
}

/// One text on its way.
struct Path<'p, 'e, E> {
    text: &'p str,
    cuts: &'p Cuts,
    mapped: bool,
    /// A word may be a stop word, or a separator by its decomposed form.
    check_all: bool,
    buffer: String,
    each: &'e mut E,
}

impl<E: FnMut(Token<'_>)> Path<'_, '_, E> {
    fn word(&mut self, byte_start: usize, byte_end: usize, needs: u8) {
        let raw = &self.text[byte_start..byte_end];
        // Beyond ASCII even a word may turn out a separator: a no-break space decomposes to one.
        let kind = match self.check_all || (needs & WIDE != 0 && !has_letter(raw)) {
            true => self.kind_of_word(raw, needs),
            false => TokenKind::Word,
        };
        self.emit(byte_start, byte_end, needs, kind);
    }

    fn kind_of_word(&mut self, raw: &str, needs: u8) -> TokenKind {
        if needs & (DROPPED | WIDE) == 0 {
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

    fn emit(&mut self, byte_start: usize, byte_end: usize, needs: u8, kind: TokenKind) {
        let raw = &self.text[byte_start..byte_end];
        let mut char_map = None;
        let text = if needs == PLAIN {
            raw
        } else {
            if self.mapped && needs & (DROPPED | WIDE) != 0 {
                char_map = Some(map_of(raw));
            }
            fold(raw, needs, &mut self.buffer);
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

/// Writes the normal form of `raw` into `buffer`.
fn fold(raw: &str, needs: u8, buffer: &mut String) {
    buffer.clear();
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
