//! Reads one document for a set of path steps: where it has the words of each.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::RankContext;
use crate::docset::{DocId, DocSet};
use crate::query::{
    Classes, FieldId, Form, Occurrence, PhraseIdx, Reach, Scanner, Slot, SlotIdx, Step,
};

/// Where a derivation starts or ends in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Attribute.
    pub field: FieldId,
    /// Position in it.
    pub position: u16,
    /// Counts as near only after the word before it, never before it.
    pub one_way: bool,
}

/// What an occurrence of a slot means.
struct Role {
    step: usize,
    part: Part,
    one_way: bool,
    /// Documents in which the slot counts, if not all.
    only_in: Option<Arc<DocSet>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Start,
    End,
}

/// A scanner for the derivations of some steps.
pub(super) struct Reader<'c> {
    scanner: Box<dyn Scanner + 'c>,
    steps: Vec<Step>,
    roles: Vec<Vec<Role>>,
    occurrences: Vec<Occurrence>,
    starts: Vec<Vec<Place>>,
    ends: Vec<Vec<Place>>,
}

impl<'c> Reader<'c> {
    /// Prepares to read for `steps`.
    pub(super) fn new(context: &'c RankContext<'c>, steps: Vec<Step>) -> Self {
        let mut plan = Plan {
            context,
            slots: Vec::new(),
            ids: FxHashMap::default(),
            roles: Vec::new(),
        };
        for (at, step) in steps.iter().enumerate() {
            plan.add(at, *step);
        }
        let n = steps.len();
        Self {
            scanner: context.matching.corpus.scanner(&plan.slots),
            steps,
            roles: plan.roles,
            occurrences: Vec::new(),
            starts: vec![Vec::new(); n],
            ends: vec![Vec::new(); n],
        }
    }

    /// The place of a step among those of the reader.
    pub(super) fn index_of(&self, step: &Step) -> Option<usize> {
        self.steps.iter().position(|other| other == step)
    }

    /// Reads a part of a document; the places of the previous one are forgotten.
    pub(super) fn read(&mut self, doc: DocId, reach: Reach<'_>) {
        self.starts
            .iter_mut()
            .chain(&mut self.ends)
            .for_each(Vec::clear);
        self.scanner
            .occurrences_within(doc, reach, &mut self.occurrences);
        if !self
            .occurrences
            .is_sorted_by_key(|seen| (seen.field, seen.position))
        {
            self.occurrences
                .sort_by_key(|seen| (seen.field, seen.position));
        }
        for seen in &self.occurrences {
            for role in &self.roles[usize::from(seen.slot)] {
                if role
                    .only_in
                    .as_ref()
                    .is_some_and(|docs| !docs.contains(doc))
                {
                    continue;
                }
                let place = Place {
                    field: seen.field,
                    position: seen.position,
                    one_way: role.one_way,
                };
                if role.part != Part::End {
                    self.starts[role.step].push(place);
                }
                if role.part != Part::Start {
                    self.ends[role.step].push(place);
                }
            }
        }
    }

    /// Where the derivations of the step start, by attribute and position.
    pub(super) fn starts(&self, step: usize) -> &[Place] {
        &self.starts[step]
    }

    /// Where the derivations of the step end, by attribute and position.
    pub(super) fn ends(&self, step: usize) -> &[Place] {
        &self.ends[step]
    }
}

struct Plan<'c> {
    context: &'c RankContext<'c>,
    slots: Vec<Slot>,
    ids: FxHashMap<SlotIdx, usize>,
    roles: Vec<Vec<Role>>,
}

impl Plan<'_> {
    fn add(&mut self, at: usize, step: Step) {
        let node = self.context.graph.node(step.node);
        for derivation in &node.derivations {
            if !derivation.class.intersects(step.classes) {
                continue;
            }
            let whole = |one_way| Role {
                step: at,
                part: Part::Whole,
                one_way,
                only_in: None,
            };
            match derivation.form {
                Form::Word(slot) => self.role(slot, whole(false)),
                Form::Prefix { slot, is_short } => self.role(slot, whole(is_short)),
                Form::Phrase(phrase) => self.add_phrase(at, phrase),
            }
        }
    }

    /// A phrase starts at its first word, whatever is before it; it has no end if a hole is
    /// behind its last word.
    fn add_phrase(&mut self, at: usize, phrase: PhraseIdx) {
        let matching = self.context.matching;
        let slots = matching.phrase_slots(phrase);
        let docs = matching.form_docs(Form::Phrase(phrase), false);
        let is_partial = slots.len() > 1 || matching.searched.is_some();
        let role = |part| Role {
            step: at,
            part,
            one_way: true,
            only_in: is_partial.then(|| docs.clone()),
        };
        if let [Some(only)] = slots[..] {
            self.role(only, role(Part::Whole));
            return;
        }
        if let Some(first) = slots.iter().flatten().next() {
            self.role(*first, role(Part::Start));
        }
        if let Some(Some(last)) = slots.last() {
            self.role(*last, role(Part::End));
        }
    }

    fn role(&mut self, slot: SlotIdx, role: Role) {
        let id = *self.ids.entry(slot).or_insert_with(|| {
            self.slots
                .push(self.context.matching.slots[usize::from(slot)].clone());
            self.roles.push(Vec::new());
            self.slots.len() - 1
        });
        self.roles[id].push(role);
    }
}

/// Steps of all paths, each once.
pub(super) fn distinct_steps(paths: &[Vec<Step>]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for step in paths.iter().flatten() {
        if step.classes != Classes::NONE && !steps.contains(step) {
            steps.push(*step);
        }
    }
    steps
}
