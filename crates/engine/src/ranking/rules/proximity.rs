//! `proximity`: documents in which neighbouring query words stand closer together come first.
//!
//! | relation inside one attribute | cost |
//! |---|---|
//! | B directly after A | 0 |
//! | B two after A, or directly before it | 1 |
//! | B three after A, or two before it | 2 |
//! | anything else | 3 |
//!
//! Words that do not follow each other in the query cost nothing. An n-gram costs the number of
//! terms it joins, less one.

use crate::docset::DocSet;
use crate::query::{self, Paths, QueryGraph, Step, Summaries};
use crate::ranking::by_document::{CostBuckets, OneBucket, PathCost, needed_paths};
use crate::ranking::doc_measurer::Measures;
use crate::ranking::measured_docs::are_neighbours;
use crate::ranking::reader::{Place, Reader};
use crate::ranking::{Buckets, MeasuredBy, Rank, RankContext, RankingRule, ScoreDetail};

/// The cost of words that are not near.
const FAR: u32 = query::FAR as u32;

/// Sums the distances of neighbouring words.
pub(in crate::ranking) struct ProximityRule;

impl RankingRule for ProximityRule {
    fn name(&self) -> &'static str {
        "proximity"
    }

    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let rule = Proximity::new(context, paths);
        if rule.max == 0 {
            let paths = needed_paths(context, universe, paths);
            return Box::new(OneBucket::new(universe, paths, rule.detail(0)));
        }
        Box::new(CostBuckets::new(context, universe, paths, rule))
    }

    fn by_measures<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        paths: &Paths,
    ) -> Option<MeasuredBy<'r>> {
        Some(MeasuredBy(Box::new(Proximity::new(context, paths))))
    }

    fn tells_by_summaries(&self) -> bool {
        true
    }

    /// Words that stand alone are near.
    fn costs_of_summaries(
        &self,
        context: &RankContext<'_>,
        paths: &Paths,
        summaries: &Summaries,
        _step: Step,
    ) -> Option<Vec<Option<u32>>> {
        let mut paths = paths.iter();
        let is_alone = paths.all(|path| max_cost(context.graph, path) == 0);
        is_alone.then(|| vec![Some(0); summaries.kinds().len()])
    }
}

fn max_cost(graph: &QueryGraph, path: &[Step]) -> u32 {
    let joined: u32 = path
        .iter()
        .map(|step| graph.node(step.node).n_ids() - 1)
        .sum();
    let pairs = path
        .windows(2)
        .filter(|pair| are_neighbours(graph, pair[0], pair[1]))
        .count();
    joined + FAR * pairs as u32
}

struct Proximity<'g> {
    graph: &'g QueryGraph,
    max: u32,
    by_attribute: bool,
}

impl<'g> Proximity<'g> {
    fn new(context: &'g RankContext<'_>, paths: &Paths) -> Self {
        let graph = context.graph;
        let costs = paths.iter().map(|path| max_cost(graph, path));
        Self {
            graph,
            max: costs.max().unwrap_or(0),
            by_attribute: context.matching.by_attribute(),
        }
    }
}

impl PathCost for Proximity<'_> {
    fn cost(&self, reader: &Reader<'_>, path: &[(usize, Step)]) -> Option<u32> {
        let mut cost: u32 = path
            .iter()
            .map(|(_, s)| self.graph.node(s.node).n_ids() - 1)
            .sum();
        for pair in path.windows(2) {
            let ((a, first), (b, second)) = (pair[0], pair[1]);
            if are_neighbours(self.graph, first, second) {
                let (ends, starts) = (reader.ends(a), reader.starts(b));
                cost += if self.by_attribute {
                    shared_attribute(ends, starts)
                } else {
                    distance(ends, starts)
                };
            }
        }
        Some(cost)
    }

    fn cost_of_measures(&self, measures: &Measures<'_>, path: &[(usize, Step)]) -> Option<u32> {
        let joined = path
            .iter()
            .map(|(_, s)| self.graph.node(s.node).n_ids() - 1);
        let pairs = path
            .windows(2)
            .filter(|pair| are_neighbours(self.graph, pair[0].1, pair[1].1))
            .map(|pair| measures.pair_cost(pair[0].0, pair[1].0));
        Some(joined.sum::<u32>() + pairs.sum::<u32>())
    }

    fn detail(&self, cost: u32) -> ScoreDetail {
        ScoreDetail::Proximity(Rank::of_cost(cost, self.max))
    }
}

fn shared_attribute(ends: &[Place], starts: &[Place]) -> u32 {
    let near = ends
        .iter()
        .any(|a| starts.iter().any(|b| a.field == b.field));
    if near { 0 } else { FAR }
}

/// The least cost over all pairs; both lists ascend by attribute and position.
fn distance(ends: &[Place], starts: &[Place]) -> u32 {
    let mut least = FAR;
    let mut from = 0;
    for b in starts {
        let reach = (b.field, b.position.saturating_sub(3));
        while ends
            .get(from)
            .is_some_and(|a| (a.field, a.position) < reach)
        {
            from += 1;
        }
        let near = ends[from..]
            .iter()
            .take_while(|a| a.field == b.field && a.position <= b.position.saturating_add(2));
        for a in near {
            least = least.min(pair_cost(a, b));
            if least == 0 {
                return 0;
            }
        }
    }
    least
}

fn pair_cost(a: &Place, b: &Place) -> u32 {
    if b.position > a.position {
        u32::from(b.position - a.position) - 1
    } else if a.one_way || b.one_way || a.position == b.position {
        FAR
    } else {
        u32::from(a.position - b.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(positions: &[u16]) -> Vec<Place> {
        positions
            .iter()
            .map(|p| Place {
                field: 0,
                position: *p,
                one_way: false,
            })
            .collect()
    }

    #[test]
    fn costs_grow_with_the_distance_and_by_one_backwards() {
        let cost = |a: u16, b: u16| distance(&places(&[a]), &places(&[b]));
        assert_eq!(
            [cost(5, 6), cost(5, 7), cost(5, 8), cost(5, 9)],
            [0, 1, 2, 3]
        );
        assert_eq!([cost(5, 4), cost(5, 3), cost(5, 2)], [1, 2, 3]);
        assert_eq!(cost(5, 5), 3);
    }

    #[test]
    fn the_closest_pair_counts() {
        assert_eq!(distance(&places(&[0, 20, 40]), &places(&[10, 41])), 0);
        assert_eq!(distance(&places(&[0, 20, 40]), &places(&[10, 18])), 2);
    }

    #[test]
    fn a_one_way_place_is_never_near_backwards() {
        let phrase = [Place {
            field: 0,
            position: 5,
            one_way: true,
        }];
        assert_eq!(distance(&phrase, &places(&[4])), 3);
        assert_eq!(distance(&phrase, &places(&[6])), 0);
    }

    #[test]
    fn other_attributes_are_far() {
        let other = [Place {
            field: 1,
            position: 6,
            one_way: false,
        }];
        assert_eq!(distance(&places(&[5]), &other), 3);
    }
}
