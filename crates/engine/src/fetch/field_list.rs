//! The fields of an index, each with what the settings make of it.
//!
//! A field is known from the first document that had it on, with its parents: `o` and `o.a`.
//! Costs a pass over the names of the fields, no document is looked at.

use serde::{Deserialize, Serialize};

use crate::index::Snapshot;
use crate::settings::{
    AttributePattern, Direction, FacetOrder, IndexSettings, LocalizedAttributes,
    RankingRuleSetting, covers,
};

const DEFAULT_LIMIT: usize = 20;
/// Holds the vectors of a document; it is no field of it.
const VECTORS: &str = "_vectors";

/// Which fields, in the order of their names.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FieldsRequest {
    /// Fields to skip.
    pub offset: usize,
    /// Fields to return at the most.
    pub limit: usize,
    /// What must hold of a field.
    pub filter: Option<FieldFilter>,
}

impl Default for FieldsRequest {
    fn default() -> Self {
        Self {
            offset: 0,
            limit: DEFAULT_LIMIT,
            filter: None,
        }
    }
}

/// What must hold of a field; all of what is given.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FieldFilter {
    /// Names, or patterns with `*` at an end, of which one must match the full dotted name.
    pub attribute_patterns: Option<Vec<String>>,
    /// Whether a search may return it.
    pub displayed: Option<bool>,
    /// Whether it is searched.
    pub searchable: Option<bool>,
    /// Whether it can be sorted by.
    pub sortable: Option<bool>,
    /// Whether it is the distinct attribute.
    pub distinct: Option<bool>,
    /// Whether a custom ranking rule orders by it.
    pub ranking_rule: Option<bool>,
    /// Whether it can be used in filters.
    pub filterable: Option<bool>,
}

#[derive(Serialize)]
struct Page<'a> {
    results: Vec<Field<'a>>,
    offset: usize,
    limit: usize,
    total: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Field<'a> {
    name: &'a str,
    displayed: Enabled,
    searchable: Enabled,
    sortable: Enabled,
    distinct: Enabled,
    ranking_rule: CustomRule,
    filterable: Filterable,
    localized: Localized<'a>,
}

#[derive(Serialize)]
struct Enabled {
    enabled: bool,
}

#[derive(Serialize)]
struct CustomRule {
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Direction>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Filterable {
    enabled: bool,
    sort_by: FacetOrder,
    facet_search: bool,
    equality: bool,
    comparison: bool,
}

#[derive(Serialize)]
struct Localized<'a> {
    locales: &'a [String],
}

/// The JSON of a page of the fields that match, in byte order of their names.
///
/// # Errors
/// When the answer cannot be written as JSON.
pub fn fields(snapshot: &Snapshot, request: &FieldsRequest) -> Result<Vec<u8>, serde_json::Error> {
    let settings = snapshot.settings();
    let mut names: Vec<&str> = snapshot
        .meta()
        .fields
        .iter()
        .map(|(_, name)| name)
        .filter(|name| !covers(VECTORS, name))
        .collect();
    names.sort_unstable();
    let filter = request.filter.as_ref();
    let matching: Vec<Field<'_>> = names
        .into_iter()
        .map(|name| Field::new(name, settings))
        .filter(|field| filter.is_none_or(|filter| filter.admits(field)))
        .collect();
    let total = matching.len();
    let page = matching.into_iter().skip(request.offset);
    serde_json::to_vec(&Page {
        results: page.take(request.limit).collect(),
        offset: request.offset,
        limit: request.limit,
        total,
    })
}

impl<'a> Field<'a> {
    fn new(name: &'a str, settings: &'a IndexSettings) -> Self {
        let enabled = |enabled| Enabled { enabled };
        let distinct = settings.distinct_attribute.as_deref();
        let order = custom_order(name, settings);
        Self {
            name,
            displayed: enabled(settings.is_displayed(name)),
            searchable: enabled(settings.searchable_weight(name).is_some()),
            sortable: enabled(settings.is_sortable(name)),
            distinct: enabled(distinct == Some(name)),
            ranking_rule: CustomRule {
                enabled: order.is_some(),
                order,
            },
            filterable: Filterable::new(name, settings),
            localized: Localized {
                locales: locales_of(name, settings),
            },
        }
    }
}

impl Filterable {
    fn new(name: &str, settings: &IndexSettings) -> Self {
        let rule = settings.filterable_rule(name).map(|(_, features)| features);
        let filter = rule.map(|features| features.filter);
        let equality = filter.is_some_and(|filter| filter.equality);
        let comparison = filter.is_some_and(|filter| filter.comparison);
        let orders = &settings.faceting.sort_facet_values_by;
        let order = orders.get(name).or_else(|| orders.get("*"));
        Self {
            enabled: equality || comparison,
            sort_by: order.copied().unwrap_or(FacetOrder::Alpha),
            facet_search: settings.facet_search && rule.is_some_and(|rule| rule.facet_search),
            equality,
            comparison,
        }
    }
}

impl FieldFilter {
    fn admits(&self, field: &Field<'_>) -> bool {
        let wants = |wanted: Option<bool>, is: bool| wanted.is_none_or(|wanted| wanted == is);
        self.names(field.name)
            && wants(self.displayed, field.displayed.enabled)
            && wants(self.searchable, field.searchable.enabled)
            && wants(self.sortable, field.sortable.enabled)
            && wants(self.distinct, field.distinct.enabled)
            && wants(self.ranking_rule, field.ranking_rule.enabled)
            && wants(self.filterable, field.filterable.enabled)
    }

    fn names(&self, name: &str) -> bool {
        self.attribute_patterns.as_ref().is_none_or(|patterns| {
            patterns
                .iter()
                .any(|pattern| match AttributePattern::parse(pattern) {
                    // Here a name does not stand for what is nested under it.
                    AttributePattern::Exact(exact) => exact == name,
                    pattern => pattern.matches(name),
                })
        })
    }
}

fn custom_order(name: &str, settings: &IndexSettings) -> Option<Direction> {
    settings.ranking_rules.iter().find_map(|rule| match rule {
        RankingRuleSetting::Custom(attribute, direction) if attribute == name => Some(*direction),
        _ => None,
    })
}

fn locales_of<'a>(name: &str, settings: &'a IndexSettings) -> &'a [String] {
    let covers_name = |rule: &&LocalizedAttributes| {
        rule.attribute_patterns
            .iter()
            .any(|pattern| AttributePattern::parse(pattern).matches(name))
    };
    let mut rules = settings.localized_attributes.iter().flatten();
    rules.find(covers_name).map_or(&[], |rule| &rule.locales)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::TestIndex;

    fn listed(index: &TestIndex, request: Value) -> Value {
        let request = serde_json::from_value(request).unwrap();
        serde_json::from_slice(&fields(&index.snapshot(), &request).unwrap()).unwrap()
    }

    fn names(index: &TestIndex, request: Value) -> String {
        let answer = listed(index, request);
        let fields = answer["results"].as_array().unwrap().iter();
        let names: Vec<&str> = fields
            .map(|field| field["name"].as_str().unwrap())
            .collect();
        format!("{} of {}", names.join(" "), answer["total"])
    }

    fn films() -> TestIndex {
        TestIndex::new(
            json!({
                "displayedAttributes": ["title", "o"],
                "searchableAttributes": ["title", "o.a"],
                "sortableAttributes": ["year"],
                "distinctAttribute": "year",
                "rankingRules": ["words", "year:desc", "o.a:asc"],
                "filterableAttributes": [
                    "o",
                    {"attributePatterns": ["ti*"], "features":
                        {"facetSearch": true, "filter": {"equality": false, "comparison": false}}},
                    {"attributePatterns": ["year"], "features":
                        {"facetSearch": false, "filter": {"equality": false, "comparison": true}}},
                ],
                "faceting": {"sortFacetValuesBy": {"*": "count", "year": "alpha"}},
                "localizedAttributes": [{"attributePatterns": ["*tle"], "locales": ["fra", "jpn"]}],
            }),
            &[
                json!({"id": 1, "title": "x", "o": {"a": 1, "deep": {"er": [1]}}}),
                json!({"id": 2, "year": 1999, "_vectors": {"e": [1.0]}}),
            ],
        )
    }

    #[test]
    fn fields_come_by_name_with_their_parents_and_without_vectors() {
        let index = films();
        let all = "id o o.a o.deep o.deep.er title year of 7";
        assert_eq!(names(&index, json!({})), all);
        assert_eq!(
            names(&index, json!({"offset": 2, "limit": 2})),
            "o.a o.deep of 7"
        );
        assert_eq!(names(&index, json!({"offset": 7})), " of 7");
        assert_eq!(names(&index, json!({"limit": 0})), " of 7");
    }

    #[test]
    fn each_field_tells_what_the_settings_make_of_it() {
        let index = films();
        let answer = listed(
            &index,
            json!({"filter": {"attributePatterns": ["year", "title"]}}),
        );
        assert_eq!(
            answer["results"][1].to_string(),
            json!({
                "name": "year", "displayed": {"enabled": false}, "searchable": {"enabled": false},
                "sortable": {"enabled": true}, "distinct": {"enabled": true},
                "rankingRule": {"enabled": true, "order": "desc"},
                "filterable": {"enabled": true, "sortBy": "alpha", "facetSearch": false,
                    "equality": false, "comparison": true},
                "localized": {"locales": []},
            })
            .to_string()
        );
        assert_eq!(
            answer["results"][0],
            json!({
                "name": "title", "displayed": {"enabled": true}, "searchable": {"enabled": true},
                "sortable": {"enabled": false}, "distinct": {"enabled": false},
                "rankingRule": {"enabled": false},
                "filterable": {"enabled": false, "sortBy": "count", "facetSearch": true,
                    "equality": false, "comparison": false},
                "localized": {"locales": ["fra", "jpn"]},
            })
        );
    }

    #[test]
    fn all_criteria_must_hold() {
        let index = films();
        let by = |filter: Value| names(&index, json!({"filter": filter}));
        assert_eq!(
            by(json!({"displayed": true})),
            "o o.a o.deep o.deep.er title of 5"
        );
        assert_eq!(
            by(json!({"displayed": true, "searchable": true})),
            "o.a title of 2"
        );
        assert_eq!(
            by(json!({"sortable": false, "searchable": false, "filterable": false})),
            "id of 1"
        );
        assert_eq!(by(json!({"distinct": true})), "year of 1");
        assert_eq!(by(json!({"rankingRule": true})), "o.a year of 2");
        assert_eq!(
            by(json!({"filterable": true})),
            "o o.a o.deep o.deep.er year of 5"
        );
        assert_eq!(by(json!({"attributePatterns": []})), " of 0");
        assert_eq!(
            by(json!({"attributePatterns": null})),
            "id o o.a o.deep o.deep.er title year of 7"
        );
    }

    #[test]
    fn patterns_match_full_names() {
        let index = films();
        let by =
            |patterns: Value| names(&index, json!({"filter": {"attributePatterns": patterns}}));
        assert_eq!(by(json!(["o"])), "o of 1");
        assert_eq!(by(json!(["o.*"])), "o.a o.deep o.deep.er of 3");
        assert_eq!(by(json!(["*er", "id"])), "id o.deep.er of 2");
        assert_eq!(by(json!(["*e*"])), "o.deep o.deep.er title year of 4");
        assert_eq!(
            by(json!(["*"])),
            "id o o.a o.deep o.deep.er title year of 7"
        );
    }
}
