//! Counts of facet values: by index, or added up over all of them.

use serde_json::{Map, Value, json};

use super::request::{FederatedRequest, Federation, FederationError};
use super::summed_counts::SummedCounts;
use crate::docset::DocSet;
use crate::facet::{facet_order, not_countable};
use crate::request::{SearchError, SearchSource};

/// Values shown of each attribute when nothing is said.
const DEFAULT_MAX_VALUES: usize = 100;

impl Federation {
    /// Where counts are added up, if they are to be.
    pub(super) fn summed_counts(&self) -> Option<SummedCounts> {
        let merge = self
            .merge_facets
            .filter(|_| !self.facets_by_index.is_empty())?;
        let max_values = merge.max_values_per_facet;
        Some(SummedCounts::new(max_values.unwrap_or(DEFAULT_MAX_VALUES)))
    }
}

/// What the answer says of facets.
pub(super) struct FederatedFacets {
    /// `facetsByIndex`, unless counts are added up here.
    by_index: Map<String, Value>,
    /// How each index shows its values, for a part of a larger answer.
    options: Map<String, Value>,
    summed: Option<SummedCounts>,
    is_part: bool,
    as_search: bool,
}

impl FederatedFacets {
    pub(super) fn new(request: &FederatedRequest) -> Self {
        Self {
            by_index: Map::new(),
            options: Map::new(),
            summed: request.federation.summed_counts(),
            is_part: request.is_part,
            as_search: request.as_search,
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
        let placed = |error| match self.as_search {
            true => error,
            false => inside(index_uid, error),
        };
        check(source, names).map_err(placed)?;
        let facets = source.facets(names, candidates)?;
        let read = |bytes: &[u8]| -> Map<String, Value> {
            serde_json::from_slice(bytes).unwrap_or_default()
        };
        let (distribution, stats) = (read(&facets.distribution), read(&facets.stats));
        let faceting = &source.settings().faceting;
        let mut orders = Map::new();
        for (name, counts) in &distribution {
            let order = facet_order(faceting, name);
            orders.insert(name.clone(), json!(order));
            let (Some(summed), Some(counts)) = (&mut self.summed, counts.as_object()) else {
                continue;
            };
            summed
                .check_order(index_uid, name, order)
                .map_err(|error| inside(index_uid, error))?;
            summed.add(index_uid, name, order, counts);
        }
        if self.is_part {
            let options = json!({
                "maxValuesPerFacet": faceting.max_values_per_facet,
                "orders": orders,
            });
            self.options.insert(index_uid.to_owned(), options);
        }
        if let (false, Some(summed)) = (self.is_part, &mut self.summed) {
            for (name, extremes) in stats {
                summed.extend(&name, &extremes);
            }
        } else {
            let value = json!({"distribution": distribution, "stats": stats});
            self.by_index.insert(index_uid.to_owned(), value);
        }
        Ok(())
    }

    /// The members of the answer, in their order.
    pub(super) fn into_members(self) -> Vec<(&'static str, Value)> {
        if let (false, Some(summed)) = (self.is_part, self.summed) {
            let (distribution, stats) = summed.into_json();
            return vec![("facetDistribution", distribution), ("facetStats", stats)];
        }
        if self.by_index.is_empty() {
            return Vec::new();
        }
        let mut by_index: Vec<_> = self.by_index.into_iter().collect();
        by_index.sort_by(|a, b| a.0.cmp(&b.0));
        let by_index: Map<String, Value> = by_index.into_iter().collect();
        let mut members = vec![("facetsByIndex", Value::from(by_index))];
        if self.is_part {
            members.push(("facetOptions", Value::from(self.options)));
        }
        members
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
