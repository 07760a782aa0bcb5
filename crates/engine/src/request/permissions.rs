//! Checks a request against what the settings allow.

use std::collections::BTreeSet;

use super::{SearchError, SearchSource};
use crate::ranking::SortCriterion;
use crate::settings::{AttributePattern, FilterFeatures, IndexSettings, RankingRuleSetting};

/// Behind the names of a list when there are more, which are not displayed.
const HIDDEN: &str = ", <..hidden-attributes>";

/// The `sort` rule must be among the rules, and every `sort` attribute sortable.
pub(crate) fn check_sort(
    source: &dyn SearchSource,
    criteria: &[SortCriterion],
) -> Result<(), SearchError> {
    let settings = source.settings();
    if !criteria.is_empty() && !settings.ranking_rules.contains(&RankingRuleSetting::Sort) {
        return Err(SearchError::of_index(
            "invalid_search_sort",
            "You must specify where `sort` is listed in the rankingRules setting to use the sort \
             parameter at search time.",
        ));
    }
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
    Ok(())
}

/// That an attribute is not sortable, and which ones are.
pub(crate) fn not_sortable(settings: &IndexSettings, name: &str) -> String {
    let refused = format!("Attribute `{name}` is not sortable.");
    let sortable = settings.sortable_attributes.iter().map(String::as_str);
    listed_names(settings, sortable).map_or_else(
        || format!("{refused} This index does not have configured sortable attributes."),
        |names| format!("{refused} Available sortable attributes are: `{names}`."),
    )
}

/// Whether a rule with these features lets its attributes be filtered and counted.
pub(crate) const fn is_filterable(features: FilterFeatures) -> bool {
    features.equality || features.comparison
}

/// The patterns of the rules that let their attributes be filtered, in order.
pub(crate) fn filterable_patterns(settings: &IndexSettings) -> BTreeSet<&str> {
    settings
        .filterable_attributes
        .iter()
        .filter(|entry| is_filterable(entry.features().filter))
        .flat_map(|entry| entry.patterns())
        .collect()
}

/// Names joined by commas; those not displayed are only mentioned. `None` if none is displayed:
/// that there are others is not told then.
pub(crate) fn listed_names<'n>(
    settings: &IndexSettings,
    names: impl Iterator<Item = &'n str>,
) -> Option<String> {
    let (shown, hidden): (Vec<&str>, Vec<&str>) =
        names.partition(|name| settings.is_displayed(name));
    let mention = if hidden.is_empty() { "" } else { HIDDEN };
    (!shown.is_empty()).then(|| shown.join(", ") + mention)
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
            let is_empty = settings.searchable_attributes.is_empty();
            let names = names.unwrap_or_else(|| if is_empty { "" } else { HIDDEN }.to_owned());
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
    if rule.is_some_and(|(_, features)| is_filterable(features.filter)) {
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
    } else {
        let patterns = filterable_patterns(settings);
        listed_names(settings, patterns.into_iter()).map_or_else(
            || "This index does not have configured filterable attributes.".to_owned(),
            |names| format!("Available filterable attributes patterns are: `{names}`."),
        )
    };
    Err(SearchError::of_index(
        "invalid_search_distinct",
        format!("{refused} {reason}"),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::request::SearchRequest;
    use crate::search::{IndexView, QueryConfigs, search};
    use crate::testing::TestIndex;

    /// Why a search of an index with these settings is refused.
    fn refused(settings: Value, request: Value) -> String {
        let index = TestIndex::new(settings, &[json!({"id": 1, "name": "saw", "price": 3})]);
        let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
        let request: SearchRequest = serde_json::from_value(request).expect("a request");
        search(&view, &request).expect_err("a refusal").message
    }

    #[test]
    fn sorting_without_the_sort_rule_is_refused_before_the_attributes_are_looked_at() {
        assert_eq!(
            refused(
                json!({"rankingRules": ["words"]}),
                json!({"sort": ["nothing:asc"]})
            ),
            "You must specify where `sort` is listed in the rankingRules setting to use the sort \
             parameter at search time."
        );
    }

    #[test]
    fn attributes_that_are_not_displayed_are_mentioned_without_their_names() {
        let settings = json!({
            "displayedAttributes": ["name"],
            "sortableAttributes": ["name", "price"],
            "filterableAttributes": ["name", "price"],
            "searchableAttributes": ["name", "price"],
        });
        assert_eq!(
            refused(settings.clone(), json!({"sort": ["x:asc"]})),
            "Attribute `x` is not sortable. Available sortable attributes are: `name, \
             <..hidden-attributes>`."
        );
        assert_eq!(
            refused(settings.clone(), json!({"distinct": "x"})),
            "Attribute `x` is not filterable and thus, cannot be used as distinct attribute. \
             Available filterable attributes patterns are: `name, <..hidden-attributes>`."
        );
        assert_eq!(
            refused(settings, json!({"attributesToSearchOn": ["x"]})),
            "Attribute `x` is not searchable. Available searchable attributes are: `name, \
             <..hidden-attributes>`."
        );
    }

    #[test]
    fn attributes_none_of_which_is_displayed_are_not_offered() {
        let settings = json!({
            "displayedAttributes": ["id"],
            "sortableAttributes": ["price"],
            "filterableAttributes": ["price"],
            "searchableAttributes": ["price"],
        });
        assert_eq!(
            refused(settings.clone(), json!({"sort": ["x:asc"]})),
            "Attribute `x` is not sortable. This index does not have configured sortable \
             attributes."
        );
        assert_eq!(
            refused(settings.clone(), json!({"distinct": "x"})),
            "Attribute `x` is not filterable and thus, cannot be used as distinct attribute. This \
             index does not have configured filterable attributes."
        );
        assert_eq!(
            refused(settings, json!({"attributesToSearchOn": ["x"]})),
            "Attribute `x` is not searchable. Available searchable attributes are: `, \
             <..hidden-attributes>`."
        );
    }

    /// Hidden attributes are mentioned only where there are some.
    #[test]
    fn an_index_that_searches_nothing_hides_no_attribute() {
        assert_eq!(
            refused(
                json!({"searchableAttributes": []}),
                json!({"attributesToSearchOn": ["x"]})
            ),
            "Attribute `x` is not searchable. Available searchable attributes are: ``."
        );
    }

    #[test]
    fn a_distinct_attribute_is_not_looked_for_among_rules_that_do_not_filter() {
        let off = json!({"filter": {"equality": false, "comparison": false}});
        let settings = json!({"filterableAttributes": [
            "name", {"attributePatterns": ["price"], "features": off},
        ]});
        assert_eq!(
            refused(settings, json!({"distinct": "x"})),
            "Attribute `x` is not filterable and thus, cannot be used as distinct attribute. \
             Available filterable attributes patterns are: `name`."
        );
    }

    #[test]
    fn of_several_faults_what_cannot_be_read_is_told_first_then_the_filter_before_the_sort() {
        let start = |request: Value| {
            let refused = refused(json!({"searchableAttributes": ["name"]}), request);
            refused.split_inclusive('`').take(2).collect::<String>()
        };
        let faults = json!({
            "attributesToSearchOn": ["a"], "distinct": "b", "filter": "c = 1", "sort": ["d:asc"],
        });
        let with = |name: &str, value: Value| {
            let mut request = faults.clone();
            request[name] = value;
            start(request)
        };
        assert_eq!(with("filter", json!("c")), "Was expecting an operation `=`");
        assert_eq!(
            with("sort", json!(["d"])),
            "Invalid syntax for the sort parameter: expected expression ending by `:asc`"
        );
        assert_eq!(start(faults.clone()), "Attribute `a`");
        assert_eq!(with("attributesToSearchOn", json!(null)), "Attribute `b`");
        let mut request = faults.clone();
        request["attributesToSearchOn"] = json!(null);
        request["distinct"] = json!(null);
        assert_eq!(start(request.clone()), "Attribute `c`");
        request["filter"] = json!(null);
        assert_eq!(start(request), "Attribute `d`");
    }
}
