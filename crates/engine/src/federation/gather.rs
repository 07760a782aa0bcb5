//! Puts the answers of several servers together to one.
//!
//! Every server, this one included, has answered its queries as a part: from the first hit on to
//! the end of the page, with what each hit is compared by. Hits are merged as those of several
//! indexes are; counts and totals are added up. An answer that cannot be read becomes an error of
//! its server, and the others are answered.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::distinct::{SeenValues, first_distinct};
use super::merge::merge;
use super::part::{Part, PartHit};
use super::request::Federation;
use super::summed_counts::SummedCounts;
use crate::request::SearchError;
use crate::rules::{Slot, pinned_places, slots};

/// What is put together, and how.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatherRequest {
    /// What concerns the list.
    pub federation: Federation,
    /// All queries, those of servers that did not answer too.
    pub queries: Vec<GatheredQuery>,
    /// What each answer is about.
    pub parts: Vec<GatheredPart>,
    /// Whether `metadata` of each query is wanted.
    #[serde(default)]
    pub metadata: bool,
    /// Whether the answer has the form of one search: then nothing tells where a hit is from.
    #[serde(default)]
    pub as_search: bool,
    /// Whether the places of pinned hits are told at the end, for those who order the rest anew.
    #[serde(default)]
    pub marks_pins: bool,
    /// Errors of servers that did not answer, by name.
    #[serde(default)]
    pub remote_errors: BTreeMap<String, Value>,
    /// The error of an answer that cannot be read, but for its message.
    pub bad_response: Map<String, Value>,
    /// Milliseconds that the search has taken so far.
    #[serde(default)]
    pub elapsed_ms: f64,
}

/// A query to one server.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatheredQuery {
    /// Uid of its index.
    pub index_uid: String,
    /// Its text.
    #[serde(default)]
    pub q: Option<String>,
    /// The server asked; `None` for this one when it has no name.
    #[serde(default)]
    pub remote: Option<String>,
    /// The place shown with its hits.
    pub position: usize,
}

/// What one of the answers is about.
#[derive(Clone, Debug, Deserialize)]
pub struct GatheredPart {
    /// Name of the server; `None` for this one when it has no name.
    #[serde(default)]
    pub remote: Option<String>,
    /// Its queries, as places in all queries.
    pub queries: Vec<usize>,
}

/// The answer of a search over several servers, as JSON. `answers` go with the parts of the
/// request.
///
/// # Errors
/// The answer of this server cannot be read, which is a bug.
pub fn gather(request: &GatherRequest, answers: &[Vec<u8>]) -> Result<Vec<u8>, SearchError> {
    let started = Instant::now();
    let mut remote_errors = request.remote_errors.clone();
    let mut parts = Vec::new();
    for (part, bytes) in request.parts.iter().zip(answers) {
        let queries = part.queries.iter();
        let positions: Vec<usize> = queries
            .filter_map(|at| Some(request.queries.get(*at)?.position))
            .collect();
        match (Part::read(part, bytes, &positions), &part.remote) {
            (Ok(read), _) => parts.push((part, read)),
            (Err(reason), None) => return Err(SearchError::new("internal", reason)),
            (Err(reason), Some(name)) => {
                remote_errors.insert(name.clone(), request.bad_response(reason));
            }
        }
    }
    let gathered = Gathered {
        request,
        remote_errors,
        started,
    };
    Ok(gathered.answer(parts))
}

impl GatherRequest {
    fn bad_response(&self, reason: String) -> Value {
        let mut error = self.bad_response.clone();
        error.insert("message".to_owned(), Value::from(reason));
        Value::from(error)
    }
}

struct Gathered<'a> {
    request: &'a GatherRequest,
    remote_errors: BTreeMap<String, Value>,
    started: Instant,
}

type Parts<'a> = Vec<(&'a GatheredPart, Part<'a>)>;

impl<'a> Gathered<'a> {
    fn answer(&self, mut parts: Parts<'a>) -> Vec<u8> {
        let (offset, limit) = self.request.federation.window().range(usize::MAX);
        let mut lists = Vec::new();
        let mut pins = Vec::new();
        for (_, part) in &mut parts {
            lists.push(std::mem::take(&mut part.hits));
            pins.append(&mut part.pinned);
        }
        pins.sort_by_key(|pin| pin.origin.pinned_position);
        let end = offset.saturating_add(limit);
        let (ranked, n_repeats) = self.first_ranked(lists, &pins, end);
        let positions: Vec<usize> = pins
            .iter()
            .filter_map(|pin| pin.origin.pinned_position)
            .collect();
        let page = slots(&positions, ranked.len(), offset, limit);
        let mut out = b"{\"hits\":[".to_vec();
        for (at, slot) in page.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            let hit = match slot {
                Slot::Pin(at) => pins.get(*at),
                Slot::Ranked(at) => ranked.get(*at),
            };
            if let Some(hit) = hit {
                self.write_hit(hit, &mut out);
            }
        }
        out.push(b']');
        for (name, value) in self.members(parts, n_repeats, &page) {
            // Writing to memory succeeds, and so does a JSON value.
            let _ = write!(out, ",\"{name}\":{value}");
        }
        out.push(b'}');
        out
    }

    /// The best hits, and how many were left out because a pinned or a better one has their value.
    fn first_ranked(
        &self,
        lists: Vec<Vec<PartHit<'a>>>,
        pins: &[PartHit<'a>],
        end: usize,
    ) -> (Vec<PartHit<'a>>, usize) {
        if self.request.federation.distinct.is_none() {
            return (merge(lists).take(end).collect(), 0);
        }
        let values = |hit: &PartHit<'_>| hit.origin.distinct_values.clone();
        let pinned = SeenValues::of(pins.iter().map(values));
        first_distinct(pinned, merge(lists), end, values)
    }

    fn write_hit(&self, hit: &PartHit<'_>, out: &mut Vec<u8>) {
        if self.request.as_search {
            hit.write(None, out);
            return;
        }
        let mut origin = json!({
            "indexUid": hit.origin.index_uid,
            "queriesPosition": hit.origin.queries_position,
            "weightedRankingScore": hit.origin.weighted_ranking_score,
        });
        if let Some(remote) = hit.remote {
            origin["remote"] = Value::from(remote);
        }
        hit.write(Some(&origin), out);
    }

    /// What follows the hits.
    fn members(
        &self,
        mut parts: Parts<'a>,
        n_repeats: usize,
        page: &[Slot],
    ) -> Vec<(&'static str, Value)> {
        let request = self.request;
        let total: usize = parts.iter().map(|(_, part)| part.total).sum();
        let mut members = Vec::new();
        let mut vectors = Map::new();
        for (_, part) in &mut parts {
            vectors.append(&mut part.query_vectors);
        }
        if request.as_search {
            let text = request.queries.first().and_then(|query| query.q.as_deref());
            members.push(("query", Value::from(text.unwrap_or(""))));
            let vector = vectors.into_iter().next();
            members.extend(vector.map(|(_, vector)| ("queryVector", vector)));
        } else if !vectors.is_empty() {
            members.push(("queryVectors", Value::from(vectors)));
        }
        let spent = request.elapsed_ms + self.started.elapsed().as_secs_f64() * 1e3;
        members.push(("processingTimeMs", Value::from(spent as u64)));
        let paging = request.federation.window();
        let paging = paging.members(total.saturating_sub(n_repeats)).into_iter();
        members.extend(paging.map(|(name, number)| (name, Value::from(number))));
        members.extend(self.facets(&parts));
        members.push(("requestUid", Value::from(Uuid::now_v7().to_string())));
        members.extend(self.metadata(&mut parts));
        let performance = request.federation.show_performance_details.then(|| {
            let step = if request.as_search {
                "search"
            } else {
                "federated search"
            };
            ("performanceDetails", json!({step: format!("{spent:.2}ms")}))
        });
        let semantic: Vec<usize> = parts.iter().filter_map(|(_, p)| p.n_semantic).collect();
        let n_semantic = semantic.iter().copied().reduce(usize::saturating_add);
        let remote_errors = ("remoteErrors", json!(self.remote_errors));
        let n_semantic = n_semantic.map(|number| ("semanticHitCount", Value::from(number)));
        if request.as_search {
            members.extend(performance);
            members.push(remote_errors);
            members.extend(n_semantic);
        } else {
            members.push(remote_errors);
            members.extend(n_semantic);
            members.extend(performance);
        }
        if request.marks_pins {
            members.push(("pinned", pinned_places(page)));
        }
        members
    }

    fn facets(&self, parts: &Parts<'_>) -> Vec<(&'static str, Value)> {
        let federation = &self.request.federation;
        if federation.facets_by_index.is_empty() {
            return Vec::new();
        }
        let mut by_index: BTreeMap<&str, SummedCounts> = BTreeMap::new();
        let mut summed = federation.summed_counts();
        for (_, part) in parts {
            for (index_uid, facets) in &part.facets_by_index {
                let options = part.facet_options.get(index_uid);
                let most = options.and_then(|options| options.max_values_per_facet);
                let counts = match &mut summed {
                    Some(summed) if !self.request.as_search => summed,
                    _ => by_index
                        .entry(index_uid)
                        .or_insert_with(|| SummedCounts::new(most.unwrap_or(usize::MAX))),
                };
                for (name, values) in &facets.distribution {
                    let order = options.and_then(|options| options.orders.get(name));
                    let order = order.copied().unwrap_or(crate::settings::FacetOrder::Alpha);
                    if let Some(values) = values.as_object() {
                        counts.add(index_uid, name, order, values);
                    }
                }
                for (name, extremes) in &facets.stats {
                    counts.extend(name, extremes);
                }
            }
        }
        if let Some(summed) = summed {
            let of_search = by_index.pop_first().map(|(_, counts)| counts);
            let counts = of_search.unwrap_or(summed);
            let (distribution, stats) = counts.into_json();
            return vec![("facetDistribution", distribution), ("facetStats", stats)];
        }
        let shown = by_index.into_iter().map(|(index_uid, counts)| {
            let (distribution, stats) = counts.into_json();
            let value = json!({"distribution": distribution, "stats": stats});
            (index_uid.to_owned(), value)
        });
        vec![("facetsByIndex", Value::from(shown.collect::<Map<_, _>>()))]
    }

    /// What was asked, with what the servers told of it.
    fn metadata(&self, parts: &mut Parts<'_>) -> Option<(&'static str, Value)> {
        if !self.request.metadata {
            return None;
        }
        let mut told: BTreeMap<usize, Map<String, Value>> = BTreeMap::new();
        for (about, part) in parts {
            let entries = std::mem::take(&mut part.metadata);
            told.extend(about.queries.iter().copied().zip(entries));
        }
        let all = self.request.queries.iter().enumerate().map(|(at, query)| {
            let mut entry = told.remove(&at).map(Value::from).unwrap_or_else(|| {
                crate::search::metadata(&query.index_uid, None, query.q.as_deref())
            });
            if let Some(remote) = &query.remote {
                entry["remote"] = Value::from(remote.as_str());
            }
            entry
        });
        let mut all: Vec<Value> = all.collect();
        let shown = if self.request.as_search && !all.is_empty() {
            all.swap_remove(0)
        } else {
            Value::from(all)
        };
        Some(("metadata", shown))
    }
}
