//! A snapshot of an index together with its settings made ready for queries.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use levenshtein_automata::DFA;
use serde_json::Value;
use serval_filter::Filter;

use crate::docset::{DocId, DocSet};
use crate::facet::{self};
use crate::index::{
    AttributeView, DocumentBytes, GeoWalk, IndexError, SlotMatcher, Snapshot, ValueWalk,
};
use crate::query::{
    Corpus, FieldId, GeoOrder, MeasurePlan, Measurer, Occurrence, PlacedDoc, QueryConfig, Reach,
    Scanner, Slot, SortColumn, SortValue, Summaries, SummariesRequest, Summary, SummaryReader,
    TypedText, TypedTextReader, TypoWords,
};
use crate::request::{Allowed, Facets, FilterFeatures, ForeignIndexes, SearchError, SearchSource};
use crate::settings::{Direction, IndexSettings};
use crate::vectors::VectorSet;

const FILTER_CODE: &str = "invalid_search_filter";

/// The prepared settings of an index, made again only when the settings change.
#[derive(Debug, Default)]
pub struct QueryConfigs(Mutex<Option<(Arc<IndexSettings>, Arc<QueryConfig>)>>);

impl QueryConfigs {
    /// The prepared form of these settings.
    pub fn of(&self, settings: &Arc<IndexSettings>) -> Arc<QueryConfig> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, config)) = kept.as_ref()
            && Arc::ptr_eq(of, settings)
        {
            return config.clone();
        }
        let config = Arc::new(QueryConfig::new(settings));
        *kept = Some((settings.clone(), config.clone()));
        config
    }
}

/// What searches see of an index.
pub struct IndexView {
    snapshot: Snapshot,
    config: Arc<QueryConfig>,
    foreign: Option<Arc<ForeignIndexes>>,
}

impl IndexView {
    /// A view of a snapshot.
    #[must_use]
    pub fn new(snapshot: Snapshot, configs: &QueryConfigs) -> Self {
        let config = configs.of(&snapshot.meta().settings);
        Self {
            snapshot,
            config,
            foreign: None,
        }
    }

    /// The view that follows foreign keys into these indexes, or none.
    #[must_use]
    pub fn following(self, foreign: Option<Arc<ForeignIndexes>>) -> Self {
        Self { foreign, ..self }
    }

    /// The snapshot.
    #[must_use]
    pub const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn attribute(&self, name: &str) -> Option<AttributeView> {
        self.snapshot.attribute(self.snapshot.field_id(name)?)
    }
}

impl Corpus for IndexView {
    fn settings(&self) -> &IndexSettings {
        self.snapshot.settings()
    }

    fn documents(&self) -> &DocSet {
        self.snapshot.documents()
    }

    fn n_fields(&self) -> usize {
        self.snapshot.n_fields()
    }

    fn field_name(&self, field: FieldId) -> &str {
        self.snapshot.field_name(field)
    }

    fn has_word(&self, word: &str) -> bool {
        self.snapshot.contains_word(word)
    }

    fn word_docs(&self, word: &str) -> Arc<DocSet> {
        self.snapshot.word_docs(word)
    }

    fn prefix_docs(&self, prefix: &str) -> Arc<DocSet> {
        self.snapshot.prefix_docs(prefix)
    }

    fn has_prefix_words(&self, prefix: &str, n: usize) -> bool {
        self.snapshot.prefix_count_at_least(prefix, n)
    }

    fn words_matching(
        &self,
        automaton: &DFA,
        start: &str,
        end: Option<&str>,
        each: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) {
        let (start, end) = (start.as_bytes(), end.map(str::as_bytes));
        self.snapshot
            .words_matching(automaton, start, end, &mut |word, _| each(word));
    }

    fn remembered_split(
        &self,
        word: &str,
        seam: Option<usize>,
        find: &dyn Fn() -> Option<usize>,
    ) -> Option<usize> {
        self.snapshot.split(word, seam, find)
    }

    fn remembered_phrase(
        &self,
        phrase: &[Option<String>],
        docs: &DocSet,
        among: &dyn Fn(&DocSet) -> DocSet,
    ) -> Arc<DocSet> {
        self.snapshot.phrase_docs(phrase, docs, among)
    }

    fn remembered_typos(
        &self,
        key: &str,
        matters: &dyn Fn(&str) -> bool,
        find: &dyn Fn() -> TypoWords,
    ) -> Arc<TypoWords> {
        self.snapshot.typos(key, matters, find)
    }

    fn remembered_summaries(&self, request: &SummariesRequest<'_>) -> Option<Arc<Summaries>> {
        self.snapshot.summaries(request)
    }

    fn summary_reader(
        &self,
        slots: &[Slot],
        has_typed: bool,
        known: &[Summary],
    ) -> Option<Box<dyn SummaryReader + '_>> {
        Some(Box::new(
            self.snapshot.summary_reader(slots, has_typed, known),
        ))
    }

    fn least_summary(&self, slots: &[Slot], has_typed: bool) -> Option<Summary> {
        self.snapshot.least_summary(slots, has_typed)
    }

    fn has_short_documents(&self) -> bool {
        self.snapshot.has_short_documents()
    }

    fn scanner(&self, slots: &[Slot]) -> Box<dyn Scanner + '_> {
        Box::new(self.snapshot.matcher(slots))
    }

    fn measurer(&self, plan: MeasurePlan) -> Option<Box<dyn Measurer>> {
        Some(Box::new(self.snapshot.measurer(plan)))
    }

    fn typed_text_reader(&self, text: &TypedText) -> Option<Box<dyn TypedTextReader + '_>> {
        Some(Box::new(self.snapshot.typed_rows(text)?))
    }

    fn sort_column(
        &self,
        attribute: &str,
        direction: Direction,
    ) -> Option<Box<dyn SortColumn + '_>> {
        let view = self.attribute(attribute)?;
        let is_descending = direction == Direction::Desc;
        Some(Box::new(IndexColumn {
            walk: view.walk(is_descending),
            view,
            is_descending,
        }))
    }

    fn geo_order(&self, target: (f64, f64), descending: bool) -> Option<Box<dyn GeoOrder + '_>> {
        Some(Box::new(self.snapshot.geo_walk(target, descending)))
    }

    fn geo_point(&self, doc: DocId) -> Option<(f64, f64)> {
        self.snapshot.geo(doc).map(|[lat, lng]| (lat, lng))
    }
}

impl GeoOrder for GeoWalk<'_> {
    fn next(&mut self, wanted: &DocSet) -> Option<PlacedDoc> {
        Self::next(self, wanted)
    }
}

impl Scanner for SlotMatcher {
    fn occurrences_within(&mut self, doc: DocId, reach: Reach<'_>, out: &mut Vec<Occurrence>) {
        Self::occurrences(self, doc, reach, out);
    }

    fn field_length(&mut self, doc: DocId, field: FieldId, enough: u32) -> u32 {
        Self::field_length(self, doc, field, enough)
    }
}

/// An attribute in one direction, and how far its values have been walked.
struct IndexColumn {
    view: AttributeView,
    walk: ValueWalk,
    is_descending: bool,
}

impl SortColumn for IndexColumn {
    fn value(&self, doc: DocId) -> SortValue<'_> {
        self.view
            .sort_value(doc, self.is_descending)
            .map_or(SortValue::Missing, SortValue::from)
    }

    fn next_value(&mut self, docs: &mut Vec<DocId>) -> Option<SortValue<'_>> {
        self.walk.next(&self.view, docs).map(SortValue::from)
    }
}

impl<'v> From<crate::index::SortValue<'v>> for SortValue<'v> {
    fn from(value: crate::index::SortValue<'v>) -> Self {
        match value {
            crate::index::SortValue::Number(number) => Self::Number(number),
            crate::index::SortValue::String(text) => Self::Text(text.into()),
        }
    }
}

impl SearchSource for IndexView {
    fn query_config(&self) -> &QueryConfig {
        &self.config
    }

    fn primary_key(&self) -> Option<&str> {
        self.snapshot.meta().primary_key.as_deref()
    }

    fn document(&self, doc: DocId) -> Result<DocumentBytes, SearchError> {
        self.snapshot.shown_document(doc).map_err(SearchError::from)
    }

    fn append_document(&self, doc: DocId, out: &mut Vec<u8>) -> Result<(), SearchError> {
        let appended = self.snapshot.append_document(doc, out);
        appended.map_err(SearchError::from)
    }

    fn find(&self, external_id: &str) -> Result<Option<DocId>, SearchError> {
        let found = self.snapshot.find(external_id);
        found.map_err(|error| IndexError::from(error).into())
    }

    fn vectors(&self, embedder: &str) -> Option<Arc<VectorSet>> {
        self.snapshot.vectors().get(embedder).cloned()
    }

    fn write_vectors(&self, doc: DocId, stored: Option<Value>, out: &mut Vec<u8>) {
        self.snapshot.write_vectors(doc, stored, out);
    }

    fn knows_attribute(&self, attribute: &str) -> bool {
        self.snapshot.field_id(attribute).is_some()
    }

    fn same_value(&self, attribute: &str, doc: DocId) -> DocSet {
        let mut same = DocSet::from_sorted(vec![doc]);
        let Some(column) = self.attribute(attribute) else {
            return same;
        };
        column.for_each_value(doc, |value, _| {
            let docs = match value {
                crate::index::SortValue::Number(number) => column.equal_number(number),
                crate::index::SortValue::String(text) => column.equal_string(text),
            };
            same = same.or(&docs);
        });
        same
    }

    fn comparable_values(&self, attribute: &str, doc: DocId) -> Vec<String> {
        let mut values = Vec::new();
        if let Some(column) = self.attribute(attribute) {
            column.for_each_value(doc, |value, _| {
                values.push(match value {
                    crate::index::SortValue::Number(number) => format!("#{number}"),
                    // No text is that of a number.
                    crate::index::SortValue::String(text) if text.starts_with('#') => {
                        format!("#{text}")
                    }
                    crate::index::SortValue::String(text) => text.to_owned(),
                });
            });
        }
        values
    }

    fn foreign(&self) -> Option<&ForeignIndexes> {
        self.foreign.as_deref()
    }

    fn filter_docs(
        &self,
        filter: &Filter,
        features: &FilterFeatures,
    ) -> Result<DocSet, SearchError> {
        let foreign = self.foreign();
        facet::filter_docs(&self.snapshot, foreign, filter, features, FILTER_CODE)
    }

    fn allowed<'s>(
        &'s self,
        filter: Filter,
        features: &'s FilterFeatures,
    ) -> Result<Allowed<'s>, SearchError> {
        let foreign = self.foreign();
        facet::allowed(&self.snapshot, foreign, filter, features, FILTER_CODE)
    }

    fn facets(&self, facets: &[String], candidates: &DocSet) -> Result<Facets, SearchError> {
        facet::facets(&self.snapshot, facets, candidates)
    }
}
