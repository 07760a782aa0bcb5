//! Documents, words and positions in ordered maps: slow, obvious, independent of the index files.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use levenshtein_automata::{DFA, Distance};
use serde_json::Value;
use serval_text::{PositionCounter, TokenKind, Tokenizer, normalize_facet};

use super::memory_measurer::MemoryMeasurer;
use crate::docset::{DocId, DocSet};
use crate::query::{
    Corpus, FieldId, MeasurePlan, Measurer, Occurrence, QueryConfig, Reach, Scanner, Slot,
    SortColumn, SortValue, Summaries, Summary,
};
use crate::settings::{Direction, IndexSettings};

/// Words of one attribute of a document: position and text.
pub(super) type Words = Vec<(u16, String)>;

/// An index in memory. Documents take ids in the order given.
pub(crate) struct MemoryCorpus {
    settings: IndexSettings,
    documents: DocSet,
    fields: Vec<String>,
    words: Vec<BTreeMap<FieldId, Words>>,
    by_word: BTreeMap<String, BTreeSet<DocId>>,
    values: BTreeMap<String, BTreeMap<DocId, Vec<Value>>>,
}

impl MemoryCorpus {
    pub(crate) fn new(settings: IndexSettings, documents: &[Value]) -> Self {
        let tokenizer = QueryConfig::new(&settings).tokenizer;
        let mut corpus = Self {
            settings,
            documents: DocSet::full(documents.len() as DocId),
            fields: Vec::new(),
            words: Vec::new(),
            by_word: BTreeMap::new(),
            values: BTreeMap::new(),
        };
        for (doc, document) in documents.iter().enumerate() {
            corpus.words.push(BTreeMap::new());
            let mut starts = BTreeMap::new();
            for (name, value) in document.as_object().expect("a document is an object") {
                corpus.add(doc as DocId, name, value, &tokenizer, &mut starts);
            }
        }
        corpus
    }

    fn field(&mut self, name: &str) -> FieldId {
        let at = self
            .fields
            .iter()
            .position(|other| other == name)
            .unwrap_or_else(|| {
                self.fields.push(name.to_owned());
                self.fields.len() - 1
            });
        at as FieldId
    }

    fn add(
        &mut self,
        doc: DocId,
        name: &str,
        value: &Value,
        tokenizer: &Tokenizer,
        starts: &mut BTreeMap<FieldId, u32>,
    ) {
        self.values
            .entry(name.to_owned())
            .or_default()
            .entry(doc)
            .or_default()
            .push(value.clone());
        match value {
            Value::Object(members) => {
                for (member, value) in members {
                    let name = format!("{name}.{member}");
                    if value.is_array() || value.is_object() {
                        self.visit(&name, starts);
                    }
                    self.add(doc, &name, value, tokenizer, starts);
                }
            }
            Value::Array(items) => {
                if items.is_empty() {
                    self.visit(name, starts);
                }
                for item in items {
                    self.add(doc, name, item, tokenizer, starts);
                }
            }
            Value::Null => {
                self.visit(name, starts);
            }
            Value::String(text) => self.add_text(doc, name, text, tokenizer, starts),
            other => self.add_text(doc, name, &other.to_string(), tokenizer, starts),
        }
    }

    /// Where a value starts; the next one starts 8 further, even if this one has no words.
    fn visit(&mut self, name: &str, starts: &mut BTreeMap<FieldId, u32>) -> (FieldId, u32) {
        let field = self.field(name);
        let start = starts.get(&field).copied().unwrap_or(0);
        starts.insert(field, start + 8);
        (field, start)
    }

    fn add_text(
        &mut self,
        doc: DocId,
        name: &str,
        text: &str,
        tokenizer: &Tokenizer,
        starts: &mut BTreeMap<FieldId, u32>,
    ) {
        let (field, start) = self.visit(name, starts);
        if self.settings.searchable_weight(name).is_none() {
            return;
        }
        let mut counter = PositionCounter::new(start);
        for token in tokenizer.tokens(text, &[]) {
            let position = counter.advance(&token);
            if let Some(position) = position.filter(|_| token.kind == TokenKind::Word) {
                let word = token.indexed_text().to_owned();
                self.by_word.entry(word.clone()).or_default().insert(doc);
                self.words[doc as usize]
                    .entry(field)
                    .or_default()
                    .push((position as u16, word));
            }
        }
        starts.insert(field, counter.next_start());
    }
}

impl Corpus for MemoryCorpus {
    fn settings(&self) -> &IndexSettings {
        &self.settings
    }

    fn documents(&self) -> &DocSet {
        &self.documents
    }

    fn n_fields(&self) -> usize {
        self.fields.len()
    }

    fn field_name(&self, field: FieldId) -> &str {
        &self.fields[usize::from(field)]
    }

    fn has_word(&self, word: &str) -> bool {
        self.by_word.contains_key(word)
    }

    fn word_docs(&self, word: &str) -> Arc<DocSet> {
        Arc::new(
            self.by_word
                .get(word)
                .into_iter()
                .flatten()
                .copied()
                .collect(),
        )
    }

    fn prefix_docs(&self, prefix: &str) -> Arc<DocSet> {
        let words = self
            .by_word
            .iter()
            .filter(|(word, _)| word.starts_with(prefix));
        Arc::new(words.flat_map(|(_, docs)| docs).copied().collect())
    }

    fn has_prefix_words(&self, prefix: &str, n: usize) -> bool {
        self.by_word
            .keys()
            .filter(|word| word.starts_with(prefix))
            .count()
            >= n
    }

    fn words_matching(
        &self,
        automaton: &DFA,
        start: &str,
        end: Option<&str>,
        each: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) {
        for word in self.by_word.keys() {
            let in_range = word.as_str() >= start && end.is_none_or(|end| word.as_str() < end);
            let accepted = matches!(automaton.eval(word), Distance::Exact(_));
            if in_range && accepted && each(word).is_break() {
                return;
            }
        }
    }

    fn scanner(&self, slots: &[Slot]) -> Box<dyn Scanner + '_> {
        Box::new(MemoryScanner {
            corpus: self,
            slots: slots.to_vec(),
        })
    }

    fn least_summary(&self, slots: &[Slot], has_typed: bool) -> Option<Summary> {
        let kinds = Summaries::new(
            self,
            Arc::new(self.documents.clone()),
            slots,
            has_typed,
            &|| false,
        )?;
        let kinds = kinds.kinds();
        let mut fields: Vec<FieldId> = kinds.iter().flat_map(|kind| kind.fields.clone()).collect();
        fields.sort_unstable();
        fields.dedup();
        Some(Summary {
            fields,
            position: kinds.iter().map(|kind| kind.position).min()?,
            typed: kinds
                .iter()
                .map(|kind| kind.typed)
                .min_by_key(|typed| *typed as u8)?,
        })
    }

    fn measurer(&self, plan: MeasurePlan) -> Option<Box<dyn Measurer>> {
        // Both ways to rank are to be tested: with measures, and from occurrences.
        let measures = self.words.len().is_multiple_of(2);
        measures.then(|| Box::new(MemoryMeasurer::new(&self.words, plan)) as Box<dyn Measurer>)
    }

    fn sort_column(
        &self,
        attribute: &str,
        direction: Direction,
    ) -> Option<Box<dyn SortColumn + '_>> {
        let values = self.values.get(attribute)?;
        let column = MemoryColumn {
            values,
            direction,
            n_passed: 0,
        };
        Some(Box::new(column))
    }

    fn geo_point(&self, doc: DocId) -> Option<(f64, f64)> {
        let point = self.values.get("_geo")?.get(&doc)?.first()?;
        Some((point.get("lat")?.as_f64()?, point.get("lng")?.as_f64()?))
    }
}

struct MemoryScanner<'c> {
    corpus: &'c MemoryCorpus,
    slots: Vec<Slot>,
}

impl Scanner for MemoryScanner<'_> {
    fn occurrences_within(&mut self, doc: DocId, reach: Reach<'_>, out: &mut Vec<Occurrence>) {
        out.clear();
        let words = self.corpus.words[doc as usize].iter();
        for (field, words) in words.filter(|(field, _)| reach.reads(**field)) {
            let near = |(position, _): &&(u16, _)| u32::from(*position) < reach.positions;
            for (position, word) in words.iter().filter(near) {
                for (slot, wanted) in self.slots.iter().enumerate() {
                    let matches = match wanted {
                        Slot::Word(wanted) => word == wanted,
                        Slot::Prefix(prefix) => word.starts_with(prefix),
                    };
                    if matches {
                        let (slot, field, position) = (slot as u16, *field, *position);
                        out.push(Occurrence {
                            slot,
                            field,
                            position,
                        });
                    }
                }
            }
        }
    }

    fn field_length(&mut self, doc: DocId, field: FieldId, enough: u32) -> u32 {
        let words = self.corpus.words[doc as usize].get(&field);
        words.map_or(0, |words| enough.min(words.len() as u32))
    }
}

struct MemoryColumn<'c> {
    values: &'c BTreeMap<DocId, Vec<Value>>,
    direction: Direction,
    /// Values that were walked.
    n_passed: usize,
}

impl MemoryColumn<'_> {
    /// The values to sort by among some, each once, in order.
    fn ordered<'v>(&self, values: impl Iterator<Item = &'v Value>) -> Vec<SortValue<'static>> {
        let (mut numbers, mut texts) = (Vec::new(), Vec::new());
        for value in values {
            match value {
                Value::Number(number) => numbers.extend(number.as_f64()),
                Value::String(text) => texts.push(normalize_facet(text)),
                Value::Bool(flag) => texts.push(flag.to_string()),
                _ => {}
            }
        }
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        texts.retain(|text| !text.is_empty());
        texts.sort();
        texts.dedup();
        if self.direction == Direction::Desc {
            numbers.reverse();
            texts.reverse();
        }
        let numbers = numbers.into_iter().map(SortValue::Number);
        let texts = texts.into_iter().map(|text| SortValue::Text(text.into()));
        numbers.chain(texts).collect()
    }
}

impl SortColumn for MemoryColumn<'_> {
    fn value(&self, doc: DocId) -> SortValue<'_> {
        let values = self.ordered(self.values.get(&doc).into_iter().flatten());
        values.into_iter().next().unwrap_or(SortValue::Missing)
    }

    fn next_value(&mut self, docs: &mut Vec<DocId>) -> Option<SortValue<'_>> {
        let all = self.ordered(self.values.values().flatten());
        let value = all.into_iter().nth(self.n_passed)?;
        self.n_passed += 1;
        let holders = self.values.iter();
        docs.clear();
        docs.extend(
            holders
                .filter(|(_, values)| self.ordered(values.iter()).contains(&value))
                .map(|(doc, _)| *doc),
        );
        Some(value)
    }
}
