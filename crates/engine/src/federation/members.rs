//! What follows the hits of a federated search.

use serde_json::{Map, Value};
use uuid::Uuid;

use super::execute::{FederatedSearch, Found};
use super::request::FederatedQuery;
use crate::rules::{Slot, pinned_places};
use crate::search::Executed;

impl FederatedSearch<'_> {
    /// What follows the hits.
    pub(super) fn members(
        &self,
        found: Found<'_>,
        n_repeats: usize,
        slots: &[Slot],
    ) -> Vec<(&'static str, Value)> {
        let total = found.total.saturating_sub(n_repeats);
        let semantic: Vec<usize> = found
            .executed
            .iter()
            .flatten()
            .filter_map(Executed::n_semantic)
            .collect();
        let mut members = Vec::new();
        members.extend(self.query_vectors());
        let millis = self.started.elapsed().as_millis() as u64;
        members.push(("processingTimeMs", Value::from(millis)));
        let paging = self.request.federation.window().members(total).into_iter();
        members.extend(paging.map(|(name, number)| (name, Value::from(number))));
        let merged = || found.facets.into_members();
        members.extend(self.timings.time("merge facets", merged));
        let request_uid = Uuid::now_v7().to_string();
        members.push(("requestUid", Value::from(request_uid)));
        if self.request.metadata {
            let metadata = self
                .request
                .queries
                .iter()
                .map(|query| self.metadata(query));
            members.push(("metadata", metadata.collect()));
        }
        if !semantic.is_empty() {
            let n_semantic: usize = semantic.iter().sum();
            members.push(("semanticHitCount", Value::from(n_semantic)));
        }
        let before = &self.request.federation.times_before;
        let details = self.timings.details(before, self.started);
        members.extend(details.map(|details| ("performanceDetails", details)));
        if self.request.marks_pins {
            members.push(("pinned", pinned_places(slots)));
        }
        members
    }

    /// The vectors of the queries that ask for vectors, by place.
    fn query_vectors(&self) -> Option<(&'static str, Value)> {
        let wanted = self.queries.iter().enumerate();
        let vectors: Map<String, Value> = wanted
            .filter(|(_, query)| query.retrieve_vectors)
            .filter_map(|(at, query)| {
                let vector = query.vector.as_ref()?.iter();
                let widened: Vec<f64> = vector.copied().map(f64::from).collect();
                let position = self.request.queries[at].query_position.unwrap_or(at);
                Some((position.to_string(), Value::from(widened)))
            })
            .collect();
        (!vectors.is_empty()).then(|| ("queryVectors", Value::from(vectors)))
    }

    fn metadata(&self, query: &FederatedQuery) -> Value {
        let source = self.sources.get(&query.index_uid);
        let primary_key = source.and_then(|source| source.primary_key());
        crate::search::metadata(&query.index_uid, primary_key, query.search.q.as_deref())
    }
}
