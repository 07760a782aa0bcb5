//! The complete settings of an index, in the key order of the interface.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AttributePattern, ChatSettings, RankingRuleSetting, covers};

/// All settings of one index; every field has a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IndexSettings {
    /// Attributes a search may return; `["*"]` for all.
    pub displayed_attributes: Vec<String>,
    /// Attributes searched, most important first; `["*"]` for all, all of one rank.
    pub searchable_attributes: Vec<String>,
    /// Attributes usable in filters and facets.
    pub filterable_attributes: Vec<FilterableAttribute>,
    /// Attributes usable in `sort`.
    pub sortable_attributes: BTreeSet<String>,
    /// Foreign keys as given; empty unless the feature is used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<Value>,
    /// Ranking rules, most important first.
    pub ranking_rules: Vec<RankingRuleSetting>,
    /// Words that are not searched.
    pub stop_words: BTreeSet<String>,
    /// Default separators that no longer separate.
    pub non_separator_tokens: BTreeSet<String>,
    /// Further separators.
    pub separator_tokens: BTreeSet<String>,
    /// Strings kept as one word.
    pub dictionary: BTreeSet<String>,
    /// Word or words to their synonyms, as written by the user.
    pub synonyms: Map<String, Value>,
    /// Attribute of which a search returns one document per value.
    pub distinct_attribute: Option<String>,
    /// How closely proximity looks.
    pub proximity_precision: ProximityPrecision,
    /// Typo settings.
    pub typo_tolerance: TypoTolerance,
    /// Facet settings.
    pub faceting: FacetingSettings,
    /// Paging limits.
    pub pagination: PaginationSettings,
    /// Embedders by name, as configured.
    pub embedders: Map<String, Value>,
    /// Milliseconds a search may take; `None` for the default.
    pub search_cutoff_ms: Option<u64>,
    /// Languages of attributes.
    pub localized_attributes: Option<Vec<LocalizedAttributes>>,
    /// Whether facet values can be searched.
    pub facet_search: bool,
    /// Whether the last query word is a prefix.
    pub prefix_search: PrefixSearch,
    /// What chats know of the index.
    pub chat: ChatSettings,
}

impl Default for IndexSettings {
    fn default() -> Self {
        Self {
            displayed_attributes: vec!["*".into()],
            searchable_attributes: vec!["*".into()],
            filterable_attributes: Vec::new(),
            sortable_attributes: BTreeSet::new(),
            foreign_keys: Vec::new(),
            ranking_rules: vec![
                RankingRuleSetting::Words,
                RankingRuleSetting::Typo,
                RankingRuleSetting::Proximity,
                RankingRuleSetting::AttributeRank,
                RankingRuleSetting::Sort,
                RankingRuleSetting::WordPosition,
                RankingRuleSetting::Exactness,
            ],
            stop_words: BTreeSet::new(),
            non_separator_tokens: BTreeSet::new(),
            separator_tokens: BTreeSet::new(),
            dictionary: BTreeSet::new(),
            synonyms: Map::new(),
            distinct_attribute: None,
            proximity_precision: ProximityPrecision::ByWord,
            typo_tolerance: TypoTolerance::default(),
            faceting: FacetingSettings::default(),
            pagination: PaginationSettings::default(),
            embedders: Map::new(),
            search_cutoff_ms: None,
            localized_attributes: None,
            facet_search: true,
            prefix_search: PrefixSearch::IndexingTime,
            chat: ChatSettings::default(),
        }
    }
}

impl IndexSettings {
    /// Rank of an attribute among the searchable ones, 0 first; `None` if it is not searched.
    #[must_use]
    pub fn searchable_weight(&self, attribute: &str) -> Option<u16> {
        if matches!(
            attribute.split('.').next(),
            Some("_vectors" | "_geo" | "_geojson")
        ) {
            return None;
        }
        if self.searches_everything() {
            return Some(0);
        }
        let at = self
            .searchable_attributes
            .iter()
            .position(|entry| covers(entry, attribute))?;
        u16::try_from(at).ok()
    }

    /// The attributes that hold ids of documents of other indexes, each with the uid of its index.
    pub fn foreign_attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.foreign_keys.iter().filter_map(|key| {
            let text = |member: &str| key.get(member).and_then(Value::as_str);
            Some((text("fieldName")?, text("foreignIndexUid")?))
        })
    }

    /// Whether every attribute is searchable, all with the same rank.
    #[must_use]
    pub fn searches_everything(&self) -> bool {
        self.searchable_attributes.iter().any(|entry| entry == "*")
    }

    /// The largest rank that [`Self::searchable_weight`] can give; `None` with the wildcard.
    #[must_use]
    pub fn max_searchable_weight(&self) -> Option<u16> {
        if self.searches_everything() {
            return None;
        }
        u16::try_from(self.searchable_attributes.len().saturating_sub(1)).ok()
    }

    /// Whether a search may return the attribute.
    #[must_use]
    pub fn is_displayed(&self, attribute: &str) -> bool {
        self.displayed_attributes
            .iter()
            .any(|entry| entry == "*" || covers(entry, attribute))
    }

    /// The first filterable rule that selects the attribute, with its place in the list.
    #[must_use]
    pub fn filterable_rule(&self, attribute: &str) -> Option<(usize, FilterableFeatures)> {
        self.filterable_attributes
            .iter()
            .enumerate()
            .find(|(_, entry)| entry.matches(attribute))
            .map(|(at, entry)| (at, entry.features()))
    }

    /// Whether the attribute may be used in `sort`.
    #[must_use]
    pub fn is_sortable(&self, attribute: &str) -> bool {
        self.sortable_attributes
            .iter()
            .any(|entry| covers(entry, attribute))
    }

    /// Whether values of the attribute are kept in columns: for filters, facets, sorting,
    /// distinct or a custom ranking rule.
    #[must_use]
    pub fn is_faceted(&self, attribute: &str) -> bool {
        self.is_sortable(attribute)
            || self.distinct_attribute.as_deref().is_some_and(|name| covers(name, attribute))
            || self.ranking_rules.iter().any(|rule| {
                matches!(rule, RankingRuleSetting::Custom(name, _) if covers(name, attribute))
            })
            || self.filterable_rule(attribute).is_some()
    }

    /// Whether the name itself is filterable, not only a pattern that covers it.
    #[must_use]
    pub fn names_filterable(&self, wanted: &str) -> bool {
        let is_wanted = |entry: &FilterableAttribute| matches!(entry, FilterableAttribute::Name(name) if name == wanted);
        self.filterable_attributes.iter().any(is_wanted)
    }
}

/// An entry of `filterableAttributes`: a name or a granular rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FilterableAttribute {
    /// A plain name, with every feature; `*` has no special meaning in it.
    Name(String),
    /// Patterns with chosen features.
    Rule(FilterableRule),
}

impl FilterableAttribute {
    /// Whether this entry selects the attribute.
    #[must_use]
    pub fn matches(&self, attribute: &str) -> bool {
        match self {
            Self::Name(name) => covers(name, attribute),
            Self::Rule(rule) => rule
                .attribute_patterns
                .iter()
                .any(|pattern| AttributePattern::parse(pattern).matches(attribute)),
        }
    }

    /// What the entry allows.
    #[must_use]
    pub fn features(&self) -> FilterableFeatures {
        match self {
            Self::Name(_) => FilterableFeatures {
                facet_search: true,
                filter: FilterFeatures {
                    equality: true,
                    comparison: true,
                },
            },
            Self::Rule(rule) => rule.features,
        }
    }

    /// The names or patterns of the entry.
    #[must_use]
    pub fn patterns(&self) -> Vec<&str> {
        match self {
            Self::Name(name) => vec![name],
            Self::Rule(rule) => rule.attribute_patterns.iter().map(String::as_str).collect(),
        }
    }
}

/// Patterns and the features they get.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilterableRule {
    /// Names and patterns.
    pub attribute_patterns: Vec<String>,
    /// What is allowed.
    #[serde(default)]
    pub features: FilterableFeatures,
}

/// Features of a filterable rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FilterableFeatures {
    /// Values can be searched.
    pub facet_search: bool,
    /// Filter operators.
    pub filter: FilterFeatures,
}

/// Filter operators of a filterable rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FilterFeatures {
    /// `=`, `!=`, `IN`.
    pub equality: bool,
    /// `<`, `>`, `<=`, `>=`, `TO`.
    pub comparison: bool,
}

impl Default for FilterFeatures {
    fn default() -> Self {
        Self {
            equality: true,
            comparison: false,
        }
    }
}

/// How closely the proximity rule looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProximityPrecision {
    /// Distances between words.
    #[default]
    ByWord,
    /// Same attribute or not.
    ByAttribute,
}

/// When prefixes are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PrefixSearch {
    /// The last query word is a prefix.
    #[default]
    IndexingTime,
    /// Every query word is a whole word.
    Disabled,
}

/// Typo settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TypoTolerance {
    /// Whether typos are tolerated.
    pub enabled: bool,
    /// Word lengths, in characters, from which typos are tolerated.
    pub min_word_size_for_typos: MinWordSizeForTypos,
    /// Query words that must match as typed.
    pub disable_on_words: BTreeSet<String>,
    /// Attributes matched only as typed.
    pub disable_on_attributes: BTreeSet<String>,
    /// Whether numbers match only as typed.
    pub disable_on_numbers: bool,
}

impl Default for TypoTolerance {
    fn default() -> Self {
        Self {
            enabled: true,
            min_word_size_for_typos: MinWordSizeForTypos::default(),
            disable_on_words: BTreeSet::new(),
            disable_on_attributes: BTreeSet::new(),
            disable_on_numbers: false,
        }
    }
}

/// Word lengths, in characters, from which one and two typos are tolerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MinWordSizeForTypos {
    /// From this length, one typo.
    pub one_typo: u8,
    /// From this length, two typos.
    pub two_typos: u8,
}

impl Default for MinWordSizeForTypos {
    fn default() -> Self {
        Self {
            one_typo: 5,
            two_typos: 9,
        }
    }
}

/// Facet settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FacetingSettings {
    /// Values listed per facet at the most.
    pub max_values_per_facet: usize,
    /// Order of values by attribute; `*` for the others.
    pub sort_facet_values_by: std::collections::BTreeMap<String, FacetOrder>,
}

impl Default for FacetingSettings {
    fn default() -> Self {
        Self {
            max_values_per_facet: 100,
            sort_facet_values_by: [("*".to_owned(), FacetOrder::Alpha)].into(),
        }
    }
}

/// Order of facet values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FacetOrder {
    /// By value.
    Alpha,
    /// By number of documents.
    Count,
}

/// Paging limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PaginationSettings {
    /// Hits reachable at the most.
    pub max_total_hits: usize,
}

impl Default for PaginationSettings {
    fn default() -> Self {
        Self {
            max_total_hits: 1000,
        }
    }
}

/// Languages of the attributes that match one of the patterns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LocalizedAttributes {
    /// Patterns on full dotted names.
    pub attribute_patterns: Vec<String>,
    /// Language codes.
    pub locales: Vec<String>,
}
