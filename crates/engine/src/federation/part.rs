//! Reads the answer of one server to its part of a federated search.
//!
//! Hits stay text: of each only `_federation` is read, and only the hits of the final page are
//! taken apart to be written again.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::gather::GatheredPart;
use super::merge::Placed;
use crate::ranking::ScoreKeys;
use crate::search::members;
use crate::settings::FacetOrder;

/// Name of the member that tells where a hit comes from.
pub(super) const ORIGIN: &str = "_federation";
/// Characters of an answer that messages repeat.
const SHOWN_CHARACTERS: usize = 500;
const SAME_VERSION: &str =
    "hint: check that the remote instance is a Serval instance running the same version";

/// What is read of an answer.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    #[serde(borrow)]
    hits: Vec<&'a RawValue>,
    #[serde(default)]
    estimated_total_hits: usize,
    #[serde(default)]
    total_hits: usize,
    #[serde(default)]
    facets_by_index: BTreeMap<String, PartFacets>,
    #[serde(default)]
    facet_options: BTreeMap<String, FacetOptions>,
    #[serde(default)]
    query_vectors: Map<String, Value>,
    #[serde(default)]
    metadata: Vec<Map<String, Value>>,
    #[serde(default)]
    semantic_hit_count: Option<usize>,
}

/// Counts and extremes of an index.
#[derive(serde::Deserialize)]
#[serde(default)]
#[derive(Default)]
pub(super) struct PartFacets {
    pub(super) distribution: Map<String, Value>,
    pub(super) stats: Map<String, Value>,
}

/// How an index shows its facets; servers that do not say show them in the order of the alphabet.
#[derive(Default, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FacetOptions {
    pub(super) max_values_per_facet: Option<usize>,
    pub(super) orders: BTreeMap<String, FacetOrder>,
}

/// Where a hit comes from, and what it is compared by.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Origin {
    pub(super) index_uid: String,
    pub(super) queries_position: usize,
    pub(super) weighted_ranking_score: f64,
    #[serde(default)]
    weighted_score_values: Option<ScoreKeys>,
    /// Its values of the distinct attribute.
    #[serde(default)]
    pub(super) distinct_values: Vec<String>,
    /// The position that a search rule gives it.
    #[serde(default)]
    pub(super) pinned_position: Option<usize>,
}

/// The answer of one server.
pub(super) struct Part<'a> {
    /// Ranked hits, best first.
    pub(super) hits: Vec<PartHit<'a>>,
    /// Pinned hits, by position.
    pub(super) pinned: Vec<PartHit<'a>>,
    /// How many hits there are in all.
    pub(super) total: usize,
    pub(super) facets_by_index: BTreeMap<String, PartFacets>,
    pub(super) facet_options: BTreeMap<String, FacetOptions>,
    pub(super) query_vectors: Map<String, Value>,
    pub(super) metadata: Vec<Map<String, Value>>,
    pub(super) n_semantic: Option<usize>,
}

/// A hit of a part.
pub(super) struct PartHit<'a> {
    pub(super) remote: Option<&'a str>,
    pub(super) origin: Origin,
    keys: ScoreKeys,
    text: &'a RawValue,
}

impl Placed for PartHit<'_> {
    fn keys(&self) -> &ScoreKeys {
        &self.keys
    }

    fn query(&self) -> usize {
        self.origin.queries_position
    }
}

impl<'a> Part<'a> {
    /// Reads an answer. `positions` are those that its hits may name.
    ///
    /// # Errors
    /// What is wrong with it, for the user.
    pub(super) fn read(
        part: &'a GatheredPart,
        bytes: &'a [u8],
        positions: &[usize],
    ) -> Result<Self, String> {
        let answer: Answer<'a> =
            serde_json::from_slice(bytes).map_err(|_| unreadable_answer(bytes))?;
        let remote = part.remote.as_deref();
        let mut hits = Vec::new();
        let mut pinned = Vec::new();
        for text in answer.hits {
            let hit = PartHit::read(text, remote, positions)?;
            if hit.origin.pinned_position.is_some() {
                pinned.push(hit);
            } else {
                hits.push(hit);
            }
        }
        Ok(Self {
            hits,
            pinned,
            total: answer.estimated_total_hits.max(answer.total_hits),
            facets_by_index: answer.facets_by_index,
            facet_options: answer.facet_options,
            query_vectors: answer.query_vectors,
            metadata: answer.metadata,
            n_semantic: answer.semantic_hit_count,
        })
    }
}

impl<'a> PartHit<'a> {
    fn read(
        text: &'a RawValue,
        remote: Option<&'a str>,
        positions: &[usize],
    ) -> Result<Self, String> {
        let lacks =
            |what: &str| format!("remote hit does not contain `{what}`\n  - {SAME_VERSION}");
        let members = members(text);
        let origin = members.iter().rev().find(|(name, _)| name == ORIGIN);
        let (_, origin) = origin.ok_or_else(|| lacks(ORIGIN))?;
        let mut origin: Origin = serde_json::from_str(origin.get()).map_err(|error| {
            format!("remote hit contains an unexpected `{ORIGIN}`: {error}\n  - {SAME_VERSION}")
        })?;
        let keys = origin
            .weighted_score_values
            .take()
            .ok_or_else(|| lacks("_federation.weightedScoreValues"))?;
        if !positions.contains(&origin.queries_position) {
            let position = origin.queries_position;
            return Err(format!(
                "remote hit contains an unexpected `_federation.queriesPosition`: `{position}`\n  \
                 - {SAME_VERSION}"
            ));
        }
        Ok(Self {
            remote,
            origin,
            keys,
            text,
        })
    }

    /// Appends the hit; the text of `origin` takes the place of what it told of its origin.
    pub(super) fn write(&self, origin: Option<&Value>, out: &mut Vec<u8>) {
        let members = members(self.text);
        let at = members.iter().rposition(|(name, _)| name == ORIGIN);
        let mut separator = b'{';
        for (place, (name, value)) in members.iter().enumerate() {
            let is_origin = Some(place) == at;
            if is_origin && origin.is_none() {
                continue;
            }
            out.push(separator);
            separator = b',';
            out.extend_from_slice(Value::from(name.as_str()).to_string().as_bytes());
            out.push(b':');
            match origin.filter(|_| is_origin) {
                Some(origin) => out.extend_from_slice(origin.to_string().as_bytes()),
                None => out.extend_from_slice(value.get().as_bytes()),
            }
        }
        if separator == b'{' {
            out.push(b'{');
        }
        out.push(b'}');
    }
}

/// The message of an answer that is none.
fn unreadable_answer(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(4 * SHOWN_CHARACTERS)];
    let shown: String = String::from_utf8_lossy(start)
        .chars()
        .take(SHOWN_CHARACTERS)
        .collect();
    format!(
        "could not parse response from the remote host as a federated search response:\n  \
         - response from remote: {shown}\n  - {SAME_VERSION}"
    )
}
