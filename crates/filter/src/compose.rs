//! Filters as JSON: a string, or an array whose elements all hold, an inner array being a choice.
//!
//! ```text
//! ["a = 1", ["b = 2", "c = 3"]]   is   (a = 1) AND ((b = 2) OR (c = 3))
//! ```
//! Each string is parsed for itself, so its words keep it as their source. Kinds are checked
//! before any string is parsed.

use serde_json::Value;

use crate::lexer::WordsLeft;
use crate::parser::parse_part;
use crate::{Filter, FilterError};

/// Parses a filter given as a JSON value. `null`, blank strings and arrays without conditions are
/// no filter.
///
/// # Errors
/// When a value has another kind, or a string is not a filter.
///
/// ```
/// use serde_json::json;
/// use serval_filter::parse_json;
///
/// let filter = parse_json(&json!(["a = 1", ["b = 2", "c = 3"]]))?.expect("a filter");
/// assert_eq!(filter.to_string(), r#"("a" = "1") AND (("b" = "2") OR ("c" = "3"))"#);
/// assert_eq!(parse_json(&json!([[], " "]))?, None);
/// # Ok::<(), serval_filter::FilterError>(())
/// ```
pub fn parse_json(value: &Value) -> Result<Option<Filter>, FilterError> {
    parse_within(value, &WordsLeft::of_filter())
}

fn parse_within(value: &Value, left: &WordsLeft) -> Result<Option<Filter>, FilterError> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => parse_part(text, left),
        Value::Array(elements) => parse_array(elements, left),
        other => Err(unexpected("String, Array", other)),
    }
}

/// Like [`parse_json`], for routes where a filter must be there: `null` is of the wrong kind, and
/// an empty filter is refused.
///
/// # Errors
/// As [`parse_json`], and when there is no condition.
pub fn parse_required(value: &Value) -> Result<Filter, FilterError> {
    if value.is_null() {
        return Err(unexpected("String, Array", value));
    }
    parse_json(value)?
        .ok_or_else(|| FilterError::unplaced("Sending an empty filter is forbidden.".to_owned()))
}

impl Filter {
    /// The filter that holds where all of `parts` do; `None` when there are none.
    pub fn all(parts: impl IntoIterator<Item = Filter>) -> Option<Filter> {
        joined(parts.into_iter().collect(), Filter::And)
    }
}

fn parse_array(elements: &[Value], left: &WordsLeft) -> Result<Option<Filter>, FilterError> {
    elements.iter().try_for_each(check_element)?;
    let mut parts = Vec::new();
    for element in elements {
        let part = match element {
            Value::Array(choices) => joined(parse_strings(choices, left)?, Filter::Or),
            text => parse_part(text.as_str().unwrap_or_default(), left)?,
        };
        parts.extend(part);
    }
    Ok(joined(parts, Filter::And))
}

fn check_element(element: &Value) -> Result<(), FilterError> {
    match element {
        Value::String(_) => Ok(()),
        Value::Array(choices) => match choices.iter().find(|choice| !choice.is_string()) {
            Some(other) => Err(unexpected("String", other)),
            None => Ok(()),
        },
        other => Err(unexpected("String, [String]", other)),
    }
}

fn parse_strings(texts: &[Value], left: &WordsLeft) -> Result<Vec<Filter>, FilterError> {
    texts
        .iter()
        .filter_map(|text| parse_part(text.as_str().unwrap_or_default(), left).transpose())
        .collect()
}

fn joined(mut parts: Vec<Filter>, join: fn(Vec<Filter>) -> Filter) -> Option<Filter> {
    match parts.len() {
        0 | 1 => parts.pop(),
        _ => Some(join(parts)),
    }
}

fn unexpected(expected: &str, found: &Value) -> FilterError {
    FilterError::unplaced(format!(
        "Invalid syntax for the filter parameter: `expected {expected}, found: {found}`."
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_and_values_are_counted_over_all_strings_of_a_filter() {
        let message = "The filter names more than 2000000 attributes and values. Try rewriting the \
            filter so that it contains fewer conditions.";
        let filters = [
            json!("x IN [1, 2, 3, 4]"),
            json!("x = 1 OR x EXISTS AND NOT y > 3"),
            json!("x 1 TO 2 AND y = 1"),
            json!("_foreign(x, y IN [1, 2])"),
            json!(["x = 1", ["x EXISTS", "y != 1"]]),
        ];
        for filter in filters {
            assert!(
                parse_within(&filter, &WordsLeft::new(5)).is_ok(),
                "{filter}"
            );
            let refused = parse_within(&filter, &WordsLeft::new(4)).expect_err("too many");
            assert_eq!(
                (refused.message(), refused.span()),
                (message, None),
                "{filter}"
            );
        }
    }
}
