//! Filter operators that work only once their experimental feature is on.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serval_filter::{Filter, Word};

use crate::request::SearchError;

/// Where experimental features are discussed.
const DISCUSSIONS_URL: &str = "https://github.com/serval-search/serval/discussions";

/// The name that stands for the shard of a document in filters.
pub(crate) const SHARD: &str = "_shard";

/// Which experimental filter operators may be used; none by default. In JSON, features keep the
/// names they are switched by and unknown ones are passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FilterFeatures {
    /// `CONTAINS`.
    #[serde(rename = "containsFilter")]
    pub contains: bool,
    /// Conditions on `_vectors`.
    #[serde(rename = "multimodal")]
    pub vectors: bool,
    /// Conditions on `_foreign`.
    #[serde(rename = "foreignKeys")]
    pub foreign: bool,
    /// Conditions on `_shard`.
    pub network: bool,
    /// The shards of the network, and whether this server holds them.
    pub shards: BTreeMap<String, bool>,
}

impl FilterFeatures {
    /// Everything on: for filters that were checked when they were accepted.
    pub const ALL: Self = Self {
        contains: true,
        vectors: true,
        foreign: true,
        network: true,
        shards: BTreeMap::new(),
    };
}

/// Refuses a filter that uses an operator whose feature is off. Give the filter as it was parsed:
/// the message quotes the user's own text, not the canonical one.
///
/// # Errors
/// `feature_not_enabled`, pointing at the first such operator.
pub fn check_features(filter: &Filter, on: &FilterFeatures) -> Result<(), SearchError> {
    let shard = filter.attributes().find(|name| name.text() == SHARD);
    let needs = [
        (
            filter.contains_keyword(),
            on.contains,
            "Using `CONTAINS` in a filter",
            "contains filter",
            763,
        ),
        (
            filter.vectors_keyword(),
            on.vectors,
            "using a vector filter",
            "multimodal",
            846,
        ),
        (
            filter.foreign_keyword(),
            on.foreign,
            "using a foreign filter",
            "foreign_keys",
            873,
        ),
        (shard, on.network, "using a shard filter", "network", 805),
    ];
    for (keyword, is_on, action, feature, discussion) in needs {
        if let (Some(keyword), false) = (keyword, is_on) {
            return Err(not_enabled(keyword, action, feature, discussion));
        }
    }
    Ok(())
}

fn not_enabled(keyword: &Word, action: &str, feature: &str, discussion: u32) -> SearchError {
    let message = keyword.with_context(&format!(
        "{action} requires enabling the `{feature}` experimental feature. See \
         {DISCUSSIONS_URL}/{discussion}"
    ));
    SearchError::new("feature_not_enabled", message)
}

/// What the filter selects, as parsed: with the text of the user for messages.
pub(crate) fn parsed_filter(
    filter: Option<&Value>,
    features: &FilterFeatures,
) -> Result<Option<serval_filter::Filter>, SearchError> {
    let Some(value) = filter else {
        return Ok(None);
    };
    let parsed = serval_filter::parse_json(value)
        .map_err(|error| SearchError::new("invalid_search_filter", error.to_string()))?;
    if let Some(filter) = &parsed {
        check_features(filter, features)?;
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, on: &FilterFeatures) -> Option<SearchError> {
        let filter = serval_filter::parse(text).unwrap().unwrap();
        check_features(&filter, on).err()
    }

    #[test]
    fn an_operator_without_its_feature_is_refused_where_it_stands() {
        let error = refused("kind NOT CONTAINS oo", &FilterFeatures::default()).unwrap();
        assert_eq!(error.code, "feature_not_enabled");
        assert_eq!(
            error.message,
            "Using `CONTAINS` in a filter requires enabling the `contains filter` experimental \
             feature. See https://github.com/serval-search/serval/discussions/763\n10:18 kind NOT \
             CONTAINS oo"
        );
        let error = refused("_vectors.main EXISTS", &FilterFeatures::default()).unwrap();
        assert!(
            error
                .message
                .starts_with("using a vector filter requires enabling the `multimodal`")
        );
        assert!(error.message.ends_with("\n1:9 _vectors.main EXISTS"));
    }

    #[test]
    fn an_operator_with_its_feature_and_plain_operators_pass() {
        assert_eq!(refused("kind CONTAINS oo", &FilterFeatures::ALL), None);
        assert_eq!(
            refused("kind STARTS WITH oo", &FilterFeatures::default()),
            None
        );
        assert_eq!(refused("_vectors = 3", &FilterFeatures::default()), None);
    }

    #[test]
    fn features_are_read_by_the_names_they_are_switched_by() {
        let on: FilterFeatures =
            serde_json::from_str(r#"{"containsFilter":true,"metrics":true}"#).unwrap();
        assert_eq!(
            on,
            FilterFeatures {
                contains: true,
                ..FilterFeatures::default()
            }
        );
    }
}
