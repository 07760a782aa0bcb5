//! Whether a filter asks for a value: whether every document that passes it has the value.

use serde_json::{Map, Value};
use serval_filter::{Filter, Operator, Word};
use serval_text::normalize_facet;

/// How much of a filter may still be looked at.
pub(super) struct FilterFuel<'f> {
    /// Comparisons with conditions, over all rules.
    pub(super) conditions: &'f mut usize,
    /// Alternatives.
    pub(super) or: usize,
    /// Parts that must all hold.
    pub(super) and: usize,
    /// Depth.
    pub(super) depth: usize,
}

/// Values of which a filter must ask for one.
#[derive(Debug)]
pub(super) struct Constraint {
    attribute: String,
    values: Vec<Allowed>,
}

/// A value as filters compare it.
#[derive(Debug)]
struct Allowed {
    text: String,
    number: Option<f64>,
}

impl Allowed {
    fn new(value: &Value) -> Option<Self> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some(Self {
            number: number_in(&text),
            text: normalize_facet(&text),
        })
    }

    fn is(&self, word: &Word) -> bool {
        let number = number_in(word.text());
        number.is_some() && number == self.number || normalize_facet(word.text()) == self.text
    }
}

fn number_in(text: &str) -> Option<f64> {
    text.trim()
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

impl Constraint {
    /// The constraints of a rule. A list of values stands for any of them; null and objects for
    /// none, so that no filter asks for them.
    pub(super) fn all(values: &Map<String, Value>) -> Vec<Self> {
        let constraint = |(attribute, value): (&String, &Value)| Self {
            attribute: attribute.clone(),
            values: match value {
                Value::Array(values) => values.iter().filter_map(Allowed::new).collect(),
                value => Allowed::new(value).into_iter().collect(),
            },
        };
        values.iter().map(constraint).collect()
    }

    /// Whether documents that pass the filter have one of the values; no when the fuel is over.
    pub(super) fn is_implied_by(&self, filter: &Filter, fuel: &mut FilterFuel<'_>) -> bool {
        self.check(filter, false, 0, fuel)
    }

    fn check(
        &self,
        filter: &Filter,
        is_negated: bool,
        depth: usize,
        fuel: &mut FilterFuel<'_>,
    ) -> bool {
        if depth > fuel.depth {
            return false;
        }
        match (filter, is_negated) {
            (Filter::Or(parts), false) | (Filter::And(parts), true) => {
                let Some(left) = fuel.or.checked_sub(parts.len()) else {
                    return false;
                };
                fuel.or = left;
                let mut parts = parts.iter();
                parts.len() > 0 && parts.all(|part| self.check(part, is_negated, depth + 1, fuel))
            }
            (Filter::And(parts), false) | (Filter::Or(parts), true) => {
                let Some(left) = fuel.and.checked_sub(parts.len()) else {
                    return false;
                };
                fuel.and = left;
                let mut parts = parts.iter();
                parts.any(|part| self.check(part, is_negated, depth + 1, fuel))
            }
            (Filter::Not(part), _) => self.check(part, !is_negated, depth + 1, fuel),
            (
                Filter::Condition {
                    attribute,
                    operator,
                },
                _,
            ) => self.check_condition(attribute, operator, is_negated, fuel),
            _ => false,
        }
    }

    fn check_condition(
        &self,
        attribute: &Word,
        operator: &Operator,
        is_negated: bool,
        fuel: &mut FilterFuel<'_>,
    ) -> bool {
        let Some(left) = fuel.conditions.checked_sub(1) else {
            return false;
        };
        *fuel.conditions = left;
        if attribute.text() != self.attribute {
            return false;
        }
        let is_allowed = |word: &Word| self.values.iter().any(|value| value.is(word));
        match (operator, is_negated) {
            (Operator::Equal(word), false) | (Operator::NotEqual(word), true) => is_allowed(word),
            (Operator::In(words), false) => !words.is_empty() && words.iter().all(is_allowed),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn implied(values: &Value, filter: &str) -> bool {
        implied_within(values, filter, 100)
    }

    fn implied_within(values: &Value, filter: &str, fuel: usize) -> bool {
        let filter = serval_filter::parse(filter)
            .expect("a filter")
            .expect("one");
        let mut conditions = fuel;
        let values = values.as_object().expect("an object");
        Constraint::all(values).iter().all(|constraint| {
            let mut fuel = FilterFuel {
                conditions: &mut conditions,
                or: fuel,
                and: fuel,
                depth: 25,
            };
            constraint.is_implied_by(&filter, &mut fuel)
        })
    }

    #[test]
    fn a_filter_that_selects_nothing_else_asks_for_a_value() {
        let drama = json!({"genre": "Drama"});
        for filter in [
            "genre = drama",
            "genre = 'Drama ' AND year > 3",
            "year > 3 AND (genre = Drama OR genre = DRAMA)",
            "genre IN [Drama]",
            "NOT genre != Drama",
            "NOT (genre != Drama OR year < 3)",
        ] {
            assert!(implied(&drama, filter), "{filter}");
        }
        assert!(implied(
            &json!({"year": 3, "on": true}),
            "year = 3.0 AND on = true"
        ));
        assert!(implied(
            &json!({"genre": ["a", "b"]}),
            "genre = a OR genre = b"
        ));
    }

    #[test]
    fn a_filter_that_lets_others_pass_does_not() {
        let drama = json!({"genre": "Drama"});
        for filter in [
            "genre = Comedy",
            "genre = Drama OR year > 3",
            "genre IN [Drama, Comedy]",
            "NOT genre = Drama",
            "genre != Drama",
            "genre EXISTS",
            "genres = Drama",
            "NOT (genre != Drama AND year < 3)",
        ] {
            assert!(!implied(&drama, filter), "{filter}");
        }
        assert!(!implied(&json!({"genre": null}), "genre = null"));
        assert!(!implied(&json!({"genre": "a", "year": 3}), "genre = a"));
    }

    #[test]
    fn what_is_beyond_the_fuel_does_not_count() {
        let drama = json!({"genre": "Drama"});
        assert!(implied_within(&drama, "year > 3 AND genre = Drama", 2));
        assert!(!implied_within(&drama, "year > 3 AND genre = Drama", 1));
    }
}
