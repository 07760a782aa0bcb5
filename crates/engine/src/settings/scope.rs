//! What a settings change asks of the documents already indexed.

use super::{FilterableAttribute, IndexSettings};
use crate::document::geo::GEO;
use crate::document::geojson::GEOJSON;

/// Work that a settings change needs, from none to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReindexScope {
    /// The next search uses the new settings; nothing is rebuilt.
    None,
    /// Attribute columns change; words stay as they are.
    Attributes,
    /// Words change: every document is tokenised again.
    Full,
}

impl ReindexScope {
    /// The work between two complete settings.
    #[must_use]
    pub fn between(old: &IndexSettings, new: &IndexSettings) -> Self {
        if changes_words(old, new) {
            Self::Full
        } else if changes_columns(old, new) {
            Self::Attributes
        } else {
            Self::None
        }
    }
}

fn changes_words(old: &IndexSettings, new: &IndexSettings) -> bool {
    let searched = |settings: &IndexSettings| {
        let mut names = settings.searchable_attributes.clone();
        if settings.searches_everything() {
            names = vec!["*".to_owned()];
        }
        names.sort_unstable();
        names
    };
    searched(old) != searched(new)
        || old.stop_words != new.stop_words
        || old.separator_tokens != new.separator_tokens
        || old.non_separator_tokens != new.non_separator_tokens
        || old.dictionary != new.dictionary
        || old.localized_attributes != new.localized_attributes
}

/// Columns only ever grow by a change: one that is no longer needed costs disk until the next
/// rebuild, and its values are not reachable because the settings no longer allow them.
fn changes_columns(old: &IndexSettings, new: &IndexSettings) -> bool {
    let before = column_names(old);
    column_names(new).iter().any(|name| !before.contains(name))
        || [GEO, GEOJSON]
            .iter()
            .any(|field| keeps_place(new, field) && !keeps_place(old, field))
}

/// Whether places are read from a field. A pattern that covers [`GEOJSON`] does not make it a
/// shape, so that the same text means more as a name.
fn keeps_place(settings: &IndexSettings, field: &str) -> bool {
    match field {
        GEOJSON => settings.names_filterable(field),
        _ => settings.is_faceted(field),
    }
}

/// What settings name, and whether a `*` in it stands for more than itself.
fn column_names(settings: &IndexSettings) -> Vec<(&str, bool)> {
    let filterable = settings.filterable_attributes.iter().flat_map(|entry| {
        let is_rule = matches!(entry, FilterableAttribute::Rule(_));
        let names = entry.patterns().into_iter();
        names.map(move |name| (name, is_rule && name.contains('*')))
    });
    let sortable = settings.sortable_attributes.iter().map(String::as_str);
    let custom = settings.ranking_rules.iter().filter_map(|rule| match rule {
        super::RankingRuleSetting::Custom(name, _) => Some(name.as_str()),
        _ => None,
    });
    let plain = sortable
        .chain(custom)
        .chain(settings.distinct_attribute.as_deref());
    filterable.chain(plain.map(|name| (name, false))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn scope(old: &Value, new: &Value) -> ReindexScope {
        let of = |filterable: &Value| {
            let delta = json!({ "filterableAttributes": filterable });
            let delta = delta.as_object().expect("an object");
            IndexSettings::default().apply(delta).expect("settings").0
        };
        ReindexScope::between(&of(old), &of(new))
    }

    /// The same text is another thing as a name and as a pattern, where that matters and only there.
    #[test]
    fn a_name_that_was_a_pattern_is_a_change_where_it_means_more() {
        let rule = |pattern: &str| json!([{ "attributePatterns": [pattern] }]);
        let wildcard_name = scope(&json!(["*"]), &rule("*"));
        assert_eq!(wildcard_name, ReindexScope::Attributes);
        let shapes = scope(&rule("_geojson"), &json!(["_geojson"]));
        assert_eq!(shapes, ReindexScope::Attributes);
        assert_eq!(
            scope(&rule("_*"), &json!(["_geojson", "_geo"])),
            ReindexScope::Attributes
        );
        assert_eq!(
            scope(&json!(["_geojson"]), &rule("_geojson")),
            ReindexScope::None
        );
        assert_eq!(scope(&rule("genre"), &json!(["genre"])), ReindexScope::None);
        assert_eq!(scope(&json!(["genre"]), &rule("genre")), ReindexScope::None);
    }
}
