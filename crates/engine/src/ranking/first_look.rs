//! Finds the best of many documents among the first ones, where no others can come before them.
//!
//! Ties keep the order of documents, so a document that every rule places best comes before all
//! those behind it. A word that is still being typed is seldom a word by itself, and hardly any
//! document can be exact: those that hold it as it was typed are looked at besides, all of them, and
//! of the others it is enough to be the best among those that do not. Nor need a document be what a rule
//! places best of all: where the words of a term stand at best is known for each of them, and most words
//! never stand at the start of the most important attribute.
//!
//! Where documents are sorted by values, those with the best values are the first ones: a document that
//! the rules before that place best comes before all whose values come later. Where many share a value, the
//! first of them with it are looked at alone, as documents are where nothing sorts them.
//!
//! # Cost
//! Up to a quarter of the documents are looked at, most often some hundred.

use std::cmp::Ordering;

use super::bucket_sort::{Page, rank};
use super::first_docs::{FirstDocs, Taken};
use super::term_summaries::Least;
use super::{Bucket, RankContext, RankingRule, Untyped};
use crate::docset::{DocId, DocSet};
use crate::query::Paths;

/// Documents looked at first.
const FIRST: usize = if cfg!(test) { 1 } else { 128 };
/// If these tell nothing, one document in so many is looked at once more.
const MORE: usize = if cfg!(test) { 3 } else { 256 };
/// If they tell nothing, but it is known what documents are at best or values put them in order, so many
/// times more are looked at...
const LONGER: usize = 8;
/// ... while they are less than one in so many.
const LEAST_TRIED: usize = if cfg!(test) { 8 } else { 32 };
/// Documents that hold the term as it was typed that are looked at besides.
const MAX_TYPED: usize = if cfg!(test) { 3 } else { 1 << 15 };
/// At most one document in so many is looked at.
const LEAST_PART: usize = 4;

/// A look at some documents, which the rules so far do not tell apart from others.
pub(super) struct FirstLook<'w> {
    context: &'w RankContext<'w>,
    rules: &'w [Box<dyn RankingRule>],
    first: FirstDocs<'w>,
    /// Those that hold the only term as it was typed, if they are few and told apart in the end.
    typed: Option<DocSet>,
    /// What a document of the only term is at best, if that is known.
    least: Option<Least>,
}

/// What was found at a look.
struct Found {
    /// Documents that no other can come before, best first.
    best: Vec<DocId>,
    /// How many of them are from among the first ones, and would be more if more were looked at.
    n_first: usize,
    first: Taken,
}

impl<'w> FirstLook<'w> {
    /// Prepares to look at some of `docs` with the rules that are left. `None` if one of them leaves
    /// other paths to those behind it, as what is left of the first documents is not what is left of
    /// all then.
    pub(super) fn new(
        context: &'w RankContext<'w>,
        rules: &'w [Box<dyn RankingRule>],
        docs: &DocSet,
        paths: &Paths,
    ) -> Option<Self> {
        let first = FirstDocs::new(context, rules);
        // Of the rules from that on, which sorts by values, none asks what other documents are.
        let deciding = &rules[..first.sorting_rule().unwrap_or(rules.len())];
        let mut before_last = deciding.iter().take(rules.len().checked_sub(1)?);
        if deciding.is_empty() || before_last.any(|rule| rule.narrows_paths()) {
            return None;
        }
        let typed = deciding.iter().any(|rule| rule.parts_typed());
        let typed = typed.then(|| context.typed_docs(docs, paths)).flatten();
        Some(Self {
            context,
            rules,
            first,
            typed: typed.filter(|typed| typed.len() <= MAX_TYPED.min(docs.len() / LEAST_PART)),
            least: context.least(paths, MAX_TYPED.min(docs.len() / LEAST_PART)),
        })
    }

    /// At least `n_wanted` documents that come before all others of `docs`, in their order; `None`
    /// if too many must be looked at to find them.
    pub(super) fn best(
        mut self,
        docs: &DocSet,
        paths: &Paths,
        n_wanted: usize,
    ) -> Option<Vec<DocId>> {
        let besides = self.looked_at_besides(docs);
        let mut n = FIRST.max(2 * n_wanted);
        let mut may_look_again = self.typed.is_some();
        // Phrases are no longer work if all of them are measured, which is not much for each.
        let is_phrase = |least: &Least| self.context.graph.node(least.step.node).is_phrase;
        let is_promising = self.least.as_ref().is_some_and(|least| !is_phrase(least))
            || self.first.sorting_rule().is_some();
        while n <= docs.len() / LEAST_PART {
            let mut found = Found {
                best: Vec::new(),
                n_first: 0,
                first: self.first.take(docs, &besides, n)?,
            };
            let looked_at = found.first.docs.or(&found.first.cut).or(&besides);
            // Those with one value may have come together.
            n = n.max(looked_at.len() - besides.len());
            self.look(0, &looked_at, paths, n_wanted, &mut found);
            if self.context.deadline.has_ended() {
                return None;
            }
            if found.best.len() >= n_wanted {
                return Some(found.best);
            }
            let n_missing = n_wanted - (found.best.len() - found.n_first);
            if let (0, FirstDocs::ByValue(by_value)) = (found.n_first, &mut self.first) {
                // Perhaps rules behind that one did not tell the first of a value from others with it.
                by_value.pass_whole(docs);
            }
            n = match found.n_first {
                0 if is_promising && n < docs.len() / LEAST_TRIED => n * LONGER,
                0 if may_look_again && n < docs.len() / MORE => docs.len() / MORE,
                0 => return None,
                n_first => n + 2 * n * n_missing.saturating_sub(n_first).max(1) / n_first,
            };
            may_look_again = false;
        }
        None
    }

    /// Documents that are looked at wherever they are.
    fn looked_at_besides(&self, docs: &DocSet) -> DocSet {
        let typed = self.typed.clone().unwrap_or_default();
        match &self.least {
            Some(least) if !least.rare.is_empty() => typed.or(&least.rare.and(docs)),
            _ => typed,
        }
    }

    /// Adds the documents of `docs` that come before all that were not looked at; those are placed
    /// by the rules before `at` with `docs` or behind them.
    ///
    /// The rules must leave all paths: with fewer of them a rule could ask less of these documents
    /// than of others.
    fn look(&self, at: usize, docs: &DocSet, paths: &Paths, n_wanted: usize, found: &mut Found) {
        let Some(rule) = self.rules.get(at) else {
            // Documents behind the first ones can be those that were not looked at, too.
            let last = found.first.last;
            let known = docs.iter().take_while(|doc| *doc <= last);
            let n_before = found.best.len();
            found.best.extend(known);
            found.n_first += found.best.len() - n_before;
            return;
        };
        let RankContext {
            deadline, timings, ..
        } = self.context;
        if deadline.is_over() {
            return;
        }
        let mut buckets = timings.time(rule.name(), || rule.start(self.context, docs, paths));
        while found.best.len() < n_wanted {
            let bucket = timings.time(rule.name(), || buckets.next_bucket());
            let Some(bucket) = bucket.filter(|_| !deadline.has_ended()) else {
                return;
            };
            if Some(at) == self.first.sorting_rule() {
                // All with these values were looked at, or such as were looked at for themselves alone.
                let first = bucket.docs.first();
                if !first.is_some_and(|doc| found.first.docs.contains(doc)) {
                    if first.is_some_and(|doc| found.first.cut.contains(doc)) {
                        self.look(at + 1, &bucket.docs, &bucket.paths, n_wanted, found);
                    }
                    return;
                }
                let n_before = found.best.len();
                self.place_all(at + 1, &bucket, n_wanted, found);
                found.n_first += found.best.len() - n_before;
                continue;
            }
            let is_last = at + 1 == self.rules.len();
            match self.place_of_others(rule.as_ref(), &bucket, paths) {
                Untyped::Behind => self.place_all(at + 1, &bucket, n_wanted, found),
                Untyped::FromHere if is_last || bucket.paths == *paths => {
                    self.look(at + 1, &bucket.docs, &bucket.paths, n_wanted, found);
                    return;
                }
                Untyped::FromHere | Untyped::Anywhere => return,
            }
        }
    }

    /// Where documents can be that were not looked at.
    fn place_of_others(&self, rule: &dyn RankingRule, bucket: &Bucket, paths: &Paths) -> Untyped {
        let place = match &self.typed {
            Some(_) => bucket.untyped,
            None => Untyped::of(bucket.is_best),
        };
        let rank_at_best = || {
            let Least { summary, step, .. } = self.least.as_ref()?;
            let detail = rule.detail_of_summary(self.context, paths, summary, *step)?;
            Some(detail.rank()?.rank)
        };
        let rank = bucket.detail.rank().map(|own| own.rank);
        let order = rank.zip(rank_at_best()).map(|(own, best)| own.cmp(&best));
        match (place, order) {
            (_, Some(Ordering::Greater)) => Untyped::Behind,
            (Untyped::Anywhere, Some(Ordering::Equal)) => Untyped::FromHere,
            _ => place,
        }
    }

    /// Adds all documents of a bucket, in the order of the rules from `at` on.
    fn place_all(&self, at: usize, bucket: &Bucket, n_wanted: usize, found: &mut Found) {
        let page = Page {
            offset: 0,
            limit: n_wanted - found.best.len(),
            with_scores: false,
            threshold: None,
            same_value: None,
        };
        let rules = &self.rules[at..];
        let ranking = rank(self.context, rules, &bucket.docs, &bucket.paths, &page);
        found.best.extend(ranking.hits.iter().map(|hit| hit.doc));
    }
}
