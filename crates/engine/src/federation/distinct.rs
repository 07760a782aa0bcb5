//! Values by which hits of different indexes are the same.

use rustc_hash::FxHashSet;
use serde_json::Value;
use serval_text::normalize_facet;

use crate::docset::DocId;
use crate::request::{SearchError, SearchSource};

/// Values already seen in a list of hits.
#[derive(Default)]
struct SeenValues(FxHashSet<String>);

impl SeenValues {
    /// Whether none of the values was seen before; they are from now on.
    fn are_new(&mut self, values: Vec<String>) -> bool {
        let are_new = values.iter().all(|value| !self.0.contains(value));
        if are_new {
            self.0.extend(values);
        }
        are_new
    }
}

/// The first `end` hits of which no two share a value, and how many others were met on the way.
///
/// # Errors
/// Values that could not be read.
pub(super) fn first_distinct<H, E>(
    hits: impl Iterator<Item = H>,
    end: usize,
    mut values_of: impl FnMut(&H) -> Result<Vec<String>, E>,
) -> Result<(Vec<H>, usize), E> {
    let mut seen = SeenValues::default();
    let mut kept = Vec::new();
    let mut n_repeats = 0;
    for hit in hits {
        if kept.len() >= end {
            break;
        }
        if seen.are_new(values_of(&hit)?) {
            kept.push(hit);
        } else {
            n_repeats += 1;
        }
    }
    Ok((kept, n_repeats))
}

/// The values of an attribute of a document, in the form in which they are compared.
pub(super) fn values_of(
    source: &dyn SearchSource,
    doc: DocId,
    attribute: &str,
) -> Result<Vec<String>, SearchError> {
    let bytes = source.document(doc)?;
    let document: Value = serde_json::from_slice(&bytes)
        .map_err(|error| SearchError::new("internal", error.to_string()))?;
    let mut values = Vec::new();
    collect(&document, attribute, &mut values);
    Ok(values)
}

fn collect(value: &Value, path: &str, values: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, path, values)),
        Value::Object(members) => {
            for (name, member) in members {
                match path.strip_prefix(name.as_str()) {
                    Some("") => collect(member, "", values),
                    Some(rest) if rest.starts_with('.') => collect(member, &rest[1..], values),
                    _ => {}
                }
            }
        }
        _ if !path.is_empty() => {}
        Value::String(text) => values.push(normalize_facet(text)),
        Value::Number(number) => values.push(format!("#{}", number.as_f64().unwrap_or(0.0))),
        Value::Bool(flag) => values.push(flag.to_string()),
        Value::Null => {}
    }
}
