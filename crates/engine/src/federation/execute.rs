//! Runs the queries and writes the answer.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::compared_rules::{ComparedRules, Wanted};
use super::distinct::SeenValues;
use super::facets::{FederatedFacets, check_unused};
use super::merge::{Entry, merge_index};
use super::request::{FederatedRequest, FederationError};
use super::runs::{Ran, Run, run_all};
use crate::docset::{DocId, DocSet};
use crate::ranking::{RankedHit, Timings};
use crate::request::{MatchingStrategy, SearchError, SearchRequest, SearchSource};
use crate::rules::{AppliedRules, Pinned, PinnedDoc, Slot};
use crate::search::{Executed, ResponseWriter};

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
    let answer = search.run();
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
        search.stop = request.stop.clone();
        if let Some(attribute) = distinct {
            search.distinct = Some(attribute.clone());
        }
        search
    });
    queries.collect()
}

/// One federated search.
pub(super) struct FederatedSearch<'s> {
    pub(super) sources: &'s BTreeMap<String, &'s dyn SearchSource>,
    pub(super) request: &'s FederatedRequest,
    pub(super) queries: Vec<SearchRequest>,
    pub(super) timings: Timings,
    rules: Option<&'s AppliedRules<'s>>,
    pub(super) started: Instant,
}

/// The hits of all queries.
pub(super) struct Found<'s> {
    pub(super) executed: Vec<Option<Executed<'s>>>,
    /// Merged hits of each index.
    pub(super) lists: Vec<Vec<Entry>>,
    /// The last hits of the queries that may have more.
    pub(super) cut: Vec<Entry>,
    /// Pinned hits by position.
    pub(super) pins: Vec<Entry>,
    pub(super) total: usize,
    /// Values of the hits that the total counts, where it is exact.
    counted: SeenValues,
    pub(super) facets: FederatedFacets,
}

/// The queries of one index.
struct Group<'s> {
    index_uid: &'s str,
    source: &'s dyn SearchSource,
    queries: Vec<usize>,
    /// Documents that are pinned for them.
    pins: Vec<(PinnedDoc, Entry)>,
    pinned: Pinned,
}

impl<'s> Group<'s> {
    fn runs(&self) -> impl Iterator<Item = Run<'s, '_>> {
        self.queries.iter().map(|at| Run {
            at: *at,
            source: self.source,
            pinned: &self.pinned,
        })
    }
}

impl<'s> FederatedSearch<'s> {
    /// Runs the queries for at most `reach` hits of each.
    pub(super) fn find(&'s self, reach: usize) -> Result<Found<'s>, FederationError> {
        let mut by_index: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, query) in self.request.queries.iter().enumerate() {
            by_index.entry(&query.index_uid).or_default().push(at);
        }
        let mut groups = Vec::new();
        let mut missing = None;
        for (index_uid, queries) in &by_index {
            let Some(source) = self.sources.get(*index_uid).copied() else {
                let message = format!("Index `{index_uid}` not found.");
                let error = SearchError::new("index_not_found", message);
                missing = Some(FederationError::of_query(queries[0], index_uid, error));
                break;
            };
            groups.push(self.group(source, index_uid, queries)?);
        }
        let mut found = Found {
            executed: self.queries.iter().map(|_| None).collect(),
            lists: Vec::new(),
            cut: Vec::new(),
            pins: Vec::new(),
            total: 0,
            counted: SeenValues::default(),
            facets: FederatedFacets::new(self.request),
        };
        let runs: Vec<Run<'_, '_>> = groups.iter().flat_map(Group::runs).collect();
        let mut ran = run_all(self.request, &self.queries, &runs, reach, self.started).into_iter();
        let mut compared: Option<ComparedRules> = None;
        for group in &groups {
            let ran = ran.by_ref().take(group.queries.len()).collect();
            self.gather(group, ran, reach, &mut compared, &mut found)?;
        }
        if let Some(missing) = missing {
            return Err(missing);
        }
        let mut pins: Vec<_> = groups.into_iter().flat_map(|group| group.pins).collect();
        pins.sort_by_key(|(pin, _)| pin.place());
        found.pins = pins.into_iter().map(|(_, entry)| entry).collect();
        let source = |uid: &str| self.sources.get(uid).copied();
        let federation = &self.request.federation;
        check_unused(federation, |uid| by_index.contains_key(uid), source)?;
        Ok(found)
    }

    /// Takes what the queries of one index found.
    fn gather(
        &'s self,
        group: &Group<'s>,
        ran: Vec<Ran<'s>>,
        reach: usize,
        compared: &mut Option<ComparedRules>,
        found: &mut Found<'s>,
    ) -> Result<(), FederationError> {
        let (source, index_uid) = (group.source, group.index_uid);
        let refused = |at: usize, error| FederationError::of_query(at, index_uid, error);
        let mut lists = Vec::new();
        let mut candidates = group.pinned.docs();
        for (at, (executed, timings)) in group.queries.iter().copied().zip(ran) {
            self.timings.add(timings);
            let executed = executed.map_err(|error| refused(at, error))?;
            let rules = self.rules_of(at, source, &executed);
            *compared = Some(match compared.take() {
                Some(earlier) => {
                    earlier.check(&rules).map_err(|error| refused(at, error))?;
                    rules.or_stricter(earlier)
                }
                None => rules,
            });
            candidates = candidates.or(&executed.outcome.ranking.candidates);
            let weight = self.request.queries[at].weight;
            let hits = &executed.outcome.ranking.hits;
            let last = hits.last().filter(|_| hits.len() >= reach);
            let entry = |hit: &RankedHit| Entry::new(at, weight, hit.clone());
            found.cut.extend(last.map(entry));
            lists.push(hits.iter().map(entry).collect());
            found.executed[at] = Some(executed);
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
                .map_err(|error| refused(group.queries[0], error))?;
        }
        found.total += match distinct.filter(|_| self.counts_values()) {
            None => candidates.len(),
            Some(attribute) => {
                let docs = candidates
                    .iter()
                    .take_while(|_| !self.request.stop.is_stopped());
                let values = docs.map(|doc| source.comparable_values(attribute, doc));
                values
                    .filter(|values| found.counted.are_new(values))
                    .count()
            }
        };
        found.lists.push(entries);
        Ok(())
    }

    /// Whether the total counts each value once: one of pages is exact, and only a single query has
    /// told its repeats already.
    pub(super) fn counts_values(&self) -> bool {
        self.request.federation.window().is_exhaustive() && self.queries.len() > 1
    }

    fn group(
        &self,
        source: &'s dyn SearchSource,
        index_uid: &'s str,
        queries: &[usize],
    ) -> Result<Group<'s>, FederationError> {
        let (pins, pinned) = self.pins_in(source, index_uid, queries)?;
        Ok(Group {
            index_uid,
            source,
            queries: queries.to_vec(),
            pins,
            pinned,
        })
    }

    /// The documents of an index that rules pin for its queries: each by the first of all rules that
    /// pin it, for the first query that meets it.
    fn pins_in(
        &self,
        source: &dyn SearchSource,
        index_uid: &str,
        queries: &[usize],
    ) -> Result<(Vec<(PinnedDoc, Entry)>, Pinned), FederationError> {
        let mut met: Vec<(PinnedDoc, usize)> = Vec::new();
        for at in queries.iter().filter(|_| self.rules.is_some()) {
            let pinned = Pinned::new(self.rules, source, index_uid, &self.queries[*at])
                .map_err(|error| FederationError::of_query(*at, index_uid, error))?;
            met.extend(pinned.pins.into_iter().map(|pin| (pin, *at)));
        }
        met.sort_by_key(|(pin, _)| pin.order);
        let mut seen = FxHashSet::default();
        met.retain(|(pin, _)| seen.insert(pin.doc));
        let pins = met.iter().map(|(pin, _)| *pin).collect();
        let pinned = Pinned::of(pins, source, &self.queries[queries[0]]);
        let entry = |(pin, at): (PinnedDoc, usize)| {
            let weight = self.request.queries[at].weight;
            (pin, Entry::new(at, weight, pin.hit()))
        };
        Ok((met.into_iter().map(entry).collect(), pinned))
    }

    fn rules_of(
        &self,
        at: usize,
        source: &dyn SearchSource,
        executed: &Executed<'_>,
    ) -> ComparedRules {
        let query = &self.queries[at];
        let text = query.q.as_deref().unwrap_or("");
        let wanted = if executed.is_semantic() {
            Wanted::Neighbours
        } else if text.trim().is_empty() {
            Wanted::Everything
        } else {
            let drops = query.matching_strategy != MatchingStrategy::All;
            Wanted::Words { drops }
        };
        ComparedRules::new(
            at,
            &self.request.queries[at].index_uid,
            &source.settings().ranking_rules,
            query.sort.is_some().then_some(&executed.sort),
            wanted,
        )
    }

    /// Writes the hits of a page, and what is said of them.
    pub(super) fn answer(
        &'s self,
        found: Found<'s>,
        (page, slots): (Vec<Entry>, &[Slot]),
        n_repeats: usize,
    ) -> Result<Vec<u8>, FederationError> {
        let written = || self.written(&found, page);
        let hits = self.timings.time("hydrate documents", written)?;
        let mut out = Vec::with_capacity(hits.iter().map(|hit| hit.len() + 1).sum::<usize>() + 512);
        out.extend_from_slice(b"{\"hits\":[");
        out.extend_from_slice(&hits.join(&b','));
        out.push(b']');
        for (name, value) in self.members(found, n_repeats, slots) {
            // Writing to memory succeeds, and so does a JSON value.
            let _ = write!(out, ",\"{name}\":{value}");
        }
        out.push(b'}');
        Ok(out)
    }

    /// What of a hit makes it the same as another one.
    pub(super) fn distinct_values(&self, entry: &Entry, attribute: &str) -> Vec<String> {
        let index_uid = &self.request.queries[entry.query].index_uid;
        self.sources[index_uid].comparable_values(attribute, entry.hit.doc)
    }

    /// The value of the `_federation` member of a hit.
    fn origin(&self, entry: &Entry) -> Value {
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
                origin["distinctValues"] = json!(self.distinct_values(entry, attribute));
            }
        }
        origin
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
            let origin = self.origin(&entry);
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
            let words = || executed.outcome.match_words();
            let writer = ResponseWriter::new(source, request, sort, n_hits, words);
            let written = writer
                .separate_hits(&of_query)
                .map_err(|error| FederationError::of_query(at, index_uid, error))?;
            for (place, hit) in places.into_iter().zip(written) {
                hits[place] = hit;
            }
        }
        Ok(hits)
    }
}
