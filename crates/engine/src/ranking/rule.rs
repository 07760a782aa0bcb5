//! The interface between the bucket sort and one ranking rule.

use crate::docset::DocSet;
use crate::query::{Matching, Path, Paths, QueryGraph, Step};

use super::{DocWords, ScoreDetail};

/// What every rule may ask.
pub struct RankContext<'q> {
    /// Who matches what.
    pub matching: &'q Matching<'q>,
    /// The query; empty for a placeholder search.
    pub graph: &'q QueryGraph,
    /// What was read of documents.
    pub words: DocWords,
}

impl RankContext<'_> {
    /// Documents of `universe` that satisfy the path.
    #[must_use]
    pub fn path_docs(&self, path: &[Step], universe: &DocSet) -> DocSet {
        self.graph.path_docs(self.matching, path, universe)
    }

    /// The largest sum over a path of what `of_step` says of its steps.
    pub fn max_over_paths(&self, paths: &[Path], of_step: impl Fn(&Step) -> u32) -> u32 {
        paths
            .iter()
            .map(|path| path.iter().map(&of_step).sum())
            .max()
            .unwrap_or(0)
    }

    /// Number of terms on the longest path.
    #[must_use]
    pub fn n_ids(&self, paths: &[Path]) -> u32 {
        self.max_over_paths(paths, |step| self.graph.node(step.node).n_ids())
    }
}

/// Documents that a rule does not tell apart.
pub struct Bucket {
    /// The documents.
    pub docs: DocSet,
    /// Interpretations that they used.
    pub paths: Paths,
    /// What the rule says of them.
    pub detail: ScoreDetail,
    /// Whether the rule can place no document better, whatever others there are.
    pub is_best: bool,
}

/// One step of the chain.
pub trait RankingRule {
    /// Starts on the documents and interpretations that the previous rule left together.
    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r>;
}

/// The buckets of a rule, best first.
pub trait Buckets {
    /// The next bucket; `None` after the last one. A bucket is never empty.
    fn next_bucket(&mut self) -> Option<Bucket>;
}
