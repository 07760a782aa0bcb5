//! Cuts Japanese and Korean runs into words with the Unicode segmenter.
//!
//! The dictionaries that the reference engine uses for the two languages are fetched while it is
//! built; ours come inside a crate. Words may therefore differ, see `docs/languages.md`. Documents
//! and queries are cut alike. The segmenter is made on first use: other texts do not pay for it.

use std::sync::LazyLock;

use charabia::{Language, Script, Token as Lemma};
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

static SEGMENTER: LazyLock<WordSegmenterBorrowed<'static>> =
    LazyLock::new(|| WordSegmenter::new_auto(WordBreakInvariantOptions::default()));

/// True for runs that this module cuts: Japanese by language, Korean by script.
pub(crate) fn is_east_asian(script: Script, language: Option<Language>) -> bool {
    match script {
        Script::Cj => language == Some(Language::Jpn),
        Script::Hangul => true,
        _ => false,
    }
}

/// Half-width kana stand in a block that counts as Korean; taken as Japanese they fold to
/// hiragana as full-width kana do, so that both widths meet.
pub(crate) fn with_kana_as_japanese(mut segment: Lemma<'_>) -> Lemma<'_> {
    let is_half_width_kana = |c| matches!(c, '\u{ff66}'..='\u{ff9f}');
    if segment.script == Script::Hangul && segment.lemma.chars().any(is_half_width_kana) {
        segment.script = Script::Cj;
        segment.language = Some(Language::Jpn);
    }
    segment
}

/// Calls `each` with the words of `run`, in order; together they are the whole run.
pub(crate) fn for_each_word<'o>(run: &'o str, mut each: impl FnMut(&'o str)) {
    let mut start = 0;
    for end in SEGMENTER.segment_str(run) {
        if end > start {
            each(&run[start..end]);
            start = end;
        }
    }
    if start < run.len() {
        each(&run[start..]);
    }
}
