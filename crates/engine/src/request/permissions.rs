//! Checks a request against what the settings allow.

use super::{SearchError, SearchSource};
use crate::ranking::SortCriterion;
use crate::settings::{AttributePattern, IndexSettings, RankingRuleSetting};

/// Every `sort` attribute must be sortable, and the `sort` rule must be among the rules.
pub(crate) fn check_sort(
    source: &dyn SearchSource,
    criteria: &[SortCriterion],
) -> Result<(), SearchError> {
    let settings = source.settings();
    for criterion in criteria {
        let name = match criterion {
            SortCriterion::Attribute(name, _) => name.as_str(),
            SortCriterion::GeoPoint(..) => "_geo",
        };
        if !settings.is_sortable(name) {
            return Err(SearchError::of_index(
                "invalid_search_sort",
                not_sortable(settings, name),
            ));
        }
    }
    if !criteria.is_empty() && !settings.ranking_rules.contains(&RankingRuleSetting::Sort) {
        return Err(SearchError::of_index(
            "invalid_search_sort",
            "You must specify where `sort` is listed in the rankingRules setting to use the sort \
             parameter at search time.",
        ));
    }
    Ok(())
}

/// That an attribute is not sortable, and which ones are.
pub(crate) fn not_sortable(settings: &IndexSettings, name: &str) -> String {
    let refused = format!("Attribute `{name}` is not sortable.");
    if settings.sortable_attributes.is_empty() {
        return format!("{refused} This index does not have configured sortable attributes.");
    }
    let names = listed_names(
        settings,
        settings.sortable_attributes.iter().map(String::as_str),
    );
    format!("{refused} Available sortable attributes are: `{names}`.")
}

/// Names joined by commas; those not displayed are only mentioned.
pub(crate) fn listed_names<'n>(
    settings: &IndexSettings,
    names: impl Iterator<Item = &'n str>,
) -> String {
    let (shown, hidden): (Vec<&str>, Vec<&str>) =
        names.partition(|name| settings.is_displayed(name));
    let mut list = shown.join(", ");
    if !hidden.is_empty() {
        list.push_str(if shown.is_empty() {
            "<..hidden-attributes>"
        } else {
            ", <..hidden-attributes>"
        });
    }
    list
}

/// Names of `attributesToSearchOn` must be searchable, unless everything is.
pub(crate) fn check_searched(
    source: &dyn SearchSource,
    names: &[String],
) -> Result<(), SearchError> {
    let settings = source.settings();
    if settings.searches_everything() {
        return Ok(());
    }
    for name in names {
        let pattern = AttributePattern::parse(name);
        let is_wild = !matches!(pattern, AttributePattern::Exact(_));
        if !is_wild && settings.searchable_weight(name).is_none() {
            let mut searchable: Vec<&str> = settings
                .searchable_attributes
                .iter()
                .map(String::as_str)
                .collect();
            searchable.sort_unstable();
            let names = listed_names(settings, searchable.into_iter());
            return Err(SearchError::of_index(
                "invalid_search_attributes_to_search_on",
                format!(
                    "Attribute `{name}` is not searchable. Available searchable attributes are: \
                     `{names}`."
                ),
            ));
        }
    }
    Ok(())
}

/// The attribute that makes hits distinct: of the request, which must be filterable, or else of
/// the settings. `None` too if no document ever had it.
pub(crate) fn distinct_attribute(
    source: &dyn SearchSource,
    requested: Option<&str>,
) -> Result<Option<String>, SearchError> {
    let settings = source.settings();
    let name = match requested {
        None => settings.distinct_attribute.clone(),
        Some(name) => {
            check_distinct(settings, name)?;
            Some(name.to_owned())
        }
    };
    Ok(name.filter(|name| source.knows_attribute(name)))
}

fn check_distinct(settings: &IndexSettings, name: &str) -> Result<(), SearchError> {
    let rule = settings.filterable_rule(name);
    if rule.is_some_and(|(_, features)| features.filter.equality || features.filter.comparison) {
        return Ok(());
    }
    let refused = format!(
        "Attribute `{name}` is not filterable and thus, cannot be used as distinct attribute."
    );
    let reason = if let Some((at, _)) = rule {
        format!(
            "Note: this attribute matches rule #{at} in filterableAttributes, but this rule does \
             not enable filtering.\nHint: enable filtering in rule #{at} by adding appropriate \
             filter features.\nHint: prepend another rule matching {name} with appropriate filter \
             features before rule #{at}"
        )
    } else if settings.filterable_attributes.is_empty() {
        "This index does not have configured filterable attributes.".to_owned()
    } else {
        let mut patterns: Vec<&str> = settings
            .filterable_attributes
            .iter()
            .flat_map(|entry| entry.patterns())
            .collect();
        patterns.sort_unstable();
        let names = listed_names(settings, patterns.into_iter());
        format!("Available filterable attributes patterns are: `{names}`.")
    };
    Err(SearchError::of_index(
        "invalid_search_distinct",
        format!("{refused} {reason}"),
    ))
}
