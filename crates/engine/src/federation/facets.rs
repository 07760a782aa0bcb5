//! Counts of facet values: by index, or added up over all of them.

use serde_json::{Map, Number, Value, json};

use super::request::{Federation, FederationError, MergeFacets};
use crate::docset::DocSet;
use crate::facet::{facet_order, not_countable};
use crate::search::{SearchError, SearchSource};
use crate::settings::FacetOrder;

/// Values shown of each attribute when nothing is said.
const DEFAULT_MAX_VALUES: usize = 100;

/// What the answer says of facets.
#[derive(Default)]
pub(super) struct FederatedFacets {
    /// `facetsByIndex`, unless counts are added up.
    by_index: Map<String, Value>,
    merged: Option<Merged>,
}

#[derive(Default)]
struct Merged {
    max_values: usize,
    /// Per attribute: the index that gave its order, the order, values with counts.
    distribution: std::collections::BTreeMap<String, Attribute>,
    stats: std::collections::BTreeMap<String, (f64, f64)>,
}

struct Attribute {
    index_uid: String,
    order: FacetOrder,
    counts: Map<String, Value>,
}

impl FederatedFacets {
    pub(super) fn new(federation: &Federation) -> Self {
        let wants = !federation.facets_by_index.is_empty();
        let merged = federation.merge_facets.filter(|_| wants);
        Self {
            by_index: Map::new(),
            merged: merged.map(
                |MergeFacets {
                     max_values_per_facet,
                 }| Merged {
                    max_values: max_values_per_facet.unwrap_or(DEFAULT_MAX_VALUES),
                    ..Merged::default()
                },
            ),
        }
    }

    /// Counts the values of an index among its candidates.
    ///
    /// # Errors
    /// An attribute that cannot be counted, or an order that contradicts that of another index.
    pub(super) fn add(
        &mut self,
        index_uid: &str,
        source: &dyn SearchSource,
        names: &[String],
        candidates: &DocSet,
    ) -> Result<(), SearchError> {
        check(source, names).map_err(|error| inside(index_uid, error))?;
        let facets = source.facets(names, candidates)?;
        let read = |bytes: &[u8]| -> Map<String, Value> {
            serde_json::from_slice(bytes).unwrap_or_default()
        };
        let (distribution, stats) = (read(&facets.distribution), read(&facets.stats));
        let Some(merged) = &mut self.merged else {
            let value = json!({"distribution": distribution, "stats": stats});
            self.by_index.insert(index_uid.to_owned(), value);
            return Ok(());
        };
        for (name, counts) in distribution {
            let order = facet_order(&source.settings().faceting, &name);
            let counts = counts.as_object().cloned().unwrap_or_default();
            merged
                .count(index_uid, &name, order, counts)
                .map_err(|error| inside(index_uid, error))?;
        }
        for (name, extremes) in stats {
            merged.extend(name, &extremes);
        }
        Ok(())
    }

    /// The members of the answer, in their order.
    pub(super) fn into_members(self) -> Vec<(&'static str, Value)> {
        if let Some(merged) = self.merged {
            let (distribution, stats) = merged.into_json();
            return vec![("facetDistribution", distribution), ("facetStats", stats)];
        }
        if self.by_index.is_empty() {
            return Vec::new();
        }
        let mut by_index: Vec<_> = self.by_index.into_iter().collect();
        by_index.sort_by(|a, b| a.0.cmp(&b.0));
        let by_index: Map<String, Value> = by_index.into_iter().collect();
        vec![("facetsByIndex", Value::from(by_index))]
    }
}

impl Merged {
    fn count(
        &mut self,
        index_uid: &str,
        name: &str,
        order: FacetOrder,
        counts: Map<String, Value>,
    ) -> Result<(), SearchError> {
        let Some(attribute) = self.distribution.get_mut(name) else {
            let index_uid = index_uid.to_owned();
            let attribute = Attribute {
                index_uid,
                order,
                counts,
            };
            self.distribution.insert(name.to_owned(), attribute);
            return Ok(());
        };
        if attribute.order != order {
            let words = |order| match order {
                FacetOrder::Alpha => "alphabetically",
                FacetOrder::Count => "by count",
            };
            return Err(SearchError::new(
                "invalid_multi_search_facet_order",
                format!(
                    "Inconsistent order for values in facet `{name}`: index `{}` orders {}, but \
                     index `{index_uid}` orders {}.\n - Hint: Remove `federation.mergeFacets` or \
                     change `faceting.sortFacetValuesBy` to be consistent in settings.",
                    attribute.index_uid,
                    words(attribute.order),
                    words(order)
                ),
            ));
        }
        for (value, count) in counts {
            let more = count.as_u64().unwrap_or(0);
            let known = attribute.counts.get(&value).and_then(Value::as_u64);
            let sum = known.unwrap_or(0) + more;
            attribute.counts.insert(value, Value::from(sum));
        }
        Ok(())
    }

    fn extend(&mut self, name: String, extremes: &Value) {
        let (Some(min), Some(max)) = (extremes["min"].as_f64(), extremes["max"].as_f64()) else {
            return;
        };
        self.stats
            .entry(name)
            .and_modify(|(least, most)| {
                *least = least.min(min);
                *most = most.max(max);
            })
            .or_insert((min, max));
    }

    fn into_json(self) -> (Value, Value) {
        let max_values = self.max_values;
        let listed = self.distribution.into_iter().map(|(name, attribute)| {
            let mut counts: Vec<(String, Value)> = attribute.counts.into_iter().collect();
            counts.sort_by(|a, b| a.0.cmp(&b.0));
            if attribute.order == FacetOrder::Count {
                counts.sort_by_key(|(_, count)| std::cmp::Reverse(count.as_u64().unwrap_or(0)));
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

/// Checks the facets of indexes that no query asks.
///
/// # Errors
/// There is no such index, or an attribute cannot be counted.
pub(super) fn check_unused<'s>(
    federation: &Federation,
    is_used: impl Fn(&str) -> bool,
    source: impl Fn(&str) -> Option<&'s dyn SearchSource>,
) -> Result<(), FederationError> {
    let unused = federation.facets_by_index.keys();
    for index_uid in unused.filter(|uid| !is_used(uid)) {
        let names = federation.facets_of(index_uid).unwrap_or_default();
        let checked = match source(index_uid) {
            Some(source) => check(source, &names),
            None => Err(SearchError::new(
                "index_not_found",
                format!("Index `{index_uid}` not found."),
            )),
        };
        checked.map_err(|error| {
            let mut error = inside(index_uid, error);
            error.message = format!(
                "{}\n - Note: index `{index_uid}` is not used in queries",
                error.message
            );
            FederationError::of_federation(error)
        })?;
    }
    Ok(())
}

/// Whether every name can be counted.
fn check(source: &dyn SearchSource, names: &[String]) -> Result<(), SearchError> {
    not_countable(source.settings(), names).map_or(Ok(()), |message| {
        Err(SearchError::new(
            "invalid_search_facets",
            format!("Invalid facet distribution: {message}"),
        ))
    })
}

fn inside(index_uid: &str, error: SearchError) -> SearchError {
    SearchError {
        message: format!(
            "Inside `.federation.facetsByIndex.{index_uid}`: {}",
            error.message
        ),
        ..error
    }
}
