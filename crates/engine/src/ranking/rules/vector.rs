//! Vector search: documents in the order of their similarity to a vector, those without one last.
//!
//! # Cost
//! One search for the nearest neighbours of as many documents as the page needs; further ones only
//! when rules after it, or repeats of a distinct value, use those up.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::docset::DocSet;
use crate::query::Paths;
use crate::ranking::{Bucket, Buckets, Deadline, RankContext, RankingRule, ScoreDetail, Untyped};
use crate::vectors::{Distribution, Neighbor, VectorSet};

/// Documents fetched beyond the page, so that one that ties with the last is seen.
const SPARE: usize = 16;

/// Sorts by similarity to a vector.
#[derive(Clone)]
pub struct VectorRule {
    /// The vectors; `None` if no document has one.
    pub set: Option<Arc<VectorSet>>,
    /// The vector.
    pub query: Vec<f32>,
    /// How similarities are spread.
    pub distribution: Option<Distribution>,
    /// Documents that the page needs.
    pub n_wanted: usize,
}

impl VectorRule {
    /// What is said of a document of this similarity.
    #[must_use]
    pub fn detail(&self, similarity: Option<f32>) -> ScoreDetail {
        let similarity = similarity.map(|similarity| {
            let shift = |distribution: Distribution| distribution.shift(similarity);
            self.distribution.map_or(similarity, shift)
        });
        ScoreDetail::Vector { similarity }
    }
}

impl RankingRule for VectorRule {
    fn name(&self) -> &'static str {
        "nearest vectors"
    }

    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        Box::new(VectorBuckets {
            rule: self,
            deadline: context.deadline,
            near: VecDeque::new(),
            left: universe.clone(),
            paths: paths.clone(),
        })
    }
}

struct VectorBuckets<'r> {
    rule: &'r VectorRule,
    deadline: &'r Deadline,
    near: VecDeque<Neighbor>,
    /// Documents in no bucket yet.
    left: DocSet,
    paths: Paths,
}

impl VectorBuckets<'_> {
    /// Finds the nearest ones of what is left, whole ties only.
    fn fetch(&mut self) {
        let Some(set) = &self.rule.set else { return };
        let wanted = self.left.and(set.embedded());
        let mut k = self.rule.n_wanted + SPARE;
        while !wanted.is_empty() && !self.deadline.is_over() {
            let mut found = set.search(&self.rule.query, k, &wanted);
            if found.len() == k && k < wanted.len() {
                let last = found.last().map(|last| last.similarity);
                let is_whole = |near: &Neighbor| Some(near.similarity) != last;
                let n_whole = found.iter().take_while(|near| is_whole(near)).count();
                if n_whole == 0 {
                    k *= 2;
                    continue;
                }
                found.truncate(n_whole);
            }
            self.near = found.into();
            return;
        }
    }
}

impl Buckets for VectorBuckets<'_> {
    fn next_bucket(&mut self) -> Option<Bucket> {
        if self.near.is_empty() {
            self.fetch();
        }
        let first = self.near.front().copied();
        let docs = match first {
            Some(first) => {
                let mut docs = Vec::new();
                while let Some(near) = self.near.front()
                    && near.similarity == first.similarity
                {
                    docs.push(near.doc);
                    self.near.pop_front();
                }
                docs.into_iter().collect()
            }
            None => self.left.clone(),
        };
        if docs.is_empty() {
            return None;
        }
        self.left = self.left.and_not(&docs);
        Some(Bucket {
            docs,
            paths: self.paths.clone(),
            detail: self.rule.detail(first.map(|first| first.similarity)),
            is_best: false,
            untyped: Untyped::Anywhere,
        })
    }
}
