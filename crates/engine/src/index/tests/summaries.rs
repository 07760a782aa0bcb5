//! Summaries of documents against what the listed occurrences give.

use proptest::prelude::*;

use super::super::Snapshot;
use super::Fixture;
use super::measures::{long_documents, occurrences, slot};
use super::words::documents;
use crate::docset::DocId;
use crate::query::{Slot, Summary, SummaryReader, TypedPlace, bucketed};

fn naive(snapshot: &Snapshot, doc: DocId, slots: &[Slot], has_typed: bool) -> Summary {
    let seen = occurrences(snapshot, doc, slots);
    let mut fields: Vec<u16> = seen.iter().map(|seen| seen.field).collect();
    fields.dedup();
    let first = seen.iter().map(|seen| seen.position).min();
    let typed: Vec<_> = seen.iter().filter(|s| has_typed && s.slot == 0).collect();
    let matcher = snapshot.matcher(slots);
    let length = |field| matcher.field_length(doc, field, u32::MAX);
    let is_first = typed.iter().any(|seen| seen.position == 0);
    let is_alone = typed.iter().any(|seen| length(seen.field) == 1);
    Summary {
        fields,
        position: first.map_or(u16::MAX, bucketed),
        typed: match (is_first, is_alone) {
            (true, true) => TypedPlace::Alone,
            (true, false) => TypedPlace::First,
            (false, _) => TypedPlace::Elsewhere,
        },
    }
}

/// No document is better than what they are said to be at best, and that is what they are together.
fn check_least(
    snapshot: &Snapshot,
    (slots, has_typed): (&[Slot], bool),
    docs: &[DocId],
) -> Result<(), TestCaseError> {
    let least = snapshot.least_summary(slots, has_typed);
    let least = least.expect("every segment says");
    let all: Vec<_> = docs
        .iter()
        .map(|doc| naive(snapshot, *doc, slots, has_typed))
        .collect();
    let mut fields: Vec<u16> = all.iter().flat_map(|one| one.fields.clone()).collect();
    fields.sort_unstable();
    fields.dedup();
    let position = all.iter().map(|one| one.position).min();
    let typed = all.iter().map(|one| one.typed as u8).min();
    let is_dead = snapshot.has_dead_documents();
    if is_dead {
        prop_assert!(fields.iter().all(|field| least.fields.contains(field)));
    } else {
        prop_assert_eq!(&least.fields, &fields);
        // Far positions are not told apart, and a word without others counts as the first one.
        let position = position.map(|position| position.min(bucketed(16)));
        let own = least.position.min(bucketed(16));
        prop_assert!(own == 0 || Some(own) == position);
    }
    prop_assert!(Some(least.position) <= position);
    prop_assert!(Some(least.typed as u8) <= typed);
    Ok(())
}

fn check(snapshot: &Snapshot, slots: &[Slot], has_typed: bool) -> Result<(), TestCaseError> {
    let known = [Summary {
        fields: vec![0, 1],
        position: 0,
        typed: TypedPlace::Elsewhere,
    }];
    let mut reader = Box::new(snapshot.summary_reader(slots, has_typed, &known));
    // And one that does not live.
    let docs: Vec<DocId> = snapshot.documents().iter().chain([4000]).collect();
    let codes: Vec<_> = docs.iter().map(|doc| reader.code(*doc)).collect();
    let kinds = reader.into_kinds();
    prop_assert_eq!(&kinds[..1], &known);
    check_least(snapshot, (slots, has_typed), &docs)?;
    for (doc, code) in docs.iter().zip(codes) {
        let code = usize::from(code.expect("few differ"));
        let expected = naive(snapshot, *doc, slots, has_typed);
        prop_assert_eq!(&kinds[code], &expected, "document {}", doc);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Attributes, first positions and places as typed are those of all occurrences, over segments.
    #[test]
    fn summaries_are_those_of_the_occurrences(
        batches in proptest::collection::vec(documents(), 1..3),
        slots in proptest::collection::vec(slot(), 1..9),
        has_typed in any::<bool>(),
    ) {
        let fixture = Fixture::new(Some("id"));
        for documents in &batches {
            fixture.add(documents);
        }
        let has_typed = has_typed && matches!(slots[0], Slot::Word(_));
        check(&fixture.index.snapshot(), &slots, has_typed)?;
    }

    /// So they are in texts of hundreds of words.
    #[test]
    fn summaries_of_long_texts_are_those_of_the_occurrences(
        documents in long_documents(),
        slots in proptest::collection::vec(slot(), 1..9),
        has_typed in any::<bool>(),
    ) {
        let fixture = Fixture::new(Some("id"));
        fixture.add(&documents);
        let has_typed = has_typed && matches!(slots[0], Slot::Word(_));
        check(&fixture.index.snapshot(), &slots, has_typed)?;
    }
}
