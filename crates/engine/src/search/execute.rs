//! Runs a search request: checks it against the settings, filters, ranks, counts, formats.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serval_format::MatchWords;
use serval_text::Locale;

use super::answer::Answer;
use super::hybrid;
use super::keyword::{KeywordOutcome, KeywordSearch};
use super::response::ResponseWriter;
use super::response_tail::Tail;
use super::search_kind::SearchKind;
use crate::docset::{DocId, DocSet};
use crate::index::WrittenAnswer;
use crate::query::FieldMask;
use crate::ranking::{Deadline, RankedHit, ScoreDetail, SortCriterion, Timings, VectorRule};
use crate::request::{
    Allowed, PageWindow, SearchError, SearchRequest, SearchSource, check_searched, check_sort,
    distinct_attribute, parse_sort, parsed_filter,
};
use crate::rules::{AppliedRules, Pinned, pinned_places};
use crate::settings::AttributePattern;

/// Milliseconds a search may take when the settings do not say.
const DEFAULT_CUTOFF_MS: u64 = 1500;

/// Searches that the cut-off ended since the process started.
static N_DEGRADED: AtomicU64 = AtomicU64::new(0);

/// How many searches of this process were answered with what was found when their time was over.
#[must_use]
pub fn n_degraded_searches() -> u64 {
    N_DEGRADED.load(Ordering::Relaxed)
}

/// Answers a search with the JSON of its response.
///
/// # Errors
/// The request asks for what the settings do not allow, or a document cannot be read.
pub fn search(source: &dyn SearchSource, request: &SearchRequest) -> Result<Vec<u8>, SearchError> {
    Ok(answer_by_rules(source, "", request, None)?.written.json)
}

/// Answers a search like [`search`], with the documents that rules pin in the index of that uid.
pub(super) fn answer_by_rules(
    source: &dyn SearchSource,
    index_uid: &str,
    request: &SearchRequest,
    rules: Option<&AppliedRules<'_>>,
) -> Result<Answer, SearchError> {
    let started = Instant::now();
    let window = request.window();
    let (offset, limit) = window.range(source.settings().pagination.max_total_hits);
    let page = PageWindow { offset, limit };
    let pinned = Pinned::new(rules, source, index_uid, request)?;
    let demand = Demand {
        page: pinned.ranked_page(page),
        is_exhaustive: window.is_exhaustive(),
        with_scores: request.show_ranking_score || request.show_ranking_score_details,
        left_out: pinned.left_out(),
    };
    let timings = Timings::new(request.show_performance_details, "search");
    let mut executed = execute(source, request, &demand, (started, &timings))?;
    let slots = pinned.place(&mut executed.outcome.ranking, page);
    let tail = Tail {
        window,
        total: executed.outcome.ranking.candidates.len(),
        started,
        n_semantic: executed.n_semantic(),
        timings: &timings,
        pinned: request.marks_pins.then(|| pinned_places(&slots)),
    };
    let (written, words) = respond(source, request, &executed.sort, &executed.outcome, &tail)?;
    let is_repeatable = rules.is_none()
        && !executed.outcome.ranking.degraded
        && !request.tells_of_itself()
        && !request.looks_elsewhere(source.settings());
    Ok(Answer {
        written,
        is_repeatable,
        hits: executed.outcome.ranking.hits,
        words,
    })
}

/// What is wanted of a search.
pub(crate) struct Demand<'d> {
    /// Hits to return.
    pub(crate) page: PageWindow,
    /// Whether the number of candidates must be exact.
    pub(crate) is_exhaustive: bool,
    /// Whether the verdicts of the rules are wanted.
    pub(crate) with_scores: bool,
    /// Documents that are not searched.
    pub(crate) left_out: Option<&'d DocSet>,
}

/// The hits of a search, before anything is written.
pub(crate) struct Executed<'s> {
    /// The `sort` of the request.
    pub(crate) sort: Vec<SortCriterion>,
    /// The hits, and what matched them.
    pub(crate) outcome: KeywordOutcome<'s>,
    semantic: Semantic,
}

/// Which hits vectors supplied.
enum Semantic {
    /// They took no part.
    None,
    /// Some, whose verdicts tell.
    Some,
    /// All.
    All,
}

impl Executed<'_> {
    /// Whether vectors alone told which hits there are.
    pub(crate) const fn is_semantic(&self) -> bool {
        matches!(self.semantic, Semantic::All)
    }

    /// Hits that vectors supplied, if they took part.
    pub(crate) fn n_semantic(&self) -> Option<usize> {
        let has = |hit: &RankedHit, is: fn(&ScoreDetail) -> bool| hit.details.iter().any(is);
        let is_near = |detail: &ScoreDetail| matches!(detail, ScoreDetail::Vector { .. });
        let is_pin = |detail: &ScoreDetail| matches!(detail, ScoreDetail::Pin { .. });
        let hits = self.outcome.ranking.hits.iter();
        match self.semantic {
            Semantic::None => None,
            Semantic::Some => Some(hits.filter(|hit| has(hit, is_near)).count()),
            Semantic::All => Some(hits.filter(|hit| !has(hit, is_pin)).count()),
        }
    }
}

/// Checks a request against the settings and finds its hits.
///
/// # Errors
/// The request asks for what the settings do not allow.
pub(crate) fn execute<'s>(
    source: &'s dyn SearchSource,
    request: &SearchRequest,
    demand: &Demand<'_>,
    (started, timings): (Instant, &Timings),
) -> Result<Executed<'s>, SearchError> {
    SearchError::if_stopped(&request.stop)?;
    let kind = SearchKind::of(source, request)?;
    // What cannot be read is refused first, then what the settings do not allow, in this order.
    let sort = sort_criteria(request)?;
    let filter = parsed_filter(request.filter.as_ref(), &request.features)?;
    let searched = searched_fields(source, request)?;
    let distinct = distinct_attribute(source, request.distinct.as_deref())?;
    let filter = match filter {
        Some(filter) => Some(timings.time("evaluate filter", || {
            source.allowed(filter.canonical(), &request.features)
        })?),
        None => None,
    };
    check_sort(source, &sort)?;
    let filter = match (filter, demand.left_out) {
        (filter, None) => filter,
        (filter, Some(left_out)) => {
            let rest = source.documents().and_not(left_out);
            Some(Allowed::Docs(match filter {
                Some(allowed) => allowed.among(&rest),
                None => rest,
            }))
        }
    };
    SearchError::if_stopped(&request.stop)?;
    let locales = query_locales(source, request, &searched);
    let settings = source.settings();
    let page = demand.page;
    let counts_by_score = demand.is_exhaustive && request.ranking_score_threshold.is_some();
    // Which document stands for its value depends on those before it: also on those of earlier pages.
    let from_first = counts_by_score || distinct.is_some();
    let same_value = distinct
        .as_deref()
        .map(|attribute| move |doc: DocId| source.same_value(attribute, doc));
    let cutoff = settings.search_cutoff_ms.unwrap_or(DEFAULT_CUTOFF_MS);
    let end = started.checked_add(Duration::from_millis(cutoff));
    let deadline = Deadline::at(end).or_stopped(&request.stop);
    let keyword = KeywordSearch {
        text: request.q.as_deref().unwrap_or(""),
        locales: &locales,
        removal: request.matching_strategy.into(),
        filter: filter.as_ref(),
        searched,
        sort: &sort,
        offset: if from_first { 0 } else { page.offset },
        limit: match (counts_by_score, from_first) {
            (true, _) => settings.pagination.max_total_hits,
            (false, true) => page.offset.saturating_add(page.limit),
            (false, false) => page.limit,
        },
        with_scores: demand.with_scores,
        threshold: request.ranking_score_threshold,
        deadline: &deadline,
        timings,
        same_value: same_value.as_ref().map(|f| f as &dyn Fn(DocId) -> DocSet),
    };
    let mut outcome = run_kind(source, &keyword, &kind, page);
    SearchError::if_stopped(&request.stop)?;
    if outcome.ranking.degraded {
        N_DEGRADED.fetch_add(1, Ordering::Relaxed);
    }
    if from_first && !matches!(kind, SearchKind::Hybrid { .. }) {
        let hits = outcome.ranking.hits.into_iter();
        outcome.ranking.hits = hits.skip(page.offset).take(page.limit).collect();
    }
    if let (true, Some(same_value)) = (demand.is_exhaustive, keyword.same_value) {
        let is_over = || request.stop.is_stopped();
        let candidates = one_per_value(&outcome.ranking.candidates, same_value, &is_over);
        SearchError::if_stopped(&request.stop)?;
        outcome.ranking.candidates = candidates;
    }
    Ok(Executed {
        sort,
        outcome,
        semantic: match kind {
            SearchKind::Keyword => Semantic::None,
            SearchKind::Semantic(_) => Semantic::All,
            SearchKind::Hybrid { .. } => Semantic::Some,
        },
    })
}

/// Runs a search of a kind.
fn run_kind<'c>(
    source: &'c dyn SearchSource,
    keyword: &KeywordSearch<'_>,
    kind: &SearchKind,
    page: PageWindow,
) -> KeywordOutcome<'c> {
    let config = source.query_config();
    match kind {
        SearchKind::Keyword | SearchKind::Hybrid { rule: None, .. } => keyword.run(source, config),
        SearchKind::Semantic(rule) => keyword.run_by_vectors(source, config, rule),
        SearchKind::Hybrid {
            rule: Some(rule),
            ratio,
        } => run_hybrid(source, keyword, rule, *ratio, page),
    }
}

fn run_hybrid<'c>(
    source: &'c dyn SearchSource,
    keyword: &KeywordSearch<'_>,
    rule: &VectorRule,
    ratio: f64,
    page: PageWindow,
) -> KeywordOutcome<'c> {
    let config = source.query_config();
    let mut reach = keyword.offset.saturating_add(keyword.limit);
    loop {
        let from_first = KeywordSearch {
            offset: 0,
            limit: reach,
            with_scores: true,
            searched: keyword.searched.clone(),
            ..*keyword
        };
        let mut outcome = from_first.run(source, config);
        if hybrid::is_good_enough(&outcome.ranking, ratio, page) {
            let hits = outcome.ranking.hits.into_iter();
            outcome.ranking.hits = hits.skip(page.offset).take(page.limit).collect();
            return outcome;
        }
        let semantic = from_first.run_by_vectors(source, config, rule).ranking;
        let both = (outcome.ranking, semantic);
        if let Some(ranking) = hybrid::merge(both, reach, ratio, page, keyword.same_value) {
            return KeywordOutcome { ranking, ..outcome };
        }
        reach = reach.saturating_mul(2);
    }
}

fn respond(
    source: &dyn SearchSource,
    request: &SearchRequest,
    sort: &[SortCriterion],
    outcome: &KeywordOutcome<'_>,
    tail: &Tail<'_>,
) -> Result<(WrittenAnswer, Arc<MatchWords>), SearchError> {
    let facets = match &request.facets {
        Some(names) if !names.is_empty() => {
            let count = || source.facets(names, &outcome.ranking.candidates);
            Some(tail.timings.time("facet distribution", count)?)
        }
        _ => None,
    };
    let hits = &outcome.ranking.hits;
    let mut writer =
        ResponseWriter::new(source, request, sort, hits.len(), || outcome.match_words());
    SearchError::if_stopped(&request.stop)?;
    tail.timings.time("format", || writer.hits(hits))?;
    let words = Arc::clone(writer.words());
    Ok((writer.finish(tail, facets.as_ref()), words))
}

/// Keeps the lowest document of every value; only some of them once it is told to end.
fn one_per_value(
    docs: &DocSet,
    same_value: &dyn Fn(DocId) -> DocSet,
    is_over: &dyn Fn() -> bool,
) -> DocSet {
    let mut repeats = DocSet::empty();
    let mut kept = Vec::new();
    for doc in docs.iter().take_while(|_| !is_over()) {
        if !repeats.contains(doc) {
            repeats = repeats.or(&same_value(doc));
            kept.push(doc);
        }
    }
    DocSet::from_sorted(kept)
}

/// The `sort` of a request.
///
/// # Errors
/// It cannot be read.
pub(super) fn sort_criteria(request: &SearchRequest) -> Result<Vec<SortCriterion>, SearchError> {
    let entries = request.sort.as_deref().unwrap_or_default();
    entries.iter().map(|entry| parse_sort(entry)).collect()
}

pub(super) fn searched_fields(
    source: &dyn SearchSource,
    request: &SearchRequest,
) -> Result<FieldMask, SearchError> {
    let Some(names) = &request.attributes_to_search_on else {
        return Ok(None);
    };
    if names.iter().any(|name| name == "*") {
        return Ok(None);
    }
    check_searched(source, names)?;
    let is_searched = |field: usize| {
        let attribute = source.field_name(field as u16);
        names
            .iter()
            .any(|name| match AttributePattern::parse(name) {
                AttributePattern::Exact(name) => name == attribute,
                pattern => pattern.matches(attribute),
            })
    };
    Ok(Some((0..source.n_fields()).map(is_searched).collect()))
}

/// The languages given, else those of the attributes searched.
pub(super) fn query_locales(
    source: &dyn SearchSource,
    request: &SearchRequest,
    searched: &FieldMask,
) -> Vec<Locale> {
    let parse = |codes: &[String]| -> Vec<Locale> {
        codes.iter().filter_map(|code| code.parse().ok()).collect()
    };
    if let Some(codes) = &request.locales {
        return parse(codes);
    }
    let settings = source.settings();
    let Some(rules) = &settings.localized_attributes else {
        return Vec::new();
    };
    let fields: Vec<&str> = (0..source.n_fields())
        .filter(|field| searched.as_ref().is_none_or(|mask| mask[*field]))
        .map(|field| source.field_name(field as u16))
        .filter(|name| settings.searchable_weight(name).is_some())
        .collect();
    let mut locales: Vec<Locale> = Vec::new();
    for rule in rules {
        let applies = rule.attribute_patterns.iter().any(|pattern| {
            let pattern = AttributePattern::parse(pattern);
            fields.iter().any(|field| pattern.matches(field))
        });
        if applies {
            locales.extend(parse(&rule.locales));
        }
    }
    locales
}
