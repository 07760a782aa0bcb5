//! `typo`: documents with fewer typos come first.
//!
//! The cost of a step is the class a document uses (0, 1 or 2 typos; a split counts one) plus, for
//! an n-gram, the number of terms joined.

use std::rc::Rc;

use crate::docset::DocSet;
use crate::query::{Classes, Path, Paths, Step};
use crate::ranking::{Bucket, Buckets, RankContext, RankingRule, ScoreDetail, Untyped};

/// Sums typos along a path.
pub(in crate::ranking) struct TypoRule;

impl RankingRule for TypoRule {
    fn name(&self) -> &'static str {
        "typo"
    }

    fn narrows_paths(&self) -> bool {
        true
    }

    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let max = context.max_over_paths(paths, |step| {
            let node = context.graph.node(step.node);
            base(context, *step) + u32::from(node.max_typo_cost(step.classes))
        });
        let left = universe.clone();
        Box::new(TypoBuckets {
            context,
            paths: paths.clone(),
            left,
            cost: 0,
            max,
        })
    }
}

fn base(context: &RankContext<'_>, step: Step) -> u32 {
    let node = context.graph.node(step.node);
    if node.is_ngram() { node.n_ids() } else { 0 }
}

struct TypoBuckets<'r> {
    context: &'r RankContext<'r>,
    paths: Paths,
    left: DocSet,
    cost: u32,
    max: u32,
}

impl Buckets for TypoBuckets<'_> {
    fn next_bucket(&mut self) -> Option<Bucket> {
        while self.cost <= self.max && !self.left.is_empty() {
            let cost = self.cost;
            self.cost += 1;
            let mut walk = Walk {
                context: self.context,
                left: &mut self.left,
                path: Vec::new(),
                docs: DocSet::empty(),
                used: Vec::new(),
            };
            let universe = walk.left.clone();
            walk.from(&self.paths, 0, cost, &universe);
            let (docs, used) = (walk.docs, walk.used);
            if !docs.is_empty() {
                let detail = ScoreDetail::Typo {
                    count: cost,
                    max: self.max,
                };
                return Some(Bucket {
                    docs,
                    paths: Rc::new(used),
                    detail,
                    is_best: cost == 0,
                    untyped: Untyped::of(cost == 0),
                });
            }
        }
        None
    }
}

struct Walk<'w, 'r> {
    context: &'r RankContext<'r>,
    /// Documents not yet in a bucket.
    left: &'w mut DocSet,
    path: Path,
    docs: DocSet,
    used: Vec<Path>,
}

impl Walk<'_, '_> {
    /// Continues all `paths`, which agree on their first `depth` steps, spending exactly `cost`
    /// more; `docs` satisfy the steps so far.
    fn from(&mut self, paths: &[Path], depth: usize, cost: u32, docs: &DocSet) {
        for group in paths.chunk_by(|a, b| a.get(depth) == b.get(depth)) {
            if self.context.deadline.poll() {
                return;
            }
            let Some(step) = group[0].get(depth).copied() else {
                if cost == 0 {
                    self.claim(docs);
                }
                continue;
            };
            self.step(group, depth, step, cost, docs);
        }
    }

    fn step(&mut self, group: &[Path], depth: usize, step: Step, cost: u32, docs: &DocSet) {
        let node = self.context.graph.node(step.node);
        let Some(cost) = cost.checked_sub(base(self.context, step)) else {
            return;
        };
        for typos in 0..=node.max_typo_cost(step.classes) {
            let classes = step.classes & Classes::with_typos(typos);
            let Some(cost) = cost.checked_sub(u32::from(typos)) else {
                return;
            };
            if classes.is_empty() || cost > self.most_after(group, depth + 1) {
                continue;
            }
            let matching = self.context.matching;
            let docs = docs.and(&matching.node_docs(step.node, node, classes));
            if docs.is_empty() {
                continue;
            }
            self.path.push(Step {
                node: step.node,
                classes,
            });
            self.from(group, depth + 1, cost, &docs);
            self.path.pop();
        }
    }

    /// What the rest of the paths can cost at the most.
    fn most_after(&self, paths: &[Path], depth: usize) -> u32 {
        let most = |step: &Step| {
            let node = self.context.graph.node(step.node);
            base(self.context, *step) + u32::from(node.max_typo_cost(step.classes))
        };
        paths
            .iter()
            .map(|path| path[depth..].iter().map(most).sum())
            .max()
            .unwrap_or(0)
    }

    fn claim(&mut self, docs: &DocSet) {
        let fresh = docs.and(self.left);
        if !fresh.is_empty() {
            *self.left = self.left.and_not(&fresh);
            self.docs = self.docs.or(&fresh);
            self.used.push(self.path.clone());
        }
    }
}
