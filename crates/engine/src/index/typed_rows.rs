//! Looks for what was typed in the rows of the forward index: only at the start of each attribute, where
//! that is enough.
//!
//! # Cost
//! A load or two for each word and attribute; documents with the words in several attributes are read
//! as far as these stand.

use super::segment_view::{JUMP_LENGTH, SegmentView};
use super::snapshot::Snapshot;
use super::symbol_test::{CHUNK, SymbolTest, SymbolTests};
use crate::docset::DocId;
use crate::query::{TypedMatch, TypedText, TypedTextReader, bucketed};
use crate::storage::forward_reader::FieldRow;

/// Longer texts are looked for by their occurrences.
const MAX_WORDS: usize = u64::BITS as usize;

/// A reader of the documents of a snapshot.
pub struct TypedRows<'s> {
    snapshot: &'s Snapshot,
    text: TypedText,
    /// Words stand below this position.
    reach: u32,
    /// By segment, made when a document of it is first read.
    segments: Vec<Option<SegmentText>>,
    masks: Vec<u64>,
}

/// What the text means in one segment.
enum SegmentText {
    /// A word is in no document.
    Nowhere,
    Words {
        /// The symbol of each word with its position.
        words: Vec<(u64, u16)>,
        /// A mask for each word.
        tests: SymbolTests,
    },
}

impl Snapshot {
    /// Prepares to look for a text in documents of this snapshot; `None` if it has too many words.
    #[must_use]
    pub fn typed_rows(&self, text: &TypedText) -> Option<TypedRows<'_>> {
        let n_words = text.words.len();
        if n_words == 0 || n_words > MAX_WORDS {
            return None;
        }
        let mut segments = Vec::new();
        segments.resize_with(self.0.slots.len(), || None);
        let reach = text.words.iter().map(|(_, at)| u32::from(*at) + 1).max();
        Some(TypedRows {
            snapshot: self,
            text: text.clone(),
            reach: reach.unwrap_or(0),
            segments,
            masks: vec![0; n_words],
        })
    }
}

impl SegmentText {
    fn new(segment: &SegmentView, text: &TypedText) -> Self {
        let terms = segment.words().terms();
        let symbol = |word: &String| terms.term_ord(word).ok().flatten();
        let words = text.words.iter();
        let words = words.map(|(word, at)| Some((symbol(word)?, *at)));
        let Some(words) = words.collect::<Option<Vec<(u64, u16)>>>() else {
            return Self::Nowhere;
        };
        let tests = words.iter().enumerate();
        let tests = tests.map(|(mask, (symbol, _))| (mask, SymbolTest::Is(*symbol as u32)));
        Self::Words {
            tests: SymbolTests::new(segment.forward().width(), tests.collect()),
            words,
        }
    }
}

impl TypedTextReader for TypedRows<'_> {
    #[inline]
    fn expect(&self, doc: DocId) {
        self.snapshot.expect_row(doc);
    }

    fn look_at(&mut self, doc: DocId) -> TypedMatch {
        let view = &self.snapshot.0;
        let place = view.map.get(doc).and_then(|(slot, local)| {
            let segment = view.slots.get(slot as usize)?.as_deref()?;
            Some((slot, segment, local))
        });
        let Some((slot, segment, local)) = place else {
            return TypedMatch::Nothing;
        };
        let text = self.segments[slot as usize]
            .get_or_insert_with(|| SegmentText::new(segment, &self.text));
        let SegmentText::Words { words, tests } = text else {
            return TypedMatch::Nothing;
        };
        let forward = segment.forward();
        let (jump, n_terms) = (forward.jump(), u64::from(forward.n_terms()));
        let row = forward.row(local);
        let all = u64::MAX >> (MAX_WORDS - words.len());
        let deciding = self.text.deciding.as_deref();
        let decides = |field: &FieldRow<'_>| {
            deciding.is_none_or(|mask| mask.get(usize::from(field.field)).is_some_and(|is| *is))
        };
        let masks = &mut self.masks;
        let (mut in_place, mut is_start, mut is_whole) = (0, false, false);
        for field in row.field_rows() {
            let here = words_in_place(&field, words, jump, self.reach);
            in_place |= here;
            if decides(&field) {
                is_start |= here == all;
                is_whole |= (self.text.length)
                    .is_some_and(|length| has_length(&field, n_terms, length))
                    && holds_all(&field, tests, masks);
            }
        }
        if in_place != all {
            return TypedMatch::Nothing;
        }
        if is_whole {
            return TypedMatch::Whole;
        }
        let mut deciding = row.field_rows().filter(decides);
        if is_start || deciding.any(|field| holds_all(&field, tests, masks)) {
            TypedMatch::Start
        } else {
            TypedMatch::Nothing
        }
    }
}

/// A bit for each word that stands where it should.
#[inline]
fn words_in_place(field: &FieldRow<'_>, words: &[(u64, u16)], jump: u64, reach: u32) -> u64 {
    let (mut found, mut position) = (0, 0);
    for index in 0..field.len {
        if position >= reach {
            break;
        }
        let symbol = field.symbol(index);
        if symbol == jump {
            position += JUMP_LENGTH;
            continue;
        }
        let at = bucketed(position as u16);
        for (word, wanted) in words.iter().enumerate() {
            found |= u64::from(*wanted == (symbol, at)) << word;
        }
        position += 1;
    }
    found
}

/// Whether an attribute has so many words.
#[inline]
fn has_length(field: &FieldRow<'_>, n_terms: u64, length: u32) -> bool {
    let mut n_words = 0;
    for index in 0..field.len {
        n_words += u32::from(field.symbol(index) < n_terms);
        if n_words > length {
            return false;
        }
    }
    n_words == length
}

/// Whether an attribute has all words; `masks` are for the tests to use.
fn holds_all(field: &FieldRow<'_>, tests: &SymbolTests, masks: &mut [u64]) -> bool {
    let mut found = 0_u64;
    for start in (0..field.len).step_by(CHUNK) {
        tests.ask(field, start, CHUNK.min(field.len - start), masks);
        for (word, mask) in masks.iter().enumerate() {
            found |= u64::from(*mask != 0) << word;
        }
        if found.count_ones() as usize == masks.len() {
            return true;
        }
    }
    false
}
