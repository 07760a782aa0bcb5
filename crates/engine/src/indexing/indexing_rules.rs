//! What the settings say about indexing a field, compiled once per batch.

use serval_text::{Locale, Tokenizer, TokenizerOptions};

use crate::document::geo::{GEO, PARTS};
use crate::document::geojson::GEOJSON;
use crate::document::places::PlaceFields;
use crate::settings::{AttributePattern, IndexSettings};

/// Tokenizer and per-name decisions of one version of the settings.
pub(crate) struct IndexingRules {
    settings: IndexSettings,
    tokenizer: Tokenizer,
    localized: Vec<(Vec<String>, Vec<Locale>)>,
    skips_words: bool,
    skips_columns: bool,
}

/// What to do with one field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FieldPlan {
    /// Its text becomes words.
    pub(crate) is_searchable: bool,
    /// Its values become columns.
    pub(crate) is_faceted: bool,
    /// Its nested keys are looked at.
    pub(crate) is_walked: bool,
    /// Index into [`IndexingRules::locales`], if strings are in known languages.
    pub(crate) locales: Option<usize>,
}

impl IndexingRules {
    /// Compiles the settings. Language codes that are not known are passed over.
    pub(crate) fn new(settings: &IndexSettings) -> Self {
        let localized = settings
            .localized_attributes
            .as_deref()
            .unwrap_or_default()
            .iter();
        Self {
            tokenizer: Tokenizer::new(&tokenizer_options(settings)),
            localized: localized
                .map(|rule| {
                    let locales = rule.locales.iter().filter_map(|code| code.parse().ok());
                    (rule.attribute_patterns.clone(), locales.collect())
                })
                .collect(),
            settings: settings.clone(),
            skips_words: false,
            skips_columns: false,
        }
    }

    /// Rules under which names are met and nothing is made of values.
    pub(crate) fn for_names(settings: &IndexSettings) -> Self {
        Self {
            skips_columns: true,
            ..Self::for_columns(settings)
        }
    }

    /// Rules under which columns are made and words are not.
    pub(crate) fn for_columns(settings: &IndexSettings) -> Self {
        Self {
            skips_words: true,
            ..Self::new(settings)
        }
    }

    /// The tokenizer.
    pub(crate) const fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The languages behind [`FieldPlan::locales`].
    pub(crate) fn locales(&self, index: Option<usize>) -> &[Locale] {
        index
            .and_then(|index| self.localized.get(index))
            .map_or(&[], |(_, locales)| locales)
    }

    /// The fields of places that are kept. A point is looked at for its names alone, too: its
    /// coordinates have some that the walk over a document does not meet.
    pub(crate) fn places(&self) -> PlaceFields {
        let kept = kept_places(&self.settings);
        PlaceFields {
            geojson: kept.geojson && !self.skips_columns,
            ..kept
        }
    }

    /// What to do with the field of this name.
    pub(crate) fn plan(&self, name: &str) -> FieldPlan {
        let is_special = matches!(name, "_vectors" | GEOJSON | GEO);
        FieldPlan {
            is_searchable: !self.skips_words && self.settings.searchable_weight(name).is_some(),
            is_faceted: !matches!(name, "_vectors" | GEOJSON)
                && (!name.starts_with("_geo.") || PARTS.contains(&name))
                && !self.skips_columns
                && self.settings.is_faceted(name),
            is_walked: !is_special,
            locales: self.localized.iter().position(|(patterns, _)| {
                patterns.iter().any(|pattern| matches_name(pattern, name))
            }),
        }
    }
}

/// The fields of places that settings keep, for who asks once per operation: compiling all of the
/// settings for that would take a large dictionary as often to build.
pub(crate) fn kept_places(settings: &IndexSettings) -> PlaceFields {
    PlaceFields {
        geo: settings.is_faceted(GEO),
        geojson: settings.names_filterable(GEOJSON),
    }
}

/// Language patterns match whole names only: a name without `*` does not cover its children.
fn matches_name(pattern: &str, name: &str) -> bool {
    match AttributePattern::parse(pattern) {
        AttributePattern::Exact(exact) => exact == name,
        pattern => pattern.matches(name),
    }
}

/// How the settings change tokenisation, for documents and queries alike.
#[must_use]
pub fn tokenizer_options(settings: &IndexSettings) -> TokenizerOptions {
    let owned = |set: &std::collections::BTreeSet<String>| set.iter().cloned().collect();
    TokenizerOptions {
        stop_words: owned(&settings.stop_words),
        separator_tokens: owned(&settings.separator_tokens),
        non_separator_tokens: owned(&settings.non_separator_tokens),
        dictionary: owned(&settings.dictionary),
    }
}
