//! The request of a search, as it crosses from the interface: checked there, read here.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::query::Removal;
use crate::ranking::{SortCriterion, Stop};
use crate::request::FilterFeatures;
use crate::settings::{Direction, IndexSettings};

use super::{ForeignPlace, SearchError, Window};

/// A search. Absent members hold their default.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SearchRequest {
    /// The query; empty for a placeholder search.
    pub q: Option<String>,
    /// Hits to skip.
    pub offset: usize,
    /// Hits to return.
    pub limit: usize,
    /// Page, from 1.
    pub page: Option<usize>,
    /// Page size.
    pub hits_per_page: Option<usize>,
    /// Attributes returned; `None` for all that are displayed.
    pub attributes_to_retrieve: Option<Vec<String>>,
    /// Attributes cropped, `name` or `name:words`.
    pub attributes_to_crop: Vec<String>,
    /// Words of a crop.
    pub crop_length: usize,
    /// Marks where text was cut.
    #[serde(deserialize_with = "null_is_empty")]
    pub crop_marker: String,
    /// Attributes highlighted.
    pub attributes_to_highlight: Vec<String>,
    /// Inserted before a match.
    #[serde(deserialize_with = "null_is_empty")]
    pub highlight_pre_tag: String,
    /// Inserted after a match.
    #[serde(deserialize_with = "null_is_empty")]
    pub highlight_post_tag: String,
    /// Whether `_matchesPosition` is wanted.
    pub show_matches_position: bool,
    /// Whether `_rankingScore` is wanted.
    pub show_ranking_score: bool,
    /// Whether `_rankingScoreDetails` is wanted.
    pub show_ranking_score_details: bool,
    /// Whether `performanceDetails` is wanted.
    pub show_performance_details: bool,
    /// Milliseconds of what happened before, by the name it has in `performanceDetails`.
    pub times_before: Map<String, Value>,
    /// Filter expression or array.
    pub filter: Option<Value>,
    /// `attribute:asc`, `attribute:desc`, `_geoPoint(lat, lng):asc`.
    pub sort: Option<Vec<String>>,
    /// Attribute of which only one hit per value is returned.
    pub distinct: Option<String>,
    /// Attributes whose values are counted.
    pub facets: Option<Vec<String>>,
    /// Which words may be dropped.
    pub matching_strategy: MatchingStrategy,
    /// Attributes searched.
    pub attributes_to_search_on: Option<Vec<String>>,
    /// Least global score.
    pub ranking_score_threshold: Option<f64>,
    /// Languages of the query.
    pub locales: Option<Vec<String>>,
    /// Which embedder is used, if vectors are to take part.
    pub hybrid: Option<Hybrid>,
    /// The vector of the query.
    pub vector: Option<Vec<f32>>,
    /// What is searched for beside the text; its vector comes as `vector`.
    pub media: Option<Value>,
    /// Whether `_vectors` is wanted.
    pub retrieve_vectors: bool,
    /// Which experimental filter operators may be used.
    pub features: FilterFeatures,
    /// The other indexes that the sender may search and foreign keys lead to, by uid; `None` if
    /// keys are not followed.
    pub foreign: Option<BTreeMap<String, ForeignPlace>>,
    /// Ends the search early, which then fails.
    #[serde(skip)]
    pub stop: Stop,
    /// Uid of the index, if the answer is to say what was asked of it.
    pub metadata_of: Option<String>,
    /// Whether the places of pinned hits are told at the end, for those who order the rest anew.
    pub marks_pins: bool,
}

impl Default for SearchRequest {
    fn default() -> Self {
        Self {
            q: None,
            offset: 0,
            limit: 20,
            page: None,
            hits_per_page: None,
            attributes_to_retrieve: None,
            attributes_to_crop: Vec::new(),
            crop_length: 10,
            crop_marker: "…".to_owned(),
            attributes_to_highlight: Vec::new(),
            highlight_pre_tag: "<em>".to_owned(),
            highlight_post_tag: "</em>".to_owned(),
            show_matches_position: false,
            show_ranking_score: false,
            show_ranking_score_details: false,
            show_performance_details: false,
            times_before: Map::new(),
            filter: None,
            sort: None,
            distinct: None,
            facets: None,
            matching_strategy: MatchingStrategy::Last,
            attributes_to_search_on: None,
            ranking_score_threshold: None,
            locales: None,
            hybrid: None,
            vector: None,
            media: None,
            retrieve_vectors: false,
            features: FilterFeatures::default(),
            foreign: None,
            stop: Stop::default(),
            metadata_of: None,
            marks_pins: false,
        }
    }
}

/// An explicit null inserts nothing.
fn null_is_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.unwrap_or_default())
}

/// How words are dropped when not enough documents have them all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MatchingStrategy {
    /// From the end.
    #[default]
    Last,
    /// Never.
    All,
    /// The most frequent first.
    Frequency,
}

impl From<MatchingStrategy> for Removal {
    fn from(strategy: MatchingStrategy) -> Self {
        match strategy {
            MatchingStrategy::Last => Self::Last,
            MatchingStrategy::All => Self::Nothing,
            MatchingStrategy::Frequency => Self::Frequency,
        }
    }
}

impl SearchRequest {
    /// Which hits are wanted.
    #[must_use]
    pub fn window(&self) -> Window {
        Window::new(self.offset, self.limit, self.page, self.hits_per_page)
    }

    /// Whether the answer depends on indexes beside the one with these settings.
    pub(crate) const fn looks_elsewhere(&self, settings: &IndexSettings) -> bool {
        self.features.foreign && !settings.foreign_keys.is_empty()
    }

    /// Whether the answer tells what is of this request alone: times, or the number of its query.
    pub(crate) const fn tells_of_itself(&self) -> bool {
        self.show_performance_details || self.metadata_of.is_some()
    }
}

/// Reads one entry of `sort`.
///
/// # Errors
/// No direction, a reserved name, or coordinates that are none.
pub fn parse_sort(entry: &str) -> Result<SortCriterion, SearchError> {
    let refused = |message| Err(SearchError::new("invalid_search_sort", message));
    let (name, direction) = match entry.rsplit_once(':') {
        Some((name, "asc")) => (name, Direction::Asc),
        Some((name, "desc")) => (name, Direction::Desc),
        _ => {
            return refused(format!(
                "Invalid syntax for the sort parameter: expected expression ending by `:asc` or \
                 `:desc`, found `{entry}`."
            ));
        }
    };
    let calls = |function: &str| {
        name.strip_prefix(function)
            .is_some_and(|rest| rest.starts_with('('))
    };
    // A point without its end is a name like any other.
    if name == "_geoPoint" || (calls("_geoPoint") && name.ends_with(')')) {
        return geo_point(name, &name["_geoPoint".len()..], direction);
    }
    if name == "_geoDistance" || calls("_geoDistance") || calls("_geo") {
        return refused(format!(
            "`{name}` is a reserved keyword and thus can't be used as a sort expression."
        ));
    }
    let functions = ["_geoRadius", "_geoBoundingBox"];
    let function = functions
        .into_iter()
        .find(|function| name == *function || calls(function));
    if let Some(reserved) = function.or((name == "_geo").then_some("_geo")) {
        return refused(format!(
            "`{reserved}` is a reserved keyword and thus can't be used as a sort expression. Use \
             the _geoPoint(latitude, longitude) built-in rule to sort on _geo field coordinates."
        ));
    }
    Ok(SortCriterion::Attribute(name.to_owned(), direction))
}

fn geo_point(
    name: &str,
    arguments: &str,
    direction: Direction,
) -> Result<SortCriterion, SearchError> {
    let inner = arguments
        .trim()
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let numbers: Option<Vec<f64>> = inner.and_then(|inner| {
        inner
            .split(',')
            .map(|part| part.trim().parse().ok())
            .collect()
    });
    let Some([lat, lng]) = numbers.as_deref() else {
        return Err(SearchError::new(
            "invalid_search_sort",
            format!(
                "Invalid syntax for the geo parameter: expected expression formated like \
                 `_geoPoint(latitude, longitude)` and ending by `:asc` or `:desc`, found `{name}`."
            ),
        ));
    };
    check_coordinates(*lat, *lng)
        .map_err(|message| SearchError::new("invalid_search_sort", message))?;
    Ok(SortCriterion::GeoPoint(*lat, *lng, direction))
}

/// Checks that a latitude and a longitude are on the globe; the message tells what would be.
///
/// # Errors
/// The message for the user.
pub fn check_coordinates(lat: f64, lng: f64) -> Result<(), String> {
    if !(-90.0..=90.0).contains(&lat) {
        return Err(format!(
            "Bad latitude `{lat}`. Latitude must be contained between -90 and 90 degrees."
        ));
    }
    if !(-180.0..=180.0).contains(&lng) {
        let hint = (lng + 180.0).rem_euclid(360.0) - 180.0;
        return Err(format!(
            "Bad longitude `{lng}`. Longitude must be contained between -180 and 180 degrees. \
             Hint: try using `{hint}` instead."
        ));
    }
    Ok(())
}

/// Which embedder a search uses, and how much it weighs against the words.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hybrid {
    /// Name of the embedder.
    pub embedder: String,
    /// Weight of the vectors, from 0 to 1.
    #[serde(default = "one_half")]
    pub semantic_ratio: f32,
}

const fn one_half() -> f32 {
    0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_and_calls_of_the_geo_features_are_reserved_in_sort() {
        let attribute = |entry: &str| match parse_sort(entry) {
            Ok(SortCriterion::Attribute(name, _)) => Some(name),
            _ => None,
        };
        for name in ["_geoPoint(50, 3", "_geoPoints", "_geoRadiuses", "_geo.lat"] {
            assert_eq!(attribute(&format!("{name}:asc")).as_deref(), Some(name));
        }
        for name in [
            "_geo",
            "_geo(1",
            "_geoDistance",
            "_geoRadius(1",
            "_geoBoundingBox",
        ] {
            let error = parse_sort(&format!("{name}:desc")).unwrap_err();
            assert!(
                error.to_string().contains("is a reserved keyword"),
                "{name}"
            );
        }
        let error = parse_sort("_geoPoint(1, 2, 3):asc").unwrap_err();
        assert!(error.to_string().ends_with("found `_geoPoint(1, 2, 3)`."));
    }
}
