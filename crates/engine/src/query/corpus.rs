//! What queries need to know of an index: its words, who holds them, and where.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use levenshtein_automata::DFA;

use super::measure::{MeasurePlan, Measurer};
use super::summaries::{Summaries, SummariesRequest, Summary};
use super::summary_reader::SummaryReader;
use super::typed_text::{TypedText, TypedTextReader};
use super::typos::TypoWords;
use crate::docset::{DocId, DocSet};
use crate::settings::{Direction, IndexSettings};

/// Number of a dotted attribute name, in order of first sight.
pub type FieldId = u16;

/// One consistent view of an index.
pub trait Corpus: Sync {
    /// Settings in force.
    fn settings(&self) -> &IndexSettings;
    /// All living documents.
    fn documents(&self) -> &DocSet;
    /// Number of attribute names seen; ids are below it.
    fn n_fields(&self) -> usize;
    /// Dotted name of an attribute.
    fn field_name(&self, field: FieldId) -> &str;
    /// Whether a document holds the word in a searchable attribute.
    fn has_word(&self, word: &str) -> bool;
    /// Documents that hold the word in a searchable attribute.
    fn word_docs(&self, word: &str) -> Arc<DocSet>;
    /// Documents that hold a word starting with `prefix`.
    fn prefix_docs(&self, prefix: &str) -> Arc<DocSet>;
    /// Whether at least `n` different words start with `prefix`.
    fn has_prefix_words(&self, prefix: &str, n: usize) -> bool;
    /// Words accepted by the automaton, in byte order, from `start` on and below `end`.
    fn words_matching(
        &self,
        automaton: &DFA,
        start: &str,
        end: Option<&str>,
        each: &mut dyn FnMut(&str) -> ControlFlow<()>,
    );
    /// Where the word is best cut into two, in bytes, unless that is at the seam; asks `find` when that
    /// is not known.
    fn remembered_split(
        &self,
        word: &str,
        seam: Option<usize>,
        find: &dyn Fn() -> Option<usize>,
    ) -> Option<usize> {
        let _ = (word, seam);
        find()
    }
    /// Words that are a typo or two away, under a key of what was typed; asks `find` when they are
    /// not known. `matters` says whether a word that came or went could be one of them.
    fn remembered_typos(
        &self,
        key: &str,
        matters: &dyn Fn(&str) -> bool,
        find: &dyn Fn() -> TypoWords,
    ) -> Arc<TypoWords> {
        let _ = (key, matters);
        Arc::new(find())
    }
    /// Those of the documents, which are all that hold the words of a phrase, that have it; `among`
    /// says which ones of some have.
    fn remembered_phrase(
        &self,
        phrase: &[Option<String>],
        docs: &DocSet,
        among: &dyn Fn(&DocSet) -> DocSet,
    ) -> Arc<DocSet> {
        let _ = phrase;
        Arc::new(among(docs))
    }
    /// What rules ask of the documents of a term; made when that is not known and may be made.
    fn remembered_summaries(&self, request: &SummariesRequest<'_>) -> Option<Arc<Summaries>> {
        Some(Arc::new(request.make?()?))
    }
    /// A reader of what rules ask of the documents of a term, that goes on with the summaries that
    /// are known; `None` if documents are summarised by their occurrences.
    fn summary_reader(
        &self,
        slots: &[Slot],
        has_typed: bool,
        known: &[Summary],
    ) -> Option<Box<dyn SummaryReader + '_>> {
        let _ = (slots, has_typed, known);
        None
    }
    /// A summary that is no worse in anything than that of any document which holds one of `slots`, the
    /// first of which is the term as it was typed when `has_typed`; `None` if that is not known.
    fn least_summary(&self, slots: &[Slot], has_typed: bool) -> Option<Summary> {
        let _ = (slots, has_typed);
        None
    }
    /// Whether documents are so short that reading a part of them is no less work.
    fn has_short_documents(&self) -> bool {
        false
    }
    /// A reader of occurrences of the given words and prefixes.
    fn scanner(&self, slots: &[Slot]) -> Box<dyn Scanner + '_>;
    /// A reader that measures documents at once; `None` if they are measured by their occurrences.
    fn measurer(&self, plan: MeasurePlan) -> Option<Box<dyn Measurer>> {
        let _ = plan;
        None
    }
    /// A reader that looks for what was typed; `None` if it is looked for by its occurrences.
    fn typed_text_reader(&self, text: &TypedText) -> Option<Box<dyn TypedTextReader + '_>> {
        let _ = text;
        None
    }
    /// Values of an attribute to sort by; `None` if no document has any.
    fn sort_column(
        &self,
        attribute: &str,
        direction: Direction,
    ) -> Option<Box<dyn SortColumn + '_>>;
    /// Documents with coordinates by their distance from a latitude and longitude: the nearest first
    /// and at one distance the lowest, or all the other way round. `None` where documents are looked
    /// at one by one.
    fn geo_order(&self, target: (f64, f64), descending: bool) -> Option<Box<dyn GeoOrder + '_>> {
        let _ = (target, descending);
        None
    }
    /// Latitude and longitude of a document.
    fn geo_point(&self, doc: DocId) -> Option<(f64, f64)>;
}

/// Documents with coordinates in order of distance, found as far as they are asked for.
pub trait GeoOrder {
    /// The next one of `wanted`; the same set is to be given each time.
    fn next(&mut self, wanted: &DocSet) -> Option<PlacedDoc>;
}

/// A document with coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedDoc {
    /// The document.
    pub doc: DocId,
    /// Latitude and longitude in degrees.
    pub point: (f64, f64),
    /// Metres from the target.
    pub distance: f64,
}

/// What a scanner looks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A whole word.
    Word(String),
    /// Any word that starts with this.
    Prefix(String),
}

impl Slot {
    /// Adds what is looked for to the key of something remembered. Other slots give other keys, as no word
    /// holds U+0000.
    pub(crate) fn add_to_key(&self, key: &mut String) {
        let (mark, text) = match self {
            Self::Word(word) => ("\0=", word),
            Self::Prefix(prefix) => ("\0*", prefix),
        };
        key.push_str(mark);
        key.push_str(text);
    }
}

/// A slot seen in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// Index of the slot in the list given to [`Corpus::scanner`].
    pub slot: u16,
    /// The attribute.
    pub field: FieldId,
    /// Position of the word in the attribute.
    pub position: u16,
}

/// How much of a document a scanner reads.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'r> {
    /// Which attributes, by field id; `None` for all.
    pub fields: Option<&'r [bool]>,
    /// Every position below this one of each attribute, and perhaps some behind it.
    pub positions: u32,
}

impl Reach<'_> {
    /// The whole document.
    pub const ALL: Self = Reach {
        fields: None,
        positions: u32::MAX,
    };

    /// Whether it is the whole document.
    #[must_use]
    pub const fn is_all(&self) -> bool {
        self.fields.is_none() && self.positions == u32::MAX
    }

    /// Whether the attribute is read.
    #[inline]
    #[must_use]
    pub fn reads(&self, field: FieldId) -> bool {
        self.fields
            .is_none_or(|fields| fields.get(usize::from(field)).copied().unwrap_or(false))
    }
}

/// Reads documents word by word.
pub trait Scanner {
    /// Fills `out` with the occurrences of slots in the part of the document that `reach` says,
    /// attribute by attribute and by ascending position; a word that answers to several slots is
    /// reported for each.
    fn occurrences_within(&mut self, doc: DocId, reach: Reach<'_>, out: &mut Vec<Occurrence>);
    /// All occurrences in the document.
    fn occurrences(&mut self, doc: DocId, out: &mut Vec<Occurrence>) {
        self.occurrences_within(doc, Reach::ALL, out);
    }
    /// The number of indexed words of a searchable attribute of the document, which are counted up to
    /// `enough`.
    fn field_length(&mut self, doc: DocId, field: FieldId, enough: u32) -> u32;
}

/// The value a document is sorted by.
#[derive(Clone, Debug, PartialEq)]
pub enum SortValue<'a> {
    /// A number; always before texts.
    Number(f64),
    /// A normalised text.
    Text(Cow<'a, str>),
    /// Nothing to sort by; always last.
    Missing,
}

/// Values of one attribute, and of those nested under it in arrays, in one direction.
pub trait SortColumn {
    /// The best value of a document.
    fn value(&self, doc: DocId) -> SortValue<'_>;
    /// Passes the next of all values, numbers before texts, and puts the documents that have it
    /// into `docs`, in no order; `None` after the last one. There may be no documents.
    fn next_value(&mut self, docs: &mut Vec<DocId>) -> Option<SortValue<'_>>;
}
