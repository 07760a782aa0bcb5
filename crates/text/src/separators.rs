//! What cuts text before any language is looked at, and what kind each cut piece is.
//!
//! The automaton takes, at every place, the longest of: built-in separators, separators added by
//! settings, dictionary words. It sees the raw text; the kind of a piece is decided later, on its
//! decomposed form, so a full-width comma is as soft as a comma.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use charabia::segmenter::DEFAULT_SEPARATOR_AHO;
use charabia::separators::{CONTEXT_SEPARATORS, DEFAULT_SEPARATORS};
use rustc_hash::FxHashSet;

use crate::normalize::normalize_stop_word;
use crate::options::TokenizerOptions;
use crate::token::{SeparatorKind, TokenKind};

static DEFAULT_SET: LazyLock<FxHashSet<Box<str>>> =
    LazyLock::new(|| DEFAULT_SEPARATORS.iter().map(|s| Box::from(*s)).collect());
static HARD_SET: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| CONTEXT_SEPARATORS.iter().copied().collect());

/// The cutting rules of one tokeniser.
#[derive(Debug)]
pub(crate) struct Cuts {
    /// `None`: the shared default.
    separators: Option<FxHashSet<Box<str>>>,
    /// `None`: the shared default.
    automaton: Option<AhoCorasick>,
    dictionary: FxHashSet<Box<str>>,
    stop_words: FxHashSet<Box<str>>,
}

impl Cuts {
    pub(crate) fn new(options: &TokenizerOptions) -> Self {
        let separators = custom_separators(options);
        let dictionary = boxed(&options.dictionary);
        let automaton = (separators.is_some() || !dictionary.is_empty()).then(|| {
            let separators = separators.as_ref().unwrap_or(&DEFAULT_SET);
            build_automaton(separators.iter().chain(&dictionary))
        });
        let stop_words = options
            .stop_words
            .iter()
            .map(|word| normalize_stop_word(word).into())
            .collect();
        Self {
            separators,
            automaton: automaton.flatten(),
            dictionary,
            stop_words,
        }
    }

    pub(crate) fn automaton(&self) -> &AhoCorasick {
        self.automaton.as_ref().unwrap_or(&DEFAULT_SEPARATOR_AHO)
    }

    pub(crate) fn separators(&self) -> &FxHashSet<Box<str>> {
        self.separators.as_ref().unwrap_or(&DEFAULT_SET)
    }

    pub(crate) fn dictionary(&self) -> &FxHashSet<Box<str>> {
        &self.dictionary
    }

    pub(crate) fn has_stop_words(&self) -> bool {
        !self.stop_words.is_empty()
    }

    /// Kind of a piece, given its text without compatibility forms and control characters but in
    /// its own case.
    pub(crate) fn kind_of(&self, decomposed: &str) -> TokenKind {
        if self.has_stop_words() && self.stop_words.contains(decomposed) {
            TokenKind::StopWord
        } else if self.separators().contains(decomposed) {
            TokenKind::Separator(separator_kind(decomposed))
        } else {
            TokenKind::Word
        }
    }

    /// True when the automaton, not a segmenter, made this piece.
    pub(crate) fn is_cut_piece(&self, raw: &str) -> bool {
        self.separators().contains(raw) || self.dictionary.contains(raw)
    }
}

fn separator_kind(separator: &str) -> SeparatorKind {
    if HARD_SET.contains(separator) {
        SeparatorKind::Hard
    } else {
        SeparatorKind::Soft
    }
}

fn custom_separators(options: &TokenizerOptions) -> Option<FxHashSet<Box<str>>> {
    if options.separator_tokens.is_empty() && options.non_separator_tokens.is_empty() {
        return None;
    }
    let mut separators = DEFAULT_SET.clone();
    separators.extend(boxed(&options.separator_tokens));
    for token in &options.non_separator_tokens {
        separators.remove(token.as_str());
    }
    Some(separators)
}

/// `None` when there is nothing to cut at, or when the patterns exceed what an automaton holds;
/// both fall back to the default separators.
fn build_automaton<'a>(patterns: impl Iterator<Item = &'a Box<str>>) -> Option<AhoCorasick> {
    let patterns: Vec<&str> = patterns.map(|pattern| &**pattern).collect();
    if patterns.is_empty() {
        return None;
    }
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(patterns)
        .ok()
}

fn boxed(strings: &[String]) -> FxHashSet<Box<str>> {
    strings
        .iter()
        .filter(|s| !s.is_empty())
        .map(|s| s.as_str().into())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn default_kind(text: &str) -> TokenKind {
        Cuts::new(&TokenizerOptions::default()).kind_of(text)
    }

    #[test]
    fn the_ascii_separators_are_those_of_the_specification() {
        let kinds = |wanted: SeparatorKind| -> String {
            (1..128u8)
                .map(char::from)
                .filter(|c| default_kind(&c.to_string()) == TokenKind::Separator(wanted))
                .collect()
        };
        assert_eq!(kinds(SeparatorKind::Hard), "!;?");
        assert_eq!(
            kinds(SeparatorKind::Soft),
            "\t\n\r \"#%&'()*+,-./:@[\\]_`{}"
        );
        assert_eq!(
            default_kind(". "),
            TokenKind::Separator(SeparatorKind::Hard)
        );
        assert_eq!(
            default_kind(", "),
            TokenKind::Separator(SeparatorKind::Hard)
        );
        assert_eq!(DEFAULT_SET.len(), 1052);
    }

    #[test]
    fn signs_that_carry_meaning_are_no_separators() {
        for sign in [
            "<", "=", ">", "|", "~", "^", "$", "€", "°", "©", "\u{a0}", "\u{2028}", "🍕",
        ] {
            assert_eq!(default_kind(sign), TokenKind::Word, "{sign}");
        }
    }

    #[test]
    fn an_added_separator_is_hard_only_if_it_is_known_as_hard() {
        let cuts = Cuts::new(&TokenizerOptions {
            separator_tokens: vec!["|".into(), "\u{b4}".into(), "<br>".into()],
            ..TokenizerOptions::default()
        });
        assert_eq!(cuts.kind_of("|"), TokenKind::Separator(SeparatorKind::Soft));
        assert_eq!(
            cuts.kind_of("\u{b4}"),
            TokenKind::Separator(SeparatorKind::Hard)
        );
        assert_eq!(
            cuts.kind_of("<br>"),
            TokenKind::Separator(SeparatorKind::Soft)
        );
    }
}
