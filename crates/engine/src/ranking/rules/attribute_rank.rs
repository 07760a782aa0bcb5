//! `attributeRank`: documents that match in more important attributes come first.

use crate::docset::DocSet;
use crate::query::{Paths, QueryGraph, Step, Summaries, Summary};
use crate::ranking::by_document::{CostBuckets, Glance, OneBucket, PathCost, needed_paths};
use crate::ranking::measured_docs::Measures;
use crate::ranking::reader::Reader;
use crate::ranking::{Buckets, Rank, RankContext, RankingRule, ScoreDetail};

/// Sums, for each step, the best weight of an attribute with one of its words.
pub(in crate::ranking) struct AttributeRankRule;

impl RankingRule for AttributeRankRule {
    fn name(&self) -> &'static str {
        "attribute rank"
    }

    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let Some(rule) = AttributeRank::new(context, paths) else {
            let paths = needed_paths(context, universe, paths);
            let detail = ScoreDetail::AttributeRank(Rank::of_cost(0, 0));
            return Box::new(OneBucket::new(universe, paths, detail));
        };
        Box::new(CostBuckets::new(context, universe, paths, rule))
    }

    fn costs_of_summaries(
        &self,
        context: &RankContext<'_>,
        paths: &Paths,
        summaries: &Summaries,
        step: Step,
    ) -> Option<Vec<Option<u32>>> {
        let rule = AttributeRank::new(context, paths);
        let kinds = summaries.kinds().iter();
        let cost = |kind| match &rule {
            Some(rule) => rule.cost_of_summary(kind, step),
            None => Some(0),
        };
        Some(kinds.map(cost).collect())
    }
}

struct AttributeRank<'g> {
    graph: &'g QueryGraph,
    /// By field id; `None` where the attribute is not searched.
    weights: Vec<Option<u16>>,
    max: u32,
}

impl<'g> AttributeRank<'g> {
    /// `None` if all attributes are as important.
    fn new(context: &'g RankContext<'_>, paths: &Paths) -> Option<Self> {
        let settings = context.matching.corpus.settings();
        let max_weight = settings.max_searchable_weight();
        let max_weight = max_weight.filter(|weight| *weight > 0)?;
        Some(Self {
            graph: context.graph,
            weights: context.searchable_weights(),
            max: u32::from(max_weight) * context.n_ids(paths),
        })
    }
}

impl PathCost for AttributeRank<'_> {
    fn cost(&self, reader: &Reader<'_>, path: &[(usize, Step)]) -> Option<u32> {
        path.iter()
            .map(|(at, step)| {
                let weight = reader
                    .starts(*at)
                    .iter()
                    .filter_map(|place| self.weights[usize::from(place.field)])
                    .min()?;
                Some(u32::from(weight) * self.graph.node(step.node).n_ids())
            })
            .sum()
    }

    fn cost_of_measures(&self, measures: &Measures<'_>, path: &[(usize, Step)]) -> Option<u32> {
        let costs = path.iter().map(|(at, step)| {
            Some(u32::from(measures.weight(*at)?) * self.graph.node(step.node).n_ids())
        });
        costs.sum()
    }

    fn cost_of_summary(&self, summary: &Summary, step: Step) -> Option<u32> {
        let weights = summary.fields.iter();
        let weight = weights
            .filter_map(|field| self.weights[usize::from(*field)])
            .min()?;
        Some(u32::from(weight) * self.graph.node(step.node).n_ids())
    }

    fn detail(&self, cost: u32) -> ScoreDetail {
        ScoreDetail::AttributeRank(Rank::of_cost(cost, self.max))
    }

    /// The most important attribute alone, then a few more with it: words found there cost what
    /// they cost, and a word that is not there costs more than any of their weights.
    fn glances(&self) -> Vec<Glance> {
        let mut weights: Vec<u16> = self.weights.iter().flatten().copied().collect();
        weights.sort_unstable();
        weights.dedup();
        let last = weights.len().saturating_sub(1);
        let glanced = [1, 3, 8].into_iter().take_while(|n| *n <= last);
        glanced
            .map(|n| {
                let most = weights[n - 1];
                let is_read = |weight: &Option<u16>| weight.is_some_and(|weight| weight <= most);
                Glance {
                    fields: Some(self.weights.iter().map(is_read).collect()),
                    positions: u32::MAX,
                    certain_below: u32::from(most) + 1,
                }
            })
            .collect()
    }
}
