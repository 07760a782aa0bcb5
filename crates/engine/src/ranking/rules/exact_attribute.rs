//! The first half of `exactness`: an attribute that is the query, then one that starts with it.
//!
//! Only terms that can match as typed are looked at, from the first term of the query on without a
//! gap. Each of their words must stand, in some attribute, where it stands in the query; then an
//! attribute that holds them all decides. Both looks are independent, as in the reference engine.

use super::exact_look::{Look, Wanted, can_be_exact};
use crate::docset::{DocId, DocSet, with_later};
use crate::query::{Paths, Step, Summaries, Summary, TypedPlace, bucketed};
use crate::ranking::by_document::OneBucket;
use crate::ranking::{Bucket, Buckets, MatchType, RankContext, RankingRule, ScoreDetail, Untyped};

/// Tells exact attributes from those that start with the query, and from the rest.
pub(in crate::ranking) struct ExactAttributeRule;

impl RankingRule for ExactAttributeRule {
    fn name(&self) -> &'static str {
        "exact attribute"
    }

    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let Some(wanted) = Wanted::new(context, paths) else {
            let detail = ScoreDetail::ExactAttribute(MatchType::NoExactMatch);
            return Box::new(OneBucket::new(universe, paths.clone(), detail));
        };
        let mut found: [Vec<DocId>; 3] = Default::default();
        if let Some((summaries, _)) = context.summaries(universe, paths, true) {
            let kinds = summaries.kinds();
            summaries.for_each(universe, |doc, code| {
                found[match_kind(&kinds[code])].push(doc);
            });
        } else {
            let mut candidates = universe.clone();
            for word in &wanted.words {
                candidates = candidates.and(&context.matching.corpus.word_docs(&word.text));
            }
            if let Some(in_place) = docs_in_place(context, &candidates, paths) {
                candidates = in_place;
            }
            let [exact, starting] = match candidates.is_empty() {
                true => Default::default(),
                false => Look::new(context, &wanted).at_all(context, &candidates),
            };
            let others = universe.and_not(&exact).and_not(&starting);
            found = [exact, starting, others].map(|docs| docs.iter().collect());
        }
        let buckets: Vec<Bucket> = MATCH_TYPES
            .into_iter()
            .zip(found)
            .filter(|(_, docs)| !docs.is_empty())
            .map(|(kind, docs)| Bucket {
                docs: DocSet::from_sorted(docs),
                paths: paths.clone(),
                detail: ScoreDetail::ExactAttribute(kind),
                is_best: kind == MatchType::ExactMatch,
                untyped: match kind {
                    MatchType::NoExactMatch => Untyped::FromHere,
                    _ => Untyped::Behind,
                },
            })
            .collect();
        Box::new(Listed(buckets.into_iter()))
    }

    fn tells_by_summaries(&self) -> bool {
        true
    }

    fn costs_of_summaries(
        &self,
        context: &RankContext<'_>,
        paths: &Paths,
        summaries: &Summaries,
        _step: Step,
    ) -> Option<Vec<Option<u32>>> {
        let can_be_exact = Wanted::new(context, paths).is_some();
        let cost = |kind| {
            Some(if can_be_exact {
                match_kind(kind) as u32
            } else {
                0
            })
        };
        Some(summaries.kinds().iter().map(cost).collect())
    }

    fn detail_of_summary(
        &self,
        _context: &RankContext<'_>,
        _paths: &Paths,
        summary: &Summary,
        _step: Step,
    ) -> Option<ScoreDetail> {
        Some(ScoreDetail::ExactAttribute(
            MATCH_TYPES[match_kind(summary)],
        ))
    }
}

/// What the rule says of the documents of each bucket.
const MATCH_TYPES: [MatchType; 3] = [
    MatchType::ExactMatch,
    MatchType::MatchesStart,
    MatchType::NoExactMatch,
];

/// The place of a summary among the buckets.
const fn match_kind(summary: &Summary) -> usize {
    match summary.typed {
        TypedPlace::Alone => 0,
        TypedPlace::First => 1,
        TypedPlace::Elsewhere => 2,
    }
}

/// The documents of `candidates` in which every term that can match as typed may stand where the query has it, by what
/// earlier rules measured; `None` if that says nothing.
fn docs_in_place(context: &RankContext<'_>, candidates: &DocSet, paths: &Paths) -> Option<DocSet> {
    let [path] = &paths[..] else { return None };
    let measured = context.measured.known(path)?;
    let is_exact_place = |at: u16| bucketed(at) == at;
    let mut steps = Vec::new();
    for step in path {
        let node = context.graph.node(step.node);
        if !is_exact_place(node.first) {
            return None;
        }
        if can_be_exact(node, step) {
            steps.push(measured.index_of(step)?);
        }
    }
    measured.prepare(context, candidates);
    let stands = |doc: &DocId| {
        measured.give(*doc, |measures| {
            steps.iter().all(|step| measures.distance(*step) == Some(0))
        })
    };
    let docs = with_later(candidates.iter()).map(|(doc, later)| {
        later.for_each(|later| measured.expect(later));
        doc
    });
    let in_place = docs.filter(stands).collect();
    Some(DocSet::from_sorted(in_place))
}

struct Listed(std::vec::IntoIter<Bucket>);

impl Buckets for Listed {
    fn next_bucket(&mut self) -> Option<Bucket> {
        self.0.next()
    }
}
