//! What is marked in one text, and never-lose-text properties of all formatting.

use proptest::prelude::*;
use serval_format::{FormatOptions, Markers, MatchSpan, MatchWords, TextFormatter};
use serval_text::{Tokenizer, TokenizerOptions};

const MARK: FormatOptions = FormatOptions {
    highlight: true,
    crop: None,
};

fn mark(words: &MatchWords, text: &str) -> String {
    let tokenizer = Tokenizer::default();
    TextFormatter::new(&tokenizer, words, Markers::default())
        .format(text, &[], MARK)
        .into_owned()
}

fn prefix(word: &str) -> MatchWords {
    let mut words = MatchWords::default();
    words.add_prefix(word, word.chars().count(), 0..1);
    words
}

#[test]
fn a_prefix_marks_what_was_typed_in_characters_of_the_document() {
    assert_eq!(mark(&prefix("westfali"), "Westfália"), "<em>Westfáli</em>a");
    assert_eq!(mark(&prefix("world"), "Ŵôřlḑôle"), "<em>Ŵôřlḑ</em>ôle");
    assert_eq!(
        mark(&prefix("oeuv"), "œuvre complète"),
        "<em>œuv</em>re complète"
    );
    assert_eq!(
        mark(&prefix("cafe"), "cafe\u{301} noir"),
        "<em>cafe</em>\u{301} noir"
    );
    assert_eq!(
        mark(&prefix("angst"), "Ångström unit"),
        "<em>Ångst</em>röm unit"
    );
    assert_eq!(mark(&prefix("השמש"), "הַשֶּׁמֶשׁ זוֹרַחַת"), "<em>הַשֶּׁמֶש</em>ׁ זוֹרַחַת");
}

#[test]
fn kana_and_hangul_are_marked_whole_whatever_their_normal_form() {
    let tokenizer = Tokenizer::default();
    for text in ["ラーメン", "ﾗｰﾒﾝ", "부산"] {
        let normal = tokenizer.tokens(text, &[])[0].text.clone();
        assert_eq!(mark(&prefix(&normal), text), format!("<em>{text}</em>"));
    }
}

#[test]
fn all_occurrences_in_all_cases_are_marked_and_nothing_is_escaped() {
    assert_eq!(
        mark(
            &prefix("winter"),
            "<b> WINTER's winterless winter-hardy & co"
        ),
        "<b> <em>WINTER</em>'s <em>winter</em>less <em>winter</em>-hardy & co"
    );
}

#[test]
fn a_typo_of_the_last_word_marks_at_most_as_much_as_was_typed() {
    let mut words = MatchWords::default();
    words.add_prefix("bluebirds", 9, 0..1);
    words.add_prefix("ubermut", 8, 0..1);
    assert_eq!(
        mark(&words, "bluebirds Übermut"),
        "<em>bluebirds</em> <em>Übermut</em>"
    );
}

#[test]
fn whole_words_come_before_prefixes() {
    let mut words = MatchWords::default();
    words.add_prefix("big", 3, 1..2);
    words.add_word("bigger", 0..1);
    assert_eq!(
        mark(&words, "bigger biggest"),
        "<em>bigger</em> <em>big</em>gest"
    );
}

#[test]
fn adjacent_words_are_marked_one_by_one() {
    let mut words = MatchWords::default();
    words.add_word("blue", 0..1);
    words.add_prefix("bird", 4, 1..2);
    words.add_prefix("bluebird", 8, 0..2);
    assert_eq!(
        mark(&words, "Blue bird; bluebirds"),
        "<em>Blue</em> <em>bird</em>; <em>bluebird</em>s"
    );
    assert_eq!(
        mark(&prefix("て\u{3099}"), "で で"),
        "<em>で</em> <em>で</em>"
    );
}

#[test]
fn a_sequence_is_one_mark_with_what_stands_inside() {
    let mut words = MatchWords::default();
    words.add_sequence(["isn", "t", "he"], 0..3);
    words.add_sequence(["winter", "wheat"], 3..5);
    words.add_sequence(["town"], 5..6);
    assert_eq!(
        mark(&words, "isn'_t he, town"),
        "<em>isn'_t he</em>, <em>town</em>"
    );
    assert_eq!(mark(&words, "Winter wheat"), "<em>Winter wheat</em>");
    assert_eq!(
        mark(&words, "winter is not wheat; wheat winter"),
        "winter is not wheat; wheat winter"
    );
}

#[test]
fn a_sequence_that_breaks_off_leaves_its_words_to_others() {
    let mut words = MatchWords::default();
    words.add_sequence(["a", "b", "c"], 0..3);
    words.add_word("b", 3..4);
    assert_eq!(
        mark(&words, "a b x a b c b"),
        "a <em>b</em> x <em>a b c</em> <em>b</em>"
    );
}

#[test]
fn separators_of_the_index_decide_where_words_end() {
    let tokenizer = Tokenizer::new(&TokenizerOptions {
        non_separator_tokens: vec!["#".to_owned()],
        dictionary: vec!["J. R. R.".to_owned()],
        ..TokenizerOptions::default()
    });
    let mut words = MatchWords::default();
    words.add_word("c#", 0..1);
    words.add_word("j. r. r.", 1..2);
    let mut formatter = TextFormatter::new(&tokenizer, &words, Markers::default());
    assert_eq!(
        formatter.format("C# by J. R. R. Tolkien", &[], MARK),
        "<em>C#</em> by <em>J. R. R.</em> Tolkien"
    );
}

#[test]
fn markers_may_be_anything_even_empty() {
    let tokenizer = Tokenizer::default();
    let words = prefix("winter");
    let markers = Markers {
        pre_tag: "[",
        post_tag: "",
        crop: "",
    };
    let mut formatter = TextFormatter::new(&tokenizer, &words, markers);
    assert_eq!(formatter.format("Winter wheat", &[], MARK), "[Winter wheat");
    let cropped = FormatOptions {
        highlight: false,
        crop: Some(1),
    };
    assert_eq!(formatter.format("in Winter wheat", &[], cropped), "Winter");
}

#[test]
fn markers_are_left_out_before_they_take_more_memory_than_there_is() {
    let tokenizer = Tokenizer::default();
    let words = prefix("winter");
    let tag = "x".repeat(1 << 20);
    let markers = Markers {
        pre_tag: &tag,
        post_tag: "",
        crop: "",
    };
    let mut formatter = TextFormatter::new(&tokenizer, &words, markers);
    let text = "winter ".repeat(63);
    let marked = formatter.format(&text, &[], MARK).len();
    assert_eq!(marked, 63 * tag.len() + text.len());
    assert!(!formatter.is_full());
    let text = "winter ".repeat(100_000);
    let marked = formatter.format(&text, &[], MARK).len();
    assert_eq!(marked, tag.len() + text.len());
    assert!(formatter.is_full());
}

#[test]
fn match_spans_are_bytes_of_the_original() {
    let tokenizer = Tokenizer::default();
    let mut words = MatchWords::default();
    words.add_word("blue", 0..1);
    words.add_prefix("bir", 3, 1..2);
    words.add_prefix("brulee", 6, 2..3);
    let mut formatter = TextFormatter::new(&tokenizer, &words, Markers::default());
    let mut spans = |text: &str| -> Vec<(usize, usize)> {
        let spans = formatter.match_spans(text, &[]);
        spans
            .iter()
            .map(
                |MatchSpan {
                     byte_start,
                     byte_len,
                 }| (*byte_start, *byte_len),
            )
            .collect()
    };
    assert_eq!(spans("naïve blue 🐦 bird"), [(7, 4), (17, 3)]);
    assert_eq!(spans("crème brûlée"), [(7, 8)]);
    assert_eq!(spans("nothing"), []);
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "(the|world|split|a|b|ab|été|Œuvre|北京|大学|で)",
        3 => "[ ,.!?;'-]{1,2}",
        1 => "\\PC{0,4}",
    ];
    proptest::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}

fn queries() -> impl Strategy<Value = MatchWords> {
    let word = "(the|world|split|a|b|ab|ete|oeuvre|北京|大學|て)";
    let words = proptest::collection::vec(word, 1..4);
    proptest::collection::vec((0..3u8, words, 1..6usize), 0..5).prop_map(|entries| {
        let mut query = MatchWords::default();
        for (id, (kind, words, marked)) in (0u16..).zip(entries) {
            match kind {
                0 => query.add_word(&words[0], id..id + 1),
                1 => query.add_prefix(&words[0], marked, id..id + 1),
                _ => query.add_sequence(words.iter().map(String::as_str), id..id + 2),
            }
        }
        query
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Without its tags and markers a formatted text is a piece of the original.
    #[test]
    fn formatting_only_inserts_markers(
        text in texts(),
        query in queries(),
        crop in proptest::option::of(0..12usize),
        highlight in any::<bool>(),
    ) {
        let tokenizer = Tokenizer::default();
        let markers = Markers { pre_tag: "\u{e000}", post_tag: "\u{e001}", crop: "\u{e002}" };
        let mut formatter = TextFormatter::new(&tokenizer, &query, markers);
        let formatted = formatter.format(&text, &[], FormatOptions { highlight, crop }).into_owned();

        let bare = formatted.replace(['\u{e000}', '\u{e001}', '\u{e002}'], "");
        prop_assert!(text.contains(&bare), "{:?} of {:?}", formatted, text);
        if crop.unwrap_or(0) == 0 {
            prop_assert_eq!(&bare, &text);
        }
        let opened = formatted.matches('\u{e000}').count();
        prop_assert_eq!(opened, formatted.matches('\u{e001}').count());
        prop_assert!(highlight || opened == 0);
    }

    /// A window holds no more words than asked for, and as many as there are.
    #[test]
    fn a_window_has_the_asked_number_of_words(
        text in "((the|world|split|a|b|ab)[ ,.!?;'-]{1,2}){0,20}",
        query in queries(),
        crop in 1..12usize,
    ) {
        let tokenizer = Tokenizer::default();
        let markers = Markers { pre_tag: "", post_tag: "", crop: "" };
        let mut formatter = TextFormatter::new(&tokenizer, &query, markers);
        let options = FormatOptions { highlight: false, crop: Some(crop) };
        let window = formatter.format(&text, &[], options).into_owned();
        let words = |text: &str| {
            tokenizer.tokens(text, &[]).iter().filter(|token| token.is_word_like()).count()
        };
        prop_assert_eq!(words(&window), words(&text).min(crop), "{:?} of {:?}", window, text);
    }

    /// Spans are in order, do not overlap, and are what highlighting marks.
    #[test]
    fn spans_are_what_is_marked(text in texts(), query in queries()) {
        let tokenizer = Tokenizer::default();
        let markers = Markers { pre_tag: "\u{e000}", post_tag: "\u{e001}", crop: "" };
        let mut formatter = TextFormatter::new(&tokenizer, &query, markers);
        let mut rebuilt = String::new();
        let mut at = 0;
        for span in formatter.match_spans(&text, &[]) {
            prop_assert!(span.byte_start >= at);
            let end = span.byte_start + span.byte_len;
            rebuilt.push_str(&text[at..span.byte_start]);
            rebuilt.push('\u{e000}');
            rebuilt.push_str(&text[span.byte_start..end]);
            rebuilt.push('\u{e001}');
            at = end;
        }
        rebuilt.push_str(&text[at..]);
        prop_assert_eq!(formatter.format(&text, &[], MARK).into_owned(), rebuilt);
    }
}
