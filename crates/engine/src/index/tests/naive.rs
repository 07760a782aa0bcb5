//! Plain evaluations of JSON documents: words with positions, attribute values. Written from the
//! rules, sharing nothing with the index but the tokenizer's word boundaries.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use serval_text::{SeparatorKind, TokenKind, Tokenizer, normalize_facet};

/// Words of each field with their positions.
pub(super) type Words = BTreeMap<String, Vec<(u32, String)>>;

/// Values of one field of one document.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Values {
    pub(super) is_null: bool,
    pub(super) is_empty: bool,
    pub(super) numbers: Vec<f64>,
    pub(super) strings: BTreeSet<String>,
}

struct Visit<'v> {
    name: String,
    value: Option<&'v Value>,
    /// The value is the field's own, not an item of its array.
    is_own: bool,
    /// The key stands inside an object.
    is_nested: bool,
    /// A container before its items, or after all of none.
    is_container: bool,
}

fn visits(document: &Value) -> Vec<Visit<'_>> {
    let mut out = Vec::new();
    for (key, value) in document.as_object().into_iter().flatten() {
        visit(key, value, true, false, &mut out);
    }
    out
}

fn visit<'v>(
    name: &str,
    value: &'v Value,
    is_own: bool,
    is_nested: bool,
    out: &mut Vec<Visit<'v>>,
) {
    let push = |value, is_container, out: &mut Vec<Visit<'v>>| {
        out.push(Visit {
            name: name.to_owned(),
            value,
            is_own,
            is_nested,
            is_container,
        });
    };
    match value {
        Value::Array(items) => {
            if is_own {
                push(None, true, out);
            }
            if items.is_empty() {
                push(Some(value), true, out);
            }
            items
                .iter()
                .for_each(|item| visit(name, item, false, is_nested, out));
        }
        Value::Object(object) => {
            if is_own {
                push(None, true, out);
            }
            if object.is_empty() {
                push(Some(value), true, out);
            }
            for (key, value) in object {
                visit(&format!("{name}.{key}"), value, true, true, out);
            }
        }
        scalar => push(Some(scalar), false, out),
    }
}

/// Words of a document with everything searchable.
pub(super) fn words(document: &Value, tokenizer: &Tokenizer) -> Words {
    let mut words = Words::new();
    let mut counters: BTreeMap<String, u32> = BTreeMap::new();
    for visit in visits(document) {
        if matches!(
            visit.name.split('.').next(),
            Some("_geo" | "_vectors" | "_geojson")
        ) {
            continue;
        }
        // A container announces itself only inside an object; an empty one counts anywhere.
        if visit.is_container && visit.value.is_none() && !visit.is_nested {
            continue;
        }
        let counter = counters
            .entry(visit.name.clone())
            .and_modify(|at| *at += 8)
            .or_insert(0);
        let text = match visit.value {
            Some(Value::String(text)) => text.clone(),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
            _ => continue,
        };
        let mut position = *counter;
        let mut hard = false;
        let mut is_first = true;
        for token in tokenizer.tokens(&text, &[]) {
            match token.kind {
                TokenKind::Separator(kind) => hard |= kind == SeparatorKind::Hard,
                _ if token.text.is_empty() => {}
                kind => {
                    if !is_first {
                        position += if hard { 8 } else { 1 };
                    }
                    is_first = false;
                    hard = false;
                    let word = token.text.trim();
                    let is_indexed = kind == TokenKind::Word
                        && !word.is_empty()
                        && word.len() <= 250
                        && position < 65_536;
                    if is_indexed {
                        *counter = position;
                        let words = words.entry(visit.name.clone()).or_default();
                        words.push((position, word.to_owned()));
                    }
                }
            }
        }
    }
    words
}

/// Attribute values of a document with every attribute faceted.
pub(super) fn values(document: &Value) -> BTreeMap<String, Values> {
    let mut fields: BTreeMap<String, Values> = BTreeMap::new();
    for visit in visits(document) {
        let values = fields.entry(visit.name.clone()).or_default();
        match visit.value {
            Some(Value::Null) => values.is_null |= visit.is_own,
            Some(Value::Bool(value)) => {
                values.strings.insert(value.to_string());
            }
            Some(Value::Number(number)) => {
                let number = number.as_f64().expect("finite");
                if !values.numbers.contains(&number) {
                    values.numbers.push(number);
                    values.numbers.sort_by(f64::total_cmp);
                }
            }
            Some(Value::String(text)) if text.is_empty() => values.is_empty |= visit.is_own,
            Some(Value::String(text)) => {
                let normalized = normalize_facet(text);
                if !normalized.is_empty() {
                    values.strings.insert(normalized);
                }
            }
            Some(_) => values.is_empty |= visit.is_own,
            None => {}
        }
    }
    fields
}
