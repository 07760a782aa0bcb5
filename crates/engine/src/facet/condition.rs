//! One test of one attribute.
//!
//! A literal is compared twice: as a number with the numbers, if it is a finite one, and in its
//! normalised form with the strings. Either match is enough, so `10` finds both `10` and `"10"`.

use std::ops::Bound::{self, Excluded, Included, Unbounded};

use serval_filter::{Operator, Word};
use serval_text::normalize_facet;

use super::evaluate_filter::Evaluator;
use crate::docset::{DocSet, DocSetBuilder};
use crate::index::AttributeView;

/// Documents for which the test holds. Without a view the attribute has no values anywhere.
pub(super) fn evaluate(
    evaluator: &Evaluator<'_>,
    view: Option<&AttributeView>,
    operator: &Operator,
) -> DocSet {
    let Some(view) = view else {
        let is_complement = matches!(operator, Operator::NotEqual(_));
        let none = DocSet::empty();
        return if is_complement {
            evaluator.complement(&none)
        } else {
            none
        };
    };
    match operator {
        Operator::Equal(value) => equal(view, value),
        Operator::NotEqual(value) => evaluator.complement(&equal(view, value)),
        Operator::Greater(value) => compare(view, Excluded(value), Unbounded),
        Operator::GreaterOrEqual(value) => compare(view, Included(value), Unbounded),
        Operator::Less(value) => compare(view, Unbounded, Excluded(value)),
        Operator::LessOrEqual(value) => compare(view, Unbounded, Included(value)),
        Operator::Between { from, to } => compare(view, Included(from), Included(to)),
        Operator::In(values) => one_of(evaluator, view, values),
        Operator::Exists => view.exists(),
        Operator::IsNull => view.null(),
        Operator::IsEmpty => view.empty(),
        Operator::Contains { value, .. } => view.string_contains(&normalize_facet(value.text())),
        Operator::StartsWith { value, .. } => view.string_prefix(&normalize_facet(value.text())),
    }
}

fn equal(view: &AttributeView, value: &Word) -> DocSet {
    let strings = view.equal_string(&normalize_facet(value.text()));
    match finite(value) {
        Some(number) => strings.or(&view.equal_number(number)),
        None => strings,
    }
}

fn one_of(evaluator: &Evaluator<'_>, view: &AttributeView, values: &[Word]) -> DocSet {
    let mut docs = DocSetBuilder::new(evaluator.snapshot.universe_len());
    for value in values {
        docs.insert_all(&equal(view, value));
    }
    docs.finish()
}

/// Numbers count only if every end of the range is one.
fn compare(view: &AttributeView, from: Bound<&Word>, to: Bound<&Word>) -> DocSet {
    let (low, high) = (from.map(normalized), to.map(normalized));
    let strings = view.string_range((
        low.as_ref().map(String::as_str),
        high.as_ref().map(String::as_str),
    ));
    match (finite_bound(from), finite_bound(to)) {
        (Some(low), Some(high)) => strings.or(&view.number_range((low, high))),
        _ => strings,
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
