//! The fast path for ASCII and Western European text.
//!
//! Such text has one script, needs no dictionary, and normalises character by character. Tables
//! made from the same settings as the automaton replace every other step. A property test holds
//! this path to the tokens of the general one.
//!
//! # Cost
//! One pass, no allocation per token: words already in normal form are borrowed from the text,
//! others from one buffer that is reused. Only character maps, for highlighting, are allocated.

use crate::latin_path::Path;
use crate::latin_table::{N_CHARS, all_forms, covers, place_of};
use crate::separators::Cuts;
use crate::token::{Token, TokenKind};

// What a byte of ASCII does. Classes of word bytes combine by `|` into what the word needs.
pub(crate) const PLAIN: u8 = 0;
/// Turns to lower case.
pub(crate) const FOLDED: u8 = 1;
/// Vanishes: a control character.
pub(crate) const DROPPED: u8 = 2;
/// Is a separator. Everything from here on ends a word.
const CUT: u8 = 3;
/// Is a separator, and another one together with a following space.
const CUT_WITH_SPACE: u8 = 4;
/// Begins a character beyond ASCII.
const BEYOND: u8 = 5;
/// What a word needs that has a character beyond ASCII; no class of a byte.
pub(crate) const WIDE: u8 = 4;

/// The mark of bytes of ASCII that belong to no word.
pub(crate) const MARK_CUT: u8 = 1;
/// The mark of bytes that must be looked at: beyond ASCII, or cut off though no separator.
pub(crate) const MARK_SPECIAL: u8 = 2;

/// What the bytes of a word need to become its normal form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs(pub(crate) u8);

impl Needs {
    /// What a separator needs.
    pub(crate) fn of(raw: &str) -> Self {
        Self(
            raw.bytes()
                .fold(PLAIN, |needs, byte| needs | needs_of(byte)),
        )
    }

    /// Each byte stays one: but for case the word is its normal form.
    pub(crate) const fn keeps_length(self) -> bool {
        self.0 & (DROPPED | WIDE) == 0
    }
}

/// The tables of one tokeniser.
#[derive(Debug)]
pub(crate) struct LatinCut {
    class: [u8; 256],
    /// What [`crate::word_marks`] asks of each byte.
    pub(crate) marks: [u8; 256],
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
            class: std::array::from_fn(|byte| class_of(byte as u8)),
            marks: [0; 256],
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
        table.marks = std::array::from_fn(|byte| table.mark_of(byte));
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
        let mut path = Path::new(text, cuts, (mapped, check_all), each);
        let mut at = 0;
        while at < text.len() {
            let (word_end, needs) = self.end_of_word(text, at);
            if word_end > at {
                path.word(at, word_end, needs);
            }
            at = word_end;
            if at < text.len() {
                let (end, kind) = self.end_of_separator(text, at);
                path.emit(at, end, Needs::of(&text[at..end]), kind);
                at = end;
            }
        }
    }

    fn cut_at(&mut self, byte: u8, cuts: &Cuts) {
        let text = char::from(byte).to_string();
        self.class[usize::from(byte)] = CUT;
        self.kind[usize::from(byte)] = cuts.kind_of(&without_controls(&text));
    }

    /// Whether a word is a token of its own wherever it stands, and nothing else is.
    pub(crate) fn words_stand_alone(&self, cuts: &Cuts) -> bool {
        let checks_all = cuts.has_stop_words() || self.has_letter_separator;
        let mut pairs = (0..128).filter(|byte| self.class[*byte] == CUT_WITH_SPACE);
        let space_cuts = self.cuts_byte(b' ');
        let stands_alone = |byte: usize| {
            space_cuts && is_separator(self.kind[byte]) && is_separator(self.kind_with_space[byte])
        };
        !checks_all && pairs.all(stands_alone)
    }

    fn mark_of(&self, byte: usize) -> u8 {
        match self.class[byte] {
            BEYOND => MARK_SPECIAL,
            CUT.. if is_separator(self.kind[byte]) => MARK_CUT,
            CUT.. => MARK_CUT | MARK_SPECIAL,
            _ => 0,
        }
    }

    /// True for bytes of ASCII that belong to no word.
    fn cuts_byte(&self, byte: u8) -> bool {
        self.marks[usize::from(byte)] & MARK_CUT != 0
    }

    /// True for characters that belong to no word.
    pub(crate) fn cuts_at(&self, c: char) -> bool {
        match u8::try_from(c) {
            Ok(byte) if byte.is_ascii() => self.cuts_byte(byte),
            _ => self.wide_kind(c).is_some(),
        }
    }

    /// The low bits of the bytes that a word begins with, 0 for none behind the first: where these
    /// are letters and digits, or the end, they begin its normal form. Such a word is a word.
    #[inline]
    pub(crate) fn plain_start(&self, first: u8, second: u8) -> Option<(u8, u8)> {
        let ends = self.cuts_byte(second);
        let is_plain = first.is_ascii_alphanumeric() && (ends || second.is_ascii_alphanumeric());
        is_plain.then_some((first, if ends { 0 } else { second }))
    }

    /// Where the word ends that begins there: at once, if none does.
    pub(crate) fn end_of_word(&self, text: &str, start: usize) -> (usize, Needs) {
        let bytes = text.as_bytes();
        let mut needs = PLAIN;
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            let class = self.class[usize::from(byte)];
            if class < CUT {
                needs |= class;
                at += 1;
                continue;
            }
            if class != BEYOND {
                break;
            }
            let Some(c) = text[at..].chars().next() else {
                break;
            };
            if self.wide_kind(c).is_some() {
                break;
            }
            needs |= WIDE;
            at += c.len_utf8();
        }
        (at, Needs(needs))
    }

    /// Where the separator ends that begins there, and of which kind it is.
    pub(crate) fn end_of_separator(&self, text: &str, start: usize) -> (usize, TokenKind) {
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

    /// What a character beyond ASCII is that belongs to no word.
    pub(crate) fn wide_kind(&self, c: char) -> Option<TokenKind> {
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

pub(crate) const fn is_separator(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Separator(_))
}

/// What a byte that no separator names asks for.
pub(crate) fn plain_class(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => FOLDED,
        b'\t'..=b'\r' => PLAIN,
        _ if byte.is_ascii_control() => DROPPED,
        _ => PLAIN,
    }
}

fn class_of(byte: u8) -> u8 {
    match byte.is_ascii() {
        true => plain_class(byte),
        false => BEYOND,
    }
}

fn needs_of(byte: u8) -> u8 {
    if byte.is_ascii() {
        plain_class(byte)
    } else {
        WIDE
    }
}

pub(crate) fn has_letter(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

fn without_controls(raw: &str) -> String {
    raw.chars()
        .filter(|&c| !c.is_ascii() || plain_class(c as u8) != DROPPED)
        .collect()
}
