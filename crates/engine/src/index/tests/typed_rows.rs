//! What documents have of a text that was typed against what the listed occurrences say.

use proptest::prelude::*;

use super::super::Snapshot;
use super::Fixture;
use super::measures::{long_documents, occurrences};
use super::words::documents;
use crate::docset::DocId;
use crate::query::{Slot, TypedMatch, TypedText, TypedTextReader, bucketed};

fn naive(snapshot: &Snapshot, doc: DocId, text: &TypedText) -> TypedMatch {
    let words = text.words.iter();
    let slots: Vec<Slot> = words.map(|(word, _)| Slot::Word(word.clone())).collect();
    let seen = occurrences(snapshot, doc, &slots);
    let stands = |(slot, (_, at)): (usize, &(String, u16))| {
        let mut of_word = seen.iter().filter(|seen| usize::from(seen.slot) == slot);
        of_word.any(|seen| bucketed(seen.position) == *at)
    };
    if !text.words.iter().enumerate().all(stands) {
        return TypedMatch::Nothing;
    }
    let decides = |field: u16| {
        let deciding = text.deciding.as_ref();
        deciding.is_none_or(|mask| mask[usize::from(field)])
    };
    let has_all = |field: u16| {
        (0..slots.len()).all(|slot| {
            let mut seen = seen.iter();
            seen.any(|seen| seen.field == field && usize::from(seen.slot) == slot)
        })
    };
    let n_fields = snapshot.n_fields() as u16;
    let fields: Vec<u16> = (0..n_fields)
        .filter(|field| decides(*field) && has_all(*field))
        .collect();
    let matcher = snapshot.matcher(&slots);
    let has_length = |field: &u16| {
        let n_words = matcher.field_length(doc, *field, u32::MAX);
        Some(n_words) == text.length
    };
    match fields.is_empty() {
        true => TypedMatch::Nothing,
        false if fields.iter().any(has_length) => TypedMatch::Whole,
        false => TypedMatch::Start,
    }
}

fn check(snapshot: &Snapshot, text: &TypedText) -> Result<(), TestCaseError> {
    let mut text = text.clone();
    if let Some(mask) = &mut text.deciding {
        mask.resize(snapshot.n_fields(), true);
    }
    let mut rows = snapshot.typed_rows(&text).expect("few words");
    for doc in snapshot.documents() {
        prop_assert_eq!(
            rows.look_at(doc),
            naive(snapshot, doc, &text),
            "document {}",
            doc
        );
    }
    Ok(())
}

/// Words at places where they may stand, some of them far behind.
fn text() -> impl Strategy<Value = TypedText> {
    let place = prop_oneof![8 => 0..4_u16, 1 => 4..40_u16];
    let word = prop_oneof![4 => Just("a"), 4 => Just("b"), 2 => Just("ab"), 2 => Just("x"), 1 => Just("nowhere")];
    let words = proptest::collection::vec((word, place), 1..4);
    let length = proptest::option::weighted(0.9, 1..5_u32);
    let deciding = proptest::option::of(proptest::collection::vec(any::<bool>(), 0..4));
    (words, length, deciding).prop_map(|(words, length, deciding)| TypedText {
        words: words
            .into_iter()
            .map(|(word, at)| (word.to_owned(), bucketed(at)))
            .collect(),
        length,
        deciding,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn rows_say_of_a_text_what_occurrences_say(
        short in documents(),
        long in long_documents(),
        texts in proptest::collection::vec(text(), 1..6),
    ) {
        let fixture = Fixture::new(Some("id"));
        fixture.add(&short);
        fixture.add(&long);
        let snapshot = fixture.index.snapshot();
        for text in &texts {
            check(&snapshot, text)?;
        }
    }
}
