//! What is known of the documents of a query of one term without reading each: their summaries, and what
//! they are at best.

use std::sync::Arc;

use super::RankContext;
use crate::docset::DocSet;
use crate::query::{
    Form, Path, PhraseIdx, Slot, Step, Summaries, SummariesRequest, Summary, TypedPlace,
};

/// Documents from which on summaries are worth making; tests have few.
const MANY_DOCS: usize = if cfg!(test) { 3 } else { 256 };

/// Summaries are walked for one document in so many of them at least.
const LEAST_PART: usize = 32;

/// Summaries are made where half of the documents are left, or, if they are so few, one in so many: reading
/// that many rows takes no less, and is not remembered.
const FEW_SUMMARIES: usize = 1 << 17;
const FEW_LEFT: usize = 8;

/// Words that are looked up to know what documents are at best.
const FEW_SLOTS: usize = 32;

/// Documents that match by a phrase are read beside the summaries of the others where they are at most one
/// in so many.
const MOST_BESIDE: usize = 4;

/// Summaries of documents that match a query of one term by its words.
pub(super) struct OfWords {
    pub(super) summaries: Arc<Summaries>,
    /// The step of the term.
    pub(super) step: Step,
    /// Documents that match by a phrase, and perhaps by a word as well: their summaries do not say all.
    pub(super) beside: DocSet,
}

/// By what documents match a query of one term.
struct TermWords {
    step: Step,
    /// Its words and prefixes, first as it was typed if it can match so.
    slots: Vec<Slot>,
    has_typed: bool,
    /// Documents that match by one of those.
    docs: Arc<DocSet>,
    /// Documents that are left and match by a phrase.
    beside: DocSet,
}

/// What documents of a query of one term are at best.
pub(super) struct Least {
    /// No worse in anything than that of any of them.
    pub(super) summary: Summary,
    /// The step of the term.
    pub(super) step: Step,
    /// Documents of which that is not said.
    pub(super) rare: DocSet,
}

impl RankContext<'_> {
    /// Summaries of many documents that match a query of one term, and the step of that term;
    /// `None` if the documents must be read. Without `may_make` only if the summaries are known.
    pub(super) fn summaries(
        &self,
        universe: &DocSet,
        paths: &[Path],
        may_make: bool,
    ) -> Option<(Arc<Summaries>, Step)> {
        let words = self.term_words(universe, paths)?;
        if !words.beside.is_empty() {
            return None;
        }
        let summaries = self.summaries_of(&words, universe, may_make)?;
        Some((summaries, words.step))
    }

    /// The same, made if they are worth it, where some documents may match by phrases, which summaries
    /// know nothing of: those have to be read.
    pub(super) fn word_summaries(&self, universe: &DocSet, paths: &[Path]) -> Option<OfWords> {
        let words = self.term_words(universe, paths)?;
        Some(OfWords {
            summaries: self.summaries_of(&words, universe, true)?,
            step: words.step,
            beside: words.beside,
        })
    }

    /// By what the documents of a query of one term match it; `None` if they are too few for summaries, or too
    /// many of them match by phrases.
    fn term_words(&self, universe: &DocSet, paths: &[Path]) -> Option<TermWords> {
        if universe.len() < MANY_DOCS {
            return None;
        }
        let (matching, step) = (self.matching, self.plain_step(paths)?);
        let node = self.graph.node(step.node);
        let (slots, has_typed, phrases) = self.slots_of(step);
        if slots.is_empty() {
            return None;
        }
        let mut beside = DocSet::empty();
        for phrase in &phrases {
            let docs = matching.form_docs(Form::Phrase(*phrase), false);
            beside = beside.or(&docs.and(universe));
        }
        if beside.len() > universe.len() / MOST_BESIDE {
            return None;
        }
        let docs = if phrases.is_empty() {
            matching.node_docs(step.node, node, step.classes)
        } else {
            matching.word_docs(step.node, node, step.classes)
        };
        (universe.len() >= docs.len() / LEAST_PART).then_some(TermWords {
            step,
            slots,
            has_typed,
            docs,
            beside,
        })
    }

    /// Summaries of the documents of a term, if they are known, or worth making and that `may` be done.
    fn summaries_of(
        &self,
        words: &TermWords,
        universe: &DocSet,
        may_make: bool,
    ) -> Option<Arc<Summaries>> {
        let corpus = self.matching.corpus;
        let TermWords {
            slots,
            has_typed,
            docs,
            ..
        } = words;
        let is_over = || self.deadline.is_over();
        let make = || Summaries::new(corpus, docs.clone(), slots, *has_typed, &is_over);
        let is_worth_making = may_make
            && (universe.len() >= docs.len() / 2
                || docs.len() <= FEW_SUMMARIES && universe.len() >= docs.len() / FEW_LEFT);
        let request = SummariesRequest {
            key: &key_of(slots, *has_typed),
            slots,
            make: is_worth_making.then_some(&make),
            mend: &|before: &Summaries, changed: &DocSet| {
                let now = (docs.clone(), &slots[..], *has_typed);
                before.mended(corpus, now, changed, &|| self.deadline.poll())
            },
        };
        let summaries = corpus.remembered_summaries(&request)?;
        summaries.is_known().then_some(summaries)
    }

    /// What documents of a query of one term are at best, but for those of its rare words, up to so
    /// many; `None` if that is not known.
    pub(super) fn least(&self, paths: &[Path], most_rare: usize) -> Option<Least> {
        let step = self.plain_step(paths)?;
        let corpus = self.matching.corpus;
        if let Some(start) = self.start_of_phrase(step) {
            let mut summary = corpus.least_summary(&[start], true)?;
            if summary.typed == TypedPlace::First {
                // An attribute that starts with its first word can be the phrase.
                summary.typed = TypedPlace::Alone;
            }
            return Some(Least {
                summary,
                step,
                rare: DocSet::empty(),
            });
        }
        let (mut slots, mut has_typed, phrases) = self.slots_of(step);
        if !phrases.is_empty() {
            return None;
        }
        let mut rare = DocSet::empty();
        if slots.len() > 1 {
            let mut frequent = Vec::new();
            for (at, slot) in slots.into_iter().enumerate() {
                let docs = match &slot {
                    Slot::Word(word) => Some(corpus.word_docs(word)),
                    Slot::Prefix(_) => None,
                };
                match docs.filter(|docs| rare.len() + docs.len() <= most_rare) {
                    Some(docs) => {
                        rare = rare.or(&docs);
                        has_typed &= at > 0;
                    }
                    None => frequent.push(slot),
                }
            }
            slots = frequent;
        }
        if slots.len() > FEW_SLOTS {
            return None;
        }
        Some(Least {
            summary: corpus.least_summary(&slots, has_typed)?,
            step,
            rare,
        })
    }

    /// The only step of a query of which summaries say all.
    fn plain_step(&self, paths: &[Path]) -> Option<Step> {
        let [path] = paths else { return None };
        let [step] = path[..] else { return None };
        let node = self.graph.node(step.node);
        let is_plain = self.matching.is_unrestricted() && !node.is_ngram() && node.first == 0;
        is_plain.then_some(step)
    }

    /// The first word of a step that is a phrase and nothing else: wherever that word is in a document which
    /// has the phrase, rules take it for the start of the phrase.
    fn start_of_phrase(&self, step: Step) -> Option<Slot> {
        let derivations = self.graph.node(step.node).derivations.iter();
        let mut derivations = derivations.filter(|d| d.class.intersects(step.classes));
        match (derivations.next()?.form, derivations.next()) {
            (Form::Phrase(phrase), None) => {
                let start = *self.matching.phrase_slots(phrase).first()?;
                Some(self.matching.slots[usize::from(start?)].clone())
            }
            _ => None,
        }
    }

    /// The words and prefixes of a step, first as it was typed if it can match so; whether it can; and its
    /// phrases.
    fn slots_of(&self, step: Step) -> (Vec<Slot>, bool, Vec<PhraseIdx>) {
        let (matching, node) = (self.matching, self.graph.node(step.node));
        let typed = Slot::Word(node.text.clone());
        let (mut slots, mut phrases) = (vec![typed], Vec::new());
        let mut has_typed = false;
        for derivation in &node.derivations {
            if !derivation.class.intersects(step.classes) {
                continue;
            }
            let slot = match derivation.form {
                Form::Word(slot) | Form::Prefix { slot, .. } => &matching.slots[usize::from(slot)],
                Form::Phrase(phrase) => {
                    phrases.push(phrase);
                    continue;
                }
            };
            if *slot == slots[0] {
                has_typed = true;
            } else {
                slots.push(slot.clone());
            }
        }
        if !has_typed {
            slots.remove(0);
        }
        (slots, has_typed, phrases)
    }
}

/// The words and prefixes behind summaries as one text.
fn key_of(slots: &[Slot], has_typed: bool) -> String {
    let mut key = String::from(if has_typed { "t" } else { "o" });
    for slot in slots {
        slot.add_to_key(&mut key);
    }
    key
}
