//! Puts the documents of one term into the order of several rules at once, by their summaries.
//!
//! Documents with the same summary are alike to these rules, and there are few summaries: they are
//! put in order, and documents are looked for only in those that the page needs.

use super::best_groups::BestGroups;
use super::{RankContext, RankingRule};
use crate::docset::DocSet;
use crate::query::{DROPPED, Paths};

/// The first `n_wanted` of `docs` at least, by as many of the next rules as can tell by summaries;
/// only so many if those are all that is left. `None` if there are no summaries, which are made when
/// they `may` be, or no rule can tell.
pub(super) fn best_summarised(
    context: &RankContext<'_>,
    rules: &[Box<dyn RankingRule>],
    (docs, paths): (&DocSet, &Paths),
    n_wanted: usize,
    may_make: bool,
) -> Option<BestGroups> {
    let first = rules.first().filter(|rule| rule.tells_by_summaries())?;
    if context.deadline.is_over() {
        return None;
    }
    let timings = context.timings;
    let known = || context.summaries(docs, paths, may_make);
    let (summaries, step) = timings.time(first.name(), known)?;
    let costs: Vec<Vec<Option<u32>>> = rules
        .iter()
        .map_while(|rule| {
            let costs = || rule.costs_of_summaries(context, paths, &summaries, step);
            timings.time(rule.name(), costs)
        })
        .collect();
    if costs.is_empty() {
        return None;
    }
    let groups = groups_of(&costs, summaries.kinds().len());
    let may_cut = costs.len() == rules.len();
    let find = || summaries.best(docs, &groups, n_wanted, may_cut);
    Some(BestGroups {
        groups: timings.time(first.name(), find),
        n_rules: costs.len(),
    })
}

/// The place of each of `n` summaries in the order of the costs that rule after rule gives them.
fn groups_of(costs: &[Vec<Option<u32>>], n: usize) -> Vec<u32> {
    let keys: Vec<Option<Vec<u32>>> = (0..n)
        .map(|kind| costs.iter().map(|of_rule| of_rule[kind]).collect())
        .collect();
    let mut order: Vec<&Vec<u32>> = keys.iter().flatten().collect();
    order.sort_unstable();
    order.dedup();
    let place = |key: &Option<Vec<u32>>| match key {
        Some(key) => order.partition_point(|other| *other < key) as u32,
        None => DROPPED,
    };
    keys.iter().map(place).collect()
}
