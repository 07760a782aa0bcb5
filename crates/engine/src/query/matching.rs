//! The state of one query while it is answered: its slots, phrases, and who matches what.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::corpus::{Corpus, FieldId, Reach, Slot};
use super::node::{Classes, Form, Node, NodeIdx, PhraseIdx, SlotIdx};
use super::parse::Phrase;
use super::phrase_match::{has_phrase, measured_phrase};
use crate::docset::{DocSet, DocSetBuilder};
use crate::settings::ProximityPrecision;

/// Which attributes count, by field id; `None` for all.
pub type FieldMask = Option<Vec<bool>>;

/// One query against one corpus; every answer is computed once.
pub struct Matching<'c> {
    /// The index.
    pub corpus: &'c dyn Corpus,
    /// Words and prefixes, as given to scanners.
    pub slots: Vec<Slot>,
    slot_ids: FxHashMap<Slot, SlotIdx>,
    phrases: Vec<Phrase>,
    phrase_ids: FxHashMap<Phrase, PhraseIdx>,
    /// Attributes the search is restricted to.
    pub searched: FieldMask,
    /// Attributes in which typos are tolerated.
    tolerant: FieldMask,
    forms: RefCell<FxHashMap<(Form, bool), Arc<DocSet>>>,
    nodes: RefCell<FxHashMap<(NodeIdx, Classes, Forms), Arc<DocSet>>>,
}

/// What may match a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Forms {
    All,
    /// Words and prefixes, not phrases.
    Words,
}

impl<'c> Matching<'c> {
    /// Starts a query; `searched` restricts it to some attributes.
    #[must_use]
    pub fn new(corpus: &'c dyn Corpus, searched: FieldMask) -> Self {
        let strict = &corpus.settings().typo_tolerance.disable_on_attributes;
        let tolerant = (!strict.is_empty()).then(|| {
            (0..corpus.n_fields())
                .map(|field| {
                    let name = corpus.field_name(field as FieldId);
                    !strict
                        .iter()
                        .any(|parent| crate::settings::covers(parent, name))
                })
                .collect()
        });
        Self {
            corpus,
            slots: Vec::new(),
            slot_ids: FxHashMap::default(),
            phrases: Vec::new(),
            phrase_ids: FxHashMap::default(),
            searched,
            tolerant,
            forms: RefCell::default(),
            nodes: RefCell::default(),
        }
    }

    /// The number of a word or prefix.
    pub fn slot(&mut self, slot: Slot) -> SlotIdx {
        if let Some(id) = self.slot_ids.get(&slot) {
            return *id;
        }
        let id = self.slots.len() as SlotIdx;
        self.slots.push(slot.clone());
        self.slot_ids.insert(slot, id);
        id
    }

    /// The number of a word, if the query uses it.
    #[must_use]
    pub fn word_slot(&self, word: &str) -> Option<SlotIdx> {
        self.slot_ids.get(&Slot::Word(word.to_owned())).copied()
    }

    /// The number of a phrase; its words become slots.
    pub fn phrase(&mut self, phrase: Phrase) -> PhraseIdx {
        if let Some(id) = self.phrase_ids.get(&phrase) {
            return *id;
        }
        for word in phrase.words.iter().flatten() {
            self.slot(Slot::Word(word.clone()));
        }
        let id = self.phrases.len() as PhraseIdx;
        self.phrases.push(phrase.clone());
        self.phrase_ids.insert(phrase, id);
        id
    }

    /// The phrase with that number.
    #[must_use]
    pub fn phrase_at(&self, idx: PhraseIdx) -> &Phrase {
        &self.phrases[usize::from(idx)]
    }

    /// Slots of the words of a phrase, `None` for holes.
    #[must_use]
    pub fn phrase_slots(&self, idx: PhraseIdx) -> Vec<Option<SlotIdx>> {
        let words = self.phrase_at(idx).words.iter();
        words.map(|word| self.word_slot(word.as_deref()?)).collect()
    }

    /// Whether words count in every attribute.
    #[must_use]
    pub const fn is_unrestricted(&self) -> bool {
        self.searched.is_none() && self.tolerant.is_none()
    }

    /// Whether proximity only tells attributes apart.
    #[must_use]
    pub fn by_attribute(&self) -> bool {
        self.corpus.settings().proximity_precision == ProximityPrecision::ByAttribute
    }

    /// Whether the word stands in an attribute in which typos are tolerated, in any document.
    pub(super) fn tolerates_typos_in(&self, word: &str) -> bool {
        let Some(tolerant) = &self.tolerant else {
            return true;
        };
        let mut scanner = self.corpus.scanner(&[Slot::Word(word.to_owned())]);
        let mut occurrences = Vec::new();
        self.corpus.word_docs(word).iter().any(|doc| {
            scanner.occurrences(doc, &mut occurrences);
            let mut fields = occurrences.iter().map(|seen| usize::from(seen.field));
            fields.any(|field| tolerant[field])
        })
    }

    /// Documents that match a node through one of the classes.
    #[must_use]
    pub fn node_docs(&self, idx: NodeIdx, node: &Node, classes: Classes) -> Arc<DocSet> {
        self.docs_by_forms(node, (idx, classes, Forms::All))
    }

    /// Documents that match a node through one of the classes by a word or prefix, not by a phrase.
    #[must_use]
    pub fn word_docs(&self, idx: NodeIdx, node: &Node, classes: Classes) -> Arc<DocSet> {
        self.docs_by_forms(node, (idx, classes, Forms::Words))
    }

    fn docs_by_forms(&self, node: &Node, key: (NodeIdx, Classes, Forms)) -> Arc<DocSet> {
        if let Some(docs) = self.nodes.borrow().get(&key) {
            return docs.clone();
        }
        let (_, classes, forms) = key;
        let mut builder = DocSetBuilder::new(self.universe_len());
        let mut only: Option<Arc<DocSet>> = None;
        let mut n_forms = 0;
        for derivation in &node.derivations {
            let is_left_out = forms == Forms::Words && matches!(derivation.form, Form::Phrase(_));
            if is_left_out || !derivation.class.intersects(classes) {
                continue;
            }
            let typed = derivation.class.intersects(Classes::EXACT | Classes::ZERO);
            let docs = self.form_docs(derivation.form, node.is_ngram() || !typed);
            builder.insert_all(&docs);
            n_forms += 1;
            only = (n_forms == 1).then_some(docs);
        }
        let docs = only.unwrap_or_else(|| Arc::new(builder.finish()));
        self.nodes.borrow_mut().insert(key, docs.clone());
        docs
    }

    /// Documents that hold a word, prefix or phrase. `tolerant_only` leaves out attributes in
    /// which typos are not tolerated; it never applies to phrases.
    #[must_use]
    pub fn form_docs(&self, form: Form, tolerant_only: bool) -> Arc<DocSet> {
        let key = (form, tolerant_only && self.tolerant.is_some());
        if let Some(docs) = self.forms.borrow().get(&key) {
            return docs.clone();
        }
        let docs = match form {
            Form::Word(slot) | Form::Prefix { slot, .. } => self.slot_docs(slot, key.1),
            Form::Phrase(phrase) => self.phrase_docs(phrase),
        };
        self.forms.borrow_mut().insert(key, docs.clone());
        docs
    }

    fn slot_docs(&self, slot: SlotIdx, tolerant_only: bool) -> Arc<DocSet> {
        let docs = match &self.slots[usize::from(slot)] {
            Slot::Word(word) => self.corpus.word_docs(word),
            Slot::Prefix(prefix) => self.corpus.prefix_docs(prefix),
        };
        let mask = match (
            &self.searched,
            self.tolerant.as_ref().filter(|_| tolerant_only),
        ) {
            (None, None) => return docs,
            (Some(mask), None) | (None, Some(mask)) => mask.clone(),
            (Some(a), Some(b)) => a.iter().zip(b).map(|(a, b)| *a && *b).collect(),
        };
        Arc::new(self.docs_in_fields(slot, &docs, &mask))
    }

    fn docs_in_fields(&self, slot: SlotIdx, docs: &DocSet, mask: &[bool]) -> DocSet {
        let mut scanner = self
            .corpus
            .scanner(&self.slots[usize::from(slot)..=usize::from(slot)]);
        let mut occurrences = Vec::new();
        let reach = Reach {
            fields: Some(mask),
            ..Reach::ALL
        };
        let kept = docs.iter().filter(|doc| {
            scanner.occurrences_within(*doc, reach, &mut occurrences);
            !occurrences.is_empty()
        });
        DocSet::from_sorted(kept.collect())
    }

    fn phrase_docs(&self, idx: PhraseIdx) -> Arc<DocSet> {
        let slots = self.phrase_slots(idx);
        let mut words: Vec<SlotIdx> = slots.iter().flatten().copied().collect();
        words.sort_unstable();
        words.dedup();
        let mut docs: Option<DocSet> = None;
        for word in &words {
            let more = self.form_docs(Form::Word(*word), false);
            docs = Some(docs.map_or_else(|| more.as_ref().clone(), |docs| docs.and(&more)));
        }
        let docs = docs.unwrap_or_default();
        if slots.len() == 1 || docs.is_empty() {
            return Arc::new(docs);
        }
        let among = |docs: &DocSet| self.with_phrase((&slots, &words), docs);
        match self.searched {
            None => {
                let phrase = &self.phrase_at(idx).words;
                self.corpus.remembered_phrase(phrase, &docs, &among)
            }
            Some(_) => Arc::new(among(&docs)),
        }
    }

    /// Those of the documents that have a phrase, given as slots; all hold its words.
    fn with_phrase(
        &self,
        (slots, words): (&[Option<SlotIdx>], &[SlotIdx]),
        docs: &DocSet,
    ) -> DocSet {
        let place = |slot: SlotIdx| {
            words
                .iter()
                .position(|word| *word == slot)
                .map(|at| at as u16)
        };
        let local: Vec<Option<u16>> = slots.iter().map(|slot| place((*slot)?)).collect();
        let wanted: Vec<Slot> = words
            .iter()
            .map(|word| self.slots[usize::from(*word)].clone())
            .collect();
        let by_attribute = self.by_attribute();
        if !by_attribute && let Some(found) = measured_phrase(self.corpus, (&wanted, &local), docs)
        {
            return found;
        }
        let mut scanner = self.corpus.scanner(&wanted);
        let mut occurrences = Vec::new();
        let kept = docs.iter().filter(|doc| {
            scanner.occurrences(*doc, &mut occurrences);
            has_phrase(&occurrences, &local, by_attribute)
        });
        DocSet::from_sorted(kept.collect())
    }

    /// Number of documents, for the builders of sets. An id may be larger.
    #[must_use]
    pub fn universe_len(&self) -> usize {
        self.corpus.documents().len()
    }
}
