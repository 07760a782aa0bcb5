//! The measures of documents for some steps of a query, taken once for the rules to come.
//!
//! # Cost
//! Two bytes per measure and four per document, up to a budget; documents beyond it are measured
//! again by each rule.

use std::cell::RefCell;
use std::rc::Rc;

use super::RankContext;
use super::doc_measurer::{DocMeasurer, Measures, Wanted};
use super::reader::distinct_steps;
use crate::docset::{DocId, DocSet, with_later};
use crate::parallel::{MANY_DOCS, in_order, in_parts};
use crate::query::{Path, QueryGraph, Step};

/// Measures kept at the most.
const MAX_MEASURES: usize = 1 << 23;
/// Sets of measured documents that a search keeps at the same time.
const MAX_SETS: usize = 3;

/// A set that was begun for so many times fewer documents than now wanted is begun anew: it is
/// decided then whether measures are remembered over searches.
const MORE: usize = 16;

/// What was measured during a search, the latest last.
#[derive(Default)]
pub struct MeasuredSets(RefCell<Vec<Rc<MeasuredDocs>>>);

/// Documents measured for the same steps.
pub(super) struct MeasuredDocs {
    steps: Vec<Step>,
    wanted: Wanted,
    /// About as many documents as were to be measured at first.
    n_docs: usize,
    state: RefCell<State>,
}

struct State {
    measurer: DocMeasurer,
    /// Documents kept, ascending, and their measures one after the other.
    docs: Vec<DocId>,
    measures: Vec<u16>,
    /// Where the last document was found among those kept.
    last_found: usize,
}

impl MeasuredSets {
    /// What an earlier rule measured, if it covers the steps of `path`.
    pub(super) fn known(&self, path: &[Step]) -> Option<Rc<MeasuredDocs>> {
        let sets = self.0.borrow();
        let mut latest_first = sets.iter().rev();
        latest_first.find(|set| set.covers(path, &[])).cloned()
    }

    /// Measures for the steps of `paths`; `None` if the corpus does not measure, or words do not
    /// say what a step is. About `n_docs` documents are to be measured.
    pub(super) fn of(
        &self,
        context: &RankContext<'_>,
        paths: &[Path],
        n_docs: usize,
    ) -> Option<Rc<MeasuredDocs>> {
        let steps = distinct_steps(paths);
        let pairs = pairs_of(context.graph, paths);
        let mut sets = self.0.borrow_mut();
        let is_enough = |set: &&Rc<MeasuredDocs>| {
            n_docs <= MORE * set.n_docs.max(1) && set.covers(&steps, &pairs)
        };
        if let Some(known) = sets.iter().find(is_enough) {
            return Some(known.clone());
        }
        if context.matching.by_attribute() {
            return None;
        }
        let pairs = pairs
            .iter()
            .filter_map(|(a, b)| Some((place(&steps, a)?, place(&steps, b)?)));
        let wanted = Wanted::new(context, &steps, pairs.collect(), n_docs)?;
        let measurer = wanted.start(context.matching.corpus)?;
        let set = Rc::new(MeasuredDocs {
            steps,
            wanted,
            n_docs,
            state: RefCell::new(State {
                measurer,
                docs: Vec::new(),
                measures: Vec::new(),
                last_found: 0,
            }),
        });
        if sets.len() == MAX_SETS {
            sets.remove(0);
        }
        sets.push(set.clone());
        Some(set)
    }
}

impl MeasuredDocs {
    fn covers(&self, steps: &[Step], pairs: &[(Step, Step)]) -> bool {
        let has = |a, b| match (place(&self.steps, a), place(&self.steps, b)) {
            (Some(a), Some(b)) => self.wanted.has_pair((a, b)),
            _ => false,
        };
        steps.iter().all(|step| self.steps.contains(step)) && pairs.iter().all(|(a, b)| has(a, b))
    }

    /// The place of a step among those measured.
    pub(super) fn index_of(&self, step: &Step) -> Option<usize> {
        place(&self.steps, step)
    }

    /// Measures documents that will be asked for, all of them at once where they are many.
    pub(super) fn prepare(&self, context: &RankContext<'_>, docs: &DocSet) {
        let mut state = self.state.borrow_mut();
        let n_measures = docs.len() * self.wanted.width();
        if docs.len() < MANY_DOCS || n_measures > MAX_MEASURES || !state.docs.is_empty() {
            return;
        }
        let (corpus, wanted) = (context.matching.corpus, &self.wanted);
        let measured = in_parts(docs, &|| context.deadline.is_over(), |parts| {
            let mut measurer = wanted.start(corpus)?;
            let measured = parts.map(|part| {
                let mut measures = Vec::new();
                for (doc, later) in with_later(part.docs) {
                    later.for_each(|later| measurer.expect(later));
                    measures.extend_from_slice(measurer.measure(doc));
                }
                (part.number, measures)
            });
            Some(measured.collect::<Vec<(usize, Vec<u16>)>>())
        });
        let measured =
            measured.and_then(|measured| measured.into_iter().collect::<Option<Vec<_>>>());
        let Some(measured) = measured else { return };
        state.docs = docs.iter().collect();
        state.measures.reserve_exact(n_measures);
        for measures in in_order(measured.into_iter().flatten()) {
            state.measures.extend_from_slice(&measures);
        }
    }

    /// Says that a document will be asked for soon.
    #[inline]
    pub(super) fn expect(&self, doc: DocId) {
        let state = self.state.borrow();
        // Those before the last one kept are most likely kept as well.
        if state.docs.last().is_none_or(|last| *last < doc) {
            state.measurer.expect(doc);
        }
    }

    /// Gives `with` the measures of a document, and keeps them.
    pub(super) fn give<T>(&self, doc: DocId, with: impl FnOnce(&Measures<'_>) -> T) -> T {
        self.give_and_keep(doc, with, |_| true)
    }

    /// Gives `with` the measures of a document, and keeps them if it answers.
    #[inline]
    pub(super) fn give_and_keep_if<T>(
        &self,
        doc: DocId,
        with: impl FnOnce(&Measures<'_>) -> Option<T>,
    ) -> Option<T> {
        self.give_and_keep(doc, with, Option::is_some)
    }

    #[inline]
    fn give_and_keep<T>(
        &self,
        doc: DocId,
        with: impl FnOnce(&Measures<'_>) -> T,
        is_kept: impl FnOnce(&T) -> bool,
    ) -> T {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        if let Some(at) = state.find(doc) {
            let width = self.wanted.width();
            let of = &state.measures[at * width..(at + 1) * width];
            return with(&self.wanted.measures(of));
        }
        let answer = with(&self.wanted.measures(state.measurer.measure(doc)));
        if is_kept(&answer) {
            state.keep(doc);
        }
        answer
    }

    /// What is measured of each document.
    pub(super) const fn wanted(&self) -> &Wanted {
        &self.wanted
    }
}

impl State {
    /// Keeps what was measured last.
    fn keep(&mut self, doc: DocId) {
        let is_next = self.docs.last().is_none_or(|last| *last < doc);
        if is_next && self.measures.len() + self.measurer.latest().len() <= MAX_MEASURES {
            self.docs.push(doc);
            self.measures.extend_from_slice(self.measurer.latest());
        }
    }

    /// Where a document is among those kept. Rules ask in ascending order, so that it is seldom far
    /// behind the one before.
    fn find(&mut self, doc: DocId) -> Option<usize> {
        if self.docs.last().is_none_or(|last| *last < doc) {
            return None;
        }
        let mut from = self.last_found;
        if self.docs[from] > doc {
            from = 0;
        }
        let mut step = 1;
        while from + step < self.docs.len() && self.docs[from + step] < doc {
            from += step;
            step *= 2;
        }
        let to = self.docs.len().min(from + step + 1);
        let at = from + self.docs[from..to].partition_point(|kept| *kept < doc);
        let is_kept = self.docs.get(at) == Some(&doc);
        if is_kept {
            self.last_found = at;
        }
        is_kept.then_some(at)
    }
}

fn place(steps: &[Step], step: &Step) -> Option<usize> {
    steps.iter().position(|other| other == step)
}

/// Whether the second node directly follows the first one in the query.
pub(super) fn are_neighbours(graph: &QueryGraph, a: Step, b: Step) -> bool {
    graph.node(a.node).last.checked_add(1) == Some(graph.node(b.node).first)
}

/// Neighbouring steps of all paths, each pair once.
fn pairs_of(graph: &QueryGraph, paths: &[Path]) -> Vec<(Step, Step)> {
    let mut pairs: Vec<(Step, Step)> = Vec::new();
    for pair in paths.iter().flat_map(|path| path.windows(2)) {
        let (a, b) = (pair[0], pair[1]);
        if are_neighbours(graph, a, b) && !pairs.contains(&(a, b)) {
            pairs.push((a, b));
        }
    }
    pairs
}
