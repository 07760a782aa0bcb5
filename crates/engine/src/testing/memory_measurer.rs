//! Measures of the documents of a [`super::memory_corpus::MemoryCorpus`], word by word.

use std::collections::BTreeMap;

use super::memory_corpus::Words;
use crate::docset::DocId;
use crate::query::{FAR, FieldId, MeasurePlan, Measurer, NOWHERE, Slot, bucketed};

/// Measures by going through every word, and every pair of words.
pub(super) struct MemoryMeasurer {
    words: Vec<BTreeMap<FieldId, Words>>,
    plan: MeasurePlan,
}

impl MemoryMeasurer {
    pub(super) fn new(words: &[BTreeMap<FieldId, Words>], plan: MeasurePlan) -> Self {
        Self {
            words: words.to_vec(),
            plan,
        }
    }

    /// Attribute and position of every word of some slots in a document.
    fn places(&self, doc: DocId, slots: &[Slot]) -> Vec<(FieldId, u16)> {
        let is_wanted = |word: &str| {
            slots.iter().any(|slot| match slot {
                Slot::Word(wanted) => word == wanted,
                Slot::Prefix(prefix) => word.starts_with(prefix),
            })
        };
        let fields = self.words[doc as usize].iter();
        fields
            .flat_map(|(field, words)| words.iter().map(move |(at, word)| (*field, *at, word)))
            .filter(|(_, _, word)| is_wanted(word))
            .map(|(field, at, _)| (field, at))
            .collect()
    }
}

impl Measurer for MemoryMeasurer {
    fn measure(&mut self, doc: DocId, out: &mut [u16]) {
        let weight_of = |field: FieldId| match &self.plan.weights {
            Some(weights) => weights[usize::from(field)],
            None => NOWHERE,
        };
        for (at, term) in self.plan.terms.iter().enumerate() {
            let mut places = self.places(doc, &term.slots);
            places.extend(self.places(doc, &term.one_way));
            let weight = places.iter().map(|(field, _)| weight_of(*field));
            let distance = places
                .iter()
                .map(|(_, at)| bucketed(*at).abs_diff(term.wanted));
            out[2 * at] = weight.min().unwrap_or(NOWHERE);
            out[2 * at + 1] = distance.min().unwrap_or(NOWHERE);
        }
        for (at, pair) in self.plan.pairs.iter().enumerate() {
            let (a, b) = (&self.plan.terms[pair.first], &self.plan.terms[pair.second]);
            let mut least = FAR;
            for (one_way_a, slots_a) in [(false, &a.slots), (true, &a.one_way)] {
                for (one_way_b, slots_b) in [(false, &b.slots), (true, &b.one_way)] {
                    for (field_a, at_a) in self.places(doc, slots_a) {
                        for (field_b, at_b) in self.places(doc, slots_b) {
                            let is_backwards = at_b <= at_a;
                            let is_far = field_a != field_b
                                || at_a == at_b
                                || is_backwards && (one_way_a || one_way_b);
                            let cost = at_a.abs_diff(at_b) - u16::from(!is_backwards);
                            least = least.min(if is_far { FAR } else { cost });
                        }
                    }
                }
            }
            out[self.plan.pair_at(at)] = least;
        }
    }
}
