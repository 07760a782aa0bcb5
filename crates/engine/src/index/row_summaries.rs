//! Summarises documents from their rows in the forward index, 64 symbols at a time.
//!
//! What is found in a row is a few small numbers, under which the place of the summary is kept: a
//! document like one before needs no list of attributes.
//!
//! # Cost
//! Some tens of nanoseconds for a short document. An attribute is left at the first word of the term.

use rustc_hash::FxHashMap;

use super::measured_row::{JUMPS, both_ways};
use super::row_measurer::tests_of;
use super::segment_view::{JUMP_LENGTH, SegmentView};
use super::snapshot::Snapshot;
use super::symbol_test::{CHUNK, SymbolTests};
use crate::docset::DocId;
use crate::query::{
    MeasuredTerm, Slot, Summary, SummaryKinds, SummaryReader, TypedPlace, bucketed,
};
use crate::storage::forward_reader::{FieldRow, Row};

/// Masks of jumps and of the words of one term.
const N_MASKS: usize = both_ways(1);
/// Documents with more attributes are not looked up by what was found.
const MAX_FIELDS: usize = u64::BITS as usize;

/// A reader of summaries of the documents of a snapshot.
pub struct RowSummaries<'s> {
    snapshot: &'s Snapshot,
    term: MeasuredTerm,
    has_typed: bool,
    /// By segment, made when a document of it is first read.
    segments: Vec<Option<SegmentTerm>>,
    kinds: SummaryKinds,
    codes: FxHashMap<Found, u16>,
    /// The last one looked up: documents beside each other are often alike.
    last: Option<(Found, u16)>,
}

/// What a term means in one segment.
struct SegmentTerm {
    tests: SymbolTests,
    /// The symbol of the term as it was typed.
    typed: Option<u64>,
    /// Symbols below this one are words.
    n_terms: u64,
}

/// What rules ask of a document, in terms of its row.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Found {
    /// The attributes of documents of this shape, by where their list is.
    shape: usize,
    /// Which of them have one of the words.
    fields: u64,
    /// The first position of a word.
    position: u16,
    typed: TypedPlace,
}

impl Snapshot {
    /// Prepares to summarise documents of this snapshot that hold one of `slots`, the first of which
    /// is the term as it was typed when `has_typed`; goes on with the summaries that are known.
    #[must_use]
    pub fn summary_reader(
        &self,
        slots: &[Slot],
        has_typed: bool,
        known: &[Summary],
    ) -> RowSummaries<'_> {
        let mut segments = Vec::new();
        segments.resize_with(self.0.slots.len(), || None);
        RowSummaries {
            snapshot: self,
            term: MeasuredTerm {
                slots: slots.to_vec(),
                ..MeasuredTerm::default()
            },
            has_typed,
            segments,
            kinds: SummaryKinds::new(known),
            codes: FxHashMap::default(),
            last: None,
        }
    }
}

impl SummaryReader for RowSummaries<'_> {
    fn expect(&self, doc: DocId) {
        self.snapshot.expect_row(doc);
    }

    fn code(&mut self, doc: DocId) -> Option<u16> {
        let view = &self.snapshot.0;
        let place = view.map.get(doc).and_then(|(slot, local)| {
            let segment = view.slots.get(slot as usize)?.as_deref()?;
            Some((slot, segment, local))
        });
        let Some((slot, segment, local)) = place else {
            return self.kinds.code_of(&nothing());
        };
        let term = self.segments[slot as usize]
            .get_or_insert_with(|| SegmentTerm::new(segment, &self.term, self.has_typed));
        let row = segment.forward().row(local);
        if row.fields.len() > MAX_FIELDS {
            let mut summary = nothing();
            let (found, fields) = (&mut summary.fields, row.fields);
            let (position, typed) = term.read(&row, |nth| found.push(fields[nth]));
            (summary.position, summary.typed) = (bucketed(position), typed);
            return self.kinds.code_of(&summary);
        }
        let mut fields = 0;
        let (position, typed) = term.read(&row, |nth| fields |= 1 << nth);
        let found = Found {
            shape: row.fields.as_ptr() as usize,
            fields,
            position: bucketed(position),
            typed,
        };
        if let Some((last, code)) = self.last
            && last == found
        {
            return Some(code);
        }
        let code = match self.codes.get(&found) {
            Some(code) => *code,
            None => {
                let code = self.kinds.code_of(&found.summary(row.fields))?;
                self.codes.insert(found, code);
                code
            }
        };
        self.last = Some((found, code));
        Some(code)
    }

    fn into_kinds(self: Box<Self>) -> Vec<Summary> {
        self.kinds.into_list()
    }
}

/// The summary of a document that has none of the words.
const fn nothing() -> Summary {
    Summary {
        fields: Vec::new(),
        position: u16::MAX,
        typed: TypedPlace::Elsewhere,
    }
}

impl Found {
    fn summary(&self, fields: &[u16]) -> Summary {
        let with_words = fields.iter().enumerate();
        let with_words = with_words.filter(|(nth, _)| self.fields >> nth & 1 != 0);
        Summary {
            fields: with_words.map(|(_, field)| *field).collect(),
            position: self.position,
            typed: self.typed,
        }
    }
}

impl SegmentTerm {
    fn new(segment: &SegmentView, term: &MeasuredTerm, has_typed: bool) -> Self {
        let typed = match term.slots.first() {
            Some(Slot::Word(word)) if has_typed => segment.words().terms().term_ord(word),
            _ => Ok(None),
        };
        Self {
            tests: tests_of(segment, std::slice::from_ref(term)),
            typed: typed.ok().flatten(),
            n_terms: u64::from(segment.forward().n_terms()),
        }
    }

    /// The first position of a word, and where it stands as it was typed; calls `found` with the
    /// place of each attribute that has a word, ascending.
    #[inline]
    fn read(&self, row: &Row<'_>, mut found: impl FnMut(usize)) -> (u16, TypedPlace) {
        let (mut least, mut is_first) = (u16::MAX, false);
        let mut look = |nth: usize, position: Option<u16>, is_typed: &dyn Fn() -> bool| {
            let Some(position) = position else { return };
            found(nth);
            least = least.min(position);
            is_first |= position == 0 && is_typed();
        };
        if let Some((all, ends)) = row.short() {
            let mut masks = [0; N_MASKS];
            self.tests.ask(&all, 0, all.len, &mut masks);
            let mut words = masks[both_ways(0)];
            while words != 0 {
                let (nth, start, end) = field_at(ends, words.trailing_zeros());
                let position = position_in(words >> start, masks[JUMPS] >> start, 0);
                let is_typed = || self.typed == Some(all.symbol(start as usize));
                look(nth, position, &is_typed);
                // A shift by 64 would be none.
                words &= (u64::MAX << (end - 1)) << 1;
            }
        } else {
            for (nth, field) in row.field_rows().enumerate() {
                let is_typed = || self.typed == Some(field.symbol(0));
                look(nth, self.first_position(&field), &is_typed);
            }
        }
        let typed = match (is_first, self.typed) {
            (true, Some(typed)) if self.is_alone(row, typed) => TypedPlace::Alone,
            (true, _) => TypedPlace::First,
            (false, _) => TypedPlace::Elsewhere,
        };
        (least, typed)
    }

    /// Whether an attribute has this word and no other.
    fn is_alone(&self, row: &Row<'_>, typed: u64) -> bool {
        row.field_rows().any(|field| {
            let symbols = (0..field.len).map(|index| field.symbol(index));
            let mut words = symbols.filter(|symbol| *symbol < self.n_terms);
            words.next() == Some(typed) && words.next().is_none()
        })
    }

    /// The position of the first word in an attribute.
    fn first_position(&self, field: &FieldRow<'_>) -> Option<u16> {
        let mut next = 0;
        for start in (0..field.len).step_by(CHUNK) {
            let n = CHUNK.min(field.len - start);
            let mut masks = [0; N_MASKS];
            self.tests.ask(field, start, n, &mut masks);
            let position = position_in(masks[both_ways(0)], masks[JUMPS], next);
            if position.is_some() {
                return position;
            }
            next += n as u32 + masks[JUMPS].count_ones() * (JUMP_LENGTH - 1);
        }
        None
    }
}

/// Which field the symbol at a place is of, and where that starts and ends; `ends` has a byte for
/// each field.
#[inline]
const fn field_at(ends: u64, place: u32) -> (usize, u32, u32) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // The high bit of each byte stays where the field ends at the place or before it; both are at
    // most 64, so that nothing is borrowed from the byte above.
    let ended = ((place as u64 | 0x80) * ONES - ends) & (0x80 * ONES);
    let nth = ended.count_ones();
    let start = (ends << 8) >> (8 * nth) & 0xff;
    let end = ends >> (8 * nth) & 0xff;
    (nth as usize, start as u32, end as u32)
}

/// The position of the first of `words` behind the position `first` of the masks.
#[inline]
const fn position_in(words: u64, jumps: u64, first: u32) -> Option<u16> {
    if words == 0 {
        return None;
    }
    let at = words.trailing_zeros();
    let n_jumps = (jumps & ((1 << at) - 1)).count_ones();
    Some((first + at + n_jumps * (JUMP_LENGTH - 1)) as u16)
}
