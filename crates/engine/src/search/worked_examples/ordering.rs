//! In which order the rules put documents, and the scores that come of it.

use serde_json::{Value, json};

use super::Example;
use crate::query::Removal;

#[test]
fn proximity_prefers_neighbours_in_order() {
    let texts = [
        "solar panel",
        "solar roof panel",
        "solar big roof panel",
        "solar x y z panel",
        "panel solar",
        "panel x solar",
        "panel x y solar",
        "solar. panel",
        "solar, panel",
        "solar,panel",
        "solar/panel",
    ];
    let example = Example::texts(json!({"rankingRules": ["proximity"]}), &texts);
    assert_eq!(
        example.ids("solar panel "),
        [1, 10, 11, 2, 5, 3, 6, 4, 7, 8, 9]
    );
}

#[test]
fn later_rules_only_see_the_words_an_earlier_rule_used() {
    let rules = json!({"rankingRules": ["typo", "proximity"]});
    let texts = [
        "beautigul summer. beautiful x y z summer",
        "beautiful summer",
        "beautigul sommer. beautigul x summer",
        "beautiful sommer",
    ];
    let example = Example::texts(rules.clone(), &texts);
    assert_eq!(
        example.ids_with("beautiful summer", Removal::Nothing),
        [2, 1, 4, 3]
    );
    let texts = [
        "delicitous. sweet. dessert. delicitous sweet desgert",
        "delicious. sweet desgert. delicious sweet desgert",
    ];
    let example = Example::texts(rules, &texts);
    assert_eq!(
        example.ids_with("delicious sweet dessert", Removal::Nothing),
        [2, 1]
    );
}

#[test]
fn proximity_by_attribute_only_tells_attributes_apart() {
    let documents = [
        json!({"a": "Soup of the day", "b": "many the fish"}),
        json!({"a": "Soup of day", "b": "many the lazy fish"}),
        json!({"a": "the Soup of day", "b": "many the fish"}),
    ];
    let rules = ["words", "typo", "proximity"];
    let delta = json!({"rankingRules": rules, "proximityPrecision": "byAttribute"});
    let example = Example::documents(delta, &documents);
    assert_eq!(example.ids("the soup of day"), [1, 3, 2]);
    assert_eq!(example.ids("\"the soup of day\""), [1, 3]);
    let example = Example::documents(json!({"rankingRules": rules}), &documents);
    assert_eq!(example.ids("the soup of day"), [3, 1, 2]);
}

#[test]
fn a_synonym_matches_as_a_phrase() {
    let texts = [
        "usa map",
        "united states map",
        "map of the united states",
        "states united map",
        "usa x map",
    ];
    let example = Example::texts(json!({"synonyms": {"usa": ["united states"]}}), &texts);
    assert_eq!(example.ids("usa map"), [1, 2, 5, 3]);
    let delta = json!({"synonyms": {"nyc": ["new york"], "new york": ["nyc"]}});
    let example = Example::texts(delta, &["new york", "nyc", "york new"]);
    assert_eq!(example.ids("nyc "), [2, 1]);
    assert_eq!(example.ids("new york "), [1, 3, 2]);
    let long = "united states of america";
    let delta = json!({"synonyms": {"usa": [long], (long): ["usa"]}});
    let example = Example::texts(delta, &[long, "usa"]);
    assert_eq!(example.ids("usa "), [2, 1]);
    assert_eq!(example.ids("united states of america "), [1]);
}

#[test]
fn earlier_attributes_win() {
    let documents = [
        json!({"title": "jazz guitar", "body": "lesson"}),
        json!({"title": "lesson", "body": "jazz guitar"}),
        json!({"title": "jazz", "body": "guitar lesson"}),
        json!({"title": "guitar", "body": "jazz jazz guitar"}),
    ];
    let delta = json!({"searchableAttributes": ["title", "body"]});
    let example = Example::documents(delta, &documents);
    assert_eq!(example.ids("jazz guitar"), [1, 4, 2, 3]);
    let delta = json!({
        "searchableAttributes": ["title", "body"],
        "rankingRules": ["words", "attributeRank", "wordPosition"],
    });
    let example = Example::documents(delta, &documents);
    assert_eq!(example.ids("jazz guitar"), [1, 3, 4, 2]);
}

#[test]
fn positions_are_compared_with_those_of_the_query() {
    let long = format!("{} tiger", ["x"; 20].join(" "));
    let texts = [
        "alpha x x x x x tiger",
        "tiger alpha",
        "x tiger",
        "x x tiger x",
        &long,
    ];
    let example = Example::texts(json!({"rankingRules": ["wordPosition"]}), &texts);
    assert_eq!(example.ids("tiger "), [2, 3, 4, 1, 5]);
}

#[test]
fn scores_add_up_as_specified() {
    let texts = [
        "night",
        "night shift",
        "the night",
        "nights",
        "knight",
        "nigth",
    ];
    let example = Example::texts(json!({}), &texts);
    let found = example.run("night", Removal::Last);
    let expected = [
        (1, 1.0),
        (2, 0.98485),
        (4, 0.96212),
        (3, 0.92424),
        (6, 0.46212),
    ];
    assert_eq!(found.len(), expected.len());
    for ((id, score), (expected_id, expected_score)) in found.iter().zip(expected) {
        assert_eq!(*id, expected_id);
        assert!(
            (score - expected_score).abs() < 1e-5,
            "document {id} scores {score}"
        );
    }
}

#[test]
fn exactness_prefers_whole_attributes_then_starts() {
    let texts = [
        "what a lovely view from this balcony",
        "this balcony is here",
        "this balcony",
    ];
    let example = Example::texts(json!({"rankingRules": ["exactness"]}), &texts);
    assert_eq!(example.ids("this balcony"), [3, 2, 1]);
    let documents = [
        json!({"title": "hello", "body": "world"}),
        json!({"title": "hello world"}),
        json!({"title": "say hello world"}),
        json!({"title": "hello", "body": "there is a world"}),
    ];
    let delta = json!({"searchableAttributes": ["title", "body"]});
    let example = Example::documents(delta, &documents);
    assert_eq!(example.ids("hello world"), [2, 3, 1, 4]);
    assert_eq!(example.ids("hello wor"), [2, 3, 1, 4]);
}

#[test]
fn a_whole_title_scores_by_the_words_it_shares() {
    let texts = ["Batman the dark knight returns: Part 1", "Badman", "Batman"];
    let found =
        Example::texts(json!({}), &texts).run("Badman the dark knight returns 1", Removal::Last);
    let expected = [(1, 0.97466), (2, 0.16667), (3, 0.07702)];
    for ((id, score), (expected_id, expected_score)) in found.iter().zip(expected) {
        assert_eq!(*id, expected_id);
        assert!(
            (score - expected_score).abs() < 1e-5,
            "document {id} scores {score}"
        );
    }
}

#[test]
fn interpretations_survive_only_if_a_document_needs_them() {
    let rules = json!({"rankingRules": ["words", "typo"]});
    let found =
        Example::texts(rules.clone(), &["sun flower sunflower"]).run("sun flowerr ", Removal::Last);
    assert!(
        (found[0].1 - 5.0 / 6.0).abs() < 1e-9,
        "scores {}",
        found[0].1
    );
    let found = Example::texts(rules, &["sun flower sunflower", "sunflower"])
        .run("sun flowerr ", Removal::Last);
    assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 2]);
    assert!((found[0].1 - 0.875).abs() < 1e-9 && (found[1].1 - 0.625).abs() < 1e-9);
}

#[test]
fn punctuation_ends_the_last_word() {
    let example = Example::texts(json!({}), &["app", "apple"]);
    assert_eq!(example.ids("app"), [1, 2]);
    for whole in ["app.", "\"app", "app "] {
        assert_eq!(example.ids(whole), [1]);
    }
}

#[test]
fn custom_rules_sort_a_placeholder_search() {
    let documents = [
        json!({"t": "b", "year": 2000}),
        json!({"t": "a", "year": 2000}),
        json!({"t": "a", "year": 2001}),
        json!({"t": "z"}),
    ];
    let delta = json!({"rankingRules": ["words", "year:desc", "t:asc"]});
    assert_eq!(Example::documents(delta, &documents).ids(""), [3, 2, 1, 4]);
}

#[test]
fn numbers_sort_before_texts_and_missing_values_last() {
    let values = [
        json!(0),
        json!("0"),
        json!(1),
        json!("1"),
        json!([1, 2]),
        json!([1, "2"]),
        Value::Null,
        json!([null, ""]),
        json!({"s": 0}),
        json!(true),
        json!(false),
        json!(1.5),
    ];
    let documents: Vec<Value> = values.iter().map(|value| json!({"v": value})).collect();
    let asc = Example::documents(json!({"rankingRules": ["v:asc"]}), &documents);
    assert_eq!(asc.ids(""), [1, 3, 5, 6, 12, 2, 4, 11, 10, 7, 8, 9]);
    let desc = Example::documents(json!({"rankingRules": ["v:desc"]}), &documents);
    assert_eq!(desc.ids(""), [5, 12, 3, 6, 1, 10, 11, 4, 2, 7, 8, 9]);
}

#[test]
fn items_of_an_array_are_far_apart() {
    let documents = [
        json!({"tags": ["ice cream", "cake"]}),
        json!({"tags": ["ice", "cream cake"]}),
    ];
    let example = Example::documents(json!({}), &documents);
    assert_eq!(example.ids("ice cream"), [1, 2]);
    assert_eq!(example.ids("\"ice cream\""), [1]);
}
