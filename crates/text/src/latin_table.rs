//! Normal forms of the characters of Western European text, one by one.
//!
//! Within Latin text every step of normalisation looks at one character at a time, so the normal
//! form of a word is the normal forms of its characters put together. The forms do not depend on
//! settings: they are made once, by the general path, and shared.

use std::borrow::Cow;
use std::sync::LazyLock;

use charabia::{Script, Token as Lemma};

use crate::normalize::{decompose_segment, normalize_segment};
use crate::options::TokenizerOptions;
use crate::separators::Cuts;

/// Characters of the table: Latin letters, combining marks, general punctuation, currencies.
const RANGES: [(u32, u32); 4] = [
    (0x80, 0x24f),
    (0x300, 0x36f),
    (0x2000, 0x206f),
    (0x20a0, 0x20bf),
];
const fn range_len(range: (u32, u32)) -> usize {
    (range.1 - range.0 + 1) as usize
}
/// Number of characters in the table.
pub(crate) const N_CHARS: usize =
    range_len(RANGES[0]) + range_len(RANGES[1]) + range_len(RANGES[2]) + range_len(RANGES[3]);
/// Places below this hold Latin letters, which decide the script of a text.
const N_LATIN: usize = range_len(RANGES[0]);

/// Normal forms of one character.
#[derive(Debug)]
pub(crate) struct Forms {
    /// Decomposed, without control characters: what classification looks at.
    pub(crate) decomposed: Box<str>,
    /// Fully normalised.
    pub(crate) folded: Box<str>,
}

static FORMS: LazyLock<Vec<Forms>> = LazyLock::new(|| {
    let cuts = Cuts::new(&TokenizerOptions::default());
    let chars = RANGES
        .into_iter()
        .flat_map(|(from, to)| from..=to)
        .filter_map(char::from_u32);
    chars.map(|c| forms_of(c, &cuts)).collect()
});

fn forms_of(c: char, cuts: &Cuts) -> Forms {
    let mut buffer = [0; 4];
    let text = &*c.encode_utf8(&mut buffer);
    let lemma = || Lemma {
        lemma: Cow::Borrowed(text),
        script: Script::Latin,
        ..Lemma::default()
    };
    let decomposed = decompose_segment(lemma()).lemma.into();
    let folded = normalize_segment(lemma(), cuts, false).1.lemma.into();
    Forms { decomposed, folded }
}

/// The shared forms, by [`place_of`].
pub(crate) fn all_forms() -> &'static [Forms] {
    &FORMS
}

/// Place of a non-ASCII character in the table, if it is there.
pub(crate) fn place_of(c: char) -> Option<usize> {
    let code = u32::from(c);
    let mut base = 0;
    for range in RANGES {
        if code < range.0 {
            return None;
        }
        if code <= range.1 {
            return Some(base + (code - range.0) as usize);
        }
        base += range_len(range);
    }
    None
}

/// True if every character is ASCII or in the table.
pub(crate) fn covers(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii() || place_of(c).is_some())
}

/// True for text that [`covers`] and that has a Latin letter: its script is Latin throughout.
pub(crate) fn is_latin_text(text: &str) -> bool {
    let mut has_letter = false;
    for c in text.chars() {
        if c.is_ascii() {
            has_letter |= c.is_ascii_alphabetic();
            continue;
        }
        match place_of(c) {
            Some(place) => has_letter |= place < N_LATIN,
            None => return false,
        }
    }
    has_letter
}
