//! The cost of every ranking rule for one document, edge by edge, and the buckets that follow.

use std::collections::BTreeMap;

use super::matching::Lens;
use super::nodes::{Class, Node};
use super::paths::{Graph, Path, Step};
use crate::ranking::{Rank, ScoreDetail};

/// A rule that reads the interpretations of the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GraphRule {
    Words,
    Typo,
    Proximity,
    AttributeRank,
    WordPosition,
    ExactWords,
}

/// Documents that a rule does not tell apart, the interpretations they used, and the verdict.
pub(super) struct NaiveBucket {
    pub docs: Vec<usize>,
    pub paths: Vec<Path>,
    pub detail: ScoreDetail,
}

/// One cost that a document can have at a step, and what the step becomes by it.
struct Edge {
    cost: u32,
    step: Step,
}

/// A rule at work on a graph.
pub(super) struct Measure<'m> {
    pub lens: &'m Lens<'m>,
    pub graph: &'m Graph,
}

impl Measure<'_> {
    /// Splits documents by their least cost, ascending.
    pub(super) fn buckets(
        &self,
        rule: GraphRule,
        docs: &[usize],
        paths: &[Path],
    ) -> Vec<NaiveBucket> {
        let paths: Vec<(u32, Path)> = if rule == GraphRule::Words {
            self.graph.paths(true)
        } else {
            paths.iter().map(|path| (0, path.clone())).collect()
        };
        let max = self.max_cost(rule, &paths);
        // By cost: the documents, and the places of the choices they made first.
        let mut by_cost: BTreeMap<u32, Split> = BTreeMap::new();
        for doc in docs {
            if let Some((cost, choice, path)) = self.first_best(rule, &paths, *doc) {
                let (docs, chosen) = by_cost.entry(cost).or_default();
                docs.push(*doc);
                chosen.insert(choice, path);
            }
        }
        by_cost
            .into_iter()
            .map(|(cost, (docs, chosen))| {
                let mut paths: Vec<Path> = Vec::new();
                for path in chosen.into_values() {
                    if !paths.contains(&path) {
                        paths.push(path);
                    }
                }
                let detail = detail(rule, cost, max);
                NaiveBucket {
                    docs,
                    paths,
                    detail,
                }
            })
            .collect()
    }

    /// The least cost of a document, and the first choice of edges in visiting order that has it.
    fn first_best(
        &self,
        rule: GraphRule,
        paths: &[(u32, Path)],
        doc: usize,
    ) -> Option<(u32, Vec<usize>, Path)> {
        let mut best: Option<(u32, Vec<usize>, Path)> = None;
        for (at, (cost, path)) in paths.iter().enumerate() {
            let fits = |step: &Step| self.lens.has_node(doc, self.node(step), &step.classes);
            if !path.iter().all(fits) {
                continue;
            }
            // What is chosen at one place leaves the other places as they are, so that the first of all
            // choices with the least sum takes the first of the cheapest edges everywhere. Listing all
            // choices took gigabytes for long queries.
            let edges = (0..path.len()).map(|place| {
                let edges = self.edges(rule, path, place, doc);
                edges.into_iter().min_by_key(|edge| edge.cost)
            });
            let Some(edges) = edges.collect::<Option<Vec<Edge>>>() else {
                continue;
            };
            let cost = edges.iter().fold(*cost, |cost, edge| cost + edge.cost);
            if best.as_ref().is_none_or(|(least, _, _)| cost < *least) {
                let costs = edges.iter().map(|edge| edge.cost as usize);
                let choice = std::iter::once(at).chain(costs).collect();
                let taken = edges.into_iter().map(|edge| edge.step).collect();
                best = Some((cost, choice, taken));
            }
        }
        best
    }

    fn node(&self, step: &Step) -> &Node {
        &self.graph.nodes[step.node]
    }

    /// The edges that a document satisfies at a place of a path; they are tried by ascending cost.
    fn edges(&self, rule: GraphRule, path: &Path, place: usize, doc: usize) -> Vec<Edge> {
        let step = &path[place];
        let node = self.node(step);
        let n = node.n as u32;
        let same = |cost| Edge {
            cost,
            step: step.clone(),
        };
        match rule {
            GraphRule::Words => vec![same(0)],
            GraphRule::Typo => (0..=self.max_typos(step))
                .filter_map(|typos| {
                    let classes = self.classes_with(step, |class| class.typos() == typos);
                    let fits = self.lens.has_node(doc, node, &classes);
                    let step = Step {
                        node: step.node,
                        classes,
                    };
                    fits.then(|| Edge {
                        cost: ngram_base(node) + typos,
                        step,
                    })
                })
                .collect(),
            GraphRule::Proximity => {
                let before = place.checked_sub(1).map(|place| &path[place]);
                let pair = before.filter(|before| self.node(before).last + 1 == node.first);
                let costs = pair.map_or(vec![0], |before| self.pair_costs(before, step, doc));
                costs.into_iter().map(|cost| same(cost + n - 1)).collect()
            }
            GraphRule::AttributeRank => {
                let spots = self.lens.starts(doc, node, &step.classes);
                let spots = spots
                    .iter()
                    .filter(|spot| self.lens.is_searched(&spot.attribute));
                let weights = spots.filter_map(|spot| self.lens.index.weight(&spot.attribute));
                weights.map(|weight| same(n * weight)).collect()
            }
            GraphRule::WordPosition => {
                let spots = self.lens.starts(doc, node, &step.classes);
                let distance = |position| bucket(position).abs_diff(node.first);
                let cost = |position| (0..n).map(|i| farness(distance(position) + i)).sum();
                spots.iter().map(|spot| same(cost(spot.position))).collect()
            }
            GraphRule::ExactWords => {
                let classes = self.classes_with(step, |class| class == Class::Exact);
                let is_exact = n == 1 && self.lens.has_node(doc, node, &classes);
                let exact = Edge {
                    cost: 0,
                    step: Step {
                        node: step.node,
                        classes,
                    },
                };
                let exact = is_exact.then_some(exact);
                exact.into_iter().chain([same(n)]).collect()
            }
        }
    }

    fn classes_with(&self, step: &Step, keep: impl Fn(Class) -> bool) -> Vec<Class> {
        step.classes
            .iter()
            .copied()
            .filter(|class| keep(*class))
            .collect()
    }

    fn max_typos(&self, step: &Step) -> u32 {
        let node = self.node(step);
        let highest = step
            .classes
            .iter()
            .map(|class| class.typos())
            .max()
            .unwrap_or(0);
        match (node.is_phrase, node.allowed_typos) {
            (true, _) => 0,
            (false, 0) => 1,
            (false, allowed) => highest.min(allowed),
        }
    }

    /// What two neighbours can cost: the last word of a way to match the first one against the
    /// first word of a way to match the second one.
    fn pair_costs(&self, a: &Step, b: &Step, doc: usize) -> Vec<u32> {
        let mut costs = vec![3];
        let ways = |step: &Step| {
            let ways = self.node(step).ways.iter();
            let allowed = ways.filter(|way| step.classes.contains(&way.class));
            let there = allowed.filter(|way| !way.is_phrase || self.lens.has_way(doc, way));
            there.cloned().collect::<Vec<_>>()
        };
        for left in ways(a) {
            for right in ways(b) {
                let (Some(Some(last)), Some(Some(first))) =
                    (left.words.last(), right.words.first())
                else {
                    continue;
                };
                for p in self.lens.spots(doc, last) {
                    for q in self.lens.spots(doc, first) {
                        if p.attribute != q.attribute {
                            continue;
                        }
                        let backwards = !left.is_phrase && !right.is_phrase;
                        costs.push(match i64::from(q.position) - i64::from(p.position) {
                            _ if self.lens.by_attribute() => 0,
                            1 => 0,
                            2 => 1,
                            3 => 2,
                            -1 if backwards => 1,
                            -2 if backwards => 2,
                            _ => 3,
                        });
                    }
                }
            }
        }
        costs.sort_unstable();
        costs.dedup();
        costs
    }

    fn max_cost(&self, rule: GraphRule, paths: &[(u32, Path)]) -> u32 {
        let longest = |of_step: &dyn Fn(&Step) -> u32| {
            paths
                .iter()
                .map(|(_, path)| path.iter().map(of_step).sum())
                .max()
                .unwrap_or(0)
        };
        let n_ids = longest(&|step| self.node(step).n as u32);
        match rule {
            GraphRule::Words => {
                let phrases = self.graph.nodes.iter().filter(|node| node.is_phrase);
                let words = phrases.map(|node| node.ways[0].words.iter().flatten().count());
                let words: usize = words.sum();
                self.graph.most_dropped() + (words as u32).saturating_sub(1)
            }
            GraphRule::Typo => longest(&|step| ngram_base(self.node(step)) + self.max_typos(step)),
            GraphRule::Proximity => {
                let cost = |path: &Path| {
                    let joined: usize = path.iter().map(|step| self.node(step).n - 1).sum();
                    let pairs = path
                        .windows(2)
                        .filter(|pair| self.node(&pair[0]).last + 1 == self.node(&pair[1]).first);
                    (joined + 3 * pairs.count()) as u32
                };
                paths.iter().map(|(_, path)| cost(path)).max().unwrap_or(0)
            }
            GraphRule::AttributeRank => {
                let names = &self.lens.index.settings.searchable_attributes;
                let is_wild = names.iter().any(|name| name == "*");
                if is_wild {
                    0
                } else {
                    n_ids * (names.len() as u32 - 1)
                }
            }
            GraphRule::WordPosition => 10 * n_ids,
            GraphRule::ExactWords => n_ids,
        }
    }
}

/// Documents, and the paths they used by the place of their choice.
type Split = (Vec<usize>, BTreeMap<Vec<usize>, Path>);

fn detail(rule: GraphRule, cost: u32, max: u32) -> ScoreDetail {
    let rank = Rank {
        rank: max + 1 - cost,
        max: max + 1,
    };
    match rule {
        GraphRule::Words => ScoreDetail::Words(rank),
        GraphRule::Typo => ScoreDetail::Typo { count: cost, max },
        GraphRule::Proximity => ScoreDetail::Proximity(rank),
        GraphRule::AttributeRank => ScoreDetail::AttributeRank(rank),
        GraphRule::WordPosition => ScoreDetail::WordPosition(rank),
        GraphRule::ExactWords => ScoreDetail::ExactWords {
            matching: max - cost,
            max,
        },
    }
}

const fn ngram_base(node: &Node) -> u32 {
    if node.n > 1 { node.n as u32 } else { 0 }
}

/// The step that a position of a document falls in.
pub(super) fn bucket(position: u32) -> u32 {
    match position {
        0..16 => position,
        16..24 => 24,
        _ => (5..=16)
            .map(|power| 1 << power)
            .find(|step| position <= *step)
            .unwrap_or(65_535),
    }
}

fn farness(distance: u32) -> u32 {
    let ends = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024];
    ends.iter().position(|end| distance <= *end).unwrap_or(10) as u32
}
