//! Reads one document for a set of path steps: where it has the words of each.

use std::sync::Arc;

use super::{DocWords, RankContext};
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

/// Reads documents for the derivations of some steps.
pub(super) struct Reader<'c> {
    /// What other rules have read.
    words: &'c DocWords,
    /// Looks for every slot of the query, so that other rules can use what it finds.
    whole: Box<dyn Scanner + 'c>,
    part: Box<dyn Scanner + 'c>,
    /// What is looked for in parts of documents, as slots of the query.
    slots: Vec<SlotIdx>,
    steps: Vec<Step>,
    /// By slot of the query.
    roles: Vec<Vec<Role>>,
    occurrences: Vec<Occurrence>,
    places: Places,
}

/// Where the steps start and end in one document.
struct Places {
    starts: Vec<Vec<Place>>,
    ends: Vec<Vec<Place>>,
}

impl<'c> Reader<'c> {
    /// Prepares to read for `steps`.
    pub(super) fn new(context: &'c RankContext<'c>, steps: Vec<Step>) -> Self {
        let mut plan = Plan {
            context,
            roles: Vec::new(),
        };
        let n_slots = context.matching.slots.len();
        plan.roles.resize_with(n_slots, Vec::new);
        for (at, step) in steps.iter().enumerate() {
            plan.add(at, *step);
        }
        let n = steps.len();
        let roles = plan.roles;
        let slots: Vec<SlotIdx> = (0..n_slots)
            .filter(|slot| !roles[*slot].is_empty())
            .map(|slot| slot as SlotIdx)
            .collect();
        let wanted: Vec<Slot> = slots
            .iter()
            .map(|slot| context.matching.slots[usize::from(*slot)].clone())
            .collect();
        Self {
            words: &context.words,
            whole: context.matching.corpus.scanner(&context.matching.slots),
            part: context.matching.corpus.scanner(&wanted),
            slots,
            steps,
            roles,
            occurrences: Vec::new(),
            places: Places {
                starts: vec![Vec::new(); n],
                ends: vec![Vec::new(); n],
            },
        }
    }

    /// The place of a step among those of the reader.
    pub(super) fn index_of(&self, step: &Step) -> Option<usize> {
        self.steps.iter().position(|other| other == step)
    }

    /// Reads a part of a document at least, and says whether it was the whole one; the places of
    /// the previous one are forgotten.
    pub(super) fn read(&mut self, doc: DocId, reach: Reach<'_>) -> bool {
        self.places.clear();
        let (places, roles) = (&mut self.places, &self.roles);
        let add_all = |places: &mut Places, occurrences: &[Occurrence]| {
            for seen in occurrences {
                places.add(doc, seen, &roles[usize::from(seen.slot)]);
            }
        };
        if self.words.give(doc, |known| add_all(places, known)) {
            return true;
        }
        if reach.is_all() && self.words.is_kept() {
            self.whole.occurrences(doc, &mut self.occurrences);
            self.words.keep(doc, &self.occurrences);
            add_all(places, &self.occurrences);
            return true;
        }
        self.part
            .occurrences_within(doc, reach, &mut self.occurrences);
        for seen in &self.occurrences {
            let slot = self.slots[usize::from(seen.slot)];
            self.places.add(doc, seen, &self.roles[usize::from(slot)]);
        }
        reach.is_all()
    }

    /// Where the derivations of the step start, by attribute and position.
    pub(super) fn starts(&self, step: usize) -> &[Place] {
        &self.places.starts[step]
    }

    /// Where the derivations of the step end, by attribute and position.
    pub(super) fn ends(&self, step: usize) -> &[Place] {
        &self.places.ends[step]
    }
}

impl Places {
    fn clear(&mut self) {
        let (starts, ends) = (self.starts.iter_mut(), self.ends.iter_mut());
        starts.chain(ends).for_each(Vec::clear);
    }

    fn add(&mut self, doc: DocId, seen: &Occurrence, roles: &[Role]) {
        for role in roles {
            let counts_in = |docs: &Arc<DocSet>| docs.contains(doc);
            if !role.only_in.as_ref().is_none_or(counts_in) {
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

struct Plan<'c> {
    context: &'c RankContext<'c>,
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
        self.roles[usize::from(slot)].push(role);
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
