//! What rules measure of documents for some steps of a query.

use super::RankContext;
use crate::docset::DocId;
use crate::query::{
    Classes, Corpus, FAR, Form, MeasurePlan, MeasuredPair, MeasuredTerm, Measurer, NOWHERE,
    SlotIdx, Step,
};

/// What is measured of each document; any thread can do it.
pub(super) struct Wanted {
    plan: MeasurePlan,
    /// Neighbours among the steps.
    pairs: Vec<(usize, usize)>,
}

/// Measures one document after the other.
pub(super) struct DocMeasurer {
    measurer: Box<dyn Measurer>,
    latest: Vec<u16>,
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
        pair.map_or(u32::from(FAR), |pair| {
            u32::from(self.of[self.first_cost + pair])
        })
    }
}

impl Wanted {
    /// For steps and neighbours among them, given by their places; about `n_docs` documents are to be
    /// measured. `None` if words do not say what a step is.
    pub(super) fn new(
        context: &RankContext<'_>,
        steps: &[Step],
        pairs: Vec<(usize, usize)>,
        n_docs: usize,
    ) -> Option<Self> {
        let plan = plan(context, steps, &pairs, n_docs)?;
        Some(Self { plan, pairs })
    }

    /// How many numbers are measured of a document.
    pub(super) const fn width(&self) -> usize {
        self.plan.width()
    }

    /// Whether it is measured how near these steps come to each other.
    pub(super) fn has_pair(&self, pair: (usize, usize)) -> bool {
        self.pairs.contains(&pair)
    }

    /// What is measured of a document, by its numbers.
    pub(super) fn measures<'m>(&'m self, of: &'m [u16]) -> Measures<'m> {
        Measures {
            of,
            pairs: &self.pairs,
            first_cost: self.plan.pair_at(0),
        }
    }

    /// Prepares to measure documents; `None` if the corpus does not measure.
    pub(super) fn start(&self, corpus: &dyn Corpus) -> Option<DocMeasurer> {
        Some(DocMeasurer {
            measurer: corpus.measurer(self.plan.clone())?,
            latest: vec![0; self.width()],
        })
    }
}

impl DocMeasurer {
    /// Says that a document will be asked for soon.
    #[inline]
    pub(super) fn expect(&self, doc: DocId) {
        self.measurer.expect(doc);
    }

    /// The numbers of a document.
    #[inline]
    pub(super) fn measure(&mut self, doc: DocId) -> &[u16] {
        self.measurer.measure(doc, &mut self.latest);
        &self.latest
    }

    /// Those of the document that was measured last.
    pub(super) fn latest(&self) -> &[u16] {
        &self.latest
    }
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
