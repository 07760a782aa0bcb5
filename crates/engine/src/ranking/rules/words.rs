//! `words`: documents that keep more of the query come first.

use std::rc::Rc;

use crate::docset::DocSet;
use crate::query::{Path, Paths};
use crate::ranking::{Bucket, Buckets, Rank, RankContext, RankingRule, ScoreDetail, Untyped};

/// Drops terms in the order of the matching strategy.
pub(in crate::ranking) struct WordsRule;

impl RankingRule for WordsRule {
    fn name(&self) -> &'static str {
        "words"
    }

    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        _paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let graph = context.graph;
        let max_dropped = graph.max_dropped();
        let mut by_cost: Vec<Vec<Path>> = vec![Vec::new(); max_dropped as usize + 1];
        for reduced in graph.reduced_paths() {
            if let Some(paths) = by_cost.get_mut(reduced.cost as usize) {
                paths.push(reduced.path);
            }
        }
        let next_max = 1 + graph.n_phrase_words().saturating_sub(1) + max_dropped;
        Box::new(WordsBuckets {
            context,
            left: universe.clone(),
            by_cost: by_cost.into_iter().enumerate(),
            max: next_max,
        })
    }
}

struct WordsBuckets<'r> {
    context: &'r RankContext<'r>,
    left: DocSet,
    by_cost: std::iter::Enumerate<std::vec::IntoIter<Vec<Path>>>,
    max: u32,
}

impl Buckets for WordsBuckets<'_> {
    fn next_bucket(&mut self) -> Option<Bucket> {
        for (cost, paths) in self.by_cost.by_ref() {
            let mut docs = DocSet::empty();
            let mut used = Vec::new();
            for path in paths {
                if self.context.deadline.poll() {
                    return None;
                }
                let more = self.context.path_docs(&path, &self.left);
                if !more.is_empty() {
                    self.left = self.left.and_not(&more);
                    docs = docs.or(&more);
                    used.push(path);
                }
            }
            if !docs.is_empty() {
                let detail = ScoreDetail::Words(Rank {
                    rank: self.max - cost as u32,
                    max: self.max,
                });
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
