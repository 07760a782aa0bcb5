//! Which documents a query finds: words, phrases, typos, splits, joined words.

use serde_json::json;

use super::Example;
use crate::query::Removal;

#[test]
fn words_are_dropped_from_the_end() {
    let example = Example::texts(
        json!({}),
        &["red", "red fast", "red fast car", "fast car", "car red"],
    );
    assert_eq!(example.ids("red fast car"), [3, 2, 1, 5]);
    assert_eq!(example.ids_with("red fast car", Removal::Nothing), [3]);
}

#[test]
fn frequency_drops_the_most_frequent_word_first() {
    let example = Example::texts(
        json!({}),
        &["apple pie", "apple tart", "apple juice", "cherry pie"],
    );
    assert_eq!(example.ids("apple pie"), [1, 2, 3]);
    assert_eq!(example.ids_with("apple pie", Removal::Frequency), [1, 4]);
    assert_eq!(example.ids_with("apple pie", Removal::Nothing), [1]);
    assert_eq!(example.ids("apple zzz pie"), [1, 2, 3]);
    assert_eq!(
        example.ids_with("apple zzz pie", Removal::Frequency),
        [1, 4]
    );
    assert!(
        example
            .ids_with("apple zzz pie", Removal::Nothing)
            .is_empty()
    );
    assert!(example.ids("zzz apple").is_empty());
    assert_eq!(example.ids_with("zzz apple", Removal::Frequency), [1, 2, 3]);
}

#[test]
fn only_ten_words_are_searched() {
    let example = Example::texts(json!({}), &["one two", "eleven twelve"]);
    let query = "one two three four five six seven eight nine ten eleven twelve";
    assert_eq!(example.ids(query), [1]);
}

#[test]
fn a_phrase_is_mandatory_and_ordered() {
    let texts = [
        "new york pizza",
        "york new pizza",
        "new. york pizza",
        "new pizza in new york",
        "new-york",
    ];
    let example = Example::texts(json!({}), &texts);
    assert_eq!(example.ids("\"new york\" pizza"), [1, 4, 5]);
    assert_eq!(example.ids("pizza \"new york"), [4, 1, 5]);
    assert_eq!(example.ids("\"new york\""), [5, 1, 4]);
    assert!(example.ids("-york").is_empty());
    assert!(example.ids("pizza -york").is_empty());
    assert_eq!(example.ids("- york"), [2, 1, 5, 4, 3]);
}

#[test]
fn phrase_pairs_are_checked_by_windows() {
    let example = Example::texts(json!({}), &["a b c", "a b x b c", "a b. b c. a x c"]);
    let mut found = example.ids("\"a b c\"");
    found.sort_unstable();
    assert_eq!(found, [1, 3]);
}

#[test]
fn stop_words_leave_holes_in_phrases() {
    let texts = ["state of the art", "state art", "art state", "state x art"];
    let example = Example::texts(json!({"stopWords": ["of", "the"]}), &texts);
    assert_eq!(example.ids("\"state of the art\""), [1, 2, 4, 3]);
    assert_eq!(example.ids("\"state art\""), [2]);
    assert_eq!(example.ids("state of the art "), [1, 4, 2, 3]);
    assert_eq!(example.ids("the "), [1, 2, 3, 4]);
    assert!(example.ids("the").is_empty());
}

#[test]
fn one_typo_keeps_the_first_letter_and_a_prefix_is_no_typo() {
    let texts = [
        "kitten",
        "kiten",
        "mitten",
        "kittne",
        "kitteh box",
        "kittens",
    ];
    let example = Example::texts(json!({}), &texts);
    assert_eq!(example.ids("kitten"), [1, 6, 2, 4, 5]);
    assert_eq!(example.ids("kitten "), [1, 2, 4, 5, 6]);
}

#[test]
fn a_typo_on_the_first_letter_counts_two() {
    let texts = [
        "chocolate",
        "shocolate",
        "chocolat",
        "chcolat",
        "hcocolate",
        "chocolates",
        "shocolat",
    ];
    let example = Example::texts(json!({}), &texts);
    assert_eq!(example.ids("chocolate "), [1, 3, 6, 2, 4, 5]);
    assert_eq!(example.ids("chocolate"), [1, 6, 3, 2, 4, 5]);
}

#[test]
fn splits_work_even_without_typos() {
    let delta = json!({"typoTolerance": {"enabled": false}});
    let example = Example::texts(
        delta,
        &["brown fox", "browm fox", "fox brown", "sun flower"],
    );
    assert_eq!(example.ids("brown fox"), [1, 3]);
    assert_eq!(example.ids("sunflower"), [4]);
}

#[test]
fn joined_words_are_not_cut_where_they_were_joined() {
    let texts = [
        "sun flower",
        "sunf lower",
        "sunf lower",
        "flower of the sun",
    ];
    let example = Example::texts(json!({}), &texts);
    assert_eq!(example.ids("sun flower"), [1, 4, 2, 3]);
    assert_eq!(example.ids("sunflower"), [2, 3]);
    let example = Example::texts(json!({}), &texts[..2]);
    assert_eq!(example.ids("sun flower"), [1]);
    assert_eq!(example.ids("sunflower"), [1]);
}

#[test]
fn a_listed_word_tolerates_no_typo_but_is_reached_by_others() {
    let delta = json!({"typoTolerance": {"disableOnWords": ["quick"]}});
    let example = Example::texts(delta, &["quick", "quicc", "quack"]);
    assert_eq!(example.ids("quick "), [1]);
    assert_eq!(example.ids("quack "), [3, 1]);
}

#[test]
fn typos_are_not_tolerated_in_listed_attributes() {
    let delta = json!({"typoTolerance": {"disableOnAttributes": ["sku"]}});
    let example = Example::documents(
        delta,
        &[json!({"sku": "abcdef"}), json!({"name": "abcdeg"})],
    );
    assert_eq!(example.ids("abcdeh "), [2]);
    assert_eq!(example.ids("abcdef "), [1, 2]);
    assert_eq!(example.ids("abcd"), [1, 2]);
}

#[test]
fn words_written_together_or_apart_are_found_with_typos() {
    let texts = [
        "note book",
        "notebook",
        "notebooks",
        "book note",
        "note the book",
    ];
    let example = Example::texts(json!({}), &texts);
    assert_eq!(example.ids("note book"), [1, 5, 4, 2, 3]);
    assert_eq!(example.ids("note book "), [1, 5, 4, 2]);
    assert_eq!(example.ids("notebook"), [2, 3, 1]);
    assert_eq!(example.ids("notebook "), [2, 1, 3]);
}

#[test]
fn interpretations_are_compared_rule_by_rule() {
    let texts = [
        "face book app",
        "facebook app",
        "facebook",
        "face",
        "book app",
    ];
    assert_eq!(
        Example::texts(json!({}), &texts).ids("face book app"),
        [1, 2, 3, 4]
    );
    let texts = [
        "smartphone",
        "smart phone",
        "smarthone case",
        "smartphones",
        "smart x phone",
    ];
    let example = Example::texts(json!({}), &texts);
    assert_eq!(example.ids("smart phone"), [2, 5, 1, 4, 3]);
    assert_eq!(example.ids("smartphon"), [1, 4, 3]);
    let texts = [
        "sun flower",
        "sunflower",
        "flower of the sun",
        "sun. flower",
    ];
    let example = Example::texts(json!({}), &texts);
    assert_eq!(example.ids("sun flower"), [1, 3, 4, 2]);
    assert_eq!(example.ids("sun-flower"), [1, 3, 4, 2]);
    assert_eq!(example.ids("sun. flower"), [4, 1, 3]);
}

#[test]
fn long_concatenations_lose_typos() {
    let texts = [
        "the sun flowers are pretty",
        "the sunflowers are pretty",
        "the sunflawer is tall",
        "the sunflower is tall",
    ];
    let example = Example::texts(json!({}), &texts);
    assert_eq!(
        example.ids_with("sun flower s are", Removal::Nothing),
        [1, 2]
    );
    assert_eq!(example.ids_with("sunf la wer", Removal::Nothing), [3]);
}
