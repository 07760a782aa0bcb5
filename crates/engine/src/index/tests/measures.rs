//! Measures of documents against what the listed occurrences give.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::Snapshot;
use super::Fixture;
use super::words::documents;
use crate::docset::DocId;
use crate::query::{
    FAR, MeasurePlan, MeasuredPair, MeasuredTerm, Measurer, NOWHERE, Occurrence, Reach, Slot,
    bucketed,
};

/// Long texts of few words, with sentences that end.
fn long_text() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        20 => Just("x "), 3 => Just("a "), 3 => Just("ab "), 3 => Just("b "), 1 => Just("the "),
        1 => Just("x. "),
    ];
    proptest::collection::vec(word, 0..300).prop_map(|words| Value::String(words.concat()))
}

pub(super) fn long_documents() -> impl Strategy<Value = Vec<Value>> {
    let document = (long_text(), long_text()).prop_map(|(a, b)| json!({"a": a, "b": b}));
    proptest::collection::vec(document, 1..4).prop_map(|mut documents| {
        for (id, document) in documents.iter_mut().enumerate() {
            document["id"] = json!(id);
        }
        documents
    })
}

pub(super) fn slot() -> impl Strategy<Value = Slot> {
    let word = prop_oneof![
        Just("a"),
        Just("b"),
        Just("ab"),
        Just("the"),
        Just("nowhere")
    ];
    (word, any::<bool>()).prop_map(|(word, is_prefix)| {
        let word = word.to_owned();
        if is_prefix {
            Slot::Prefix(word)
        } else {
            Slot::Word(word)
        }
    })
}

fn term() -> impl Strategy<Value = MeasuredTerm> {
    let slots = || proptest::collection::vec(slot(), 0..9);
    (slots(), proptest::collection::vec(slot(), 0..2), 0..20_u16).prop_map(
        |(slots, one_way, wanted)| MeasuredTerm {
            slots,
            one_way,
            wanted,
        },
    )
}

pub(super) fn occurrences(snapshot: &Snapshot, doc: DocId, slots: &[Slot]) -> Vec<Occurrence> {
    let mut out = Vec::new();
    snapshot
        .matcher(slots)
        .occurrences(doc, Reach::ALL, &mut out);
    out
}

/// Each place of a term, and whether it is near one way only.
fn places(snapshot: &Snapshot, doc: DocId, term: &MeasuredTerm) -> Vec<(Occurrence, bool)> {
    let of = |slots, is_one_way| {
        let seen = occurrences(snapshot, doc, slots).into_iter();
        seen.map(move |seen| (seen, is_one_way))
    };
    of(&term.slots, false)
        .chain(of(&term.one_way, true))
        .collect()
}

fn naive_cost(a: &[(Occurrence, bool)], b: &[(Occurrence, bool)]) -> u16 {
    let mut least = FAR;
    for (first, first_one_way) in a {
        for (second, second_one_way) in b {
            if first.field != second.field {
                continue;
            }
            let cost = if second.position > first.position {
                second.position - first.position - 1
            } else if *first_one_way || *second_one_way || first.position == second.position {
                FAR
            } else {
                first.position - second.position
            };
            least = least.min(cost);
        }
    }
    least
}

fn check(snapshot: &Snapshot, terms: &[MeasuredTerm]) -> Result<(), TestCaseError> {
    let weights: Vec<u16> = (0..snapshot.n_fields())
        .map(|field| {
            if field == 1 {
                NOWHERE
            } else {
                500 - field as u16
            }
        })
        .collect();
    let pairs = (0..terms.len()).flat_map(|first| {
        (0..terms.len()).map(move |second| MeasuredPair {
            first,
            second,
            enough: 0,
        })
    });
    let plan = MeasurePlan {
        terms: terms.to_vec(),
        pairs: pairs.collect(),
        weights: Some(weights.clone()),
        n_docs: snapshot.documents().len(),
    };
    let (pairs, mut out) = (plan.pairs.clone(), vec![7; plan.width()]);
    let first_cost = plan.pair_at(0);
    let mut measurer = snapshot.measurer(plan);
    // The second time, measures are remembered.
    for doc in snapshot.documents().iter().chain(snapshot.documents()) {
        measurer.measure(doc, &mut out);
        let places: Vec<_> = terms.iter().map(|t| places(snapshot, doc, t)).collect();
        for (at, (term, places)) in terms.iter().zip(&places).enumerate() {
            let weight = places
                .iter()
                .map(|(o, _)| weights[usize::from(o.field)])
                .min();
            prop_assert_eq!(out[2 * at], weight.unwrap_or(NOWHERE));
            let distances = places
                .iter()
                .map(|(o, _)| bucketed(o.position).abs_diff(term.wanted));
            prop_assert_eq!(out[2 * at + 1], distances.min().unwrap_or(NOWHERE));
        }
        for (at, pair) in pairs.iter().enumerate() {
            let cost = naive_cost(&places[pair.first], &places[pair.second]);
            prop_assert_eq!(out[first_cost + at], cost, "{:?} of document {}", pair, doc);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Weights, distances and costs of pairs are those of all occurrences, over segments.
    #[test]
    fn measures_are_those_of_the_occurrences(
        batches in proptest::collection::vec(documents(), 1..3),
        terms in proptest::collection::vec(term(), 1..4),
    ) {
        let fixture = Fixture::new(Some("id"));
        for documents in &batches {
            fixture.add(documents);
        }
        check(&fixture.index.snapshot(), &terms)?;
    }

    /// So they are in texts of hundreds of words, where parts of 64 meet.
    #[test]
    fn measures_of_long_texts_are_those_of_the_occurrences(
        documents in long_documents(),
        terms in proptest::collection::vec(term(), 1..4),
    ) {
        let fixture = Fixture::new(Some("id"));
        fixture.add(&documents);
        check(&fixture.index.snapshot(), &terms)?;
    }
}
