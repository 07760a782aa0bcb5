//! Words and positions of whole values, as the ranking rules see them.

use serval_text::{Locale, PositionCounter, Tokenizer, TokenizerOptions};

fn words_with(options: &TokenizerOptions, locales: &[Locale], text: &str) -> Vec<(String, u32)> {
    let mut counter = PositionCounter::new(0);
    let mut words = Vec::new();
    Tokenizer::new(options).tokenize(text, locales, |token| {
        if let Some(position) = counter.advance(&token) {
            words.push((token.indexed_text().to_owned(), position));
        }
    });
    words
}

/// `word@position` of every indexed word.
fn shown(options: &TokenizerOptions, text: &str) -> String {
    let words = words_with(options, &[], text);
    words
        .iter()
        .map(|(word, at)| format!("{word}@{at}"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn default_words(text: &str) -> String {
    shown(&TokenizerOptions::default(), text)
}

fn list(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

#[test]
fn sentence_marks_and_comma_with_space_part_contexts() {
    assert_eq!(default_words("Hello, world! Foo"), "hello@0 world@8 foo@16");
    assert_eq!(default_words("a, b"), "a@0 b@8");
    assert_eq!(default_words("end. Next"), "end@0 next@8");
    assert_eq!(default_words("a!? ; b"), "a@0 b@8");
}

#[test]
fn bare_dots_commas_and_line_breaks_do_not() {
    assert_eq!(default_words("a,b"), "a@0 b@1");
    assert_eq!(default_words("end.\nNext"), "end@0 next@1");
    assert_eq!(default_words("S.O.S"), "s@0 o@1 s@2");
    assert_eq!(default_words("(hello) [world]"), "hello@0 world@1");
}

#[test]
fn latin_words_lose_case_accents_and_ligatures() {
    assert_eq!(default_words("L'été d'Œdipe"), "l@0 ete@1 d@2 oedipe@3");
    assert_eq!(default_words("Ŵôřlḑ"), "world@0");
    assert_eq!(default_words("ﬁne ß ø ł"), "fine@0 ß@1 ø@2 ł@3");
    assert_eq!(
        default_words("İZMİR ığdır Đà Nẵng"),
        "izmir@0 igdir@1 da@2 nang@3"
    );
}

#[test]
fn compounds_are_cut_at_signs_but_not_at_case() {
    assert_eq!(
        default_words("snake_case camelCase kebab-case"),
        "snake@0 case@1 camelcase@2 kebab@3 case@4"
    );
    assert_eq!(default_words("a=b|c 3.14 -5"), "a=b|c@0 3@1 14@2 5@3");
}

#[test]
fn signs_can_be_made_part_of_words() {
    assert_eq!(default_words("C++ & C#"), "c@0 c@1");
    let options = TokenizerOptions {
        non_separator_tokens: list(&["#", "+"]),
        ..TokenizerOptions::default()
    };
    assert_eq!(shown(&options, "C++ & C#"), "c++@0 c#@1");
}

#[test]
fn strings_can_be_made_separators() {
    let options = TokenizerOptions {
        separator_tokens: list(&["|", "<br>", "¦"]),
        ..TokenizerOptions::default()
    };
    assert_eq!(shown(&options, "a|b<br>c¦d"), "a@0 b@1 c@2 d@3");
}

#[test]
fn stop_words_keep_their_place_and_their_case_counts() {
    let options = TokenizerOptions {
        stop_words: list(&["of", "the"]),
        ..TokenizerOptions::default()
    };
    assert_eq!(shown(&options, "state of the art"), "state@0 art@3");
    assert_eq!(
        shown(&options, "The state OF the art"),
        "the@0 state@1 of@2 art@4"
    );
}

#[test]
fn dictionary_words_stay_whole_and_cut_others() {
    let options = TokenizerOptions {
        dictionary: list(&["J. R. R.", "J.R.R.", "rust"]),
        ..TokenizerOptions::default()
    };
    assert_eq!(shown(&options, "J. R. R. Tolkien"), "j. r. r.@0 tolkien@1");
    assert_eq!(shown(&options, "J.R.R. Tolkien"), "j.r.r.@0 tolkien@1");
    assert_eq!(shown(&options, "trustworthy"), "t@0 rust@1 worthy@2");
    assert_eq!(shown(&options, "Rusty"), "rusty@0");
}

#[test]
fn compatibility_forms_of_separators_count_as_what_they_decompose_to() {
    assert_eq!(default_words("wait… what"), "wait@0 ...@1 what@2");
    assert_eq!(default_words("北，京"), "北@0 京@1");
    assert_eq!(default_words("北！京"), "北@0 京@8");
    assert_eq!(default_words("北。京"), "北@0 京@8");
}

#[test]
fn a_no_break_space_stays_inside_its_word() {
    assert_eq!(
        default_words("hello\u{a0}world \u{a0}x"),
        "hello world@0 x@1"
    );
}

#[test]
fn control_characters_vanish_and_null_is_nothing() {
    assert_eq!(default_words("a\u{1}b"), "ab@0");
    assert_eq!(default_words("a\u{0}b"), "a@0 b@1");
    assert_eq!(default_words("\u{0}! a"), "a@8");
    assert_eq!(default_words("!!! a"), "a@0");
}

#[test]
fn words_over_250_bytes_take_a_position_but_are_not_indexed() {
    let text = format!("a {} b {} c", "x".repeat(251), "y".repeat(250));
    let words = words_with(&TokenizerOptions::default(), &[], &text);
    let positions: Vec<u32> = words.iter().map(|(_, position)| *position).collect();
    assert_eq!(positions, [0, 2, 3, 4]);
}

#[test]
fn nothing_is_indexed_from_position_65536_on() {
    let words = words_with(&TokenizerOptions::default(), &[], &"w ".repeat(65_540));
    assert_eq!(words.len(), 65_536);
    assert_eq!(words.last().map(|(_, position)| *position), Some(65_535));
}

#[test]
fn the_next_value_starts_eight_after_the_last_indexed_word() {
    let tokenizer = Tokenizer::default();
    let mut starts = Vec::new();
    let mut start = 0;
    for value in ["red wine", "", "blue"] {
        let mut counter = PositionCounter::new(start);
        tokenizer.tokenize(value, &[], |token| {
            counter.advance(&token);
        });
        start = counter.next_start();
        starts.push((counter.last_indexed(), start));
    }
    assert_eq!(starts, [(Some(1), 9), (None, 17), (Some(17), 25)]);
}

#[test]
fn numbers_are_cut_at_dots_and_hyphens() {
    assert_eq!(
        default_words("12.5 -5 2024-01-02 1,000"),
        "12@0 5@1 5@2 2024@3 01@4 02@5 1@6 000@7"
    );
    assert_eq!(default_words("b2b mp3 $20 50%"), "b2b@0 mp3@1 $20@2 50@3");
}
