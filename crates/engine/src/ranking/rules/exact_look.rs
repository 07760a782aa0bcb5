//! Looks at documents for an attribute that is the query, or starts with it.

use crate::docset::{DocId, DocSet, with_later};
use crate::parallel::{MANY_DOCS, in_parts};
use crate::query::{
    Classes, Corpus, FieldId, Form, Node, Occurrence, Paths, Reach, Scanner, Slot, SlotIdx, Step,
    TypedMatch, TypedText, TypedTextReader, bucketed,
};
use crate::ranking::RankContext;

/// Longest attribute, in words, whose length is known to this rule.
const MAX_COUNTED_WORDS: u32 = 30;

pub(super) struct WantedWord {
    pub(super) text: String,
    position: u16,
}

/// The words of the query that can match as typed.
pub(super) struct Wanted {
    pub(super) words: Vec<WantedWord>,
    /// Positions of the query that they span.
    length: u32,
}

impl Wanted {
    /// `None` if no attribute can be the query.
    pub(super) fn new(context: &RankContext<'_>, paths: &Paths) -> Option<Self> {
        let graph = context.graph;
        let mut by_id = std::collections::BTreeMap::new();
        for step in paths.iter().flatten() {
            let node = graph.node(step.node);
            if can_be_exact(node, step) {
                by_id.entry(*node.ids.start()).or_insert(node);
            }
        }
        let is_gapless = by_id
            .keys()
            .enumerate()
            .all(|(at, id)| at == usize::from(*id));
        if by_id.is_empty() || !is_gapless {
            return None;
        }
        let mut wanted = Self {
            words: Vec::new(),
            length: 0,
        };
        for node in by_id.values() {
            wanted.length += u32::from(node.last - node.first) + 1;
            let exact = node
                .derivations
                .iter()
                .find(|d| d.class == Classes::EXACT)?;
            if let Form::Phrase(phrase) = exact.form {
                let placed = context.matching.phrase_at(phrase).placed();
                wanted.words.extend(placed.map(|(offset, word)| WantedWord {
                    text: word.to_owned(),
                    position: bucketed(node.first.saturating_add(offset as u16)),
                }));
            } else {
                let (text, position) = (node.text.clone(), bucketed(node.first));
                wanted.words.push(WantedWord { text, position });
            }
        }
        Some(wanted)
    }
}

/// Whether documents can match the step as it was typed.
pub(super) fn can_be_exact(node: &Node, step: &Step) -> bool {
    let mut derivations = node.derivations.iter();
    step.classes.intersects(Classes::EXACT)
        && !node.is_ngram()
        && derivations.any(|derivation| derivation.class == Classes::EXACT)
}

/// What is looked for in documents, by any thread.
pub(super) struct Look<'r> {
    corpus: &'r dyn Corpus,
    text: TypedText,
}

/// Looks at one document after the other.
enum Judge<'r> {
    /// By the starts of attributes.
    Starts(Box<dyn TypedTextReader + 'r>),
    /// By all occurrences, where the corpus cannot do that.
    Occurrences(OccurrenceJudge<'r>),
}

struct OccurrenceJudge<'r> {
    text: &'r TypedText,
    /// Which of the words that the scanner looks for each word of the text is.
    slots: Vec<SlotIdx>,
    scanner: Box<dyn Scanner + 'r>,
    occurrences: Vec<Occurrence>,
}

impl<'r> Look<'r> {
    pub(super) fn new(context: &'r RankContext<'r>, wanted: &Wanted) -> Self {
        let typed = wanted.words.iter();
        Self {
            corpus: context.matching.corpus,
            text: TypedText {
                words: typed
                    .map(|word| (word.text.clone(), word.position))
                    .collect(),
                length: Some(wanted.length).filter(|length| *length <= MAX_COUNTED_WORDS),
                deciding: context.matching.searched.clone(),
            },
        }
    }

    fn judge(&self) -> Judge<'_> {
        match self.corpus.typed_text_reader(&self.text) {
            Some(reader) => Judge::Starts(reader),
            None => Judge::Occurrences(OccurrenceJudge::new(self.corpus, &self.text)),
        }
    }

    /// The documents with an exact attribute, and those with one that starts with the query.
    pub(super) fn at_all(&self, context: &'r RankContext<'r>, docs: &DocSet) -> [DocSet; 2] {
        let mut found: [Vec<DocId>; 2] = Default::default();
        if docs.len() < MANY_DOCS {
            let mut judge = self.judge();
            judge.part(docs.iter(), &|| context.deadline.poll(), &mut found);
        } else {
            let all = in_parts(docs, &|| context.deadline.is_over(), |parts| {
                let mut judge = self.judge();
                let mut found: [Vec<DocId>; 2] = Default::default();
                parts.for_each(|part| judge.part(part.docs, &|| false, &mut found));
                found
            });
            for part in all.into_iter().flatten() {
                let pairs = found.iter_mut().zip(part);
                pairs.for_each(|(found, part)| found.extend(part));
            }
        }
        found.map(|docs| docs.into_iter().collect())
    }
}

impl Judge<'_> {
    /// Adds the documents with an exact attribute, and those with one that starts with the query, until
    /// time `is_over`.
    fn part(
        &mut self,
        docs: impl Iterator<Item = DocId> + Clone,
        is_over: &dyn Fn() -> bool,
        found: &mut [Vec<DocId>; 2],
    ) {
        for (doc, later) in with_later(docs) {
            if is_over() {
                return;
            }
            let kind = match self {
                Self::Starts(reader) => {
                    later.for_each(|later| reader.expect(later));
                    reader.look_at(doc)
                }
                Self::Occurrences(judge) => judge.judge(doc),
            };
            match kind {
                TypedMatch::Whole => found[0].push(doc),
                TypedMatch::Start => found[1].push(doc),
                TypedMatch::Nothing => {}
            }
        }
    }
}

impl<'r> OccurrenceJudge<'r> {
    fn new(corpus: &'r dyn Corpus, text: &'r TypedText) -> Self {
        let mut looked_for: Vec<Slot> = Vec::new();
        let mut slot_of = |word: &String| {
            let slot = Slot::Word(word.clone());
            let known = looked_for.iter().position(|known| *known == slot);
            known.unwrap_or_else(|| {
                looked_for.push(slot);
                looked_for.len() - 1
            }) as SlotIdx
        };
        let slots = text.words.iter().map(|(word, _)| slot_of(word)).collect();
        Self {
            text,
            slots,
            scanner: corpus.scanner(&looked_for),
            occurrences: Vec::new(),
        }
    }

    fn judge(&mut self, doc: DocId) -> TypedMatch {
        self.scanner
            .occurrences_within(doc, Reach::ALL, &mut self.occurrences);
        if !self.is_in_place() {
            return TypedMatch::Nothing;
        }
        let (seen, text) = (&self.occurrences, self.text);
        let mut fields: Vec<FieldId> = seen.iter().map(|seen| seen.field).collect();
        fields.dedup();
        fields.retain(|field| {
            let is_there = |slot| seen.iter().any(|o| o.slot == slot && o.field == *field);
            (text.deciding.as_ref()).is_none_or(|mask| mask[usize::from(*field)])
                && self.slots.iter().all(|slot| is_there(*slot))
        });
        let has_length = |field: &FieldId| {
            text.length
                .is_some_and(|length| self.scanner.field_length(doc, *field, length + 1) == length)
        };
        match fields.is_empty() {
            true => TypedMatch::Nothing,
            false if fields.iter().any(has_length) => TypedMatch::Whole,
            false => TypedMatch::Start,
        }
    }

    /// Whether each word stands, in some attribute, where the query has it.
    fn is_in_place(&self) -> bool {
        let stands = |slot, position| {
            let mut seen = self.occurrences.iter();
            seen.any(|o| o.slot == slot && bucketed(o.position) == position)
        };
        let mut words = self.slots.iter().zip(&self.text.words);
        words.all(|(slot, (_, position))| stands(*slot, *position))
    }
}
