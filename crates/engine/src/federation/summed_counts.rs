//! Counts of facet values of several indexes or servers, added up.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Map, Number, Value, json};

use crate::request::SearchError;
use crate::settings::FacetOrder;

/// Sums of counts, and the extremes of all numbers.
#[derive(Default)]
pub(super) struct SummedCounts {
    max_values: usize,
    /// Per attribute: the index that gave its order, the order, values with counts.
    distribution: BTreeMap<String, Attribute>,
    stats: BTreeMap<String, (f64, f64)>,
}

struct Attribute {
    index_uid: String,
    order: FacetOrder,
    counts: Map<String, Value>,
}

impl SummedCounts {
    /// No counts yet; at most so many values of each attribute will be shown.
    pub(super) fn new(max_values: usize) -> Self {
        Self {
            max_values,
            ..Self::default()
        }
    }

    /// Checks that an index orders the values of an attribute as those before it do.
    ///
    /// # Errors
    /// It does not.
    pub(super) fn check_order(
        &self,
        index_uid: &str,
        name: &str,
        order: FacetOrder,
    ) -> Result<(), SearchError> {
        let Some(attribute) = self.distribution.get(name) else {
            return Ok(());
        };
        if attribute.order == order {
            return Ok(());
        }
        let words = |order| match order {
            FacetOrder::Alpha => "alphabetically",
            FacetOrder::Count => "by count",
        };
        Err(SearchError::new(
            "invalid_multi_search_facet_order",
            format!(
                "Inconsistent order for values in facet `{name}`: index `{}` orders {}, but \
                 index `{index_uid}` orders {}.\n - Hint: Remove `federation.mergeFacets` or \
                 change `faceting.sortFacetValuesBy` to be consistent in settings.",
                attribute.index_uid,
                words(attribute.order),
                words(order)
            ),
        ))
    }

    /// Adds the counts of an attribute; the first order given of it stays.
    pub(super) fn add(
        &mut self,
        index_uid: &str,
        name: &str,
        order: FacetOrder,
        counts: &Map<String, Value>,
    ) {
        let attribute = self
            .distribution
            .entry(name.to_owned())
            .or_insert_with(|| Attribute {
                index_uid: index_uid.to_owned(),
                order,
                counts: Map::new(),
            });
        for (value, count) in counts {
            let more = count.as_u64().unwrap_or(0);
            let known = attribute.counts.get(value).and_then(Value::as_u64);
            let sum = known.unwrap_or(0).saturating_add(more);
            attribute.counts.insert(value.clone(), Value::from(sum));
        }
    }

    /// Adds the extremes of an attribute: `{"min": 1, "max": 2}`.
    pub(super) fn extend(&mut self, name: &str, extremes: &Value) {
        let (Some(min), Some(max)) = (extremes["min"].as_f64(), extremes["max"].as_f64()) else {
            return;
        };
        self.stats
            .entry(name.to_owned())
            .and_modify(|(least, most)| {
                *least = least.min(min);
                *most = most.max(max);
            })
            .or_insert((min, max));
    }

    /// `facetDistribution` and `facetStats`.
    pub(super) fn into_json(self) -> (Value, Value) {
        let max_values = self.max_values;
        let listed = self.distribution.into_iter().map(|(name, attribute)| {
            let mut counts: Vec<(String, Value)> = attribute.counts.into_iter().collect();
            match attribute.order {
                FacetOrder::Alpha => counts.sort_by(|a, b| a.0.cmp(&b.0)),
                // Of equals the order that their index gave them stays.
                FacetOrder::Count => {
                    counts.sort_by_key(|(_, count)| Reverse(count.as_u64().unwrap_or(0)));
                }
            }
            counts.truncate(max_values);
            (name, Value::from(counts.into_iter().collect::<Map<_, _>>()))
        });
        let distribution: Map<String, Value> = listed.collect();
        let number = |number: f64| Number::from_f64(number).map_or(Value::Null, Value::Number);
        let stats: Map<String, Value> = self
            .stats
            .into_iter()
            .map(|(name, (min, max))| (name, json!({"min": number(min), "max": number(max)})))
            .collect();
        (Value::from(distribution), Value::from(stats))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that are counted as often as one another stay as the indexes listed them.
    #[test]
    fn equal_counts_keep_the_order_of_their_indexes() {
        let mut summed = SummedCounts::new(100);
        let indexes = [
            json!({"noir": 2, "thriller": 1, "drama": 1}),
            json!({"pop": 2, "drama": 1, "jazz": 1}),
        ];
        for (number, counts) in indexes.iter().enumerate() {
            let counts = counts.as_object().expect("an object");
            summed.add(&number.to_string(), "genre", FacetOrder::Count, counts);
        }
        let expected = r#"{"genre":{"noir":2,"drama":2,"pop":2,"thriller":1,"jazz":1}}"#;
        assert_eq!(summed.into_json().0.to_string(), expected);
    }
}
