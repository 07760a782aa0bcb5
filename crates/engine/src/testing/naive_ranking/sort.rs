//! Sorting by the values of an attribute.

use std::cmp::Ordering;

use serde_json::Value;
use serval_text::normalize_facet;

use super::documents::NaiveIndex;
use super::paths::Path;
use super::rules::NaiveBucket;
use crate::ranking::ScoreDetail;
use crate::settings::Direction;

/// What a document is sorted by; better kinds first.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
enum Key {
    Number(f64),
    Text(String),
    Missing,
}

/// Documents by the best of their values: numbers, then texts, then those without any.
pub(super) fn buckets(
    index: &NaiveIndex,
    attribute: &str,
    direction: Direction,
    docs: &[usize],
    paths: &[Path],
) -> Vec<NaiveBucket> {
    let mut keyed: Vec<(Key, usize)> = docs
        .iter()
        .map(|doc| (key(index, *doc, attribute, direction), *doc))
        .collect();
    keyed.sort_by(|(a, _), (b, _)| compare(a, b, direction));
    keyed
        .chunk_by(|(a, _), (b, _)| a == b)
        .map(|chunk| NaiveBucket {
            docs: chunk.iter().map(|(_, doc)| *doc).collect(),
            paths: paths.to_vec(),
            detail: ScoreDetail::Sort {
                attribute: Some(attribute.to_owned()),
                direction,
                value: match &chunk[0].0 {
                    Key::Number(number) if number.fract() == 0.0 => Value::from(*number as i64),
                    Key::Number(number) => Value::from(*number),
                    Key::Text(text) => Value::from(text.as_str()),
                    Key::Missing => Value::Null,
                },
            },
        })
        .collect()
}

fn compare(a: &Key, b: &Key, direction: Direction) -> Ordering {
    let same_kind = std::mem::discriminant(a) == std::mem::discriminant(b);
    let ordering = a.partial_cmp(b).unwrap_or(Ordering::Equal);
    if same_kind && direction == Direction::Desc {
        ordering.reverse()
    } else {
        ordering
    }
}

fn key(index: &NaiveIndex, doc: usize, attribute: &str, direction: Direction) -> Key {
    let values = index.values(doc, attribute);
    let keys = values.iter().map(|value| match value {
        Value::Number(number) => number.as_f64().map_or(Key::Missing, Key::Number),
        Value::Bool(flag) => Key::Text(flag.to_string()),
        Value::String(text) => match normalize_facet(text) {
            text if text.is_empty() => Key::Missing,
            text => Key::Text(text),
        },
        _ => Key::Missing,
    });
    keys.min_by(|a, b| compare(a, b, direction))
        .unwrap_or(Key::Missing)
}
