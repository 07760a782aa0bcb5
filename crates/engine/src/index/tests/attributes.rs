//! Attribute columns against a naive evaluation.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::{FacetCounts, Snapshot, SortValue};
use super::naive::{self, Values};
use super::words::documents;
use super::{Fixture, documents_of, settings};
use crate::docset::{DocId, DocSet};
use crate::geometry::{Bounds, Position, distance, least_distance, most_distance};
use crate::index::Coverage;
use crate::query::PlacedDoc;
use crate::settings::FacetOrder;

/// Checks one field of every document against its naive values.
fn check_field(
    snapshot: &Snapshot,
    name: &str,
    values: &BTreeMap<DocId, Values>,
) -> Result<(), TestCaseError> {
    let field = snapshot.field_id(name).expect("a field that was seen");
    let Some(view) = snapshot.attribute(field) else {
        prop_assert!(values.is_empty());
        return Ok(());
    };
    let docs = |accepts: &dyn Fn(&Values) -> bool| -> DocSet {
        values
            .iter()
            .filter(|(_, values)| accepts(values))
            .map(|(id, _)| *id)
            .collect()
    };
    prop_assert_eq!(view.exists(), docs(&|_| true));
    prop_assert_eq!(view.null(), docs(&|values| values.is_null));
    prop_assert_eq!(view.empty(), docs(&|values| values.is_empty));
    let numbers: Vec<f64> = values.values().flat_map(|v| v.numbers.clone()).collect();
    for number in numbers.iter().copied().chain([0.1]) {
        prop_assert_eq!(
            view.equal_number(number),
            docs(&|v| v.numbers.contains(&number))
        );
        let above = view.number_range((Bound::Excluded(number), Bound::Unbounded));
        prop_assert_eq!(above, docs(&|v| v.numbers.iter().any(|n| *n > number)));
        let below = view.number_range((Bound::Unbounded, Bound::Included(number)));
        prop_assert_eq!(below, docs(&|v| v.numbers.iter().any(|n| *n <= number)));
    }
    let strings: BTreeSet<&String> = values.values().flat_map(|v| &v.strings).collect();
    for string in &strings {
        let string = string.as_str();
        prop_assert_eq!(
            view.equal_string(string),
            docs(&|v| v.strings.contains(string))
        );
        let from = view.holders_of(|ranges| {
            view.add_strings((Bound::Included(string), Bound::Unbounded), ranges)
        });
        prop_assert_eq!(
            from,
            docs(&|v| v.strings.iter().any(|s| s.as_str() >= string))
        );
        let first: String = string.chars().take(1).collect();
        let prefixed = view.holders_of(|ranges| view.add_prefix(&first, ranges));
        prop_assert_eq!(
            prefixed,
            docs(&|v| v.strings.iter().any(|s| s.starts_with(&first)))
        );
        let containing = view.string_contains(&first);
        prop_assert_eq!(
            containing,
            docs(&|v| v.strings.iter().any(|s| s.contains(&first)))
        );
    }
    check_documents(&view, values)?;
    check_order(&view, values)?;
    check_counts(&view, values)
}

fn check_documents(
    view: &super::super::AttributeView,
    values: &BTreeMap<DocId, Values>,
) -> Result<(), TestCaseError> {
    for (id, values) in values {
        let mut found = Values {
            is_null: values.is_null,
            is_empty: values.is_empty,
            ..Values::default()
        };
        view.for_each_value(*id, |value, _| match value {
            SortValue::Number(number) => found.numbers.push(number),
            SortValue::String(string) => {
                found.strings.insert(string.to_owned());
            }
        });
        prop_assert_eq!(&found, values);
        let least = values.numbers.first().map(|n| SortValue::Number(*n));
        let least = least.or(values.strings.first().map(|s| SortValue::String(s)));
        prop_assert_eq!(view.sort_value(*id, false), least);
        let most = values.numbers.last().map(|n| SortValue::Number(*n));
        let most = most.or(values.strings.last().map(|s| SortValue::String(s)));
        prop_assert_eq!(view.sort_value(*id, true), most);
    }
    Ok(())
}

fn check_counts(
    view: &super::super::AttributeView,
    values: &BTreeMap<DocId, Values>,
) -> Result<(), TestCaseError> {
    let few = values.keys().copied().filter(|id| id % 3 == 1).collect();
    let most = values.keys().copied().filter(|id| id % 3 != 1).collect();
    for candidates in [&few, &most, view.snapshot.documents()] {
        check_counts_among(view, candidates)?;
    }
    Ok(())
}

fn check_counts_among(
    view: &super::super::AttributeView,
    candidates: &DocSet,
) -> Result<(), TestCaseError> {
    let counts = view.counts(candidates);
    for (number, count) in &counts.numbers {
        let holders = view.equal_number(*number);
        prop_assert_eq!(*count, holders.and_len(candidates) as u64);
    }
    for string in &counts.strings {
        let holders = view.equal_string(&string.normalized).and(candidates);
        prop_assert_eq!(string.count, holders.len() as u64);
        let mut spelling = String::new();
        view.for_each_value(holders.first().expect("counted"), |value, original| {
            if value == SortValue::String(&string.normalized) {
                original.clone_into(&mut spelling);
            }
        });
        prop_assert_eq!(&string.original, &spelling);
    }
    let (mut walk, mut docs, mut n_present) = (view.walk(false), Vec::new(), 0);
    while walk.next(view, &mut docs).is_some() {
        n_present += usize::from(docs.iter().any(|doc| candidates.contains(*doc)));
    }
    prop_assert_eq!(counts.numbers.len() + counts.strings.len(), n_present);
    check_limited_counts(view, candidates, &counts)
}

/// The counts of the first and of the most frequent values are a part of all counts.
fn check_limited_counts(
    view: &super::super::AttributeView,
    candidates: &DocSet,
    all: &FacetCounts,
) -> Result<(), TestCaseError> {
    for limit in [1, 2, 5] {
        let walked = view.walked_counts(candidates, limit, usize::MAX);
        let walked = walked.expect("nothing limits the walk");
        let n_numbers = all.numbers.len().min(limit);
        prop_assert_eq!(&walked.numbers, &all.numbers[..n_numbers]);
        let n_strings = all.strings.len().min(limit - n_numbers);
        prop_assert_eq!(&walked.strings, &all.strings[..n_strings]);
        prop_assert_eq!(walked.extremes, all.extremes);
        let counted = view.snapshot.counted_docs(candidates);
        let first = view.first_counts(&counted, limit);
        prop_assert_eq!(&first.numbers[..n_numbers], &all.numbers[..n_numbers]);
        prop_assert_eq!(&first.strings[..n_strings], &all.strings[..n_strings]);
        prop_assert_eq!(first.extremes, all.extremes);
        let best = view.best_counts(&counted, FacetOrder::Count, limit);
        prop_assert_eq!(&best.numbers, &all.numbers);
        let mut by_count = all.strings.clone();
        by_count.sort_by(|a, b| (b.count, &b.normalized).cmp(&(a.count, &a.normalized)));
        by_count.truncate(limit);
        by_count.sort_by(|a, b| a.normalized.cmp(&b.normalized));
        prop_assert_eq!(&best.strings, &by_count);
    }
    Ok(())
}

fn check_order(
    view: &super::super::AttributeView,
    values: &BTreeMap<DocId, Values>,
) -> Result<(), TestCaseError> {
    let mut numbers: Vec<f64> = values.values().flat_map(|v| v.numbers.clone()).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let mut strings: Vec<&str> = values
        .values()
        .flat_map(|v| v.strings.iter().map(String::as_str))
        .collect();
    strings.sort_unstable();
    strings.dedup();
    for descending in [false, true] {
        let (mut seen_numbers, mut seen_strings) = (Vec::new(), Vec::new());
        let (mut walk, mut docs) = (view.walk(descending), Vec::new());
        while let Some(value) = walk.next(view, &mut docs) {
            let docs: DocSet = docs.iter().copied().collect();
            match value {
                // Values of dead documents alone are there until a merge.
                _ if docs.is_empty() => {}
                SortValue::Number(number) => {
                    prop_assert_eq!(docs, view.equal_number(number));
                    prop_assert!(seen_strings.is_empty(), "numbers come first");
                    seen_numbers.push(number);
                }
                SortValue::String(string) => {
                    prop_assert_eq!(docs, view.equal_string(string));
                    seen_strings.push(string);
                }
            }
        }
        prop_assert_eq!(&seen_numbers, &numbers);
        prop_assert_eq!(&seen_strings, &strings);
        numbers.reverse();
        strings.reverse();
    }
    Ok(())
}

/// Checks all fields.
pub(super) fn check_attributes(snapshot: &Snapshot) -> Result<(), TestCaseError> {
    let mut fields: BTreeMap<String, BTreeMap<DocId, Values>> = BTreeMap::new();
    for (id, document) in documents_of(snapshot) {
        for (name, values) in naive::values(&document) {
            fields.entry(name).or_default().insert(id, values);
        }
    }
    for (name, values) in &fields {
        check_field(snapshot, name, values)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Columns answer like a naive evaluation, over segments, replacements, merges, a reopening,
    /// and a rebuild that adds them to documents that were there.
    #[test]
    fn columns_answer_like_a_naive_evaluation(
        batches in proptest::collection::vec(documents(), 1..4),
        is_late in any::<bool>(),
    ) {
        let fixture = Fixture::new(Some("id"));
        let all = settings(json!({"filterableAttributes": [{"attributePatterns": ["*"]}]}));
        if !is_late {
            fixture.apply(json!([all]));
        }
        for documents in &batches {
            fixture.add(documents);
        }
        if is_late {
            fixture.apply(json!([all]));
        }
        check_attributes(&fixture.index.snapshot())?;
        fixture.index.compact().expect("the merge succeeds");
        check_attributes(&fixture.index.snapshot())?;
        check_attributes(&fixture.reopened().index.snapshot())?;
    }
}

#[test]
fn the_spelling_shown_is_that_of_the_lowest_candidate() {
    let fixture = Fixture::new(Some("id"));
    fixture.apply(json!([settings(json!({"filterableAttributes": ["g"]}))]));
    fixture.add(&[
        json!({"id": 1, "g": "DRAMA"}),
        json!({"id": 2, "g": ["Drama", "drama"]}),
    ]);
    fixture.add(&[json!({"id": 3, "g": "drama"})]);
    let snapshot = fixture.index.snapshot();
    let view = snapshot
        .attribute(snapshot.field_id("g").expect("seen"))
        .expect("faceted");
    let shown = |ids: &[DocId]| {
        let counts = view.counts(&ids.iter().copied().collect());
        counts
            .strings
            .into_iter()
            .map(|c| (c.original, c.count))
            .collect::<Vec<_>>()
    };
    assert_eq!(shown(&[0, 1, 2]), [("DRAMA".to_owned(), 3)]);
    assert_eq!(shown(&[1, 2]), [("Drama".to_owned(), 2)]);
    assert_eq!(shown(&[2]), [("drama".to_owned(), 1)]);
}

#[test]
fn coordinates_are_kept_when_geo_is_faceted() {
    let fixture = Fixture::new(Some("id"));
    fixture.apply(json!([settings(json!({"sortableAttributes": ["_geo"]}))]));
    fixture.add(&[
        json!({"id": 1, "_geo": {"lat": "1.5", "lng": -2}}),
        json!({"id": 2}),
        json!({"id": 3, "_geo": null}),
        json!({"id": 4, "_geo": {"lng": 3, "lat": 4}}),
    ]);
    fixture.add(&[json!({"id": 1})]);
    fixture.index.compact().expect("the merge succeeds");
    let snapshot = fixture.index.snapshot();
    assert_eq!(
        (0..4).map(|id| snapshot.geo(id)).collect::<Vec<_>>(),
        [None, None, None, Some([4.0, 3.0])]
    );
    let mut points = Vec::new();
    snapshot.for_each_geo(|id, point| points.push((id, point)));
    assert_eq!(points, [(3, [4.0, 3.0])]);
}

fn points() -> impl Strategy<Value = Vec<Value>> {
    let point = prop_oneof![
        (-90.0..90.0_f64, -180.0..180.0_f64),
        (40.0..40.9_f64, 2.0..2.9_f64),
        // Latitudes beyond the poles are taken as they come.
        (-400.0..400.0_f64, -400.0..400.0_f64),
        Just((0.0, 180.0)),
    ];
    let document = prop_oneof![
        8 => point.prop_map(|(lat, lng)| json!({"lat": lat, "lng": lng})),
        1 => Just(Value::Null),
    ];
    proptest::collection::vec(document, 1..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// A walk by distance finds the wanted documents in the order of a full sort, and a circle those
    /// within it.
    #[test]
    fn distances_are_walked_in_order(
        batches in proptest::collection::vec(points(), 1..3),
        target in (-90.0..90.0_f64, -180.0..180.0_f64),
    ) {
        let fixture = Fixture::new(Some("id"));
        fixture.apply(json!([settings(json!({"sortableAttributes": ["_geo"]}))]));
        for (nth, batch) in batches.iter().enumerate() {
            let documents = batch.iter().enumerate();
            let documents = documents.map(|(at, geo)| json!({"id": nth * 60 + at, "_geo": geo}));
            fixture.add(&documents.collect::<Vec<_>>());
        }
        let snapshot = fixture.index.snapshot();
        let wanted: DocSet = snapshot.documents().iter().filter(|id| id % 5 != 0).collect();
        let mut sorted: Vec<PlacedDoc> = Vec::new();
        snapshot.for_each_geo(|doc, [lat, lng]| {
            let (point, distance) = ((lat, lng), distance(target, (lat, lng)));
            sorted.push(PlacedDoc { doc, point, distance });
        });
        sorted.retain(|placed| wanted.contains(placed.doc));
        sorted.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.doc.cmp(&b.doc)));
        for descending in [false, true] {
            let mut walk = snapshot.geo_walk(target, descending);
            let found: Vec<PlacedDoc> = std::iter::from_fn(|| walk.next(&wanted)).collect();
            prop_assert_eq!(&found, &sorted);
            sorted.reverse();
        }
        let from = Position { lat: target.0, lng: target.1 };
        let radius = 2e6;
        let covers = |bounds: &Bounds| {
            if least_distance(from, bounds) > radius {
                Coverage::None
            } else if most_distance(from, bounds) <= radius {
                Coverage::All
            } else {
                Coverage::Part
            }
        };
        let accepts = |[lat, lng]: [f64; 2]| distance(target, (lat, lng)) <= radius;
        let mut near = Vec::new();
        snapshot.for_each_geo_in(covers, accepts, |doc| near.push(doc));
        let near: DocSet = near.into_iter().filter(|doc| wanted.contains(*doc)).collect();
        let is_near = |placed: &&PlacedDoc| placed.distance <= radius;
        let expected = sorted.iter().filter(is_near).map(|placed| placed.doc).collect();
        prop_assert_eq!(near, expected);
    }
}
