//! Normal forms: of one token, of a whole text, of a facet value.
//!
//! # Invariants
//! 1. A token is classified after decomposition and before lower-casing; stop words are therefore
//!    case-sensitive and separators are recognised in their compatibility forms.
//! 2. [`normalize_facet`] keeps accents; [`normalize_text`] removes them.

use std::borrow::Cow;
use std::sync::LazyLock;

use charabia::normalizer::{LOSSY_NORMALIZERS, NORMALIZERS, Normalizer, NormalizerOption};
use charabia::{Normalize, Token as Lemma, TokenKind as LemmaKind};
use unicode_normalization::UnicodeNormalization;

use crate::separators::Cuts;
use crate::token::TokenKind;

/// Longest facet value kept, in bytes; longer ones are compared by their beginning.
pub const MAX_FACET_BYTES: usize = 468;

/// Place of the classifying step among the first normalisers: ours runs instead of it, because it
/// must know the settings of the index without scanning a list for every token.
static CLASSIFIER: LazyLock<usize> = LazyLock::new(|| {
    let lemma = |kind| Lemma {
        kind,
        lemma: Cow::Borrowed("a"),
        ..Lemma::default()
    };
    NORMALIZERS
        .iter()
        .position(|step| {
            step.should_normalize(&lemma(LemmaKind::Unknown))
                && !step.should_normalize(&lemma(LemmaKind::Word))
        })
        .unwrap_or(NORMALIZERS.len())
});

/// Normalises and classifies one segment, with a character map if `mapped`.
pub(crate) fn normalize_segment<'o>(
    mut lemma: Lemma<'o>,
    cuts: &Cuts,
    mapped: bool,
) -> (TokenKind, Lemma<'o>) {
    let options = NormalizerOption {
        create_char_map: mapped,
        lossy: true,
        ..NormalizerOption::default()
    };
    lemma = apply(&NORMALIZERS[..*CLASSIFIER], lemma, &options);
    let kind = cuts.kind_of(lemma.lemma());
    lemma.kind = LemmaKind::Word;
    lemma = apply(&NORMALIZERS[*CLASSIFIER..], lemma, &options);
    lemma = apply(&LOSSY_NORMALIZERS, lemma, &options);
    (kind, lemma)
}

/// The form of a segment that classification looks at.
pub(crate) fn decompose_segment(lemma: Lemma<'_>) -> Lemma<'_> {
    apply(
        &NORMALIZERS[..*CLASSIFIER],
        lemma,
        &NormalizerOption::default(),
    )
}

fn apply<'o>(
    steps: &[Box<dyn Normalizer>],
    mut lemma: Lemma<'o>,
    options: &NormalizerOption<'_>,
) -> Lemma<'o> {
    for step in steps {
        if step.should_normalize(&lemma) {
            lemma = step.normalize(lemma, options);
        }
    }
    lemma
}

/// Form in which a stop word of the settings is compared: decomposed, case and accents kept.
pub(crate) fn normalize_stop_word(word: &str) -> String {
    word.normalize(&NormalizerOption::default()).into_owned()
}

/// Full normal form of a whole text, as one piece: lower case, no accents, kana and ideograph
/// variants folded, whatever the language.
///
/// For facet search (query and values) and for words exempt from typo tolerance.
pub fn normalize_text(text: &str) -> String {
    let options = NormalizerOption {
        lossy: true,
        ..NormalizerOption::default()
    };
    text.normalize(&options).into_owned()
}

/// Form in which a string is filtered, sorted, counted and told apart: trimmed, decomposed, in
/// lower case, accents kept, at most [`MAX_FACET_BYTES`] long.
pub fn normalize_facet(text: &str) -> String {
    let text = text.trim();
    let mut normal = if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        decomposed(text).to_lowercase()
    };
    let mut end = normal.len().min(MAX_FACET_BYTES);
    while !normal.is_char_boundary(end) {
        end -= 1;
    }
    normal.truncate(end);
    normal
}

/// Each character decomposed by itself.
fn decomposed(text: &str) -> String {
    let mut decomposed = String::with_capacity(2 * text.len());
    for c in text.chars() {
        if c.is_ascii() {
            decomposed.push(c);
        } else {
            decomposed.extend(std::iter::once(c).nfkd());
        }
    }
    decomposed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classifying_step_is_found() {
        assert!(*CLASSIFIER < NORMALIZERS.len());
    }

    #[test]
    fn facet_values_keep_accents_and_lose_case_and_outer_space() {
        assert_eq!(normalize_facet("  Éclair "), "e\u{301}clair");
        assert_eq!(normalize_facet("éclair"), normalize_facet("ÉCLAIR"));
        assert_ne!(normalize_facet("éclair"), normalize_facet("eclair"));
        assert_eq!(normalize_facet(" ABC \n"), "abc");
        assert_eq!(normalize_facet("ΟΔΟΣ"), "οδος");
        assert_eq!(normalize_facet(""), "");
    }

    #[test]
    fn a_long_facet_value_is_cut_between_characters() {
        assert_eq!(normalize_facet(&"a".repeat(500)).len(), 468);
        let wide = normalize_facet(&format!("a{}", "日".repeat(300)));
        assert_eq!(wide.len(), 1 + 155 * 3);
    }

    #[test]
    fn full_normalisation_removes_accents_and_folds_scripts() {
        assert_eq!(normalize_text("Crème BRÛLÉE"), "creme brulee");
        assert_eq!(normalize_text("Łódź"), "łodz");
        assert_eq!(normalize_text("カタカナ"), "かたかな");
        assert_eq!(normalize_text("ΟΥΡΑΝΟΣ"), "ουρανοσ");
    }
}
