//! Writes the response of a search, byte by byte into one buffer.

use std::sync::Arc;

use serde_json::{Map, Value};
use serval_format::{
    DocumentFormatter, FormatPlan, FormatRequest, MAX_INSERTED_BYTES, Markers, MatchWords,
    Selection, retrieved_attributes, write_selected,
};
use serval_text::Locale;

use super::foreign_hits::ForeignHits;
use super::localized::FieldLocales;
use crate::geometry::distance;
use crate::ranking::{RankedHit, SortCriterion, details_to_json, global_score};
use crate::request::{SearchError, SearchRequest, SearchSource, members_of};
use crate::settings::RankingRuleSetting;
use crate::vectors::VECTORS;

/// Bytes reserved for each hit.
const HIT_BYTES: usize = 1024;

/// Builds one response.
pub(crate) struct ResponseWriter<'s> {
    pub(super) source: &'s dyn SearchSource,
    pub(super) request: &'s SearchRequest,
    displayed: Selection,
    retrieved: Selection,
    plan: Option<FormatPlan>,
    words: Arc<MatchWords>,
    locales: FieldLocales,
    /// Point that distances are given from.
    geo_target: Option<(f64, f64)>,
    joined_attribute: bool,
    hides_vectors: bool,
    shows_vectors: bool,
    foreign: ForeignHits<'s>,
    pub(super) out: Vec<u8>,
}

impl<'s> ResponseWriter<'s> {
    /// A response of so many hits; `words` are asked for if they are marked.
    pub(crate) fn new(
        source: &'s dyn SearchSource,
        request: &'s SearchRequest,
        sort: &[SortCriterion],
        n_hits: usize,
        words: impl FnOnce() -> Arc<MatchWords>,
    ) -> Self {
        let settings = source.settings();
        let displayed = Selection::of(&settings.displayed_attributes);
        let retrieved = retrieved_attributes(&displayed, request.attributes_to_retrieve.as_deref());
        let wants_format =
            !request.attributes_to_highlight.is_empty() || !request.attributes_to_crop.is_empty();
        let mut plan = wants_format
            .then(|| plan(source, request, &displayed))
            .flatten();
        let foreign = ForeignHits::new(source, |attribute| {
            retrieved.reaches(attribute)
                || plan.as_ref().is_some_and(|plan| plan.reaches(attribute))
        });
        if let Some(plan) = &mut plan {
            foreign.attributes().for_each(|name| plan.leave_below(name));
        }
        let wants_words = plan.is_some() || request.show_matches_position;
        let words = match wants_words {
            true => words(),
            false => Arc::default(),
        };
        let geo_target = sort.iter().find_map(|criterion| match criterion {
            SortCriterion::GeoPoint(lat, lng, _) => Some((*lat, *lng)),
            SortCriterion::Attribute(..) => None,
        });
        let selects_geo = match &retrieved {
            Selection::All => true,
            Selection::Only(paths) => paths.iter().any(|path| path == "_geo"),
        };
        Self {
            source,
            request,
            displayed,
            retrieved,
            plan,
            words,
            locales: FieldLocales::new(settings, request.locales.as_deref()),
            geo_target: geo_target.filter(|_| selects_geo),
            joined_attribute: settings
                .ranking_rules
                .contains(&RankingRuleSetting::Attribute),
            hides_vectors: source.knows_attribute(VECTORS),
            shows_vectors: request.retrieve_vectors && settings.is_displayed(VECTORS),
            foreign,
            out: Vec::with_capacity(HIT_BYTES * (n_hits + 1)),
        }
    }

    /// Writes the hits.
    pub(super) fn hits(&mut self, hits: &[RankedHit]) -> Result<(), SearchError> {
        self.out.extend_from_slice(b"{\"hits\":[");
        self.with_formatter(|writer, formatter| {
            for (at, hit) in hits.iter().enumerate() {
                SearchError::if_stopped(&writer.request.stop)?;
                writer.make_room(at, hits.len());
                if at > 0 {
                    writer.out.push(b',');
                }
                writer.hit(hit, None, formatter)?;
            }
            Ok(())
        })?;
        self.out.push(b']');
        Ok(())
    }

    /// Makes room for the next hit, and for all if they are as long as those that are written.
    fn make_room(&mut self, n_written: usize, n_hits: usize) {
        let written = self.out.len();
        if n_written > 0 && self.out.capacity() - written < 2 * written / n_written {
            self.out
                .reserve(written / n_written * (n_hits - n_written) + HIT_BYTES);
        }
    }

    /// Writes hits each by itself, with the value of its `_federation` member.
    pub(crate) fn separate_hits(
        mut self,
        hits: &[(RankedHit, Value)],
    ) -> Result<Vec<Vec<u8>>, SearchError> {
        self.with_formatter(|writer, formatter| {
            let mut written = Vec::with_capacity(hits.len());
            for (hit, origin) in hits {
                writer.hit(hit, Some(origin), formatter)?;
                written.push(std::mem::take(&mut writer.out));
            }
            Ok(written)
        })
    }

    /// What is marked in the hits.
    pub(super) const fn words(&self) -> &Arc<MatchWords> {
        &self.words
    }

    fn with_formatter<T>(
        &mut self,
        write: impl FnOnce(&mut Self, &mut DocumentFormatter<'_, '_>) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let words = Arc::clone(&self.words);
        let locales = self.locales.clone();
        let of_field = |name: &str| -> &[Locale] { locales.of(name) };
        let markers = Markers {
            pre_tag: &self.request.highlight_pre_tag,
            post_tag: &self.request.highlight_post_tag,
            crop: &self.request.crop_marker,
        };
        let tokenizer = &self.source.query_config().format_tokenizer;
        let mut formatter = DocumentFormatter::new(tokenizer, &words, markers, &of_field);
        write(self, &mut formatter)
    }

    fn hit(
        &mut self,
        hit: &RankedHit,
        origin: Option<&Value>,
        formatter: &mut DocumentFormatter<'_, '_>,
    ) -> Result<(), SearchError> {
        let needs_tree = self.plan.is_some()
            || self.request.show_matches_position
            || self.retrieved != Selection::All
            || self.hides_vectors
            || !self.foreign.is_empty();
        let mut document = if needs_tree {
            Some(members_of(&self.source.document(hit.doc)?)?)
        } else {
            None
        };
        let own_vectors = document
            .as_mut()
            .and_then(|document| document.shift_remove(VECTORS));
        // Words match in the document itself, not in those that its keys name.
        let matched = match &document {
            Some(own) if self.request.show_matches_position && !self.foreign.is_empty() => {
                Some(own.clone())
            }
            _ => None,
        };
        if let Some(document) = &mut document {
            self.foreign.resolve(document);
        }
        let start = self.out.len();
        match &document {
            None => self.source.append_document(hit.doc, &mut self.out)?,
            Some(document) => write_selected(document, &self.retrieved, &mut self.out),
        }
        self.reopen(start);
        if self.shows_vectors {
            self.member(VECTORS, start);
            self.source
                .write_vectors(hit.doc, own_vectors, &mut self.out);
        }
        self.geo_distance(hit, start);
        if let Some(origin) = origin {
            self.member("_federation", start);
            self.json(origin);
        }
        if let Some(document) = &document {
            let matched = matched.as_ref().unwrap_or(document);
            self.formatted((document, matched), formatter, start);
            if formatter.is_full() {
                return Err(too_much_inserted(self.request));
            }
        }
        if self.request.show_ranking_score {
            self.member("_rankingScore", start);
            self.json(&Value::from(global_score(&hit.details)));
        }
        if self.request.show_ranking_score_details {
            self.member("_rankingScoreDetails", start);
            self.json(&Value::from(details_to_json(
                &hit.details,
                self.joined_attribute,
            )));
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Takes back the closing brace of the object that starts at `start`.
    fn reopen(&mut self, start: usize) {
        while self.out.len() > start && self.out.pop() != Some(b'}') {}
    }

    fn member(&mut self, name: &str, start: usize) {
        if self.out.len() > start + 1 {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    pub(super) fn json(&mut self, value: &Value) {
        serde_json::to_writer(&mut self.out, value)
            .expect("invariant: a JSON value always serialises");
    }

    fn geo_distance(&mut self, hit: &RankedHit, start: usize) {
        let Some(target) = self.geo_target else {
            return;
        };
        if let Some(point) = self.source.geo_point(hit.doc) {
            self.member("_geoDistance", start);
            let metres = distance(target, point).round() as u64;
            self.json(&Value::from(metres));
        }
    }

    fn formatted(
        &mut self,
        (document, matched): (&Map<String, Value>, &Map<String, Value>),
        formatter: &mut DocumentFormatter<'_, '_>,
        start: usize,
    ) {
        if let Some(plan) = self.plan.take() {
            self.member("_formatted", start);
            formatter.write_formatted(document, &plan, &mut self.out);
            self.plan = Some(plan);
        }
        if self.request.show_matches_position {
            self.member("_matchesPosition", start);
            formatter.write_matches_position(matched, &self.displayed, &mut self.out);
        }
    }
}

/// The refusal of tags and markers that are too long for how often they are inserted.
fn too_much_inserted(request: &SearchRequest) -> SearchError {
    let inserted = [
        (
            &request.highlight_pre_tag,
            "highlightPreTag",
            "invalid_search_highlight_pre_tag",
        ),
        (
            &request.highlight_post_tag,
            "highlightPostTag",
            "invalid_search_highlight_post_tag",
        ),
        (
            &request.crop_marker,
            "cropMarker",
            "invalid_search_crop_marker",
        ),
    ];
    let longest = inserted.into_iter().max_by_key(|(text, ..)| text.len());
    let (text, name, code) = longest.expect("invariant: there are three");
    SearchError::new(
        code,
        format!(
            "Invalid value at `.{name}`: with {} bytes for each match more than {} MiB of tags and \
             markers would be inserted: make it shorter, or ask for fewer hits.",
            text.len(),
            MAX_INSERTED_BYTES >> 20,
        ),
    )
}

fn plan(
    source: &dyn SearchSource,
    request: &SearchRequest,
    displayed: &Selection,
) -> Option<FormatPlan> {
    let fields: Vec<&str> = (0..source.n_fields())
        .map(|f| source.field_name(f as u16))
        .collect();
    FormatPlan::new(&FormatRequest {
        highlight: &request.attributes_to_highlight,
        crop: &request.attributes_to_crop,
        crop_length: request.crop_length,
        retrieve: request.attributes_to_retrieve.as_deref(),
        displayed,
        fields: &fields,
    })
}
