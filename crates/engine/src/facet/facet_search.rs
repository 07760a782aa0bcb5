//! Finds values of a facet that start with a text, typos tolerated.
//!
//! Query and values are compared in their full normal form, as one piece: accents do not count,
//! and only the beginning of a value is compared. Numbers are never found.
//!
//! # Cost
//! One count over the candidates, then one look at each distinct string they have. What is built to
//! compare with typos grows with the query, but no further than the longest of these strings.

use std::borrow::Cow;
use std::time::Instant;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder};
use serde::{Deserialize, Serialize};
use serval_text::{MAX_FACET_BYTES, normalize_text};

use super::distribution::facet_order;
use crate::docset::DocSet;
use crate::index::{Snapshot, StringCount};
use crate::request::{SearchError, listed_names};
use crate::settings::{FacetOrder, IndexSettings, covers};

const REFUSED: &str = "invalid_facet_search_facet_name";

/// What to look for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FacetSearchRequest {
    /// The attribute.
    pub facet_name: String,
    /// Beginning of the values; all values without it.
    #[serde(default)]
    pub facet_query: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'r> {
    facet_hits: Vec<FacetHit>,
    facet_query: Option<&'r str>,
    processing_time_ms: u64,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct FacetHit {
    value: String,
    count: u64,
}

/// Answers with the JSON of the response: values that some candidate has. `started` is when the
/// request came in.
///
/// # Errors
/// As [`check_facet_search`].
pub fn facet_search(
    snapshot: &Snapshot,
    request: &FacetSearchRequest,
    candidates: &DocSet,
    started: Instant,
) -> Result<Vec<u8>, SearchError> {
    let settings = snapshot.settings();
    let name = &request.facet_name;
    check_facet_search(settings, name)?;
    let view = snapshot
        .field_id(name)
        .and_then(|field| snapshot.attribute(field));
    let strings = view
        .as_ref()
        .map(|view| view.counts(candidates).strings)
        .unwrap_or_default();
    let query = request.facet_query.as_deref().unwrap_or("");
    let matcher = Matcher::new(settings, name, query, &strings);
    let limit = settings.faceting.max_values_per_facet;
    let order = facet_order(&settings.faceting, name);
    let shown = hits(strings, &matcher, order, limit);
    // A value is shown as its first document spells it, whether that is a candidate or not.
    let facet_hits = shown.into_iter().map(|value| FacetHit {
        value: view.as_ref().map_or_else(String::new, |view| {
            view.first_spelling(&value.normalized).to_owned()
        }),
        count: value.count,
    });
    let response = Response {
        facet_hits: facet_hits.collect(),
        facet_query: request.facet_query.as_deref(),
        processing_time_ms: started.elapsed().as_millis() as u64,
    };
    Ok(serde_json::to_vec(&response).expect("invariant: strings and numbers always serialise"))
}

/// Checks that the values of an attribute may be searched. None of the refusals names the index.
///
/// # Errors
/// Facet search is off for the index or for the attribute.
pub fn check_facet_search(settings: &IndexSettings, name: &str) -> Result<(), SearchError> {
    if !settings.facet_search {
        let message = "The facet search is disabled for this index";
        return Err(SearchError::new("facet_search_disabled", message));
    }
    let rule = settings.filterable_rule(name);
    if rule.is_some_and(|(_, features)| features.facet_search) {
        return Ok(());
    }
    let refused = format!("Attribute `{name}` is not facet-searchable.");
    if let Some((at, _)) = rule {
        return Err(SearchError::new(
            REFUSED,
            format!(
                "{refused} Note: this attribute matches rule #{at} in filterableAttributes, but \
                 this rule does not enable facetSearch.\nHint: enable facetSearch in rule #{at} by \
                 adding `\"facetSearch\": true` to the rule.\nHint: prepend another rule matching \
                 {name} with facetSearch: true before rule #{at}"
            ),
        ));
    }
    let entries = settings.filterable_attributes.iter();
    let mut patterns: Vec<&str> = entries
        .filter(|entry| entry.features().facet_search)
        .flat_map(|e| e.patterns())
        .collect();
    patterns.sort_unstable();
    patterns.dedup();
    let available = listed_names(settings, patterns.into_iter()).map_or_else(
        || "This index does not have configured facet-searchable attributes.".to_owned(),
        |names| format!("Available facet-searchable attributes patterns are: `{names}`."),
    );
    let advice = "To make it facet-searchable add it to the `filterableAttributes` index settings.";
    Err(SearchError::new(
        REFUSED,
        format!("{refused} {available} {advice}"),
    ))
}

/// Values that match, in order, at most `limit`.
fn hits(
    strings: Vec<StringCount>,
    matcher: &Matcher,
    order: FacetOrder,
    limit: usize,
) -> Vec<StringCount> {
    let mut found: Vec<(String, StringCount)> = strings
        .into_iter()
        .filter_map(|value| {
            let text = full_form(&value.normalized);
            let text = matcher.accepts(&text).then(|| text.into_owned())?;
            Some((text, value))
        })
        .collect();
    match order {
        FacetOrder::Alpha => {
            found.sort_by(|a, b| (&a.0, &a.1.normalized).cmp(&(&b.0, &b.1.normalized)))
        }
        FacetOrder::Count => {
            found.sort_by(|a, b| (b.1.count, &b.1.original).cmp(&(a.1.count, &a.1.original)))
        }
    }
    found
        .into_iter()
        .take(limit)
        .map(|(_, value)| value)
        .collect()
}

/// The full normal form; text that is plainly in it already is left alone.
fn full_form(normalized: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    if normalized
        .bytes()
        .all(|byte| is_plain(byte) && !byte.is_ascii_uppercase())
    {
        return Cow::Borrowed(normalized);
    }
    Cow::Owned(normalize_text(normalized))
}

/// How values are compared with the query.
enum Matcher {
    /// The value starts with the text.
    Prefix(String),
    /// The value is the text: the query is exempt from typos.
    Whole(String),
    /// The value starts with a text some typos away.
    Typos(DFA),
    /// No value: the query is longer than all of them, typos included.
    Nothing,
}

/// Typos up to which values are compared.
const MAX_TYPOS: u8 = 2;

impl Matcher {
    fn new(settings: &IndexSettings, name: &str, query: &str, values: &[StringCount]) -> Self {
        let typos = &settings.typo_tolerance;
        let query = normalize_text(query);
        if !typos.enabled
            || typos
                .disable_on_attributes
                .iter()
                .any(|entry| covers(entry, name))
        {
            return Self::Prefix(query);
        }
        if typos
            .disable_on_words
            .iter()
            .any(|word| normalize_text(word) == query)
        {
            return Self::Whole(query);
        }
        let sizes = typos.min_word_size_for_typos;
        let n_typos = if query.len() < usize::from(sizes.one_typo) {
            return Self::Prefix(query);
        } else if query.len() < usize::from(sizes.two_typos) {
            1
        } else {
            MAX_TYPOS
        };
        if is_longer(&query, values) {
            return Self::Nothing;
        }
        let builder = LevenshteinAutomatonBuilder::new(n_typos, true);
        Self::Typos(builder.build_prefix_dfa(&query))
    }

    fn accepts(&self, text: &str) -> bool {
        match self {
            Self::Prefix(query) => text.starts_with(query.as_str()),
            Self::Whole(query) => text == query,
            Self::Typos(automaton) => matches!(automaton.eval(text), Distance::Exact(_)),
            Self::Nothing => false,
        }
    }
}

/// Whether a query has more characters than any value can be turned into by typos. An automaton
/// takes kilobytes for each character, and a query may be as long as a body.
fn is_longer(query: &str, values: &[StringCount]) -> bool {
    if query.len() <= MAX_FACET_BYTES {
        return false;
    }
    let lengths = values
        .iter()
        .map(|value| full_form(&value.normalized).len());
    query.chars().count() > lengths.max().unwrap_or(0) + usize::from(MAX_TYPOS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(delta: serde_json::Value) -> IndexSettings {
        IndexSettings::default()
            .apply(delta.as_object().unwrap())
            .unwrap()
            .0
    }

    fn accepts(delta: serde_json::Value, query: &str, value: &str) -> bool {
        let settings = settings(delta);
        let values = [StringCount {
            normalized: value.to_owned(),
            original: value.to_owned(),
            count: 1,
        }];
        Matcher::new(&settings, "city", query, &values).accepts(&full_form(value))
    }

    fn refused(delta: serde_json::Value, name: &str) -> String {
        check_facet_search(&settings(delta), name)
            .unwrap_err()
            .message
    }

    #[test]
    fn typos_follow_the_bytes_of_the_query_and_may_touch_the_first_letter() {
        assert!(accepts(json!({}), "lisb", "lisbon"));
        assert!(!accepts(json!({}), "lixb", "lisbon"));
        assert!(accepts(json!({}), "lixbo", "lisbon"));
        assert!(accepts(json!({}), "xisbo", "lisbon"));
        assert!(!accepts(json!({}), "xixbo", "lisbon"));
        assert!(accepts(json!({}), "poxtugall", "portugal"));
    }

    #[test]
    fn typos_can_be_switched_off_for_everything_an_attribute_or_a_word() {
        let delta = |key: &str, value| json!({"typoTolerance": {key: value}});
        assert!(!accepts(delta("enabled", json!(false)), "lixbo", "lisbon"));
        assert!(!accepts(
            delta("disableOnAttributes", json!(["city"])),
            "lixbo",
            "lisbon"
        ));
        let words = delta("disableOnWords", json!(["lisbo"]));
        assert!(!accepts(words.clone(), "lisbo", "lisbon"));
        assert!(accepts(words, "lisbo", "lisbo"));
    }

    #[test]
    fn a_query_longer_than_all_values_finds_nothing_and_builds_nothing() {
        // For so many characters an automaton would take more memory than there is.
        assert!(!accepts(json!({}), &"x".repeat(20_000_000), "lisbon"));
        let value = "ab".repeat(MAX_FACET_BYTES / 2);
        for (missing, found) in [("", true), ("x", true), ("xy", true), ("xyz", false)] {
            let query = format!("{value}{missing}");
            assert_eq!(accepts(json!({}), &query, &value), found, "{missing}");
        }
    }

    #[test]
    fn plain_text_is_its_own_full_form() {
        for text in [
            "new york",
            "d'artagnan",
            "a_b-c/(x)",
            "1.5\"q\"",
            "Málaga",
            "ＡＢ",
        ] {
            let normalized = serval_text::normalize_facet(text);
            assert_eq!(
                full_form(&normalized),
                normalize_text(&normalized),
                "{text}"
            );
        }
    }

    #[test]
    fn each_refusal_has_its_message() {
        assert_eq!(
            refused(json!({"filterableAttributes": ["n", "city"]}), "title"),
            "Attribute `title` is not facet-searchable. Available facet-searchable attributes \
             patterns are: `city, n`. To make it facet-searchable add it to the \
             `filterableAttributes` index settings."
        );
        assert_eq!(
            refused(json!({}), "title"),
            "Attribute `title` is not facet-searchable. This index does not have configured \
             facet-searchable attributes. To make it facet-searchable add it to the \
             `filterableAttributes` index settings."
        );
        let rules = json!({"filterableAttributes": ["city", {"attributePatterns": ["tags"]}]});
        assert_eq!(
            refused(rules, "tags"),
            "Attribute `tags` is not facet-searchable. Note: this attribute matches rule #1 in \
             filterableAttributes, but this rule does not enable facetSearch.\nHint: enable \
             facetSearch in rule #1 by adding `\"facetSearch\": true` to the rule.\nHint: prepend \
             another rule matching tags with facetSearch: true before rule #1"
        );
        assert_eq!(
            refused(json!({"facetSearch": false}), "city"),
            "The facet search is disabled for this index"
        );
    }
}
