//! Applies a partial settings object to complete settings.
//!
//! Absent keys keep their value, `null` resets to the default. The object was checked by the
//! caller for kinds and names; what can only be judged against the stored settings is judged here.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::chat::merge_chat;
use super::embedders::merge_embedders;
use super::{FacetOrder, FacetingSettings, IndexSettings, ReindexScope, TypoTolerance};

/// Why a settings change was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A key that is no setting.
    #[error("unknown setting `{0}`")]
    Unknown(String),
    /// A value of the wrong shape.
    #[error("invalid value for setting `{key}`: {reason}")]
    Invalid {
        /// The setting.
        key: String,
        /// What was wrong with it.
        reason: String,
    },
    /// An embedder that cannot be set up like this; the message is complete.
    #[error("{0}")]
    Embedder(String),
    /// A chat template that leaves no byte of its text.
    #[error("`.chat.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero")]
    ChatTemplateBytes,
    /// `oneTypo` above `twoTypos`.
    #[error(
        "`minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be \
         between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found \
         `oneTypo: {one}` and twoTypos: {two}`."
    )]
    TypoSizes {
        /// Length from which one typo is tolerated.
        one: u8,
        /// Length from which two typos are tolerated.
        two: u8,
    },
}

impl SettingsError {
    /// The stable code of the interface.
    #[must_use]
    pub fn code(&self) -> String {
        match self {
            Self::Unknown(_) => "bad_request".to_owned(),
            Self::Embedder(_) => "invalid_settings_embedders".to_owned(),
            Self::ChatTemplateBytes => "invalid_settings_index_chat".to_owned(),
            Self::TypoSizes { .. } => "invalid_settings_typo_tolerance".to_owned(),
            Self::Invalid { key, .. } => {
                let mut code = String::from("invalid_settings_");
                for c in key.chars() {
                    if c.is_ascii_uppercase() {
                        code.push('_');
                    }
                    code.push(c.to_ascii_lowercase());
                }
                code
            }
        }
    }
}

impl IndexSettings {
    /// The settings after a partial update, and the work the change needs.
    ///
    /// # Errors
    /// An unknown key, a value of the wrong shape, or values that contradict stored ones.
    pub fn apply(&self, delta: &Map<String, Value>) -> Result<(Self, ReindexScope), SettingsError> {
        let mut settings = self.clone();
        for (key, value) in delta {
            settings.set(key, value)?;
        }
        let sizes = settings.typo_tolerance.min_word_size_for_typos;
        if sizes.one_typo > sizes.two_typos {
            return Err(SettingsError::TypoSizes {
                one: sizes.one_typo,
                two: sizes.two_typos,
            });
        }
        let scope = ReindexScope::between(self, &settings);
        Ok((settings, scope))
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), SettingsError> {
        let fresh = Self::default();
        match key {
            "displayedAttributes" => {
                self.displayed_attributes = read(key, value, fresh.displayed_attributes)?;
                normalize_names(&mut self.displayed_attributes);
            }
            "searchableAttributes" => {
                self.searchable_attributes = read(key, value, fresh.searchable_attributes)?;
                normalize_names(&mut self.searchable_attributes);
            }
            "filterableAttributes" => {
                self.filterable_attributes = read(key, value, fresh.filterable_attributes)?;
            }
            "sortableAttributes" => {
                self.sortable_attributes = read(key, value, Default::default())?
            }
            "foreignKeys" => self.foreign_keys = read(key, value, Vec::new())?,
            "rankingRules" => self.ranking_rules = read(key, value, fresh.ranking_rules)?,
            "stopWords" => self.stop_words = read(key, value, Default::default())?,
            "nonSeparatorTokens" => {
                self.non_separator_tokens = read(key, value, Default::default())?;
            }
            "separatorTokens" => self.separator_tokens = read(key, value, Default::default())?,
            "dictionary" => self.dictionary = read(key, value, Default::default())?,
            "synonyms" => self.synonyms = read(key, value, Map::new())?,
            "distinctAttribute" => self.distinct_attribute = read(key, value, None)?,
            "proximityPrecision" => {
                self.proximity_precision = read(key, value, Default::default())?;
            }
            "typoTolerance" => self.typo_tolerance = merge_typo(key, &self.typo_tolerance, value)?,
            "faceting" => self.faceting = merge_faceting(key, &self.faceting, value)?,
            "pagination" => self.pagination = merge(key, &self.pagination, value)?,
            "embedders" => self.embedders = merge_embedders(&self.embedders, value)?,
            "searchCutoffMs" => self.search_cutoff_ms = read(key, value, None)?,
            "localizedAttributes" => self.localized_attributes = read(key, value, None)?,
            "facetSearch" => self.facet_search = read(key, value, true)?,
            "prefixSearch" => self.prefix_search = read(key, value, Default::default())?,
            "chat" => self.chat = merge_chat(&self.chat, value)?,
            _ => return Err(SettingsError::Unknown(key.to_owned())),
        }
        Ok(())
    }
}

fn read<T: DeserializeOwned>(key: &str, value: &Value, default: T) -> Result<T, SettingsError> {
    if value.is_null() {
        return Ok(default);
    }
    serde_json::from_value(value.clone()).map_err(|error| SettingsError::Invalid {
        key: key.to_owned(),
        reason: error.to_string(),
    })
}

/// A wildcard anywhere means all; repeats keep their first place.
fn normalize_names(names: &mut Vec<String>) {
    if names.iter().any(|name| name == "*") {
        *names = vec!["*".to_owned()];
        return;
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
}

/// Merges an object field by field; a `null` field takes its default.
fn merge<T>(key: &str, current: &T, value: &Value) -> Result<T, SettingsError>
where
    T: serde::Serialize + DeserializeOwned + Default,
{
    let Value::Object(delta) = value else {
        return read(key, value, T::default());
    };
    let mut merged = serde_json::to_value(current).unwrap_or_default();
    if let Value::Object(merged) = &mut merged {
        for (field, value) in delta {
            if value.is_null() {
                merged.remove(field);
            } else {
                merged.insert(field.clone(), value.clone());
            }
        }
    }
    read(key, &merged, T::default())
}

fn merge_typo(
    key: &str,
    current: &TypoTolerance,
    value: &Value,
) -> Result<TypoTolerance, SettingsError> {
    let mut value = value.clone();
    if let Some(sizes) = value
        .get_mut("minWordSizeForTypos")
        .filter(|sizes| sizes.is_object())
    {
        let merged = merge(key, &current.min_word_size_for_typos, sizes)?;
        *sizes = serde_json::to_value(merged).unwrap_or_default();
    }
    merge(key, current, &value)
}

fn merge_faceting(
    key: &str,
    current: &FacetingSettings,
    value: &Value,
) -> Result<FacetingSettings, SettingsError> {
    let mut merged: FacetingSettings = merge(key, current, value)?;
    merged
        .sort_facet_values_by
        .entry("*".to_owned())
        .or_insert(FacetOrder::Alpha);
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn apply(settings: &IndexSettings, delta: Value) -> (IndexSettings, ReindexScope) {
        settings
            .apply(delta.as_object().expect("an object"))
            .expect("valid settings")
    }

    #[test]
    fn the_default_object_has_the_keys_of_the_interface_in_order() {
        let text = serde_json::to_string(&IndexSettings::default()).expect("serialises");
        assert_eq!(
            text,
            concat!(
                r#"{"displayedAttributes":["*"],"searchableAttributes":["*"],"#,
                r#""filterableAttributes":[],"sortableAttributes":[],"rankingRules":["words","#,
                r#""typo","proximity","attributeRank","sort","wordPosition","exactness"],"#,
                r#""stopWords":[],"nonSeparatorTokens":[],"separatorTokens":[],"dictionary":[],"#,
                r#""synonyms":{},"distinctAttribute":null,"proximityPrecision":"byWord","#,
                r#""typoTolerance":{"enabled":true,"minWordSizeForTypos":{"oneTypo":5,"#,
                r#""twoTypos":9},"disableOnWords":[],"disableOnAttributes":[],"#,
                r#""disableOnNumbers":false},"faceting":{"maxValuesPerFacet":100,"#,
                r#""sortFacetValuesBy":{"*":"alpha"}},"pagination":{"maxTotalHits":1000},"#,
                r#""embedders":{},"searchCutoffMs":null,"localizedAttributes":null,"#,
                r#""facetSearch":true,"prefixSearch":"indexingTime","chat":{"description":"","#,
                r#""documentTemplate":"{% for field in fields %}{% if field.is_searchable "#,
                r#"and field.value != nil %}{{ field.name }}: {{ field.value }}\n"#,
                r#"{% endif %}{% endfor %}","documentTemplateMaxBytes":400,"#,
                r#""searchParameters":{}}}"#
            )
        );
    }

    #[test]
    fn an_absent_key_stays_and_null_resets() {
        let (settings, _) = apply(
            &IndexSettings::default(),
            json!({"stopWords": ["b", "a"], "facetSearch": false}),
        );
        let (settings, _) = apply(&settings, json!({"stopWords": null}));
        assert!(settings.stop_words.is_empty());
        assert!(!settings.facet_search);
    }

    #[test]
    fn typo_sizes_merge_field_by_field_and_are_judged_together() {
        let delta = json!({"typoTolerance": {"minWordSizeForTypos": {"oneTypo": 7}}});
        let (settings, scope) = apply(&IndexSettings::default(), delta);
        let sizes = settings.typo_tolerance.min_word_size_for_typos;
        assert_eq!((sizes.one_typo, sizes.two_typos), (7, 9));
        assert_eq!(scope, ReindexScope::None);
        let wrong = json!({"typoTolerance": {"minWordSizeForTypos": {"twoTypos": 6}}});
        let error = settings
            .apply(wrong.as_object().expect("an object"))
            .expect_err("refused");
        assert_eq!(error.code(), "invalid_settings_typo_tolerance");
    }

    #[test]
    fn reordering_searchable_attributes_needs_no_work_but_a_new_one_does() {
        let (settings, scope) = apply(
            &IndexSettings::default(),
            json!({"searchableAttributes": ["a", "b"]}),
        );
        assert_eq!(scope, ReindexScope::Full);
        let (_, scope) = apply(&settings, json!({"searchableAttributes": ["b", "a"]}));
        assert_eq!(scope, ReindexScope::None);
    }

    #[test]
    fn a_new_filterable_attribute_needs_columns_only() {
        let (settings, scope) = apply(
            &IndexSettings::default(),
            json!({"filterableAttributes": ["year"]}),
        );
        assert_eq!(scope, ReindexScope::Attributes);
        let (_, scope) = apply(&settings, json!({"sortableAttributes": ["year"]}));
        assert_eq!(scope, ReindexScope::None);
    }
}
