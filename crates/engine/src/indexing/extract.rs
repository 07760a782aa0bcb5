//! Turns a document into what the index keeps of it: words in order, columns, JSON.
//!
//! # Invariants
//! 1. Positions are those of ranking: each value of a field starts 8 behind the last word of the
//!    value before it; a container inside an object counts as a value without words.
//! 2. The stored JSON has its top-level keys in order of field number, and is walked in that order.
//!
//! # Cost
//! One walk per document; buffers are kept from one document to the next.

use serval_text::{MAX_POSITIONS, PositionCounter};

use super::indexing_rules::{FieldPlan, IndexingRules};
use super::recent_strings::RecentStrings;
use super::word_set::WordSet;
use crate::docset::DocId;
use crate::document::flatten::{self, Scalar, ValueSink};
use crate::document::geo;
use crate::document::raw_document::RawDocument;
use crate::document::successors::Successors;
use crate::document::{DocumentError, FieldId, FieldIds};
use crate::geometry::Shape;
use crate::storage::attribute_row::{AttributeRow, FieldValues, StoredShape};
use crate::storage::forward_row::{FieldSymbols, ForwardRow, hash_word};
use crate::storage::indexed_document::{IndexedDocument, Texts};

/// In which order names are met: places in [`Extractor::successors`].
const IN_TEXT: usize = 0;
const IN_WALK: usize = 1;

/// Extracts documents one after the other on one thread.
pub(crate) struct Extractor<'r> {
    rules: &'r IndexingRules,
    fields: FieldIds,
    /// Of names in the order of the text, and in that of the walk.
    successors: [Successors; 2],
    plans: Vec<FieldPlan>,
    states: Vec<FieldState>,
    touched: Vec<FieldId>,
    /// Those of the document are the first [`Self::n_values`].
    values: Vec<FieldValues>,
    n_values: usize,
    row: Vec<u8>,
    words: WordSet,
    strings: RecentStrings,
    is_full: bool,
}

#[derive(Default)]
struct FieldState {
    symbols: FieldSymbols,
    /// Where the next value starts; `None` before the first one.
    next_start: Option<u32>,
    /// Place in [`Extractor::values`].
    values_at: Option<usize>,
    is_touched: bool,
}

impl<'r> Extractor<'r> {
    /// An extractor that numbers new names after those in `fields`.
    pub(crate) fn new(rules: &'r IndexingRules, fields: FieldIds) -> Self {
        let plans = fields.iter().map(|(_, name)| rules.plan(name)).collect();
        let mut states = Vec::new();
        states.resize_with(fields.len(), FieldState::default);
        Self {
            rules,
            fields,
            successors: Default::default(),
            plans,
            states,
            touched: Vec::new(),
            values: Vec::new(),
            n_values: 0,
            row: Vec::new(),
            words: WordSet::default(),
            strings: RecentStrings::default(),
            is_full: false,
        }
    }

    /// All names met so far.
    pub(crate) fn into_fields(self) -> FieldIds {
        self.fields
    }

    /// Extracts one document; reorders its entries by field number.
    ///
    /// # Errors
    /// When the document is damaged or brings more names than can be numbered.
    pub(crate) fn extract(
        &mut self,
        doc_id: DocId,
        external_id: &str,
        document: &mut RawDocument<'_>,
    ) -> Result<IndexedDocument, DocumentError> {
        self.order_by_field(document);
        let places = self.rules.places();
        let geo = places.point(document, external_id)?;
        let shape = places.shape(document)?;
        let walked = flatten::walk(document, self);
        if let Some(point) = geo {
            self.push_point(point);
        }
        let n_symbols = self.touched.iter();
        let n_symbols = n_symbols.map(|field| self.states[usize::from(*field)].symbols.len());
        let mut forward = ForwardRow::with_capacity(self.touched.len(), n_symbols.sum());
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        for field in &touched {
            let state = &mut self.states[usize::from(*field)];
            forward.push_field(*field, &state.symbols);
            state.symbols.clear();
            state.next_start = None;
            state.values_at = None;
            state.is_touched = false;
        }
        touched.clear();
        self.touched = touched;
        let attributes = self.take_values(geo, shape.as_ref());
        let texts = Texts::new(external_id, self.words.words(), &document.to_json());
        self.words.clear();
        walked.map_err(|error| DocumentError::Malformed(error.to_string()))?;
        if self.is_full {
            self.is_full = false;
            return Err(DocumentError::TooManyFields);
        }
        Ok(IndexedDocument {
            doc_id,
            texts,
            forward,
            attributes,
            share: None,
        })
    }

    /// Extracts the values of one document only, under rules without words.
    ///
    /// # Errors
    /// As [`Self::extract`].
    pub(crate) fn columns(
        &mut self,
        external_id: &str,
        document: &mut RawDocument<'_>,
    ) -> Result<AttributeRow, DocumentError> {
        self.order_by_field(document);
        let places = self.rules.places();
        let geo = places.point(document, external_id)?;
        let shape = places.shape(document)?;
        let walked = flatten::walk(document, self);
        if let Some(point) = geo {
            self.push_point(point);
        }
        for field in self.touched.drain(..) {
            let state = &mut self.states[usize::from(field)];
            state.values_at = None;
            state.is_touched = false;
        }
        let attributes = self.take_values(geo, shape.as_ref());
        walked.map_err(|error| DocumentError::Malformed(error.to_string()))?;
        Ok(attributes)
    }

    /// Numbers the top-level names and puts the entries in that order, so that a walk over the
    /// stored document later meets everything in the same order as this one.
    fn order_by_field(&mut self, document: &mut RawDocument<'_>) {
        let mut last = None;
        let mut is_ordered = true;
        self.successors.iter_mut().for_each(Successors::restart);
        for (name, _) in document.entries() {
            let field = self.number(name, IN_TEXT);
            is_ordered &= last <= field;
            last = field;
        }
        if !is_ordered {
            let fields = &self.fields;
            document.sort_by_cached_key(|name| fields.id(name));
        }
    }

    /// The number of a name, a new one if needed; `None` when all are taken.
    fn number(&mut self, name: &str, order: usize) -> Option<FieldId> {
        let fields = &self.fields;
        let is = |likely: usize| fields.name(likely as FieldId) == name;
        let find = || fields.id(name).map(usize::from);
        if let Some(field) = self.successors[order].next(is, find) {
            return Some(field as FieldId);
        }
        let Some(field) = self.fields.insert(name) else {
            self.is_full = true;
            return None;
        };
        self.plans.push(self.rules.plan(name));
        self.states.push(FieldState::default());
        Some(field)
    }

    fn touch(&mut self, field: FieldId) -> &mut FieldState {
        let state = &mut self.states[usize::from(field)];
        if !state.is_touched {
            state.is_touched = true;
            self.touched.push(field);
        }
        state
    }

    /// Where a value of the field starts; every visit moves the start on.
    fn visit(&mut self, field: FieldId) -> u32 {
        let state = self.touch(field);
        let start = state.next_start.unwrap_or(0);
        state.next_start = Some(start.saturating_add(serval_text::HARD_GAP));
        start
    }

    fn values(&mut self, field: FieldId) -> &mut FieldValues {
        let n_values = self.n_values;
        let at = *self.touch(field).values_at.get_or_insert(n_values);
        if at == n_values {
            self.n_values += 1;
            match self.values.get_mut(at) {
                Some(values) => values.restart(field),
                None => self.values.push(FieldValues::new(field)),
            }
        }
        &mut self.values[at]
    }

    /// Coordinates are filtered as numbers, however the document spells them.
    fn push_point(&mut self, point: [f64; 2]) {
        for (name, number) in geo::PARTS.into_iter().zip(point) {
            let Some(field) = self.number(name, IN_WALK) else {
                return;
            };
            if self.plans[usize::from(field)].is_faceted {
                self.values(field).push_number(number);
            }
        }
    }

    fn push_value(&mut self, field: FieldId, value: Scalar<'_>, is_own: bool) {
        match value {
            Scalar::Null => self.values(field).is_null |= is_own,
            Scalar::Bool(value) => self.push_string(field, if value { "true" } else { "false" }),
            Scalar::Negative(number) => self.values(field).push_number(number as f64),
            Scalar::Unsigned(number) => self.values(field).push_number(number as f64),
            Scalar::Float(number) => self.values(field).push_number(number),
            Scalar::Text("") => self.values(field).is_empty |= is_own,
            Scalar::Text(text) => self.push_string(field, text),
        }
    }

    fn push_string(&mut self, field: FieldId, text: &str) {
        let string = self.strings.value_of(text);
        let values = self.values(field);
        if let Some(string) = string {
            values.push_string(string);
        }
    }

    /// The values of a document.
    fn take_values(&mut self, geo: Option<[f64; 2]>, shape: Option<&Shape>) -> AttributeRow {
        let shape = shape.and_then(StoredShape::new);
        let values = &self.values[..self.n_values];
        self.n_values = 0;
        AttributeRow::new(values, geo, shape, &mut self.row)
    }

    fn tokenize(&mut self, field: FieldId, text: &str, start: u32, locales: Option<usize>) {
        if start >= MAX_POSITIONS {
            return;
        }
        let state = &mut self.states[usize::from(field)];
        let words = &mut self.words;
        let mut counter = PositionCounter::new(start);
        self.rules
            .tokenizer()
            .tokenize(text, self.rules.locales(locales), |token| {
                if let Some(position) = counter.advance(&token) {
                    let word = token.indexed_text();
                    let hash = hash_word(word);
                    words.insert(word, hash);
                    state.symbols.push_word(position, hash);
                }
            });
        state.next_start = Some(counter.next_start());
    }
}

impl ValueSink for Extractor<'_> {
    fn field(&mut self, name: &str) -> Option<FieldId> {
        let field = self.number(name, IN_WALK)?;
        let plan = &self.plans[usize::from(field)];
        let (is_faceted, is_walked) = (plan.is_faceted, plan.is_walked);
        if is_faceted {
            self.values(field);
        }
        is_walked.then_some(field)
    }

    fn container(&mut self, field: FieldId, is_nested: bool) {
        if is_nested && self.plans[usize::from(field)].is_searchable {
            self.visit(field);
        }
    }

    fn empty(&mut self, field: FieldId, is_own: bool) {
        if self.plans[usize::from(field)].is_searchable {
            self.visit(field);
        }
        if is_own && self.plans[usize::from(field)].is_faceted {
            self.values(field).is_empty = true;
        }
    }

    fn scalar(&mut self, field: FieldId, value: Scalar<'_>, is_own: bool) {
        let plan = &self.plans[usize::from(field)];
        let (is_searchable, is_faceted, locales) =
            (plan.is_searchable, plan.is_faceted, plan.locales);
        if is_searchable {
            let start = self.visit(field);
            match value {
                Scalar::Null => {}
                Scalar::Text(text) => self.tokenize(field, text, start, locales),
                Scalar::Bool(value) => {
                    self.tokenize(field, if value { "true" } else { "false" }, start, None);
                }
                number => self.tokenize(field, &decimal(number), start, None),
            }
        }
        if is_faceted {
            self.push_value(field, value, is_own);
        }
    }
}

/// A number as JSON writes it.
fn decimal(number: Scalar<'_>) -> String {
    match number {
        Scalar::Negative(number) => number.to_string(),
        Scalar::Unsigned(number) => number.to_string(),
        Scalar::Float(number) => serde_json::Value::from(number).to_string(),
        Scalar::Null | Scalar::Bool(_) | Scalar::Text(_) => String::new(),
    }
}
