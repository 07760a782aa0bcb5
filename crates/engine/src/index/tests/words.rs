//! The forward index and the vocabulary against a naive tokenisation.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use levenshtein_automata::{Distance, LevenshteinAutomatonBuilder};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use serval_text::Tokenizer;

use super::super::Snapshot;
use super::naive;
use super::{Fixture, documents_of, settings};
use crate::docset::DocId;
use crate::document::FieldId;
use crate::indexing::tokenizer_options;
use crate::query::{Occurrence, Reach, Slot};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-d]{1,2}( |, |\\. |-)[a-d]{1,2}[!. ]?[a-c]{0,3}",
        "(a|the|the the|of){1}( the| of| b){0,4}",
        Just(String::new()),
        Just("x".repeat(251) + " b"),
        "[éà東京 ]{1,4}",
    ]
}

pub(super) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => text().prop_map(Value::String),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => (-5..40_i64).prop_map(|n| json!(n)),
        1 => (-20..20_i32).prop_map(|n| json!(f64::from(n) / 4.0)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            object(inner),
        ]
    })
}

fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[abc]|a\\.b", inner, 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()))
}

/// Documents with identifiers from a small range, so that some replace others.
pub(super) fn documents() -> impl Strategy<Value = Vec<Value>> {
    proptest::collection::vec((0..12_u32, object(value())), 0..10).prop_map(|documents| {
        documents
            .into_iter()
            .map(|(id, mut document)| {
                document["id"] = json!(id);
                document
            })
            .collect()
    })
}

/// Checks every word of every document, the vocabulary and the sets behind words.
pub(super) fn check_words(snapshot: &Snapshot) -> Result<(), TestCaseError> {
    let tokenizer = Tokenizer::new(&tokenizer_options(snapshot.settings()));
    let documents = documents_of(snapshot);
    let mut holders: BTreeMap<String, Vec<DocId>> = BTreeMap::new();
    let mut words_of = BTreeMap::new();
    for (id, document) in &documents {
        let words = naive::words(document, &tokenizer);
        for (_, word) in words.values().flatten() {
            let holders = holders.entry(word.clone()).or_default();
            if holders.last() != Some(id) {
                holders.push(*id);
            }
        }
        words_of.insert(*id, words);
    }
    let vocabulary: Vec<String> = holders.keys().cloned().collect();
    prop_assert_eq!(
        snapshot.words_with_prefix("", usize::MAX),
        vocabulary.clone()
    );
    for (word, ids) in &holders {
        prop_assert!(snapshot.contains_word(word));
        prop_assert_eq!(&snapshot.word_docs(word).iter().collect::<Vec<_>>(), ids);
    }
    prop_assert!(!snapshot.contains_word("absent"));
    let prefixes = ["a", "b", "c", "é"];
    let slots: Vec<Slot> = vocabulary
        .iter()
        .map(|word| Slot::Word(word.clone()))
        .chain(prefixes.map(|prefix| Slot::Prefix(prefix.to_owned())))
        .collect();
    let mut matcher = snapshot.matcher(&slots);
    let mut found = Vec::new();
    for (id, words) in &words_of {
        let mut expected = Vec::new();
        let mut expected_lengths = Vec::new();
        for (name, words) in words {
            let field = snapshot.field_id(name).expect("every field has a number");
            expected_lengths.push((field, words.len() as u32));
            for (position, word) in words {
                let position = *position as u16;
                for (slot, wanted) in slots.iter().enumerate() {
                    let hits = match wanted {
                        Slot::Word(wanted) => word == wanted,
                        Slot::Prefix(prefix) => word.starts_with(prefix.as_str()),
                    };
                    if hits {
                        expected.push(Occurrence {
                            slot: slot as u16,
                            field,
                            position,
                        });
                    }
                }
            }
        }
        expected.sort_by_key(|hit| (hit.field, hit.position, hit.slot));
        matcher.occurrences(*id, Reach::ALL, &mut found);
        prop_assert_eq!(&found, &expected);
        for (field, length) in &expected_lengths {
            prop_assert_eq!(matcher.field_length(*id, *field, u32::MAX), *length);
        }
        prop_assert_eq!(matcher.field_length(*id, FieldId::MAX, u32::MAX), 0);
    }
    matcher.occurrences(1_000_000, Reach::ALL, &mut found);
    prop_assert!(found.is_empty());
    for prefix in prefixes {
        let with_prefix = vocabulary.iter().filter(|word| word.starts_with(prefix));
        let n = with_prefix.clone().count();
        prop_assert!(snapshot.prefix_count_at_least(prefix, n));
        prop_assert!(!snapshot.prefix_count_at_least(prefix, n + 1));
        prop_assert_eq!(
            snapshot.words_with_prefix(prefix, 2),
            with_prefix.take(2).cloned().collect::<Vec<_>>()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Words, positions, vocabulary and document sets are those of a naive tokenisation, over
    /// segments, replacements, merges and a reopening.
    #[test]
    fn words_stand_where_a_naive_tokenisation_puts_them(
        batches in proptest::collection::vec(documents(), 1..4),
        stop in any::<bool>(),
    ) {
        let fixture = Fixture::new(Some("id"));
        if stop {
            fixture.apply(json!([settings(json!({"stopWords": ["the", "of"]}))]));
        }
        for documents in &batches {
            fixture.add(documents);
        }
        check_words(&fixture.index.snapshot())?;
        fixture.index.compact().expect("the merge succeeds");
        prop_assert!(fixture.index.snapshot().n_segments() <= 1);
        check_words(&fixture.index.snapshot())?;
        check_words(&fixture.reopened().index.snapshot())?;
    }
}

#[test]
fn positions_follow_the_worked_examples() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&[json!({
        "id": 1,
        "w1": "Hello, world! Foo",
        "w2": "end.\nNext",
        "tags": ["red", null, "blue"],
        "a": {"b": ["x", "y"]},
        "c": [{"b": "x"}, {"b": "y"}],
    })]);
    let snapshot = fixture.index.snapshot();
    let position = |field: &str, word: &str| {
        let mut matcher = snapshot.matcher(&[Slot::Word(word.to_owned())]);
        let mut out = Vec::new();
        matcher.occurrences(0, Reach::ALL, &mut out);
        let field = snapshot.field_id(field);
        out.iter()
            .find(|hit| Some(hit.field) == field)
            .map(|hit| hit.position)
    };
    assert_eq!(position("w1", "world"), Some(8));
    assert_eq!(position("w1", "foo"), Some(16));
    assert_eq!(position("w2", "next"), Some(1));
    assert_eq!(position("tags", "blue"), Some(16));
    assert_eq!(position("a.b", "x"), Some(8));
    assert_eq!(position("a.b", "y"), Some(16));
    assert_eq!(position("c.b", "x"), Some(0));
    assert_eq!(position("c.b", "y"), Some(8));
}

#[test]
fn a_field_ends_at_position_65536() {
    let fixture = Fixture::new(Some("id"));
    let long: String = (0..65_540).map(|n| format!("w{n} ")).collect();
    fixture.add(&[json!({"id": 1, "t": [long, "late"], "u": "early"})]);
    let snapshot = fixture.index.snapshot();
    assert!(snapshot.contains_word("w65535"));
    assert!(!snapshot.contains_word("w65536"));
    assert!(!snapshot.contains_word("late"));
    assert!(snapshot.contains_word("early"));
}

#[test]
fn only_searchable_fields_give_words() {
    let fixture = Fixture::new(Some("id"));
    fixture.apply(json!([settings(
        json!({"searchableAttributes": ["title", "a.b"]})
    )]));
    fixture.add(&[json!({
        "id": 7, "title": "one", "text": "two", "a": {"b": "three", "c": "four"},
        "_geo": {"lat": 5, "lng": 6}, "_vectors": {"m": ["seven"]},
    })]);
    let words = fixture.index.snapshot().words_with_prefix("", 100);
    assert_eq!(words, ["one", "three"]);
}

#[test]
fn an_automaton_meets_each_word_once_with_its_distance() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&[json!({"id": 1, "t": "house mouse"})]);
    fixture.add(&[
        json!({"id": 2, "t": "house horse"}),
        json!({"id": 3, "t": "hose"}),
    ]);
    fixture.add(&[json!({"id": 3, "t": "dead"})]);
    let snapshot = fixture.index.snapshot();
    assert!(snapshot.n_segments() > 1);
    let automaton = LevenshteinAutomatonBuilder::new(1, true).build_dfa("house");
    let mut seen = Vec::new();
    snapshot.words_matching(&automaton, b"h", Some(b"i"), &mut |word, distance| {
        seen.push((word.to_owned(), distance));
        ControlFlow::Continue(())
    });
    let expected = [
        ("horse".to_owned(), Distance::Exact(1)),
        ("house".to_owned(), Distance::Exact(0)),
    ];
    assert_eq!(seen, expected);
}
