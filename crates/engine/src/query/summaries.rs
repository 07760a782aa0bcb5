//! What the rules ask of each document that holds one term, kept as a number per document.
//!
//! A term that hundreds of thousands of documents hold costs as many reads when rules look at them
//! one by one. Most of these documents are alike: the same attributes have the word, at the same
//! place. So each document gets the number of its *summary*, and there are few of those.

use std::sync::Arc;

use super::corpus::{Corpus, FieldId, Slot};
use super::summary_reader::{SummaryKinds, SummaryReader, summary_reader};
use crate::docset::{DocId, DocSet, with_later};
use crate::parallel::{Part, in_order, in_parts};

/// Summaries of the documents of one term.
#[derive(Debug)]
pub struct Summaries {
    pub(super) docs: Arc<DocSet>,
    pub(super) codes: Codes,
    kinds: Vec<Summary>,
    /// How many documents have each.
    pub(super) counts: Vec<u32>,
}

/// Places in the list of summaries, in the order of the documents.
#[derive(Debug)]
pub(super) enum Codes {
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

/// Summaries that are wanted of a corpus that may remember them.
pub struct SummariesRequest<'r> {
    /// Names what follows.
    pub key: &'r str,
    /// The words and prefixes of the term.
    pub slots: &'r [Slot],
    /// Makes them; `None` if that is not worth it. `None` is answered when time is over.
    pub make: Option<&'r dyn Fn() -> Option<Summaries>>,
    /// Makes them of those before some documents changed; answers `None` if it cannot.
    pub mend: &'r dyn Fn(&Summaries, &DocSet) -> Option<Summaries>,
}

impl Summaries {
    /// Reads the documents, which hold one of `slots`; the first slot is the term as it was typed
    /// when `has_typed`. `None` when `is_over` said so, which is asked for each some hundred documents.
    pub fn new(
        corpus: &dyn Corpus,
        docs: Arc<DocSet>,
        slots: &[Slot],
        has_typed: bool,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let read = in_parts(&docs, is_over, |parts| {
            PartsRead::new(summary_reader(corpus, slots, has_typed, &[]), parts)
        })?;
        let read = read.into_iter().collect::<Option<Vec<PartsRead>>>();
        Some(match read.and_then(|read| joined(read, docs.len())) {
            Some((codes, kinds)) => Self::of(docs, codes, kinds),
            None => Self::unknown(),
        })
    }

    fn of(docs: Arc<DocSet>, codes: Codes, kinds: Vec<Summary>) -> Self {
        let mut counts = vec![0; kinds.len()];
        match &codes {
            Codes::Narrow(codes) => codes
                .iter()
                .for_each(|code| counts[usize::from(*code)] += 1),
            Codes::Wide(codes) => codes
                .iter()
                .for_each(|code| counts[usize::from(*code)] += 1),
        }
        Self {
            docs,
            codes,
            kinds,
            counts,
        }
    }

    /// The summaries of the documents of the term as they are `now`, the same slots as before: like
    /// [`Self::new`], but only `changed` documents are read. `None` when time is over, or these
    /// were not the summaries before.
    pub fn mended(
        &self,
        corpus: &dyn Corpus,
        now: (Arc<DocSet>, &[Slot], bool),
        changed: &DocSet,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let (docs, slots, has_typed) = now;
        if !self.is_known() {
            return Some(Self::unknown());
        }
        let mut reader = summary_reader(corpus, slots, has_typed, &self.kinds);
        let mut edits = Vec::new();
        for doc in changed {
            if is_over() {
                return None;
            }
            let code = if docs.contains(doc) {
                Some(reader.code(doc)?)
            } else {
                None
            };
            let was_there = usize::from(self.docs.contains(doc));
            edits.push((self.docs.rank(doc), was_there, code));
        }
        let codes = match &self.codes {
            Codes::Narrow(codes) => edited(codes, &edits).map(Codes::Narrow),
            Codes::Wide(_) => None,
        };
        let codes = match (codes, &self.codes) {
            (Some(codes), _) => codes,
            (None, Codes::Wide(codes)) => Codes::Wide(edited(codes, &edits)?),
            (None, Codes::Narrow(codes)) => {
                let wide: Vec<u16> = codes.iter().map(|code| u16::from(*code)).collect();
                Codes::Wide(edited(&wide, &edits)?)
            }
        };
        (codes.len() == docs.len()).then(|| Self::of(docs, codes, reader.into_kinds()))
    }

    /// What is kept when too many documents differ.
    fn unknown() -> Self {
        Self::of(Arc::default(), Codes::Narrow(Vec::new()), Vec::new())
    }

    /// Whether documents are summarised; not if too many differ.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// Number of documents that are summarised.
    #[must_use]
    pub fn n_documents(&self) -> usize {
        self.docs.len()
    }

    /// The summaries that occur, or once did.
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

/// What one thread read.
struct PartsRead {
    /// The codes of the documents of a part, by its number.
    codes: Vec<(usize, Vec<u16>)>,
    kinds: Vec<Summary>,
}

impl PartsRead {
    /// `None` when the list of summaries is full.
    fn new(
        mut reader: Box<dyn SummaryReader + '_>,
        parts: &mut dyn Iterator<Item = Part<'_>>,
    ) -> Option<Self> {
        let mut read = Vec::new();
        for part in parts {
            let mut codes = Vec::new();
            for (doc, later) in with_later(part.docs) {
                later.for_each(|later| reader.expect(later));
                codes.push(reader.code(doc)?);
            }
            read.push((part.number, codes));
        }
        Some(Self {
            codes: read,
            kinds: reader.into_kinds(),
        })
    }
}

/// The codes of all parts in the order of these, as places in one list of summaries; `None` when that
/// is full.
fn joined(read: Vec<PartsRead>, n_docs: usize) -> Option<(Codes, Vec<Summary>)> {
    let mut kinds = SummaryKinds::new(&[]);
    let mut parts = Vec::new();
    for PartsRead { codes, kinds: own } in read {
        let places = own.iter().map(|kind| kinds.code_of(kind));
        let places = places.collect::<Option<Vec<u16>>>()?;
        for (number, mut codes) in codes {
            for code in &mut codes {
                *code = places[usize::from(*code)];
            }
            parts.push((number, codes));
        }
    }
    let mut codes = Codes::with_capacity(n_docs);
    let all = in_order(parts.into_iter()).into_iter().flatten();
    all.for_each(|code| codes.push(code));
    Some((codes, kinds.into_list()))
}

impl Codes {
    fn with_capacity(n: usize) -> Self {
        Self::Narrow(Vec::with_capacity(n))
    }

    /// Adds a code; all become wide with the first one that does not fit.
    fn push(&mut self, code: u16) {
        match (&mut *self, u8::try_from(code)) {
            (Self::Narrow(codes), Ok(code)) => codes.push(code),
            (Self::Wide(codes), _) => codes.push(code),
            (Self::Narrow(codes), Err(_)) => {
                let mut wide = Vec::with_capacity(codes.capacity());
                wide.extend(codes.iter().map(|code| u16::from(*code)));
                wide.push(code);
                *self = Self::Wide(wide);
            }
        }
    }

    const fn len(&self) -> usize {
        match self {
            Self::Narrow(codes) => codes.len(),
            Self::Wide(codes) => codes.len(),
        }
    }
}

/// The codes with some replaced, taken out or put in: at each place, ascending, so many go and one
/// may come. `None` when a code does not fit.
fn edited<C: Copy + TryFrom<u16>>(
    codes: &[C],
    edits: &[(usize, usize, Option<u16>)],
) -> Option<Vec<C>> {
    let mut out = Vec::with_capacity(codes.len() + edits.len());
    let mut at = 0;
    for (place, n_gone, code) in edits {
        out.extend_from_slice(codes.get(at..*place)?);
        at = place + n_gone;
        if let Some(code) = code {
            out.push(C::try_from(*code).ok()?);
        }
    }
    out.extend_from_slice(codes.get(at..)?);
    Some(out)
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
