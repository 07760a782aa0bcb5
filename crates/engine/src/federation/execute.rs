//! Runs the queries and writes the answer.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::compatibility::ComparedRules;
use super::distinct::{first_distinct, values_of};
use super::facets::{FederatedFacets, check_unused};
use super::merge::{Entry, merge, merge_index};
use super::request::{FederatedQuery, FederatedRequest, FederationError};
use crate::docset::{DocId, DocSet};
use crate::ranking::{RankedHit, Timings};
use crate::rules::{AppliedRules, Pinned, Slot, pinned_places, slots};
use crate::search::{
    Demand, Executed, PageWindow, ResponseWriter, SearchError, SearchRequest, SearchSource, execute,
};

/// Answers a federated search with the JSON of its response. `sources` has the indexes that the
/// request names, by uid, as far as there are any; `rules` may pin documents of them.
///
/// # Errors
/// A query asks for what its index does not allow, or the queries cannot be compared.
pub fn federated_search(
    sources: &BTreeMap<String, &dyn SearchSource>,
    request: &FederatedRequest,
    rules: Option<&AppliedRules<'_>>,
) -> Result<Vec<u8>, FederationError> {
    let started = Instant::now();
    let search = FederatedSearch {
        sources,
        request,
        queries: queries_of(request),
        timings: Timings::new(request.federation.show_performance_details, "search"),
        rules,
        started,
    };
    let answer = search.find().and_then(|found| search.answer(found));
    answer.map_err(|error| match request.as_search {
        true => error.without_place(),
        false => error,
    })
}

/// The requests as they run: distinct as the federation says.
fn queries_of(request: &FederatedRequest) -> Vec<SearchRequest> {
    let distinct = request.federation.distinct.as_ref();
    let queries = request.queries.iter().map(|query| {
        let mut search = query.search.clone();
        if let Some(attribute) = distinct {
            search.distinct = Some(attribute.clone());
        }
        search
    });
    queries.collect()
}

struct FederatedSearch<'s> {
    sources: &'s BTreeMap<String, &'s dyn SearchSource>,
    request: &'s FederatedRequest,
    queries: Vec<SearchRequest>,
    timings: Timings,
    rules: Option<&'s AppliedRules<'s>>,
    started: Instant,
}

/// The hits of all queries.
struct Found<'s> {
    executed: Vec<Option<Executed<'s>>>,
    /// Merged hits of each index.
    lists: Vec<Vec<Entry>>,
    /// Pinned hits by position.
    pins: Vec<Entry>,
    total: usize,
    facets: FederatedFacets,
}

impl<'s> FederatedSearch<'s> {
    fn find(&'s self) -> Result<Found<'s>, FederationError> {
        let mut by_index: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, query) in self.request.queries.iter().enumerate() {
            by_index.entry(&query.index_uid).or_default().push(at);
        }
        let federation = &self.request.federation;
        let mut found = Found {
            executed: self.queries.iter().map(|_| None).collect(),
            lists: Vec::new(),
            pins: Vec::new(),
            total: 0,
            facets: FederatedFacets::new(self.request),
        };
        let mut compared: Vec<ComparedRules> = Vec::new();
        for (index_uid, queries) in &by_index {
            self.find_in(index_uid, queries, &mut compared, &mut found)?;
        }
        found.pins.sort_by_key(Entry::pinned_position);
        let source = |uid: &str| self.sources.get(uid).copied();
        check_unused(federation, |uid| by_index.contains_key(uid), source)?;
        Ok(found)
    }

    /// Runs the queries of one index.
    fn find_in(
        &'s self,
        index_uid: &str,
        queries: &[usize],
        compared: &mut Vec<ComparedRules>,
        found: &mut Found<'s>,
    ) -> Result<(), FederationError> {
        let first = queries[0];
        let refused = |at: usize, error| FederationError::of_query(at, index_uid, error);
        let source = self.sources.get(index_uid).copied().ok_or_else(|| {
            let message = format!("Index `{index_uid}` not found.");
            refused(first, SearchError::new("index_not_found", message))
        })?;
        let (pins, pinned) = self.pins_in(source, index_uid, queries);
        let mut lists = Vec::new();
        let mut candidates = pinned.docs();
        for at in queries {
            let executed = self
                .timings
                .time("execute local search", || self.run(source, *at, &pinned))
                .map_err(|error| refused(*at, error))?;
            let rules = self.rules_of(*at, source, &executed);
            for other in compared.iter() {
                other.check(&rules).map_err(|error| refused(*at, error))?;
            }
            compared.push(rules);
            candidates = candidates.or(&executed.outcome.ranking.candidates);
            let weight = self.request.queries[*at].weight;
            let hits = executed.outcome.ranking.hits.iter().cloned();
            lists.push(hits.map(|hit| Entry::new(*at, weight, hit)).collect());
            found.executed[*at] = Some(executed);
        }
        let distinct = self.request.federation.distinct.as_deref();
        let same_value = distinct.map(|name| move |doc: DocId| source.same_value(name, doc));
        let same_value = same_value.as_ref().map(|f| f as &dyn Fn(DocId) -> DocSet);
        let merged = || merge_index(lists, same_value);
        let (entries, repeats) = self.timings.time("merge results", merged);
        let candidates = candidates.and_not(&repeats);
        if let Some(names) = self.request.federation.facets_of(index_uid) {
            let facets = &mut found.facets;
            self.timings
                .time("facet distribution", || {
                    facets.add(index_uid, source, &names, &candidates)
                })
                .map_err(|error| refused(first, error))?;
        }
        found.total += candidates.len();
        found.lists.push(entries);
        found.pins.extend(pins);
        Ok(())
    }

    /// The documents of an index that rules pin for its queries: each for the first query alone.
    fn pins_in(
        &self,
        source: &dyn SearchSource,
        index_uid: &str,
        queries: &[usize],
    ) -> (Vec<Entry>, Pinned) {
        let mut seen = DocSet::empty();
        let mut entries = Vec::new();
        let mut pins = Vec::new();
        for at in queries.iter().filter(|_| self.rules.is_some()) {
            let weight = self.request.queries[*at].weight;
            for pin in Pinned::new(self.rules, source, index_uid, &self.queries[*at]).pins {
                if seen.contains(pin.doc) {
                    continue;
                }
                seen = seen.or(&DocSet::from_sorted(vec![pin.doc]));
                entries.push(Entry::new(*at, weight, pin.hit()));
                pins.push(pin);
            }
        }
        (entries, Pinned::of(pins, source, &self.queries[queries[0]]))
    }

    fn run(
        &'s self,
        source: &'s dyn SearchSource,
        at: usize,
        pinned: &Pinned,
    ) -> Result<Executed<'s>, SearchError> {
        let window = self.request.federation.window();
        let (offset, limit) = window.range(usize::MAX);
        let most = source.settings().pagination.max_total_hits;
        let demand = Demand {
            page: PageWindow {
                offset: 0,
                limit: offset.saturating_add(limit).min(most),
            },
            is_exhaustive: window.is_exhaustive(),
            with_scores: true,
            left_out: pinned.left_out(),
        };
        let clock = (self.started, &self.timings);
        execute(source, &self.queries[at], &demand, clock)
    }

    fn rules_of(
        &self,
        at: usize,
        source: &dyn SearchSource,
        executed: &Executed<'_>,
    ) -> ComparedRules {
        let text = self.queries[at].q.as_deref().unwrap_or("");
        ComparedRules::new(
            at,
            &self.request.queries[at].index_uid,
            &source.settings().ranking_rules,
            &executed.sort,
            !text.trim().is_empty(),
        )
    }

    fn answer(&'s self, mut found: Found<'s>) -> Result<Vec<u8>, FederationError> {
        let lists = std::mem::take(&mut found.lists);
        let pins = std::mem::take(&mut found.pins);
        let merged = || self.page(lists, pins);
        let (page, slots, n_repeats) = self.timings.time("merge results", merged)?;
        let written = || self.written(&found, page);
        let hits = self.timings.time("hydrate documents", written)?;
        let mut out = Vec::with_capacity(hits.iter().map(|hit| hit.len() + 1).sum::<usize>() + 512);
        out.extend_from_slice(b"{\"hits\":[");
        out.extend_from_slice(&hits.join(&b','));
        out.push(b']');
        for (name, value) in self.members(found, n_repeats, &slots) {
            // Writing to memory succeeds, and so does a JSON value.
            let _ = write!(out, ",\"{name}\":{value}");
        }
        out.push(b'}');
        Ok(out)
    }

    /// The hits of the page, what stands at its places, and how many hits were left out because
    /// another index has their value.
    fn page(
        &self,
        lists: Vec<Vec<Entry>>,
        pins: Vec<Entry>,
    ) -> Result<(Vec<Entry>, Vec<Slot>, usize), FederationError> {
        let (offset, limit) = self.request.federation.window().range(usize::MAX);
        let end = offset.saturating_add(limit);
        let (ranked, n_repeats) = match self.request.federation.distinct.as_deref() {
            None => (merge(lists).take(end).collect(), 0),
            Some(attribute) => first_distinct(merge(lists), end, |entry| {
                self.distinct_values(entry, attribute)
            })?,
        };
        let positions: Vec<usize> = pins.iter().filter_map(Entry::pinned_position).collect();
        let slots = slots(&positions, ranked.len(), offset, limit);
        let mut pins = pins.into_iter().map(Some).collect::<Vec<_>>();
        let mut ranked = ranked.into_iter().map(Some).collect::<Vec<_>>();
        let page = slots.iter().filter_map(|slot| match *slot {
            Slot::Pin(at) => pins[at].take(),
            Slot::Ranked(at) => ranked[at].take(),
        });
        Ok((page.collect(), slots, n_repeats))
    }

    fn distinct_values(
        &self,
        entry: &Entry,
        attribute: &str,
    ) -> Result<Vec<String>, FederationError> {
        let index_uid = &self.request.queries[entry.query].index_uid;
        values_of(self.sources[index_uid], entry.hit.doc, attribute)
            .map_err(|error| FederationError::of_query(entry.query, index_uid, error))
    }

    /// The value of the `_federation` member of a hit.
    fn origin(&self, entry: &Entry) -> Result<Value, FederationError> {
        let query = &self.request.queries[entry.query];
        let mut origin = json!({
            "indexUid": query.index_uid,
            "queriesPosition": query.query_position.unwrap_or(entry.query),
            "weightedRankingScore": entry.weighted_score,
        });
        if self.request.is_part {
            origin["weightedScoreValues"] = json!(entry.keys);
            if let Some(position) = entry.pinned_position() {
                origin["pinnedPosition"] = Value::from(position);
            }
            if let Some(attribute) = self.request.federation.distinct.as_deref() {
                origin["distinctValues"] = json!(self.distinct_values(entry, attribute)?);
            }
        }
        Ok(origin)
    }

    /// The hits of the page as JSON, in their order.
    fn written(
        &'s self,
        found: &Found<'s>,
        page: Vec<Entry>,
    ) -> Result<Vec<Vec<u8>>, FederationError> {
        let mut hits: Vec<Vec<u8>> = vec![Vec::new(); page.len()];
        let mut by_query: BTreeMap<usize, Vec<(usize, RankedHit, Value)>> = BTreeMap::new();
        for (place, entry) in page.into_iter().enumerate() {
            let origin = self.origin(&entry)?;
            let hits = by_query.entry(entry.query).or_default();
            hits.push((place, entry.hit, origin));
        }
        for (at, of_query) in by_query {
            let Some(executed) = &found.executed[at] else {
                continue;
            };
            let index_uid = &self.request.queries[at].index_uid;
            let source = self.sources[index_uid];
            let (places, of_query): (Vec<usize>, Vec<(RankedHit, Value)>) = of_query
                .into_iter()
                .map(|(place, hit, origin)| (place, (hit, origin)))
                .unzip();
            let n_hits = of_query.len();
            let (request, sort) = (&self.queries[at], &executed.sort);
            let writer =
                ResponseWriter::new(source, request, sort, n_hits, Some(&executed.outcome));
            let written = writer
                .separate_hits(&of_query)
                .map_err(|error| FederationError::of_query(at, index_uid, error))?;
            for (place, hit) in places.into_iter().zip(written) {
                hits[place] = hit;
            }
        }
        Ok(hits)
    }

    /// What follows the hits.
    fn members(
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
