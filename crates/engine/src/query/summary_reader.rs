//! Finds the summaries of documents one by one, and numbers those that differ.

use rustc_hash::FxHashMap;

use super::corpus::{Corpus, Occurrence, Scanner, Slot};
use super::summaries::{Summary, TypedPlace, bucketed};
use crate::docset::DocId;

/// Summarises documents that hold one of some slots.
pub trait SummaryReader {
    /// Says that the document will be asked for soon.
    fn expect(&self, doc: DocId) {
        let _ = doc;
    }
    /// The place of the document's summary in the list; `None` when the list is full.
    fn code(&mut self, doc: DocId) -> Option<u16>;
    /// The list.
    fn into_kinds(self: Box<Self>) -> Vec<Summary>;
}

/// Different summaries in order of first sight.
#[derive(Debug)]
pub struct SummaryKinds {
    kinds: Vec<Summary>,
    ids: FxHashMap<Summary, u16>,
}

impl SummaryKinds {
    /// Goes on with the summaries that are known.
    #[must_use]
    pub fn new(known: &[Summary]) -> Self {
        let ids = (0..).zip(known).map(|(code, kind)| (kind.clone(), code));
        Self {
            kinds: known.to_vec(),
            ids: ids.collect(),
        }
    }

    /// The place of a summary in the list; `None` when it is new and the list is full.
    pub fn code_of(&mut self, summary: &Summary) -> Option<u16> {
        if let Some(code) = self.ids.get(summary) {
            return Some(*code);
        }
        let code = u16::try_from(self.kinds.len()).ok()?;
        self.kinds.push(summary.clone());
        self.ids.insert(summary.clone(), code);
        Some(code)
    }

    /// The list.
    #[must_use]
    pub fn into_list(self) -> Vec<Summary> {
        self.kinds
    }
}

/// A reader that goes on with the summaries that are known: that of the corpus, if it has one.
pub(super) fn summary_reader<'c>(
    corpus: &'c dyn Corpus,
    slots: &[Slot],
    has_typed: bool,
    known: &[Summary],
) -> Box<dyn SummaryReader + 'c> {
    let of_corpus = corpus.summary_reader(slots, has_typed, known);
    of_corpus.unwrap_or_else(|| Box::new(OccurrenceReader::new(corpus, slots, has_typed, known)))
}

/// Summarises documents by the occurrences of the slots.
struct OccurrenceReader<'c> {
    scanner: Box<dyn Scanner + 'c>,
    has_typed: bool,
    kinds: SummaryKinds,
    seen: Vec<Occurrence>,
    summary: Summary,
}

impl<'c> OccurrenceReader<'c> {
    fn new(corpus: &'c dyn Corpus, slots: &[Slot], has_typed: bool, known: &[Summary]) -> Self {
        Self {
            scanner: corpus.scanner(slots),
            has_typed,
            kinds: SummaryKinds::new(known),
            seen: Vec::new(),
            summary: Summary {
                fields: Vec::new(),
                position: 0,
                typed: TypedPlace::Elsewhere,
            },
        }
    }
}

impl SummaryReader for OccurrenceReader<'_> {
    fn code(&mut self, doc: DocId) -> Option<u16> {
        let (seen, summary) = (&mut self.seen, &mut self.summary);
        self.scanner.occurrences(doc, seen);
        summary.fields.clear();
        summary.fields.extend(seen.iter().map(|seen| seen.field));
        summary.fields.dedup();
        let first = seen.iter().map(|seen| seen.position).min();
        summary.position = bucketed(first.unwrap_or(u16::MAX));
        summary.typed = TypedPlace::Elsewhere;
        // Where it stands first and where it stands alone are looked for independently, as the
        // rule does that reads documents.
        if self.has_typed && seen.iter().any(|s| s.slot == 0 && s.position == 0) {
            let mut fields = seen.iter().filter(|s| s.slot == 0).map(|s| s.field);
            let is_alone = fields.any(|field| self.scanner.field_length(doc, field, 2) == 1);
            summary.typed = if is_alone {
                TypedPlace::Alone
            } else {
                TypedPlace::First
            };
        }
        self.kinds.code_of(summary)
    }

    fn into_kinds(self: Box<Self>) -> Vec<Summary> {
        self.kinds.into_list()
    }
}
