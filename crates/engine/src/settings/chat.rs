//! The `chat` setting: how an index is described to language models, and how they search it.
//!
//! Always complete but for search parameters, which are absent until they are set. Costs nothing
//! but memory: no document is touched by a change.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::SettingsError;
use super::embedders::{DEFAULT_MAX_BYTES, DEFAULT_TEMPLATE};

/// What chats know of an index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatSettings {
    /// What the index holds, for the model.
    pub description: String,
    /// The template that makes texts of the documents found.
    pub document_template: String,
    /// Bytes of such a text at the most; never 0.
    pub document_template_max_bytes: u64,
    /// Parameters of every search of a chat.
    pub search_parameters: ChatSearchParameters,
}

impl Default for ChatSettings {
    fn default() -> Self {
        Self {
            description: String::new(),
            document_template: DEFAULT_TEMPLATE.to_owned(),
            document_template_max_bytes: DEFAULT_MAX_BYTES,
            search_parameters: ChatSearchParameters::default(),
        }
    }
}

/// Parameters of the searches of chats; what is absent is left to the search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatSearchParameters {
    /// The embedder, and how much it weighs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hybrid: Option<ChatHybrid>,
    /// Hits at the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Sort criteria.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<Vec<String>>,
    /// Attribute of which one document per value is returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<String>,
    /// Which words may be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matching_strategy: Option<String>,
    /// Attributes that are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes_to_search_on: Option<Vec<String>>,
    /// The lowest score of a hit, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking_score_threshold: Option<f64>,
}

/// Which embedder the searches of chats use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatHybrid {
    /// Weight of the vectors, from 0 to 1.
    #[serde(default = "half")]
    pub semantic_ratio: f64,
    /// Name of the embedder.
    pub embedder: String,
}

fn half() -> f64 {
    0.5
}

/// Merges a change into chat settings: absent fields stay, `null` resets, search parameters are
/// merged one by one.
///
/// # Errors
/// A field that is none, a value of the wrong shape, or a template cut to nothing.
pub(super) fn merge_chat(
    current: &ChatSettings,
    change: &Value,
) -> Result<ChatSettings, SettingsError> {
    let delta = match change {
        Value::Null => return Ok(ChatSettings::default()),
        Value::Object(delta) => delta,
        _ => return Err(invalid("expected an object")),
    };
    let mut merged = current.clone();
    for (field, value) in delta {
        let fresh = ChatSettings::default();
        match field.as_str() {
            "description" => merged.description = read(value)?.unwrap_or_default(),
            "documentTemplate" => {
                merged.document_template = read(value)?.unwrap_or(fresh.document_template);
            }
            "documentTemplateMaxBytes" => {
                merged.document_template_max_bytes =
                    read(value)?.unwrap_or(fresh.document_template_max_bytes);
            }
            "searchParameters" => {
                merged.search_parameters = merge_parameters(&merged.search_parameters, value)?;
            }
            unknown => return Err(invalid(format!("unknown field `{unknown}`"))),
        }
    }
    if merged.document_template_max_bytes == 0 {
        return Err(SettingsError::ChatTemplateBytes);
    }
    Ok(merged)
}

fn merge_parameters(
    current: &ChatSearchParameters,
    change: &Value,
) -> Result<ChatSearchParameters, SettingsError> {
    let Some(delta) = read::<Map<String, Value>>(change)? else {
        return Ok(ChatSearchParameters::default());
    };
    let mut merged = current.clone();
    for (name, value) in &delta {
        match name.as_str() {
            "hybrid" => merged.hybrid = read(value)?,
            "limit" => merged.limit = read(value)?,
            "sort" => merged.sort = read(value)?,
            "distinct" => merged.distinct = read(value)?,
            "matchingStrategy" => merged.matching_strategy = read(value)?,
            "attributesToSearchOn" => merged.attributes_to_search_on = read(value)?,
            "rankingScoreThreshold" => merged.ranking_score_threshold = read(value)?,
            unknown => return Err(invalid(format!("unknown search parameter `{unknown}`"))),
        }
    }
    Ok(merged)
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> Result<Option<T>, SettingsError> {
    Option::deserialize(value).map_err(|error: serde_json::Error| invalid(error.to_string()))
}

fn invalid(reason: impl Into<String>) -> SettingsError {
    SettingsError::Invalid {
        key: "indexChat".to_owned(),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(current: &ChatSettings, change: Value) -> ChatSettings {
        merge_chat(current, &change).expect("a valid change")
    }

    #[test]
    fn the_defaults_describe_nothing_and_print_every_searchable_field() {
        let shown = serde_json::to_value(ChatSettings::default()).expect("serialises");
        assert_eq!(
            shown,
            json!({
                "description": "",
                "documentTemplate": DEFAULT_TEMPLATE,
                "documentTemplateMaxBytes": 400,
                "searchParameters": {},
            })
        );
    }

    #[test]
    fn search_parameters_are_merged_one_by_one_and_null_resets_one() {
        let first = merged(
            &ChatSettings::default(),
            json!({
                "description": "Films",
                "searchParameters": {"limit": 5, "hybrid": {"embedder": "e"}, "sort": ["id:asc"]},
            }),
        );
        let second = merged(
            &first,
            json!({"searchParameters": {"limit": 2, "sort": null}}),
        );
        assert_eq!(second.description, "Films");
        assert_eq!(
            serde_json::to_string(&second.search_parameters).expect("serialises"),
            r#"{"hybrid":{"semanticRatio":0.5,"embedder":"e"},"limit":2}"#
        );
        let third = merged(
            &second,
            json!({"description": null, "searchParameters": null}),
        );
        assert_eq!(third, ChatSettings::default());
        assert_eq!(merged(&first, Value::Null), ChatSettings::default());
    }

    #[test]
    fn a_template_may_not_be_cut_to_nothing() {
        let change = json!({"documentTemplateMaxBytes": 0});
        let error = merge_chat(&ChatSettings::default(), &change).expect_err("refused");
        assert_eq!(
            error.to_string(),
            "`.chat.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero"
        );
        assert_eq!(error.code(), "invalid_settings_index_chat");
    }

    #[test]
    fn what_is_no_chat_setting_is_refused() {
        for wrong in [
            json!(3),
            json!({"x": 1}),
            json!({"description": 1}),
            json!({"searchParameters": {"q": "x"}}),
        ] {
            let error = merge_chat(&ChatSettings::default(), &wrong).expect_err("refused");
            assert_eq!(error.code(), "invalid_settings_index_chat");
        }
    }
}
