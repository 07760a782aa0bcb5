//! The measures of documents for some steps of a query, taken once for the rules to come.
//!
//! # Cost
//! Two bytes per measure and four per document, up to a budget; documents beyond it are measured
//! again by each rule.

use std::cell::RefCell;
use std::rc::Rc;

use super::RankContext;
use super::reader::distinct_steps;
use crate::docset::DocId;
use crate::query::{
    Classes, Form, MeasurePlan, MeasuredPair, MeasuredTerm, Measurer, NOWHERE, Path, QueryGraph,
    SlotIdx, Step,
};

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
    pairs: Vec<(usize, usize)>,
    width: usize,
    /// Where the costs of pairs start among the measures.
    first_cost: usize,
    /// About as many documents as were to be measured at first.
    n_docs: usize,
    state: RefCell<State>,
}

struct State {
    measurer: Box<dyn Measurer>,
    /// Documents kept, ascending, and their measures one after the other.
    docs: Vec<DocId>,
    measures: Vec<u16>,
    /// Where the last document was found among those kept.
    last_found: usize,
    current: Vec<u16>,
}

/// The measures of one document.
pub(super) struct Measures<'m> {
    of: &'m [u16],
    pairs: &'m [(usize, usize)],
    first_cost: usize,
}

impl Measures<'_> {
    /// The least weight of an attribute that has the step; `None` if none has.
    #[inline]
    pub(super) fn weight(&self, step: usize) -> Option<u16> {
        Some(self.of[2 * step]).filter(|weight| *weight != NOWHERE)
    }

    /// How far the step stands from its place in the query at least; `None` if it is not there.
    #[inline]
    pub(super) fn distance(&self, step: usize) -> Option<u16> {
        Some(self.of[2 * step + 1]).filter(|distance| *distance != NOWHERE)
    }

    /// What it costs that the second step does not stand directly behind the first.
    #[inline]
    pub(super) fn pair_cost(&self, first: usize, second: usize) -> u32 {
        let pair = self.pairs.iter().position(|p| *p == (first, second));
        pair.map_or(u32::from(crate::query::FAR), |pair| {
            u32::from(self.of[self.first_cost + pair])
        })
    }
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
        let pairs: Vec<(usize, usize)> = pairs
            .iter()
            .filter_map(|(a, b)| Some((place(&steps, a)?, place(&steps, b)?)))
            .collect();
        let plan = plan(context, &steps, &pairs, n_docs)?;
        let (width, first_cost) = (plan.width(), plan.pair_at(0));
        let measurer = context.matching.corpus.measurer(plan)?;
        let set = Rc::new(MeasuredDocs {
            steps,
            pairs,
            width,
            first_cost,
            n_docs,
            state: RefCell::new(State {
                measurer,
                docs: Vec::new(),
                measures: Vec::new(),
                last_found: 0,
                current: vec![0; width],
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
            (Some(a), Some(b)) => self.pairs.contains(&(a, b)),
            _ => false,
        };
        steps.iter().all(|step| self.steps.contains(step)) && pairs.iter().all(|(a, b)| has(a, b))
    }

    /// The place of a step among those measured.
    pub(super) fn index_of(&self, step: &Step) -> Option<usize> {
        place(&self.steps, step)
    }

    /// Says that a document will be asked for soon.
    #[inline]
    pub(super) fn expect(&self, doc: DocId) {
        self.state.borrow().measurer.expect(doc);
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
            let of = &state.measures[at * self.width..(at + 1) * self.width];
            return with(&self.measures(of));
        }
        state.measure(doc);
        let answer = with(&self.measures(&state.current));
        if is_kept(&answer) {
            state.keep(doc);
        }
        answer
    }

    fn measures<'m>(&'m self, of: &'m [u16]) -> Measures<'m> {
        Measures {
            of,
            pairs: &self.pairs,
            first_cost: self.first_cost,
        }
    }
}

impl State {
    fn measure(&mut self, doc: DocId) {
        self.measurer.measure(doc, &mut self.current);
    }

    /// Keeps what was measured last.
    fn keep(&mut self, doc: DocId) {
        let is_next = self.docs.last().is_none_or(|last| *last < doc);
        if is_next && self.measures.len() + self.current.len() <= MAX_MEASURES {
            self.docs.push(doc);
            self.measures.extend_from_slice(&self.current);
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

/// What to measure for steps and neighbours among them. Terms are the starts of all steps, and
/// behind them the ends of those that end with other words.
fn plan(
    context: &RankContext<'_>,
    steps: &[Step],
    pairs: &[(usize, usize)],
    n_docs: usize,
) -> Option<MeasurePlan> {
    let mut terms = Vec::with_capacity(steps.len());
    let mut ends = Vec::new();
    for step in steps {
        let (start, end) = term_of(context, *step)?;
        terms.push(start);
        ends.push(end);
    }
    let mut end_of = Vec::with_capacity(steps.len());
    for (at, end) in ends.into_iter().enumerate() {
        end_of.push(if end.is_some() { terms.len() } else { at });
        terms.extend(end);
    }
    let pairs = pairs.iter().map(|(first, second)| MeasuredPair {
        first: end_of[*first],
        second: *second,
        enough: 0,
    });
    Some(MeasurePlan {
        terms,
        pairs: pairs.collect(),
        weights: Some(weights(context)),
        n_docs,
    })
}

/// The words of a step, and those that it ends with where these are others; `None` if a phrase is
/// one of several ways to match it.
fn term_of(context: &RankContext<'_>, step: Step) -> Option<(MeasuredTerm, Option<MeasuredTerm>)> {
    let node = context.graph.node(step.node);
    let mut term = MeasuredTerm {
        wanted: node.first,
        ..MeasuredTerm::default()
    };
    let slot = |slot: SlotIdx| context.matching.slots[usize::from(slot)].clone();
    let derivations = node.derivations.iter();
    let mut derivations = derivations
        .filter(|d| d.class.intersects(step.classes))
        .peekable();
    while let Some(derivation) = derivations.next() {
        match derivation.form {
            Form::Word(word) => term.slots.push(slot(word)),
            Form::Prefix {
                slot: prefix,
                is_short: false,
            } => term.slots.push(slot(prefix)),
            Form::Prefix { slot: prefix, .. } => term.one_way.push(slot(prefix)),
            Form::Phrase(phrase) => {
                let is_only = term.slots.is_empty() && term.one_way.is_empty();
                let is_only = is_only && derivations.peek().is_none();
                let places = context.matching.phrase_slots(phrase);
                return is_only.then(|| phrase_term(context, term.wanted, &places))?;
            }
        }
    }
    (step.classes != Classes::NONE).then_some((term, None))
}

/// The first word of a phrase, and the last one: no word if the phrase ends with a hole. Every
/// document measured has the phrase. `None` if it starts with a hole.
fn phrase_term(
    context: &RankContext<'_>,
    wanted: u16,
    places: &[Option<SlotIdx>],
) -> Option<(MeasuredTerm, Option<MeasuredTerm>)> {
    let term = |place: Option<SlotIdx>| MeasuredTerm {
        one_way: Vec::from_iter(
            place.map(|slot| context.matching.slots[usize::from(slot)].clone()),
        ),
        wanted,
        ..MeasuredTerm::default()
    };
    let (first, last) = (*places.first()?, *places.last()?);
    let start = term(Some(first?));
    Some((start, (places.len() > 1).then(|| term(last))))
}

/// Weights of attributes by field id, as [`MeasurePlan`] takes them.
fn weights(context: &RankContext<'_>) -> Vec<u16> {
    let weights = context.searchable_weights().into_iter();
    weights.map(|weight| weight.unwrap_or(NOWHERE)).collect()
}
