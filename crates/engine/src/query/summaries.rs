//! What the rules ask of each document that holds one term, kept as a number per document.
//!
//! A term that hundreds of thousands of documents hold costs as many reads when rules look at them
//! one by one. Most of these documents are alike: the same attributes have the word, at the same
//! place. So each document gets the number of its *summary*, and there are few of those.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::corpus::{Corpus, FieldId, Slot};
use crate::docset::{DocId, DocSet};

/// Summaries of the documents of one term.
#[derive(Debug)]
pub struct Summaries {
    docs: Arc<DocSet>,
    codes: Codes,
    kinds: Vec<Summary>,
}

/// Places in the list of summaries, in the order of the documents.
#[derive(Debug)]
enum Codes {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

/// What rules ask of a document that holds a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Summary {
    /// Attributes that have one of the words, ascending.
    pub fields: Vec<FieldId>,
    /// The first position of one of the words in any attribute, [`bucketed`].
    pub position: u16,
    /// Where the term stands as it was typed.
    pub typed: TypedPlace,
}

/// Where a word stands as it was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypedPlace {
    /// An attribute starts with the word, and that one or another has no other word.
    Alone,
    /// An attribute starts with the word.
    First,
    /// Neither, or nowhere.
    Elsewhere,
}

impl Summaries {
    /// Reads the documents, which hold one of `slots`; the first slot is the term as it was typed
    /// when `has_typed`. `None` when `is_over` said so, which is asked for each document.
    pub fn new(
        corpus: &dyn Corpus,
        docs: Arc<DocSet>,
        slots: &[Slot],
        has_typed: bool,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let mut scanner = corpus.scanner(slots);
        let mut codes = Vec::with_capacity(docs.len());
        let mut kinds = Vec::new();
        let mut ids: FxHashMap<Summary, u16> = FxHashMap::default();
        let mut seen = Vec::new();
        let mut summary = Summary {
            fields: Vec::new(),
            position: 0,
            typed: TypedPlace::Elsewhere,
        };
        for doc in docs.iter() {
            if is_over() {
                return None;
            }
            scanner.occurrences(doc, &mut seen);
            summary.fields.clear();
            summary.fields.extend(seen.iter().map(|seen| seen.field));
            summary.fields.dedup();
            let first = seen.iter().map(|seen| seen.position).min();
            summary.position = bucketed(first.unwrap_or(u16::MAX));
            summary.typed = TypedPlace::Elsewhere;
            // Where it stands first and where it stands alone are looked for independently, as the
            // rule does that reads documents.
            if has_typed && seen.iter().any(|s| s.slot == 0 && s.position == 0) {
                let mut fields = seen.iter().filter(|s| s.slot == 0).map(|s| s.field);
                let is_alone = fields.any(|field| scanner.field_length(doc, field) == 1);
                summary.typed = if is_alone {
                    TypedPlace::Alone
                } else {
                    TypedPlace::First
                };
            }
            let code = match ids.get(&summary) {
                Some(code) => *code,
                None => {
                    let Ok(code) = u16::try_from(kinds.len()) else {
                        return Some(Self::unknown());
                    };
                    kinds.push(summary.clone());
                    ids.insert(summary.clone(), code);
                    code
                }
            };
            codes.push(code);
        }
        let narrow: Option<Vec<u8>> = codes.iter().map(|code| u8::try_from(*code).ok()).collect();
        let codes = narrow.map_or(Codes::Wide(codes), Codes::Narrow);
        Some(Self { docs, codes, kinds })
    }

    /// What is kept when too many documents differ.
    fn unknown() -> Self {
        Self {
            docs: Arc::default(),
            codes: Codes::Narrow(Vec::new()),
            kinds: Vec::new(),
        }
    }

    /// Whether documents are summarised; not if too many differ.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// The summaries that occur.
    #[must_use]
    pub fn kinds(&self) -> &[Summary] {
        &self.kinds
    }

    /// Calls `each` for the documents of `part`, all of which are summarised, with the places of
    /// their summaries.
    pub fn for_each(&self, part: &DocSet, mut each: impl FnMut(DocId, usize)) {
        match &self.codes {
            Codes::Narrow(codes) => self.walk(part, codes, &mut each),
            Codes::Wide(codes) => self.walk(part, codes, &mut each),
        }
    }

    fn walk<C: Copy + Into<usize>>(
        &self,
        part: &DocSet,
        codes: &[C],
        each: &mut impl FnMut(DocId, usize),
    ) {
        if part.len() == self.docs.len() {
            for (doc, code) in self.docs.iter().zip(codes) {
                each(doc, (*code).into());
            }
            return;
        }
        let mut wanted = part.iter().peekable();
        for (doc, code) in self.docs.iter().zip(codes) {
            if wanted.next_if_eq(&doc).is_some() {
                each(doc, (*code).into());
            }
        }
    }

    /// Bytes held on the heap, for cache budgets.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let kind = size_of::<Summary>() + 4 * size_of::<FieldId>();
        let codes = match &self.codes {
            Codes::Narrow(codes) => codes.capacity(),
            Codes::Wide(codes) => 2 * codes.capacity(),
        };
        self.docs.heap_bytes() + codes + kind * self.kinds.len()
    }
}

/// The step a document position falls in: exact up to 15, then 24, then powers of two.
#[must_use]
pub const fn bucketed(position: u16) -> u16 {
    match position {
        0..16 => position,
        16..24 => 24,
        _ => match position.checked_next_power_of_two() {
            Some(power) => power,
            None => u16::MAX,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::IndexSettings;
    use crate::testing::MemoryCorpus;

    #[test]
    fn a_word_stands_first_and_alone_in_attributes_that_need_not_be_the_same() {
        let documents = [
            json!({"body": "fl x", "tags": ["", "fl"]}),
            json!({"body": "fl"}),
            json!({"body": "fl x"}),
            json!({"tags": ["", "fl"]}),
        ];
        let corpus = MemoryCorpus::new(IndexSettings::default(), &documents);
        let docs = Arc::new(DocSet::full(4));
        let slots = [Slot::Word("fl".to_owned())];
        let summaries = Summaries::new(&corpus, docs.clone(), &slots, true, &|| false);
        let summaries = summaries.expect("nothing stops it");
        let mut typed = Vec::new();
        summaries.for_each(&docs, |_, code| typed.push(summaries.kinds()[code].typed));
        let expected = [
            TypedPlace::Alone,
            TypedPlace::Alone,
            TypedPlace::First,
            TypedPlace::Elsewhere,
        ];
        assert_eq!(typed, expected);
    }
}
