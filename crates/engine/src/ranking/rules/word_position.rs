//! `wordPosition`: documents that have the words where the query has them come first.
//!
//! Positions of documents are compared in steps that widen with the distance from the start of
//! the attribute, and differences in steps of their own.

use crate::docset::DocSet;
use crate::query::{Paths, QueryGraph, Step, Summary, bucketed};
use crate::ranking::by_document::{CostBuckets, Glance, PathCost};
use crate::ranking::doc_measurer::Measures;
use crate::ranking::reader::Reader;
use crate::ranking::{Buckets, MeasuredBy, Rank, RankContext, RankingRule, ScoreDetail};

/// The cost of a word that is farthest from its place.
const FARTHEST: u32 = 10;

/// Sums, for each step, how far its nearest word is from the place it has in the query.
pub(in crate::ranking) struct WordPositionRule;

impl RankingRule for WordPositionRule {
    fn name(&self) -> &'static str {
        "word position"
    }

    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let rule = WordPosition::new(context, paths);
        Box::new(CostBuckets::new(context, universe, paths, rule))
    }

    fn tells_by_summaries(&self) -> bool {
        true
    }

    fn by_measures<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        paths: &Paths,
    ) -> Option<MeasuredBy<'r>> {
        Some(MeasuredBy(Box::new(WordPosition::new(context, paths))))
    }
}

struct WordPosition<'g> {
    graph: &'g QueryGraph,
    max: u32,
    /// The last place that a word of the query has there.
    farthest_wanted: u32,
}

impl<'g> WordPosition<'g> {
    fn new(context: &'g RankContext<'_>, paths: &Paths) -> Self {
        let graph = context.graph;
        let wanted = paths.iter().flatten().map(|s| graph.node(s.node).first);
        Self {
            graph,
            max: FARTHEST * context.n_ids(paths),
            farthest_wanted: wanted.max().map_or(0, u32::from),
        }
    }
}

impl PathCost for WordPosition<'_> {
    fn cost(&self, reader: &Reader<'_>, path: &[(usize, Step)]) -> Option<u32> {
        path.iter()
            .map(|(at, step)| {
                let node = self.graph.node(step.node);
                let wanted = u32::from(node.first);
                let places = reader.starts(*at).iter();
                places
                    .map(|place| node_cost(place.position, wanted, node.n_ids()))
                    .min()
            })
            .sum()
    }

    fn cost_of_measures(&self, measures: &Measures<'_>, path: &[(usize, Step)]) -> Option<u32> {
        let costs = path.iter().map(|(at, step)| {
            let distance = u32::from(measures.distance(*at)?);
            Some(distances_cost(distance, self.graph.node(step.node).n_ids()))
        });
        costs.sum()
    }

    fn cost_of_summary(&self, summary: &Summary, step: Step) -> Option<u32> {
        let node = self.graph.node(step.node);
        Some(step_cost(
            summary.position,
            u32::from(node.first),
            node.n_ids(),
        ))
    }

    fn detail(&self, cost: u32) -> ScoreDetail {
        ScoreDetail::WordPosition(Rank::of_cost(cost, self.max))
    }

    /// The start of each attribute: a word that stands behind it costs what its distance from
    /// there costs, or more.
    fn glances(&self) -> Vec<Glance> {
        let glance = |distance| Glance {
            fields: None,
            positions: self.farthest_wanted + distance,
            certain_below: distance_cost(distance),
        };
        [1, 17].map(glance).into()
    }
}

fn node_cost(position: u16, wanted: u32, n_ids: u32) -> u32 {
    step_cost(bucketed(position), wanted, n_ids)
}

fn step_cost(bucketed: u16, wanted: u32, n_ids: u32) -> u32 {
    distances_cost(u32::from(bucketed).abs_diff(wanted), n_ids)
}

/// The cost of as many terms, each one farther away than the one before.
fn distances_cost(distance: u32, n_ids: u32) -> u32 {
    (0..n_ids).map(|i| distance_cost(distance + i)).sum()
}

const fn distance_cost(distance: u32) -> u32 {
    match distance {
        0 => 0,
        1 => 1,
        2..=4 => 2,
        5..=7 => 3,
        8..=11 => 4,
        12..=16 => 5,
        17..=24 => 6,
        25..=64 => 7,
        65..=256 => 8,
        257..=1024 => 9,
        _ => FARTHEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_widen_away_from_the_start() {
        let costs = [15, 16, 23, 24, 33, 200, 5000].map(|p| (bucketed(p), node_cost(p, 0, 1)));
        let expected = [
            (15, 5),
            (24, 6),
            (24, 6),
            (24, 6),
            (64, 7),
            (256, 8),
            (8192, 10),
        ];
        assert_eq!(costs[..3], expected[..3]);
        assert_eq!(costs[3], (32, 7));
        assert_eq!(costs[4..], expected[4..]);
        assert_eq!(bucketed(u16::MAX), u16::MAX);
    }
}
