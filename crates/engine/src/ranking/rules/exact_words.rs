//! The second half of `exactness`: documents that have more words exactly as typed come first.

use std::collections::BTreeMap;
use std::collections::btree_map::IntoIter;
use std::rc::Rc;
use std::sync::Arc;

use super::exact_look::can_be_exact;
use crate::docset::{DocId, DocSet};
use crate::query::{Classes, Path, Paths, Step, Summaries, Summary};
use crate::ranking::{Bucket, Buckets, RankContext, RankingRule, ScoreDetail, Untyped};

/// Counts terms that are not matched as typed.
pub(in crate::ranking) struct ExactWordsRule;

impl RankingRule for ExactWordsRule {
    fn name(&self) -> &'static str {
        "exact words"
    }

    fn parts_typed(&self) -> bool {
        true
    }

    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let max = context.n_ids(paths);
        if let [path] = &paths[..]
            && path.len() <= FEW_TERMS
        {
            let docs = context.path_docs(path, universe);
            return Box::new(parted(&terms(context, path), docs, paths, max));
        }
        let mut by_cost: BTreeMap<u32, Vec<(DocId, Choice)>> = BTreeMap::new();
        let members: Vec<DocSet> = paths
            .iter()
            .take_while(|_| !context.deadline.poll())
            .map(|path| context.path_docs(path, universe))
            .collect();
        let terms: Vec<Vec<Term>> = paths.iter().map(|path| terms(context, path)).collect();
        for doc in universe {
            if context.deadline.poll() {
                break;
            }
            let candidates = terms
                .iter()
                .enumerate()
                .filter(|(at, _)| members.get(*at).is_some_and(|docs| docs.contains(doc)));
            let best = candidates
                .map(|(at, terms)| {
                    let (cost, exact) = measure(terms, doc);
                    (cost, Choice { path: at, exact })
                })
                .min_by_key(|(cost, _)| *cost);
            if let Some((cost, choice)) = best {
                by_cost.entry(cost).or_default().push((doc, choice));
            }
        }
        let by_cost: BTreeMap<u32, Group> = by_cost
            .into_iter()
            .map(|(cost, measured)| (cost, Group::new(&measured)))
            .collect();
        Box::new(ExactWordsBuckets {
            paths: paths.clone(),
            max,
            by_cost: by_cost.into_iter(),
        })
    }

    fn tells_by_summaries(&self) -> bool {
        true
    }

    fn costs_of_summaries(
        &self,
        context: &RankContext<'_>,
        _paths: &Paths,
        summaries: &Summaries,
        step: Step,
    ) -> Option<Vec<Option<u32>>> {
        is_exact_throughout(context, step).then(|| vec![Some(0); summaries.kinds().len()])
    }

    fn detail_of_summary(
        &self,
        context: &RankContext<'_>,
        paths: &Paths,
        _summary: &Summary,
        step: Step,
    ) -> Option<ScoreDetail> {
        let max = context.n_ids(paths);
        let is_exact = can_be_exact(context.graph.node(step.node), &step);
        Some(ScoreDetail::ExactWords {
            matching: if is_exact { max } else { 0 },
            max,
        })
    }
}

/// Whether documents match a step either all as typed or none of them.
fn is_exact_throughout(context: &RankContext<'_>, step: Step) -> bool {
    let node = context.graph.node(step.node);
    let mut derivations = node.derivations.iter();
    let mut is_exact = derivations
        .by_ref()
        .filter(|d| d.class.intersects(step.classes))
        .map(|d| d.class == Classes::EXACT);
    let first = is_exact.next();
    node.is_ngram() || is_exact.all(|is_exact| Some(is_exact) == first)
}

/// Terms of a single path up to which documents are parted term by term.
const FEW_TERMS: usize = 3;

/// The buckets of a single path, by sets alone.
fn parted(terms: &[Term], docs: DocSet, paths: &Paths, max: u32) -> ExactWordsBuckets {
    let mut parts = vec![(0, 0, docs)];
    for (at, term) in terms.iter().enumerate() {
        let mut next = Vec::with_capacity(2 * parts.len());
        for (cost, exact, docs) in parts {
            let matching = term.exact.as_ref().map(|exact| docs.and(exact));
            let matching = matching.filter(|matching| !matching.is_empty());
            let others = matching
                .as_ref()
                .map_or_else(|| docs.clone(), |m| docs.and_not(m));
            if let Some(matching) = matching {
                next.push((cost, exact | 1 << at, matching));
            }
            if !others.is_empty() {
                next.push((cost + term.n_ids, exact, others));
            }
        }
        parts = next;
    }
    let mut by_cost: BTreeMap<u32, Group> = BTreeMap::new();
    for (cost, exact, docs) in parts {
        let group = by_cost.entry(cost).or_default();
        group.choices.push(Choice { path: 0, exact });
        group.docs = group.docs.or(&docs);
    }
    for group in by_cost.values_mut() {
        group.choices.sort_unstable();
    }
    ExactWordsBuckets {
        paths: paths.clone(),
        max,
        by_cost: by_cost.into_iter(),
    }
}

/// Documents of one bucket, and what their terms are matched by.
#[derive(Default)]
struct Group {
    docs: DocSet,
    choices: Vec<Choice>,
}

impl Group {
    fn new(measured: &[(DocId, Choice)]) -> Self {
        let mut choices: Vec<Choice> = measured.iter().map(|(_, choice)| *choice).collect();
        choices.sort_unstable();
        choices.dedup();
        let docs = measured.iter().map(|(doc, _)| *doc).collect();
        Self {
            docs: DocSet::from_sorted(docs),
            choices,
        }
    }
}

/// A path, and the steps on it (as bits) that are matched as typed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    path: usize,
    exact: u16,
}

/// One step of a path.
struct Term {
    n_ids: u32,
    /// Documents that match it as typed; `None` if none can.
    exact: Option<Arc<DocSet>>,
}

fn terms(context: &RankContext<'_>, path: &Path) -> Vec<Term> {
    let term = |step: &Step| {
        let node = context.graph.node(step.node);
        let classes = step.classes & Classes::EXACT;
        let can_be_exact = !classes.is_empty() && !node.is_ngram();
        Term {
            n_ids: node.n_ids(),
            exact: can_be_exact.then(|| context.matching.node_docs(step.node, node, classes)),
        }
    };
    path.iter().map(term).collect()
}

fn measure(terms: &[Term], doc: DocId) -> (u32, u16) {
    let (mut cost, mut exact) = (0, 0);
    for (at, term) in terms.iter().enumerate() {
        if term.exact.as_ref().is_some_and(|docs| docs.contains(doc)) {
            exact |= 1 << at;
        } else {
            cost += term.n_ids;
        }
    }
    (cost, exact)
}

struct ExactWordsBuckets {
    paths: Paths,
    max: u32,
    by_cost: IntoIter<u32, Group>,
}

impl Buckets for ExactWordsBuckets {
    fn next_bucket(&mut self) -> Option<Bucket> {
        let (cost, group) = self.by_cost.next()?;
        let paths = group
            .choices
            .into_iter()
            .map(|choice| self.reduced(choice))
            .collect();
        let detail = ScoreDetail::ExactWords {
            matching: self.max - cost,
            max: self.max,
        };
        Some(Bucket {
            docs: group.docs,
            paths: Rc::new(paths),
            detail,
            is_best: cost == 0,
            untyped: if cost < self.max {
                Untyped::Behind
            } else {
                Untyped::FromHere
            },
        })
    }
}

impl ExactWordsBuckets {
    fn reduced(&self, choice: Choice) -> Path {
        let mut path = self.paths[choice.path].clone();
        for (at, step) in path.iter_mut().enumerate() {
            if choice.exact >> at & 1 == 1 {
                step.classes = Classes::EXACT;
            }
        }
        path
    }
}
