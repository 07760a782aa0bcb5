//! Searches the values of a facet among the documents that a query and a filter select.

use std::time::Instant;

use super::IndexView;
use super::execute::{query_locales, searched_fields};
use super::keyword::KeywordSearch;
use super::search_kind::is_by_vectors;
use crate::facet::{FacetSearchRequest, check_facet_search, facet_search};
use crate::query::Corpus;
use crate::ranking::{Deadline, Timings};
use crate::request::{Allowed, SearchError, SearchRequest, SearchSource, parsed_filter};

/// Answers a facet search with the JSON of its response. Of `search`, only what selects documents
/// counts.
///
/// # Errors
/// The facet may not be searched, or the filter is refused; no message names the index.
pub fn search_facet_values(
    view: &IndexView,
    request: &FacetSearchRequest,
    search: &SearchRequest,
) -> Result<Vec<u8>, SearchError> {
    let started = Instant::now();
    SearchError::if_stopped(&search.stop)?;
    check_facet_search(view.settings(), &request.facet_name)?;
    let filter = match parsed_filter(search.filter.as_ref(), &search.features)? {
        Some(filter) => Some(view.filter_docs(&filter, &search.features)?),
        None => None,
    };
    // Vectors leave no document out that passes the filter.
    if is_by_vectors(view, search)? {
        let all = filter.unwrap_or_else(|| view.documents().clone());
        return facet_search(view.snapshot(), request, &all, started);
    }
    let allowed = filter.map(Allowed::Docs);
    let searched = searched_fields(view, search)?;
    let locales = query_locales(view, search, &searched);
    let threshold = search.ranking_score_threshold;
    let keyword = KeywordSearch {
        text: search.q.as_deref().unwrap_or(""),
        locales: &locales,
        removal: search.matching_strategy.into(),
        filter: allowed.as_ref(),
        searched,
        sort: &[],
        offset: 0,
        limit: threshold.map_or(0, |_| view.settings().pagination.max_total_hits),
        with_scores: false,
        threshold,
        deadline: &Deadline::never().or_stopped(&search.stop),
        timings: &Timings::off(),
        same_value: None,
    };
    let outcome = keyword.run(view, view.query_config());
    SearchError::if_stopped(&search.stop)?;
    facet_search(
        view.snapshot(),
        request,
        &outcome.ranking.candidates,
        started,
    )
}
