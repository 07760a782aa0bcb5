//! `attributeRank`: documents that match in more important attributes come first.

use crate::docset::DocSet;
use crate::query::{Paths, QueryGraph, Step, Summary};
use crate::ranking::by_document::{CostBuckets, Glance, OneBucket, PathCost, needed_paths};
use crate::ranking::doc_measurer::Measures;
use crate::ranking::reader::Reader;
use crate::ranking::{Buckets, MeasuredBy, Rank, RankContext, RankingRule, ScoreDetail};

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
        let rule = AttributeRank::new(context, paths);
        if rule.max == 0 {
            let paths = needed_paths(context, universe, paths);
            let detail = ScoreDetail::AttributeRank(Rank::of_cost(0, 0));
            return Box::new(OneBucket::new(universe, paths, detail));
        }
        Box::new(CostBuckets::new(context, universe, paths, rule))
    }

    fn by_measures<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        paths: &Paths,
    ) -> Option<MeasuredBy<'r>> {
        Some(MeasuredBy(Box::new(AttributeRank::new(context, paths))))
    }

    fn tells_by_summaries(&self) -> bool {
        true
    }
}

struct AttributeRank<'g> {
    graph: &'g QueryGraph,
    /// By field id; `None` where the attribute is not searched.
    weights: Vec<Option<u16>>,
    /// 0 if all attributes are as important: there is nothing to tell apart.
    max: u32,
}

impl<'g> AttributeRank<'g> {
    fn new(context: &'g RankContext<'_>, paths: &Paths) -> Self {
        let settings = context.matching.corpus.settings();
        let max_weight = settings.max_searchable_weight().unwrap_or(0);
        Self {
            graph: context.graph,
            weights: context.searchable_weights(),
            max: u32::from(max_weight) * context.n_ids(paths),
        }
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
        if self.max == 0 {
            return Some(0);
        }
        let costs = path.iter().map(|(at, step)| {
            Some(u32::from(measures.weight(*at)?) * self.graph.node(step.node).n_ids())
        });
        costs.sum()
    }

    fn cost_of_summary(&self, summary: &Summary, step: Step) -> Option<u32> {
        if self.max == 0 {
            return Some(0);
        }
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
