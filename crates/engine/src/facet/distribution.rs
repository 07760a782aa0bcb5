//! How many candidates have each value of an attribute, and the extremes of its numbers.
//!
//! # Invariants
//! 1. Attributes come in byte order; an attribute that documents have had, but none of the
//!    candidates has a value of, is there without values.
//! 2. Numbers come before strings and use up the maximum first; extremes see all numbers.
//! 3. A number and a string that are written alike share one key, and the string's count stands.

use std::ops::Range;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::docset::DocSet;
use crate::document::FieldId;
use crate::index::{FacetCounts, Snapshot, StringCount};
use crate::request::{Facets, SearchError, is_filterable};
use crate::settings::{AttributePattern, FacetOrder, FacetingSettings};

use super::number_text::push_number;

/// Up to this number of candidates, numbers are listed in the order of their decimal texts.
const MAX_TEXT_ORDERED: usize = 3000;

/// Counts the values of the attributes that `names` select and the settings let be filtered.
/// A name is a pattern, or an attribute with everything nested under it; others are ignored.
///
/// # Errors
/// None so far: names that are not filterable select nothing.
pub fn facets(
    snapshot: &Snapshot,
    names: &[String],
    candidates: &DocSet,
) -> Result<Facets, SearchError> {
    let faceting = &snapshot.settings().faceting;
    let n_candidates = candidates.len();
    let candidates = snapshot.counted_docs(candidates);
    let mut lists = Vec::new();
    let mut extremes = Vec::new();
    for (name, field) in selected(snapshot, names) {
        let order = facet_order(faceting, name);
        let limit = faceting.max_values_per_facet;
        let counts = match snapshot.attribute(field) {
            None => FacetCounts::default(),
            Some(view) if order == FacetOrder::Alpha && n_candidates > MAX_TEXT_ORDERED => {
                view.first_counts(&candidates, limit)
            }
            Some(view) => view.best_counts(&candidates, order, limit),
        };
        if let Some((min, max)) = counts.extremes {
            extremes.push((name, Extremes { min, max }));
        }
        lists.push((name, listed(counts, order, limit, n_candidates)));
    }
    Ok(Facets {
        distribution: to_json(&Members(lists)),
        stats: to_json(&Members(extremes)),
    })
}

/// The order of the values of an attribute.
#[must_use]
pub fn facet_order(faceting: &FacetingSettings, name: &str) -> FacetOrder {
    let orders = &faceting.sort_facet_values_by;
    orders
        .get(name)
        .or_else(|| orders.get("*"))
        .copied()
        .unwrap_or(FacetOrder::Alpha)
}

/// Filterable attributes ever seen that a name selects, in byte order.
fn selected<'s>(snapshot: &'s Snapshot, names: &[String]) -> Vec<(&'s str, FieldId)> {
    let patterns: Vec<_> = names
        .iter()
        .map(|name| AttributePattern::parse(name))
        .collect();
    let settings = snapshot.settings();
    let mut selected: Vec<(&str, FieldId)> = (0..snapshot.n_fields())
        .map(|field| (snapshot.field_name(field as FieldId), field as FieldId))
        .filter(|(name, _)| patterns.iter().any(|pattern| pattern.matches(name)))
        .filter(|(name, _)| {
            let rule = settings.filterable_rule(name);
            rule.is_some_and(|(_, features)| is_filterable(features.filter))
        })
        .collect();
    selected.sort_unstable();
    selected
}

/// The values to show with their counts.
fn listed(
    counts: FacetCounts,
    order: FacetOrder,
    limit: usize,
    n_candidates: usize,
) -> Members<String, u64> {
    let FacetCounts {
        mut numbers,
        mut strings,
        ..
    } = counts;
    if order == FacetOrder::Count {
        numbers.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.total_cmp(&a.0)));
        strings.sort_by(|a, b| {
            b.count
                .cmp(&a.count)
                .then_with(|| b.normalized.cmp(&a.normalized))
        });
    }
    let numbers = if order == FacetOrder::Alpha && n_candidates <= MAX_TEXT_ORDERED {
        first_by_text(&numbers, limit)
    } else {
        numbers.truncate(limit);
        let texts = numbers.into_iter();
        let texts = texts.map(|(number, count)| (number_text(number), count));
        texts.collect()
    };
    strings.truncate(limit - numbers.len());
    Members(with_strings(numbers, strings))
}

/// The numbers whose texts come first, in the order of these.
fn first_by_text(numbers: &[(f64, u64)], limit: usize) -> Vec<(String, u64)> {
    let mut texts = String::new();
    let mut placed: Vec<(Range<usize>, u64)> = Vec::with_capacity(numbers.len());
    for (number, count) in numbers {
        let start = texts.len();
        push_number(*number, &mut texts);
        placed.push((start..texts.len(), *count));
    }
    let text = |place: &Range<usize>| &texts[place.clone()];
    let by_text = |a: &(Range<usize>, u64), b: &(Range<usize>, u64)| text(&a.0).cmp(text(&b.0));
    if limit < placed.len() {
        placed.select_nth_unstable_by(limit, by_text);
        placed.truncate(limit);
    }
    placed.sort_unstable_by(by_text);
    let named = placed.iter();
    named
        .map(|(place, count)| (text(place).to_owned(), *count))
        .collect()
}

fn number_text(number: f64) -> String {
    let mut text = String::new();
    push_number(number, &mut text);
    text
}

fn with_strings(numbers: Vec<(String, u64)>, strings: Vec<StringCount>) -> Vec<(String, u64)> {
    let n_numbers = numbers.len();
    let mut values = numbers;
    for StringCount {
        original, count, ..
    } in strings
    {
        let alike = looks_numeric(&original).then(|| {
            values[..n_numbers]
                .iter_mut()
                .find(|(number, _)| *number == original)
        });
        match alike.flatten() {
            Some((_, shown)) => *shown = count,
            None => values.push((original, count)),
        }
    }
    values
}

fn looks_numeric(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
}

struct Extremes {
    min: f64,
    max: f64,
}

impl Serialize for Extremes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("min", &self.min)?;
        map.serialize_entry("max", &self.max)?;
        map.end()
    }
}

/// The members of a JSON object, in order.
struct Members<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Members<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("invariant: counts and numbers always serialise")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> FacetCounts {
        let string = |normalized: &str, original: &str, count| StringCount {
            normalized: normalized.to_owned(),
            original: original.to_owned(),
            count,
        };
        FacetCounts {
            numbers: vec![
                (-4.0, 1),
                (1.5, 1),
                (3.0, 2),
                (12.0, 1),
                (15.0, 4),
                (100.0, 1),
            ],
            strings: vec![
                string("15", "15", 1),
                string("blue", "Blue", 3),
                string("red", "red", 3),
            ],
            extremes: Some((-4.0, 100.0)),
        }
    }

    fn shown(order: FacetOrder, limit: usize, n_candidates: usize) -> String {
        String::from_utf8(to_json(&listed(counts(), order, limit, n_candidates))).unwrap()
    }

    #[test]
    fn numbers_are_listed_as_texts_among_few_candidates_and_by_value_among_many() {
        assert_eq!(
            shown(FacetOrder::Alpha, 100, 3000),
            r#"{"-4":1,"1.5":1,"100":1,"12":1,"15":1,"3":2,"Blue":3,"red":3}"#
        );
        assert_eq!(
            shown(FacetOrder::Alpha, 100, 3001),
            r#"{"-4":1,"1.5":1,"3":2,"12":1,"15":1,"100":1,"Blue":3,"red":3}"#
        );
    }

    #[test]
    fn by_count_larger_values_win_ties_and_numbers_stay_first() {
        assert_eq!(
            shown(FacetOrder::Count, 100, 10),
            r#"{"15":1,"3":2,"100":1,"12":1,"1.5":1,"-4":1,"red":3,"Blue":3}"#
        );
    }

    #[test]
    fn numbers_use_up_the_maximum_first() {
        assert_eq!(shown(FacetOrder::Alpha, 2, 10), r#"{"-4":1,"1.5":1}"#);
        assert_eq!(
            shown(FacetOrder::Alpha, 7, 3001),
            r#"{"-4":1,"1.5":1,"3":2,"12":1,"15":1,"100":1}"#
        );
        assert_eq!(shown(FacetOrder::Alpha, 0, 10), "{}");
    }

    #[test]
    fn extremes_are_always_written_as_fractions() {
        let json = to_json(&Members(vec![(
            "size",
            Extremes {
                min: -4.0,
                max: 100.5,
            },
        )]));
        assert_eq!(json, br#"{"size":{"min":-4.0,"max":100.5}}"#);
    }
}
