//! Where the window of a cropped text falls.

use serval_format::{FormatOptions, Markers, MatchWords, TextFormatter};
use serval_text::Tokenizer;

const STORM: &str = "The lighthouse keeper walked down to the shore every morning before the sun came up and counted the boats that had survived the storm.";
const SPOKE: &str = "Storm clouds gathered. Nobody spoke! Would the boats return? The old keeper, who had seen worse, lit the lamp; then he waited. Morning came.";
const BOATS: &str = "boats boats boats and nothing else in the harbour but more boats";
const INVENTION: &str = "The groundbreaking invention had the power to split the world between those who embraced progress and those who resisted change!";

/// Words of a plain query: all whole words, the last one a prefix; `"..."` as one phrase.
fn query(text: &str) -> MatchWords {
    let mut words = MatchWords::default();
    let mut position = 0u16;
    let mut parts = text.split('"').enumerate().peekable();
    while let Some((index, part)) = parts.next() {
        let inside: Vec<&str> = part.split_whitespace().collect();
        let n_words = u16::try_from(inside.len()).expect("a short query");
        if index % 2 == 1 {
            words.add_sequence(inside, position..position + n_words);
        } else {
            let ends = parts.peek().is_none() && !part.ends_with(' ');
            for (place, word) in inside.iter().enumerate() {
                let id = position + u16::try_from(place).expect("a short query");
                match ends && place + 1 == inside.len() {
                    true => words.add_prefix(word, word.chars().count(), id..id + 1),
                    false => words.add_word(word, id..id + 1),
                }
            }
        }
        position += n_words;
    }
    words
}

fn format(text: &str, words: &str, crop: usize, highlight: bool) -> String {
    let tokenizer = Tokenizer::default();
    let words = query(words);
    let mut formatter = TextFormatter::new(&tokenizer, &words, Markers::default());
    let options = FormatOptions {
        highlight,
        crop: Some(crop),
    };
    formatter.format(text, &[], options).into_owned()
}

fn crop(text: &str, words: &str, length: usize) -> String {
    format(text, words, length, false)
}

#[test]
fn of_phrases_longer_than_the_window_the_beginning_of_the_first_is_shown() {
    let text = "One two three, then much else that nobody asked for, and one two three again.";
    assert_eq!(crop(text, "\"one two three\"", 2), "One two…");
    let text = "Then one two three one two three one two three.";
    assert_eq!(crop(text, "\"one two three\"", 1), "…one…");
}

#[test]
fn without_a_match_the_window_is_the_beginning() {
    assert_eq!(
        crop(
            "A quick brown fox can not jump 32 feet, right? Brr, it is cold!",
            "split",
            10
        ),
        "A quick brown fox can not jump 32 feet, right…"
    );
    assert_eq!(
        crop(
            "(A quick brown fox can not jump 32 feet, right? Brr, it is cold!)",
            "split",
            10
        ),
        "(A quick brown fox can not jump 32 feet, right…"
    );
    assert_eq!(crop(SPOKE, "", 3), "Storm clouds gathered…");
    assert_eq!(
        crop("first line\nsecond line\n\nthird line", "", 3),
        "first line\nsecond…"
    );
    assert_eq!(crop("wide    gaps   between", "", 2), "wide    gaps…");
    assert_eq!(crop("", "x", 2), "");
}

#[test]
fn the_window_grows_on_both_sides_of_the_match() {
    let natalie = "Natalie risk her future to build a world with the boy she loves.";
    assert_eq!(
        crop(natalie, "split the world", 10),
        "…future to build a world with the boy she loves…"
    );
    assert_eq!(crop(STORM, "boats", 4), "…counted the boats that…");
    assert_eq!(
        crop(STORM, "survived", 6),
        "…boats that had survived the storm…"
    );
}

#[test]
fn at_an_end_of_the_text_the_window_grows_on_the_other_side() {
    for (length, expected) in [
        (1, "…storm…"),
        (2, "…the storm…"),
        (3, "…survived the storm."),
        (4, "…had survived the storm."),
        (5, "…that had survived the storm."),
    ] {
        assert_eq!(crop(STORM, "storm", length), expected);
    }
    assert_eq!(crop(SPOKE, "storm", 1), "Storm…");
    assert_eq!(crop(SPOKE, "storm", 4), "Storm clouds gathered. Nobody…");
    assert_eq!(crop(STORM, "storm", 100), STORM);
    assert_eq!(crop(STORM, "storm", 0), STORM);
}

#[test]
fn sentence_ends_are_crossed_last() {
    let henry = "the boy she loves. Emily Henry: The Love That Split The World.";
    assert_eq!(
        crop(henry, "split the world", 10),
        "…she loves. Emily Henry: The Love That Split The World."
    );
    let love = "Natalie risk her future. Split The World is a book written by Emily Henry. I never read it.";
    assert_eq!(
        crop(love, "split the world", 10),
        "…Split The World is a book written by Emily Henry…"
    );
    assert_eq!(crop(SPOKE, "return", 3), "…the boats return…");
    assert_eq!(crop(SPOKE, "spoke", 2), "…Nobody spoke…");
    assert_eq!(crop(SPOKE, "lamp", 4), "…worse, lit the lamp…");
    assert_eq!(crop(SPOKE, "worse", 2), "…seen worse…");
}

#[test]
fn the_window_with_most_of_the_query_wins() {
    let void = format!("{}split the world void void", "void ".repeat(30));
    assert_eq!(
        crop(&void, "split the world", 10),
        "…void void void void void split the world void void"
    );
    assert_eq!(
        crop("void void split the world void void", "split the world", 2),
        "…split the…"
    );
    assert_eq!(
        crop("void void split the world void void", "split the world", 1),
        "…split…"
    );
    assert_eq!(
        crop(STORM, "lighthouse shore boats storm", 6),
        "…boats that had survived the storm…"
    );
    assert_eq!(
        crop(SPOKE, "old keeper", 5),
        "…return? The old keeper, who…"
    );
    assert_eq!(
        crop(SPOKE, "lit lamp", 6),
        "…seen worse, lit the lamp; then…"
    );
}

#[test]
fn of_equal_windows_the_first_wins_but_crowded_matches_lose() {
    assert_eq!(
        crop(STORM, "keeper storm", 4),
        "The lighthouse keeper walked…"
    );
    assert_eq!(crop(BOATS, "boats", 3), "…but more boats");
    assert_eq!(crop(BOATS, "harbour boats", 4), "…harbour but more boats");
}

#[test]
fn phrases_are_kept_together_and_marked_as_one() {
    assert_eq!(
        format(INVENTION, "\"the world\"", 10, true),
        "…the power to split <em>the world</em> between those who embraced…"
    );
    assert_eq!(
        format(INVENTION, "\"those\" \"and those\"", 10, true),
        "…world between <em>those</em> who embraced progress <em>and those</em> who resisted…"
    );
    assert_eq!(
        crop(SPOKE, "\"the old keeper\"", 4),
        "…return? The old keeper…"
    );
    assert_eq!(crop(SPOKE, "\"seen worse\"", 3), "…had seen worse…");
}

#[test]
fn a_phrase_longer_than_the_window_loses_its_end() {
    let phrase =
        "\"the groundbreaking invention had the power to split the world between those who\"";
    assert_eq!(
        format(INVENTION, phrase, 10, true),
        "<em>The groundbreaking invention had the power to split the world</em>…"
    );
}

#[test]
fn a_phrase_longer_than_the_window_may_stand_in_the_text_again() {
    let text = "a red fox, a blue fox, the red fox. Red foxes; a red fox";
    assert_eq!(format(text, "\"red fox\"", 1, true), "…<em>red</em>…");
    assert_eq!(
        format(text, "\"red fox\" blue ", 1, true),
        "…<em>blue</em>…"
    );
    assert_eq!(crop("red fox red fox", "\"red fox\"", 1), "red…");
}

#[test]
fn a_window_may_be_as_long_as_numbers_go() {
    assert_eq!(crop(BOATS, "harbour boats", usize::MAX), BOATS);
}

#[test]
fn of_a_phrase_that_the_window_cuts_through_the_rest_is_marked() {
    assert_eq!(
        format("a b a b c", "\"a b\" c ", 4, true),
        "…<em>b</em> <em>a b</em> <em>c</em>"
    );
    assert_eq!(
        format("a b a b a b", "\"a b\"", 3, true),
        "<em>a b</em> <em>a</em>…"
    );
}

#[test]
fn crop_and_highlight_go_together() {
    assert_eq!(
        format("Le Petit Prince", "prince", 2, true),
        "…Petit <em>Prince</em>"
    );
    assert_eq!(
        format(SPOKE, "storm", 5, true),
        "<em>Storm</em> clouds gathered. Nobody spoke…"
    );
    assert_eq!(
        format(STORM, "storm", 5, true),
        "…that had survived the <em>storm</em>."
    );
}

#[test]
fn words_joined_by_hyphens_and_words_of_other_scripts_count_one_by_one() {
    assert_eq!(crop("x1-y2-z3-w4", "y2", 2), "x1-y2…");
    assert_eq!(crop("x1-y2-z3-w4", "", 3), "x1-y2-z3…");
    assert_eq!(
        crop("北京 手机 小说 电影 音乐 图书", "电影", 2),
        "…小说 电影…"
    );
    assert_eq!(
        crop("first line\nsecond line\n\nthird line here", "second", 3),
        "…line\nsecond line…"
    );
    assert_eq!(
        crop("wide    gaps   between  all   words", "between", 3),
        "…gaps   between  all…"
    );
}

#[test]
fn a_final_stop_that_is_dropped_leaves_a_marker() {
    assert_eq!(crop("A boat.", "boat", 2), "A boat…");
    assert_eq!(crop("A boat.", "boat", 3), "A boat.");
    assert_eq!(crop("Storm, lamp, keeper", "storm", 2), "Storm, lamp…");
}
