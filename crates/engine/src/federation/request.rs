//! What a federated search asks for.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::request::{SearchError, SearchRequest, Window};
use crate::search::Stop;

/// Queries whose hits become one list.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FederatedRequest {
    /// What concerns the list.
    pub federation: Federation,
    /// The queries, in the order given by the user.
    pub queries: Vec<FederatedQuery>,
    /// Whether `metadata` of each query is wanted.
    #[serde(default)]
    pub metadata: bool,
    /// Whether the answer is one part of a larger one: its hits then say what they are compared by.
    #[serde(default)]
    pub is_part: bool,
    /// Whether one search was asked for, not several: messages then name no query.
    #[serde(default)]
    pub as_search: bool,
    /// Whether the places of pinned hits are told at the end, for those who order the rest anew.
    #[serde(default)]
    pub marks_pins: bool,
    /// Ends the search early, which then fails.
    #[serde(skip)]
    pub stop: Stop,
}

/// One of the queries.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FederatedQuery {
    /// Uid of its index.
    pub index_uid: String,
    /// What its scores are multiplied by.
    #[serde(default = "one")]
    pub weight: f64,
    /// The place shown with its hits, if not its own.
    #[serde(default)]
    pub query_position: Option<usize>,
    /// The search itself; its paging does not count.
    pub search: SearchRequest,
}

const fn one() -> f64 {
    1.0
}

/// The list: its page, its facets.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Federation {
    /// Hits to return.
    pub limit: usize,
    /// Hits to skip.
    pub offset: usize,
    /// Page, from 1.
    pub page: Option<usize>,
    /// Page size.
    pub hits_per_page: Option<usize>,
    /// Attributes to count by index uid.
    pub facets_by_index: Map<String, Value>,
    /// Whether counts of all indexes are added up.
    pub merge_facets: Option<MergeFacets>,
    /// Attribute of which only one hit per value is returned.
    pub distinct: Option<String>,
    /// Whether `performanceDetails` is wanted.
    pub show_performance_details: bool,
    /// Milliseconds of what happened before, by the name it has in `performanceDetails`.
    pub times_before: Map<String, Value>,
}

impl Default for Federation {
    fn default() -> Self {
        Self {
            limit: 20,
            offset: 0,
            page: None,
            hits_per_page: None,
            facets_by_index: Map::new(),
            merge_facets: None,
            distinct: None,
            show_performance_details: false,
            times_before: Map::new(),
        }
    }
}

/// How counts of several indexes are added up.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MergeFacets {
    /// Values shown of each attribute; `None` for the default.
    pub max_values_per_facet: Option<usize>,
}

impl Federation {
    /// The page.
    #[must_use]
    pub fn window(&self) -> Window {
        Window::new(self.offset, self.limit, self.page, self.hits_per_page)
    }

    /// Attributes to count in an index; `None` if nothing is asked of it.
    #[must_use]
    pub fn facets_of(&self, index_uid: &str) -> Option<Vec<String>> {
        let names = self.facets_by_index.get(index_uid)?.as_array()?;
        let texts = names.iter().filter_map(Value::as_str);
        Some(texts.map(str::to_owned).collect())
    }
}

/// A refusal, and whose fault it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct FederationError {
    /// The refusal.
    pub error: SearchError,
    /// Place of the query that caused it; `None` for a part of the federation.
    pub query: Option<usize>,
    /// Uid of the index that the message speaks of.
    pub index_uid: Option<String>,
}

impl FederationError {
    /// A refusal because of a query.
    pub(super) fn of_query(query: usize, index_uid: &str, error: SearchError) -> Self {
        Self {
            index_uid: error.names_index.then(|| index_uid.to_owned()),
            query: Some(query),
            error,
        }
    }

    /// The same, without the place of the query.
    pub(super) fn without_place(self) -> Self {
        Self {
            query: None,
            ..self
        }
    }

    /// A refusal because of the federation itself.
    pub(super) const fn of_federation(error: SearchError) -> Self {
        Self {
            error,
            query: None,
            index_uid: None,
        }
    }

    /// The whole message, naming the query and the index.
    #[must_use]
    pub fn message(&self) -> String {
        let query = self
            .query
            .map_or_else(String::new, |at| format!("Inside `.queries[{at}]`: "));
        let index = self
            .index_uid
            .as_ref()
            .map_or_else(String::new, |uid| format!("Index `{uid}`: "));
        format!("{query}{index}{}", self.error.message)
    }
}
