//! One test of one attribute.
//!
//! A literal is compared twice: as a number with the numbers, if it is a finite one, and in its
//! normalised form with the strings. Either match is enough, so `10` finds both `10` and `"10"`.
//!
//! # Cost
//! About as many steps as documents pass, unless the set is remembered: sets of many documents
//! are. Among given documents, two look-ups for each of them where that is less.

use std::fmt::Write;
use std::ops::Bound::{self, Excluded, Included, Unbounded};

use serval_filter::{Operator, Word};
use serval_text::normalize_facet;

use super::evaluate_filter::Evaluator;
use crate::docset::DocSet;
use crate::index::{AttributeView, ValueRanges};

/// A set whose values name fewer documents is made anew each time.
const MIN_REMEMBERED: usize = if cfg!(test) { 1 } else { 2048 };
/// Testing a document takes as long as adding so many to a set.
const TESTED_DOC_COST: usize = if cfg!(test) { 1 } else { 4 };
/// Testing a document takes as long as asking so many of them of a set that is there.
const ASKED_DOC_COST: usize = 8;

/// Documents for which the test holds. Without a view the attribute has no values anywhere.
pub(super) fn evaluate(
    evaluator: &Evaluator<'_>,
    view: Option<&AttributeView>,
    operator: &Operator,
) -> DocSet {
    among(evaluator, view, operator, None)
}

/// The documents, all where none are given, for which the test holds.
pub(super) fn among(
    evaluator: &Evaluator<'_>,
    view: Option<&AttributeView>,
    operator: &Operator,
    docs: Option<&DocSet>,
) -> DocSet {
    let all = || docs.unwrap_or(evaluator.snapshot.documents());
    let is_complement = matches!(operator, Operator::NotEqual(_));
    let Some(view) = view else {
        return match is_complement {
            true => all().clone(),
            false => DocSet::empty(),
        };
    };
    if let Some(ranges) = evaluator.ranges(view, operator) {
        let holders = holders(evaluator, view, operator, &ranges, docs);
        return match is_complement {
            true => all().and_not(&holders),
            false => holders,
        };
    }
    let found = match operator {
        Operator::Exists => view.exists(),
        Operator::IsNull => view.null(),
        Operator::IsEmpty => view.empty(),
        Operator::Contains { value, .. } => view.string_contains(&normalize_facet(value.text())),
        _ => DocSet::empty(),
    };
    match docs {
        Some(docs) => found.and(docs),
        None => found,
    }
}

/// About how many documents pass at the most, when that shows without reading them.
pub(super) fn n_expected(
    evaluator: &Evaluator<'_>,
    view: Option<&AttributeView>,
    operator: &Operator,
) -> Option<usize> {
    if matches!(operator, Operator::NotEqual(_)) {
        return None;
    }
    let Some(view) = view else {
        return Some(0);
    };
    let ranges = evaluator.ranges(view, operator)?;
    Some(view.n_postings(&ranges))
}

/// Documents with one of the values: remembered, found in posting lists, or tested one by one.
fn holders(
    evaluator: &Evaluator<'_>,
    view: &AttributeView,
    operator: &Operator,
    ranges: &ValueRanges,
    docs: Option<&DocSet>,
) -> DocSet {
    let n_postings = view.n_postings(ranges);
    let is_remembered = n_postings >= MIN_REMEMBERED;
    if let Some(docs) = docs {
        let is_known = || evaluator.snapshot.knows_filter_docs(&key(view, operator));
        let n_added = match is_remembered && is_known() {
            true => docs.len() / ASKED_DOC_COST,
            false => n_postings,
        };
        if TESTED_DOC_COST * docs.len() < n_added {
            return view.holders_among(ranges, docs);
        }
    }
    let narrowed = |found: &DocSet| docs.map(|docs| found.and(docs));
    if !is_remembered {
        let found = view.holders(ranges);
        return narrowed(&found).unwrap_or(found);
    }
    let found = evaluator.snapshot.remembered_filter_docs(
        &key(view, operator),
        || view.holders(ranges),
        |changed| view.holders_among(ranges, changed),
    );
    narrowed(&found).unwrap_or_else(|| (*found).clone())
}

/// What the set of a condition is remembered by.
fn key(view: &AttributeView, operator: &Operator) -> String {
    let (name, values): (_, Vec<&Word>) = match operator {
        // What is remembered is what equals the value.
        Operator::Equal(value) | Operator::NotEqual(value) => ("=", vec![value]),
        Operator::In(values) => ("=", values.iter().collect()),
        Operator::Between { from, to } => (operator.name(), vec![from, to]),
        Operator::Greater(value)
        | Operator::GreaterOrEqual(value)
        | Operator::Less(value)
        | Operator::LessOrEqual(value)
        | Operator::Contains { value, .. }
        | Operator::StartsWith { value, .. } => (operator.name(), vec![value]),
        Operator::Exists | Operator::IsNull | Operator::IsEmpty => (operator.name(), Vec::new()),
    };
    let mut key = format!("{} {name}", view.field());
    for value in values {
        // Writing to memory cannot fail. The length says where a value ends.
        let _ = write!(key, " {} {}", value.text().len(), value.text());
    }
    key
}

/// The values that the operator names; `None` when the test is not one of values in order.
pub(super) fn ranges(view: &AttributeView, operator: &Operator) -> Option<ValueRanges> {
    let mut ranges = ValueRanges::default();
    match operator {
        Operator::Equal(value) | Operator::NotEqual(value) => add_equal(view, value, &mut ranges),
        Operator::Greater(value) => compare(view, Excluded(value), Unbounded, &mut ranges),
        Operator::GreaterOrEqual(value) => compare(view, Included(value), Unbounded, &mut ranges),
        Operator::Less(value) => compare(view, Unbounded, Excluded(value), &mut ranges),
        Operator::LessOrEqual(value) => compare(view, Unbounded, Included(value), &mut ranges),
        Operator::Between { from, to } => compare(view, Included(from), Included(to), &mut ranges),
        Operator::In(values) => values
            .iter()
            .for_each(|value| add_equal(view, value, &mut ranges)),
        Operator::StartsWith { value, .. } => {
            view.add_prefix(&normalize_facet(value.text()), &mut ranges);
        }
        Operator::Exists | Operator::IsNull | Operator::IsEmpty | Operator::Contains { .. } => {
            return None;
        }
    }
    Some(ranges.sealed())
}

fn add_equal(view: &AttributeView, value: &Word, ranges: &mut ValueRanges) {
    view.add_string(&normalize_facet(value.text()), ranges);
    if let Some(number) = finite(value) {
        view.add_numbers((Included(number), Included(number)), ranges);
    }
}

/// Numbers count only if every end of the range is one.
fn compare(view: &AttributeView, from: Bound<&Word>, to: Bound<&Word>, ranges: &mut ValueRanges) {
    let (low, high) = (from.map(normalized), to.map(normalized));
    let strings = (
        low.as_ref().map(String::as_str),
        high.as_ref().map(String::as_str),
    );
    view.add_strings(strings, ranges);
    if let (Some(low), Some(high)) = (finite_bound(from), finite_bound(to)) {
        view.add_numbers((low, high), ranges);
    }
}

fn normalized(word: &Word) -> String {
    normalize_facet(word.text())
}

fn finite_bound(bound: Bound<&Word>) -> Option<Bound<f64>> {
    Some(match bound {
        Included(word) => Included(finite(word)?),
        Excluded(word) => Excluded(finite(word)?),
        Unbounded => Unbounded,
    })
}

fn finite(word: &Word) -> Option<f64> {
    let number: f64 = word.text().parse().ok()?;
    number.is_finite().then_some(number)
}
