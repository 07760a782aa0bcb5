//! The interface between the bucket sort and one ranking rule.

use crate::docset::DocSet;
use crate::query::{
    Classes, FieldId, Form, Matching, Path, Paths, QueryGraph, SortColumn, Step, Summaries, Summary,
};

use super::by_document::PathCost;
use super::{Deadline, DocWords, MeasuredSets, ScoreDetail, Timings};

/// What every rule may ask.
pub struct RankContext<'q> {
    /// Who matches what.
    pub matching: &'q Matching<'q>,
    /// The query; empty for a placeholder search.
    pub graph: &'q QueryGraph,
    /// What was read of documents.
    pub words: DocWords,
    /// What was measured of documents.
    pub measured: MeasuredSets,
    /// When the rest is given up unsorted.
    pub deadline: &'q Deadline,
    /// Where the time goes.
    pub timings: &'q Timings,
}

impl RankContext<'_> {
    /// Documents of `universe` that satisfy the path.
    #[must_use]
    pub fn path_docs(&self, path: &[Step], universe: &DocSet) -> DocSet {
        self.graph.path_docs(self.matching, path, universe)
    }

    /// The documents of `universe` that hold the only term of a query as it was typed; `None` if
    /// the query has several terms or ways to read it.
    pub(super) fn typed_docs(&self, universe: &DocSet, paths: &[Path]) -> Option<DocSet> {
        let [path] = paths else { return None };
        let [step] = path[..] else { return None };
        let (matching, node) = (self.matching, self.graph.node(step.node));
        let mut exact = node
            .derivations
            .iter()
            .filter(|d| d.class == Classes::EXACT);
        let is_plain = matching.is_unrestricted()
            && step.classes.intersects(Classes::EXACT)
            && node.n_ids() == 1
            && exact.all(|derivation| matches!(derivation.form, Form::Word(_)));
        is_plain.then(|| universe.and(&matching.node_docs(step.node, node, Classes::EXACT)))
    }

    /// Weights of attributes by field id; `None` for those that are not searched.
    #[must_use]
    pub fn searchable_weights(&self) -> Vec<Option<u16>> {
        let corpus = self.matching.corpus;
        let searched = self.matching.searched.as_deref();
        let weight = |field: usize| {
            if searched.is_some_and(|mask| !mask[field]) {
                return None;
            }
            let name = corpus.field_name(field as FieldId);
            corpus.settings().searchable_weight(name)
        };
        (0..corpus.n_fields()).map(weight).collect()
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
    /// Where the rule can place documents that do not hold the only term of a query as it was
    /// typed.
    pub untyped: Untyped,
}

/// Where documents can be that do not hold the only term of a query as it was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untyped {
    /// In a better bucket, perhaps.
    Anywhere,
    /// In this bucket, or in one that is less good.
    FromHere,
    /// In a bucket that is less good.
    Behind,
}

impl Untyped {
    /// For a rule that does not ask how words were typed.
    #[must_use]
    pub const fn of(is_best: bool) -> Self {
        if is_best {
            Self::FromHere
        } else {
            Self::Anywhere
        }
    }
}

/// How a rule measures documents.
pub struct MeasuredBy<'r>(pub(super) Box<dyn PathCost + Sync + 'r>);

/// One step of the chain.
pub trait RankingRule {
    /// The name of the step in `performanceDetails`.
    fn name(&self) -> &'static str;
    /// Whether no two documents stay together of which one holds the only term of a query as it
    /// was typed and the other does not.
    fn parts_typed(&self) -> bool {
        false
    }
    /// The values by which the rule puts documents in order, if nothing else matters to it.
    fn sorted_by<'r>(&'r self, context: &'r RankContext<'_>) -> Option<Box<dyn SortColumn + 'r>> {
        let _ = context;
        None
    }
    /// Whether the rule always leaves other interpretations than it is given.
    fn narrows_paths(&self) -> bool {
        false
    }
    /// How the rule measures documents of one interpretation, if measures are all that it needs and it
    /// leaves the interpretation as it is.
    fn by_measures<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        paths: &Paths,
    ) -> Option<MeasuredBy<'r>> {
        let _ = (context, paths);
        None
    }
    /// Whether summaries can be all that the rule needs.
    fn tells_by_summaries(&self) -> bool {
        false
    }
    /// What the rule says of documents by their summaries, for the only step of a query: a cost for
    /// each summary, `None` for documents that are in no bucket. The rule must leave the step as it is
    /// for all of them. `None` if it must look at the documents. What it measures of documents says it,
    /// unless the rule knows better.
    fn costs_of_summaries(
        &self,
        context: &RankContext<'_>,
        paths: &Paths,
        summaries: &Summaries,
        step: Step,
    ) -> Option<Vec<Option<u32>>> {
        let MeasuredBy(rule) = self.by_measures(context, paths)?;
        Some(rule.costs_of_summaries(summaries, step))
    }
    /// What the rule says of documents with a summary, for the only step of a query; `None` if a summary
    /// is not enough to say it.
    fn detail_of_summary(
        &self,
        context: &RankContext<'_>,
        paths: &Paths,
        summary: &Summary,
        step: Step,
    ) -> Option<ScoreDetail> {
        let MeasuredBy(rule) = self.by_measures(context, paths)?;
        let cost = rule.cost_of_summary(summary, step)?;
        Some(rule.detail(cost))
    }
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
    /// The next bucket; `None` after the last one. A bucket is never empty. What comes once the
    /// deadline has ended means nothing: the work for it may have been stopped half done.
    fn next_bucket(&mut self) -> Option<Bucket>;
}
