//! What a settings change asks of the documents already indexed.

use super::IndexSettings;

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
    column_names(new)
        .iter()
        .any(|name| !column_names(old).contains(name))
}

fn column_names(settings: &IndexSettings) -> Vec<&str> {
    let filterable = settings
        .filterable_attributes
        .iter()
        .flat_map(|entry| entry.patterns());
    let sortable = settings.sortable_attributes.iter().map(String::as_str);
    let custom = settings.ranking_rules.iter().filter_map(|rule| match rule {
        super::RankingRuleSetting::Custom(name, _) => Some(name.as_str()),
        _ => None,
    });
    filterable
        .chain(sortable)
        .chain(custom)
        .chain(settings.distinct_attribute.as_deref())
        .collect()
}
