//! Settings without their lists of words.

use std::collections::BTreeSet;

use serde_json::Map;

use super::IndexSettings;

impl IndexSettings {
    /// The settings as if no words were listed in them: no synonyms, stop words, dictionary and
    /// tokens. Those may be megabytes; whoever asks before a search looks at others.
    #[must_use]
    pub fn without_words(&self) -> Self {
        Self {
            displayed_attributes: self.displayed_attributes.clone(),
            searchable_attributes: self.searchable_attributes.clone(),
            filterable_attributes: self.filterable_attributes.clone(),
            sortable_attributes: self.sortable_attributes.clone(),
            foreign_keys: self.foreign_keys.clone(),
            ranking_rules: self.ranking_rules.clone(),
            stop_words: BTreeSet::new(),
            non_separator_tokens: BTreeSet::new(),
            separator_tokens: BTreeSet::new(),
            dictionary: BTreeSet::new(),
            synonyms: Map::new(),
            distinct_attribute: self.distinct_attribute.clone(),
            proximity_precision: self.proximity_precision,
            typo_tolerance: self.typo_tolerance.clone(),
            faceting: self.faceting.clone(),
            pagination: self.pagination,
            embedders: self.embedders.clone(),
            search_cutoff_ms: self.search_cutoff_ms,
            localized_attributes: self.localized_attributes.clone(),
            facet_search: self.facet_search,
            prefix_search: self.prefix_search,
            chat: self.chat.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_without_words_are_the_same_but_for_the_words() {
        let words = json!({
            "stopWords": ["a"], "nonSeparatorTokens": ["b"], "separatorTokens": ["c"],
            "dictionary": ["d"], "synonyms": {"e": ["f"]},
        });
        let others = json!({
            "displayedAttributes": ["a"], "searchableAttributes": ["b"], "filterableAttributes": ["c"],
            "sortableAttributes": ["d"], "rankingRules": ["words"], "distinctAttribute": "e",
            "proximityPrecision": "byAttribute", "typoTolerance": {"enabled": false},
            "faceting": {"maxValuesPerFacet": 7}, "pagination": {"maxTotalHits": 8},
            "embedders": {"f": {"source": "userProvided", "dimensions": 2}}, "searchCutoffMs": 9,
            "localizedAttributes": [{"attributePatterns": ["g"], "locales": ["eng"]}],
            "facetSearch": false, "prefixSearch": "disabled",
            "foreignKeys": [{"foreignIndexUid": "h", "fieldName": "i"}],
            "chat": {"description": "j"},
        });
        let applied = |settings: &IndexSettings, change: &serde_json::Value| {
            let change = change.as_object().expect("an object");
            settings.apply(change).expect("settings").0
        };
        let expected = applied(&IndexSettings::default(), &others);
        let all = applied(&expected, &words);
        assert_ne!(all, expected);
        assert_eq!(all.without_words(), expected);
    }
}
