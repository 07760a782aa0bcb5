//! Documents similar to one: the nearest neighbours of its vectors.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::response::ResponseWriter;
use super::search_kind::embedder;
use crate::docset::{DocId, DocSet};
use crate::ranking::{RankedHit, Stop, Timings, VectorRule, global_score};
use crate::request::{FilterFeatures, SearchError, SearchRequest, SearchSource, parsed_filter};
use crate::vectors::VectorSet;

const FILTER_CODE: &str = "invalid_similar_filter";

/// A search for similar documents. Absent members hold their default.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SimilarRequest {
    /// External id of the document.
    pub id: String,
    /// Name of the embedder.
    pub embedder: String,
    /// Hits to skip.
    #[serde(default)]
    pub offset: usize,
    /// Hits to return.
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// Filter expression or array.
    #[serde(default)]
    pub filter: Option<Value>,
    /// Filter of what the sender may see: an example outside is as if it were not there.
    #[serde(default)]
    pub shown: Option<Value>,
    /// Attributes returned; `None` for all that are displayed.
    #[serde(default)]
    pub attributes_to_retrieve: Option<Vec<String>>,
    /// Whether `_vectors` is wanted.
    #[serde(default)]
    pub retrieve_vectors: bool,
    /// Whether `_rankingScore` is wanted.
    #[serde(default)]
    pub show_ranking_score: bool,
    /// Whether `_rankingScoreDetails` is wanted.
    #[serde(default)]
    pub show_ranking_score_details: bool,
    /// Whether `performanceDetails` is wanted.
    #[serde(default)]
    pub show_performance_details: bool,
    /// Milliseconds of what happened before, by the name it has in `performanceDetails`.
    #[serde(default)]
    pub times_before: Map<String, Value>,
    /// Least similarity.
    #[serde(default)]
    pub ranking_score_threshold: Option<f64>,
    /// Which experimental filter operators may be used.
    #[serde(default)]
    pub features: FilterFeatures,
    /// Ends the search early, which then fails.
    #[serde(skip)]
    pub stop: Stop,
}

const fn default_limit() -> usize {
    20
}

/// Answers a search for similar documents with the JSON of its response. No message names the
/// index.
///
/// # Errors
/// The embedder or the document does not exist, or the filter is refused.
pub fn search_similar(
    source: &dyn SearchSource,
    request: &SimilarRequest,
) -> Result<Vec<u8>, SearchError> {
    let started = Instant::now();
    SearchError::if_stopped(&request.stop)?;
    let embedder = embedder(source, &request.embedder, "invalid_similar_embedder")?;
    let timings = Timings::new(request.show_performance_details, "similar");
    let target = timings.time("evaluate filter", || target(source, request))?;
    let universe = timings.time("evaluate filter", || universe(source, request, target))?;
    let max_total = source.settings().pagination.max_total_hits;
    let offset = request.offset.min(max_total);
    let limit = request.limit.min(max_total - offset);
    let set = source.vectors(&embedder.name);
    let rule = VectorRule {
        distribution: embedder.distribution,
        query: Vec::new(),
        n_wanted: offset + limit,
        set,
    };
    let near = timings.time("semantic ranking", || {
        rule.set.as_deref().map_or_else(Vec::new, |set| {
            neighbours(set, target, rule.n_wanted, &universe)
        })
    });
    let mut hits: Vec<RankedHit> = near
        .into_iter()
        .map(|(doc, similarity)| RankedHit {
            doc,
            details: vec![rule.detail(Some(similarity))],
        })
        .collect();
    let mut total = universe.len();
    if let Some(least) = request.ranking_score_threshold {
        let is_above = |hit: &RankedHit| global_score(&hit.details) >= least;
        let n_above = hits.iter().take_while(|hit| is_above(hit)).count();
        if n_above < hits.len() {
            hits.truncate(n_above);
            total = n_above;
        }
    }
    let hits = hits.split_off(offset.min(hits.len()));
    let page = page_request(request);
    let mut writer = ResponseWriter::new(source, &page, &[], hits.len(), Arc::default);
    timings.time("format", || writer.hits(&hits))?;
    let total = total.min(max_total);
    Ok(writer.finish_similar(request, offset, total, (started, &timings)))
}

/// The example. What is shown is asked first, so that nothing tells a hidden document from none.
fn target(source: &dyn SearchSource, request: &SimilarRequest) -> Result<DocId, SearchError> {
    let shown = filtered(source, request.shown.as_ref(), request)?;
    let found = source.find(&request.id)?;
    found
        .filter(|doc| shown.is_none_or(|shown| shown.contains(*doc)))
        .ok_or_else(|| {
            let message = format!("Document `{}` not found.", request.id);
            SearchError::new("not_found_similar_id", message)
        })
}

/// Documents that pass the filter, without the one itself.
fn universe(
    source: &dyn SearchSource,
    request: &SimilarRequest,
    target: DocId,
) -> Result<DocSet, SearchError> {
    let own = DocSet::from_sorted(vec![target]);
    Ok(match filtered(source, request.filter.as_ref(), request)? {
        Some(docs) => docs.and_not(&own),
        None => source.documents().and_not(&own),
    })
}

/// The documents that a filter selects, if there is one.
fn filtered(
    source: &dyn SearchSource,
    filter: Option<&Value>,
    request: &SimilarRequest,
) -> Result<Option<DocSet>, SearchError> {
    let own_code = |error: SearchError| SearchError {
        code: match error.code {
            "invalid_search_filter" => FILTER_CODE,
            other => other,
        },
        names_index: false,
        ..error
    };
    parsed_filter(filter, &request.features)
        .and_then(|filter| {
            filter
                .map(|filter| source.filter_docs(&filter, &request.features))
                .transpose()
        })
        .map_err(own_code)
}

/// The documents nearest to any vector of one, each with its best similarity.
fn neighbours(
    set: &VectorSet,
    target: DocId,
    n_wanted: usize,
    universe: &DocSet,
) -> Vec<(DocId, f32)> {
    let mut nearest: BTreeMap<DocId, f32> = BTreeMap::new();
    for vector in set.vectors(target) {
        for near in set.search(&vector, n_wanted, universe) {
            let best = nearest.entry(near.doc).or_insert(near.similarity);
            *best = best.max(near.similarity);
        }
    }
    let mut nearest: Vec<(DocId, f32)> = nearest.into_iter().collect();
    nearest.sort_by(|a, b| b.1.total_cmp(&a.1));
    nearest.truncate(n_wanted);
    nearest
}

/// What of the request is about the form of hits, as a search has it.
fn page_request(request: &SimilarRequest) -> SearchRequest {
    SearchRequest {
        attributes_to_retrieve: request.attributes_to_retrieve.clone(),
        retrieve_vectors: request.retrieve_vectors,
        show_ranking_score: request.show_ranking_score,
        show_ranking_score_details: request.show_ranking_score_details,
        ..SearchRequest::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{SimilarRequest, search_similar};
    use crate::request::SearchError;
    use crate::search::{IndexView, QueryConfigs};
    use crate::testing::TestIndex;

    fn answer(request: Value) -> Result<Value, SearchError> {
        let documents: Vec<Value> = (0..6)
            .map(|id| {
                let owner = ["mine", "other"][id % 2];
                json!({"id": id, "owner": owner, "_vectors": {"plain": [id, 1.0]}})
            })
            .collect();
        let settings = json!({
            "filterableAttributes": ["owner"],
            "embedders": {"plain": {"source": "userProvided", "dimensions": 2}},
        });
        let index = TestIndex::new(settings, &documents);
        let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
        let request: SimilarRequest = serde_json::from_value(request).expect("a request");
        let answer = search_similar(&view, &request)?;
        Ok(serde_json::from_slice(&answer).expect("JSON"))
    }

    fn of(id: &str, shown: &str, filter: Option<&str>) -> Result<Value, SearchError> {
        let filter = filter.unwrap_or(shown);
        answer(json!({"id": id, "embedder": "plain", "shown": shown, "filter": filter}))
    }

    #[test]
    fn an_example_that_is_not_shown_is_not_found_whatever_else_is_asked() {
        let found = of("2", "owner = mine", None).expect("an answer");
        assert_eq!(found["hits"].as_array().map(Vec::len), Some(2));
        for filter in [None, Some("title = x"), Some("owner =")] {
            let hidden = of("3", "owner = mine", filter).expect_err("hidden");
            let missing = of("33", "owner = mine", filter).expect_err("missing");
            assert_eq!(hidden.code, "not_found_similar_id");
            assert_eq!(hidden.message, "Document `3` not found.");
            assert_eq!(missing.code, hidden.code);
        }
        // A rule that cannot be evaluated is refused before anything is looked up.
        for id in ["2", "3", "33"] {
            let error = of(id, "title = x", None).expect_err("refused");
            assert_eq!(error.code, "invalid_similar_filter");
        }
    }
}
