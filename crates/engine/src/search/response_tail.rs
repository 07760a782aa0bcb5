//! What follows the hits of an answer.

use std::io::Write;
use std::ops::Range;
use std::time::Instant;

use serde_json::Value;
use uuid::Uuid;

use super::response::ResponseWriter;
use super::similar::SimilarRequest;
use crate::index::WrittenAnswer;
use crate::ranking::Timings;
use crate::request::{Facets, Window};

/// What follows the hits of a search.
pub(super) struct Tail<'t> {
    pub(super) window: Window,
    /// Hits in all.
    pub(super) total: usize,
    pub(super) started: Instant,
    /// Hits that vectors supplied, if they took part.
    pub(super) n_semantic: Option<usize>,
    pub(super) timings: &'t Timings,
    /// The places of pinned hits, if they are to be told.
    pub(super) pinned: Option<Value>,
}

impl ResponseWriter<'_> {
    /// Writes what follows the hits and gives the whole response.
    pub(super) fn finish(mut self, tail: &Tail<'_>, facets: Option<&Facets>) -> WrittenAnswer {
        let after_hits = self.out.len();
        self.out.extend_from_slice(b",\"query\":");
        self.json(&Value::from(self.request.q.as_deref().unwrap_or("")));
        if let (Some(_), true, Some(vector)) = (
            tail.n_semantic,
            self.request.retrieve_vectors,
            &self.request.vector,
        ) {
            self.out.extend_from_slice(b",\"queryVector\":");
            let widened: Vec<f64> = vector.iter().copied().map(f64::from).collect();
            self.json(&Value::from(widened));
        }
        let millis = tail.started.elapsed().as_millis();
        self.out.extend_from_slice(b",\"processingTimeMs\":");
        let took = self.range_of(format_args!("{millis}"));
        for (name, number) in tail.window.members(tail.total) {
            self.text(format_args!(",\"{name}\":{number}"));
        }
        if let Some(facets) = facets {
            self.out.extend_from_slice(b",\"facetDistribution\":");
            self.out.extend_from_slice(&facets.distribution);
            self.out.extend_from_slice(b",\"facetStats\":");
            self.out.extend_from_slice(&facets.stats);
        }
        self.out.extend_from_slice(b",\"requestUid\":\"");
        let request_uid = self.range_of(format_args!("{}", Uuid::now_v7()));
        self.out.push(b'"');
        if let Some(index_uid) = &self.request.metadata_of {
            let (key, text) = (self.source.primary_key(), self.request.q.as_deref());
            self.out.extend_from_slice(b",\"metadata\":");
            self.json(&metadata(index_uid, key, text));
        }
        let before = &self.request.times_before;
        self.performance_details(tail.timings.details(before, tail.started));
        if let Some(n_semantic) = tail.n_semantic {
            self.text(format_args!(",\"semanticHitCount\":{n_semantic}"));
        }
        if let Some(pinned) = &tail.pinned {
            self.text(format_args!(",\"pinned\":{pinned}"));
        }
        self.out.push(b'}');
        WrittenAnswer {
            json: self.out,
            tail: after_hits,
            took,
            request_uid,
        }
    }

    /// Writes what follows similar documents and gives the whole response.
    pub(super) fn finish_similar(
        mut self,
        request: &SimilarRequest,
        offset: usize,
        total: usize,
        (started, timings): (Instant, &Timings),
    ) -> Vec<u8> {
        self.out.extend_from_slice(b",\"id\":");
        self.json(&Value::from(request.id.as_str()));
        let millis = started.elapsed().as_millis();
        let limit = request.limit;
        self.text(format_args!(
            ",\"processingTimeMs\":{millis},\"limit\":{limit},\"offset\":{offset},\
             \"estimatedTotalHits\":{total}"
        ));
        self.performance_details(timings.details(&request.times_before, started));
        self.out.push(b'}');
        self.out
    }

    fn performance_details(&mut self, details: Option<Value>) {
        if let Some(details) = details {
            self.out.extend_from_slice(b",\"performanceDetails\":");
            self.json(&details);
        }
    }

    /// Writes a text and tells where it stands.
    fn range_of(&mut self, text: std::fmt::Arguments<'_>) -> Range<usize> {
        let start = self.out.len();
        self.text(text);
        start..self.out.len()
    }

    fn text(&mut self, text: std::fmt::Arguments<'_>) {
        self.out
            .write_fmt(text)
            .expect("invariant: writing to memory succeeds");
    }
}

/// What is said of a query beside its hits, when the sender asks for it.
pub(crate) fn metadata(index_uid: &str, primary_key: Option<&str>, text: Option<&str>) -> Value {
    let members = [
        ("query", text.map(str::to_owned)),
        ("queryUid", Some(Uuid::now_v7().to_string())),
        ("indexUid", Some(index_uid.to_owned())),
        ("primaryKey", primary_key.map(str::to_owned)),
    ];
    let given = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?))));
    Value::Object(given.collect())
}
