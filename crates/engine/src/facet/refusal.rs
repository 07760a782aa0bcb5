//! The messages of refused filters.

use serval_filter::Operator;

use crate::request::{filterable_patterns, is_filterable, listed_names};
use crate::settings::{AttributePattern, FilterFeatures, IndexSettings};

/// That an attribute is not filterable, and which ones are.
pub(super) fn not_filterable(settings: &IndexSettings, attribute: &str) -> String {
    let patterns = filterable_patterns(settings);
    if patterns.is_empty() {
        return format!(
            "Attribute `{attribute}` is not filterable. This index does not have configured \
             filterable attributes."
        );
    }
    let list: Vec<String> = patterns
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect();
    format!(
        "Attribute `{attribute}` is not filterable. Available filterable attribute patterns are: \
         {}.",
        list.join(", ")
    )
}

/// The first of some facet names that cannot be counted, and why; `None` if all can.
pub fn not_countable(settings: &IndexSettings, names: &[String]) -> Option<String> {
    names.iter().find_map(|name| {
        let is_exact = matches!(AttributePattern::parse(name), AttributePattern::Exact(_));
        let rule = settings.filterable_rule(name);
        let is_counted = rule.is_some_and(|(_, features)| is_filterable(features.filter));
        (is_exact && !is_counted).then(|| facet_refused(settings, name, rule.map(|(at, _)| at)))
    })
}

/// That a facet cannot be counted: because of the rule at a place of the settings, or for want of one.
fn facet_refused(settings: &IndexSettings, name: &str, rule: Option<usize>) -> String {
    if let Some(at) = rule {
        return format!(
            "Attribute `{name}` matched rule #{at} in filterableAttributes, but this rule does not \
             enable filtering.\nHint: enable filtering in rule #{at} by modifying the \
             features.filter object\nHint: prepend another rule matching `{name}` with appropriate \
             filter features before rule #{at}"
        );
    }
    let patterns = filterable_patterns(settings);
    let reason = listed_names(settings, patterns.into_iter()).map_or_else(
        || "This index does not have configured filterable attributes.".to_owned(),
        |list| format!("Available filterable attributes patterns are: `{list}`."),
    );
    format!("Pattern `{name}` is not filterable. {reason}")
}

/// What an operator asks of the rule that matches its attribute; `None` if nothing.
pub(super) fn missing_feature(
    operator: &Operator,
    features: FilterFeatures,
) -> Option<&'static str> {
    match operator {
        Operator::Equal(_) | Operator::NotEqual(_) => (!features.equality).then_some("equality"),
        Operator::In(values) => (!features.equality && !values.is_empty()).then_some("equality"),
        Operator::Greater(_)
        | Operator::GreaterOrEqual(_)
        | Operator::Less(_)
        | Operator::LessOrEqual(_)
        | Operator::Between { .. } => (!features.comparison).then_some("comparison"),
        Operator::Exists
        | Operator::IsNull
        | Operator::IsEmpty
        | Operator::Contains { .. }
        | Operator::StartsWith { .. } => None,
    }
}

/// That an operator is not allowed by the rule with this place in the settings.
pub(super) fn operator_not_allowed(
    attribute: &str,
    operator: &Operator,
    missing: &str,
    features: FilterFeatures,
    rule: usize,
) -> String {
    let name = operator.name();
    let mut allowed = "OR, AND, NOT".to_owned();
    if features.equality {
        allowed.push_str(", =, !=, IN");
    }
    if features.comparison {
        allowed.push_str(", <, >, <=, >=, TO");
    }
    if is_filterable(features) {
        allowed.push_str(", IS EMPTY, IS NULL, EXISTS");
    }
    format!(
        "Filter operator `{name}` is not allowed for the attribute `{attribute}`.\n  - Note: \
         allowed operators: {allowed}.\n  - Note: field `{attribute}` matched rule #{rule} in \
         `filterableAttributes`\n  - Hint: enable {missing} in rule #{rule} by modifying the \
         features.filter object\n  - Hint: prepend another rule matching `{attribute}` with \
         appropriate filter features before rule #{rule}"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::not_countable;
    use crate::settings::IndexSettings;

    #[test]
    fn a_facet_that_a_rule_does_not_filter_is_refused_with_the_place_of_the_rule() {
        let off = json!({"filter": {"equality": false, "comparison": false}});
        let delta = json!({"filterableAttributes": [
            "name", {"attributePatterns": ["price"], "features": off},
        ]});
        let delta = delta.as_object().expect("an object");
        let settings = IndexSettings::default().apply(delta).expect("settings").0;
        let refused = |name: &str| not_countable(&settings, &[name.to_owned()]);
        assert_eq!(refused("name"), None);
        assert_eq!(
            refused("price").as_deref(),
            Some(
                "Attribute `price` matched rule #1 in filterableAttributes, but this rule does not \
                 enable filtering.\nHint: enable filtering in rule #1 by modifying the \
                 features.filter object\nHint: prepend another rule matching `price` with \
                 appropriate filter features before rule #1"
            )
        );
        assert_eq!(
            refused("colour").as_deref(),
            Some(
                "Pattern `colour` is not filterable. Available filterable attributes patterns are: \
                 `name`."
            )
        );
    }
}
