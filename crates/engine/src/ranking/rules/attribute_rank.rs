//! `attributeRank`: documents that match in more important attributes come first.

use crate::docset::DocSet;
use crate::query::{Paths, QueryGraph, Step};
use crate::ranking::by_document::{CostBuckets, OneBucket, PathCost, needed_paths};
use crate::ranking::reader::Reader;
use crate::ranking::{Buckets, Rank, RankContext, RankingRule, ScoreDetail};

/// Sums, for each step, the best weight of an attribute with one of its words.
pub(in crate::ranking) struct AttributeRankRule;

impl RankingRule for AttributeRankRule {
    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let corpus = context.matching.corpus;
        let settings = corpus.settings();
        let n_ids = context.n_ids(paths);
        let Some(max_weight) = settings
            .max_searchable_weight()
            .filter(|weight| *weight > 0)
        else {
            let paths = needed_paths(context, universe, paths);
            let detail = ScoreDetail::AttributeRank(Rank::of_cost(0, 0));
            return Box::new(OneBucket::new(universe, paths, detail));
        };
        let searched = context.matching.searched.as_deref();
        let weights = (0..corpus.n_fields())
            .map(|field| {
                if searched.is_some_and(|mask| !mask[field]) {
                    return None;
                }
                settings.searchable_weight(corpus.field_name(field as u16))
            })
            .collect();
        let rule = AttributeRank {
            graph: context.graph,
            weights,
            max: u32::from(max_weight) * n_ids,
        };
        Box::new(CostBuckets::new(context, universe, paths, rule))
    }
}

struct AttributeRank<'g> {
    graph: &'g QueryGraph,
    /// By field id; `None` where the attribute is not searched.
    weights: Vec<Option<u16>>,
    max: u32,
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

    fn detail(&self, cost: u32) -> ScoreDetail {
        ScoreDetail::AttributeRank(Rank::of_cost(cost, self.max))
    }
}
