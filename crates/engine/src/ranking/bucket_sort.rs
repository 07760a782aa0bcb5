//! Walks the chain of rules, depth first, until the page is full.

use super::best_groups::BestGroups;
use super::by_measures::best_measured;
use super::by_summaries::best_summarised;
use super::first_look::FirstLook;
use super::{RankContext, RankingRule, ScoreDetail, global_score};
use crate::docset::{DocId, DocSet, DocSetBuilder};
use crate::query::Paths;

/// Documents of a bucket from which on its first ones are looked at alone; tests have few.
const MANY_DOCS: usize = if cfg!(test) { 4 } else { 4096 };

/// Which documents to place and when to stop.
pub struct Page<'p> {
    /// Documents to skip.
    pub offset: usize,
    /// Documents to return.
    pub limit: usize,
    /// Whether the verdicts of all rules are wanted.
    pub with_scores: bool,
    /// Documents below this global score are left out.
    pub threshold: Option<f64>,
    /// All documents that share a value with the given one, itself included, for `distinct`.
    pub same_value: Option<&'p dyn Fn(DocId) -> DocSet>,
}

impl Page<'_> {
    /// Whether nothing but the order of documents is asked of rules.
    const fn is_plain(&self) -> bool {
        !self.with_scores && self.threshold.is_none() && self.same_value.is_none()
    }
}

/// A placed document.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedHit {
    /// The document.
    pub doc: DocId,
    /// The verdicts of the rules, in their order; incomplete unless scores were asked for.
    pub details: Vec<ScoreDetail>,
}

/// The page and what is known of the rest.
pub struct Ranking {
    /// Placed documents, best first.
    pub hits: Vec<RankedHit>,
    /// Documents that were neither below the threshold nor repeats of a distinct value, as far as
    /// the walk went.
    pub candidates: DocSet,
    /// Whether the time was up before the page was sorted.
    pub degraded: bool,
}

/// Places the documents of `universe`.
#[must_use]
pub fn rank(
    context: &RankContext<'_>,
    rules: &[Box<dyn RankingRule>],
    universe: &DocSet,
    paths: &Paths,
    page: &Page<'_>,
) -> Ranking {
    let mut walk = Walk {
        context,
        rules,
        page,
        skipped: 0,
        hits: Vec::new(),
        details: Vec::new(),
        removed: DocSetBuilder::new(universe.len()),
        repeats: DocSet::empty(),
        degraded: false,
    };
    if page.limit > 0 && universe.len() > page.offset {
        walk.open(0, universe, paths);
    }
    let candidates = universe.and_not(&walk.removed.finish());
    Ranking {
        hits: walk.hits,
        candidates,
        degraded: walk.degraded,
    }
}

/// What is left of `docs` without some parts of it.
fn without(docs: &DocSet, parts: &[DocSet]) -> DocSet {
    let mut left = docs.clone();
    parts.iter().for_each(|part| left.remove_all(part));
    left
}

struct Walk<'w> {
    context: &'w RankContext<'w>,
    rules: &'w [Box<dyn RankingRule>],
    page: &'w Page<'w>,
    skipped: usize,
    hits: Vec<RankedHit>,
    details: Vec<ScoreDetail>,
    /// Documents that no longer count: below the threshold, or repeats.
    removed: DocSetBuilder,
    /// Documents that repeat a distinct value already placed.
    repeats: DocSet,
    degraded: bool,
}

impl Walk<'_> {
    fn is_full(&self) -> bool {
        self.hits.len() >= self.page.limit
    }

    /// Orders `docs`, which the rules before `at` do not tell apart.
    fn open(&mut self, at: usize, docs: &DocSet, paths: &Paths) {
        let without_repeats = (!self.repeats.is_empty()).then(|| docs.and_not(&self.repeats));
        let docs = without_repeats.as_ref().unwrap_or(docs);
        let needs_every_rule = self.page.with_scores || self.page.threshold.is_some();
        if at == self.rules.len()
            || docs.len() <= 1 && !needs_every_rule
            || self.is_before_page(docs)
        {
            self.place(docs);
            return;
        }
        if self.page.is_plain() && self.place_at_once(at, docs, paths) {
            return;
        }
        let rules = self.rules;
        let context = self.context;
        let rule = &rules[at];
        let timings = context.timings;
        let mut buckets = timings.time(rule.name(), || rule.start(context, docs, paths));
        let mut opened: Vec<DocSet> = Vec::new();
        while !self.is_full() {
            if context.deadline.is_over() {
                self.give_up(&without(docs, &opened));
                return;
            }
            let bucket = timings.time(rule.name(), || buckets.next_bucket());
            if context.deadline.has_ended() {
                self.give_up(&without(docs, &opened));
                return;
            }
            let Some(bucket) = bucket else {
                return;
            };
            self.details.push(bucket.detail);
            if self
                .page
                .threshold
                .is_some_and(|least| global_score(&self.details) < least)
            {
                self.details.pop();
                self.removed.insert_all(&without(docs, &opened));
                return;
            }
            self.open(at + 1, &bucket.docs, &bucket.paths);
            opened.push(bucket.docs);
            self.details.pop();
        }
    }

    /// Fills the page from the first of many documents, if enough of them are such that no rule can
    /// place any other document before them. False, and nothing is placed, otherwise.
    fn place_best(&mut self, at: usize, docs: &DocSet, paths: &Paths) -> bool {
        let page = self.page;
        let n_wanted = self.n_wanted();
        let look = FirstLook::new(self.context, &self.rules[at..], docs, paths);
        let Some(best) = look.and_then(|look| look.best(docs, paths, n_wanted)) else {
            return false;
        };
        let n_left = page.limit - self.hits.len();
        let best = best.into_iter().skip(page.offset - self.skipped);
        for doc in best.take(n_left) {
            self.hits.push(RankedHit {
                doc,
                details: self.details.clone(),
            });
        }
        self.skipped = page.offset;
        true
    }

    /// Places documents as far as the page goes by several rules at once, if these can tell by
    /// summaries, by the first documents, or by what is measured; a plain page is filled. False, and
    /// nothing is placed, if there are no such rules.
    fn place_at_once(&mut self, at: usize, docs: &DocSet, paths: &Paths) -> bool {
        let (context, rules, n_wanted) = (self.context, &self.rules[at..], self.n_wanted());
        let summarised =
            |may_make| best_summarised(context, rules, (docs, paths), n_wanted, may_make);
        let is_large = docs.len() >= MANY_DOCS;
        let mut best = summarised(!is_large);
        if best.is_none() && is_large {
            if self.place_best(at, docs, paths) {
                return true;
            }
            best = summarised(true);
        }
        let measured = || best_measured(context, rules, (docs, paths), n_wanted);
        let Some(BestGroups { groups, n_rules }) = best.or_else(measured) else {
            return false;
        };
        for docs in groups {
            if self.is_full() {
                break;
            }
            self.open(at + n_rules, &DocSet::from_sorted(docs), paths);
        }
        true
    }

    /// Documents that are missing up to the end of the page.
    const fn n_wanted(&self) -> usize {
        self.page.offset - self.skipped + self.page.limit - self.hits.len()
    }

    /// Whether all of `docs` come before the page, so that their order does not matter.
    fn is_before_page(&self, docs: &DocSet) -> bool {
        self.page.threshold.is_none() && self.skipped + docs.len() <= self.page.offset
    }

    /// Places what is `left` unsorted.
    fn give_up(&mut self, left: &DocSet) {
        if left.is_empty() {
            return;
        }
        self.degraded = true;
        self.details.push(ScoreDetail::Skipped);
        let below = self
            .page
            .threshold
            .is_some_and(|least| global_score(&self.details) < least);
        if below {
            self.removed.insert_all(left);
        } else {
            self.place(&left.and_not(&self.repeats));
        }
        self.details.pop();
    }

    /// Puts documents on the page in the order of their ids.
    fn place(&mut self, docs: &DocSet) {
        let Some(same_value) = self.page.same_value else {
            let skipped = docs.len().min(self.page.offset - self.skipped);
            self.skipped += skipped;
            for doc in docs.iter().skip(skipped) {
                if self.is_full() {
                    break;
                }
                self.hits.push(RankedHit {
                    doc,
                    details: self.details.clone(),
                });
            }
            return;
        };
        for doc in docs {
            if self.is_full() {
                break;
            }
            if self.repeats.contains(doc) {
                continue;
            }
            let repeats = same_value(doc).and_not(&DocSet::from_sorted(vec![doc]));
            self.removed.insert_all(&repeats);
            self.repeats = self.repeats.or(&repeats);
            if self.skipped < self.page.offset {
                self.skipped += 1;
            } else {
                self.hits.push(RankedHit {
                    doc,
                    details: self.details.clone(),
                });
            }
        }
    }
}
