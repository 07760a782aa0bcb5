//! The messages of refused filters.

use std::collections::BTreeSet;

use serval_filter::Operator;

use crate::request::listed_names;
use crate::settings::{AttributePattern, FilterFeatures, IndexSettings};

/// Whether a rule with these features lets its attributes be filtered and counted.
pub(super) const fn is_filterable(features: FilterFeatures) -> bool {
    features.equality || features.comparison
}

/// The patterns of the rules that let their attributes be filtered, in order.
fn filterable_patterns(settings: &IndexSettings) -> BTreeSet<&str> {
    settings
        .filterable_attributes
        .iter()
        .filter(|entry| is_filterable(entry.features().filter))
        .flat_map(|entry| entry.patterns())
        .collect()
}

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

/// The first of some facet names that cannot be counted, and which ones can; `None` if all can.
pub fn not_countable(settings: &IndexSettings, names: &[String]) -> Option<String> {
    let refused = names.iter().find(|name| {
        let is_exact = matches!(AttributePattern::parse(name), AttributePattern::Exact(_));
        let rule = settings.filterable_rule(name);
        is_exact && !rule.is_some_and(|(_, features)| is_filterable(features.filter))
    })?;
    let patterns = filterable_patterns(settings);
    let reason = if patterns.is_empty() {
        "This index does not have configured filterable attributes.".to_owned()
    } else {
        let list = listed_names(settings, patterns.into_iter());
        format!("Available filterable attributes patterns are: `{list}`.")
    };
    Some(format!("Pattern `{refused}` is not filterable. {reason}"))
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
