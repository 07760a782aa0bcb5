//! Puts documents into the order of several rules at once, by what is measured of them.
//!
//! A document's costs by rule after rule are one number. Once as many documents are held as the page
//! takes, those with a greater one are left.
//!
//! # Cost
//! Measures of each document, once; nothing is kept of documents that are behind the page.

use super::best_groups::{BestByKey, BestGroups, Key, MAX_RULES};
use super::doc_measurer::{Measures, Wanted};
use super::{MeasuredBy, RankContext, RankingRule};
use crate::docset::{DocId, DocSet, with_later};
use crate::parallel::{MANY_DOCS, in_parts};
use crate::query::{Paths, Step};

/// The first `n_wanted` of `docs` at least, by as many of the next rules as measures are enough for.
/// `None` if there is no such rule, there are several interpretations, or the time is over.
pub(super) fn best_measured(
    context: &RankContext<'_>,
    rules: &[Box<dyn RankingRule>],
    (docs, paths): (&DocSet, &Paths),
    n_wanted: usize,
) -> Option<BestGroups> {
    let [path] = &paths[..] else { return None };
    let costs: Vec<MeasuredBy<'_>> = rules
        .iter()
        .take(MAX_RULES)
        .map_while(|rule| rule.by_measures(context, paths))
        .collect();
    let first = rules.first().filter(|_| !costs.is_empty())?;
    let timings = context.timings;
    for rule in &rules[1..costs.len()] {
        timings.time(rule.name(), || ());
    }
    let n_rules = costs.len();
    let find = || {
        let measured = context.measured.of(context, paths, docs.len())?;
        let places = path.iter();
        let places: Vec<(usize, Step)> = places
            .filter_map(|step| Some((measured.index_of(step)?, *step)))
            .collect();
        if docs.len() >= MANY_DOCS {
            return best_of_many(
                context,
                &costs,
                (measured.wanted(), &places),
                docs,
                n_wanted,
            );
        }
        let mut best = BestByKey::new(n_wanted);
        for (doc, later) in with_later(docs.iter()) {
            if context.deadline.poll() {
                return None;
            }
            later.for_each(|later| measured.expect(later));
            let key = |measures: &Measures<'_>| key_of(&costs, measures, &places, best.worst());
            if let Some(key) = measured.give_and_keep_if(doc, key) {
                best.add(key, doc);
            }
        }
        Some(best.into_groups())
    };
    let groups = timings.time(first.name(), find)?;
    Some(BestGroups { groups, n_rules })
}

/// The best groups of many documents, which several threads measure; nothing is kept of any.
fn best_of_many(
    context: &RankContext<'_>,
    costs: &[MeasuredBy<'_>],
    (wanted, path): (&Wanted, &[(usize, Step)]),
    docs: &DocSet,
    n_wanted: usize,
) -> Option<Vec<Vec<DocId>>> {
    let corpus = context.matching.corpus;
    let best = in_parts(docs, &|| context.deadline.is_over(), |parts| {
        let mut measurer = wanted.start(corpus)?;
        let mut best = BestByKey::new(n_wanted);
        for part in parts {
            for (doc, later) in with_later(part.docs) {
                later.for_each(|later| measurer.expect(later));
                let key = key_of(
                    costs,
                    &wanted.measures(measurer.measure(doc)),
                    path,
                    best.worst(),
                );
                key.into_iter().for_each(|key| best.add(key, doc));
            }
        }
        Some(best)
    })?;
    let best = best.into_iter().collect::<Option<Vec<BestByKey>>>()?;
    Some(BestByKey::joined(best, n_wanted))
}

/// The costs of a document as one number; `None` if a rule drops it, or it is more than `worst`.
#[inline]
fn key_of(
    costs: &[MeasuredBy<'_>],
    measures: &Measures<'_>,
    path: &[(usize, Step)],
    worst: Key,
) -> Option<Key> {
    let mut key: Key = 0;
    let mut bits_behind = u32::BITS as usize * costs.len();
    for MeasuredBy(rule) in costs {
        bits_behind -= u32::BITS as usize;
        key = key << u32::BITS | Key::from(rule.cost_of_measures(measures, path)?);
        if key > worst >> bits_behind {
            return None;
        }
    }
    Some(key)
}
