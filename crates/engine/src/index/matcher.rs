//! Finds where query words stand in a document, from the forward index.
//!
//! For each segment the slots become a set of word ordinals, made when a document of the segment
//! is first asked for; a hit costs a look-up of the slots behind the ordinal.

use std::ops::Range;

use super::segment_view::{JUMP_LENGTH, SegmentView};
use super::snapshot::Snapshot;
use super::symbol_set::SymbolSet;
use super::symbol_test::{CHUNK, SymbolTest, SymbolTests};
use crate::docset::DocId;
use crate::document::FieldId;
use crate::query::{Occurrence, Reach, Slot};

/// Looks for the same slots in many documents.
pub struct SlotMatcher {
    snapshot: Snapshot,
    slots: Vec<Slot>,
    segments: Vec<Option<SegmentSlots>>,
}

/// The slots as ordinals of one segment.
struct SegmentSlots {
    /// All of them, and the mark of a jump.
    symbols: SymbolTests,
    /// Ordinals of single words with their slots, ascending.
    words: Vec<(u32, u16)>,
    /// Slots of prefixes.
    ranges: Vec<(Range<u32>, u16)>,
    is_empty: bool,
}

/// Up to this many words are looked through one by one.
const FEW_WORDS: usize = 16;

impl Snapshot {
    /// Prepares to look for slots in documents of this snapshot.
    #[must_use]
    pub fn matcher(&self, slots: &[Slot]) -> SlotMatcher {
        let mut segments = Vec::new();
        segments.resize_with(self.0.slots.len(), || None);
        SlotMatcher {
            snapshot: self.clone(),
            slots: slots.to_vec(),
            segments,
        }
    }
}

impl SegmentSlots {
    fn new(segment: &SegmentView, slots: &[Slot]) -> Self {
        let width = segment.forward().width();
        let mut symbols = SymbolSet::new(width);
        let (mut words, mut ranges) = (Vec::new(), Vec::new());
        for (slot, wanted) in slots.iter().enumerate() {
            let slot = slot as u16;
            match wanted {
                Slot::Word(word) => {
                    if let Ok(Some(ordinal)) = segment.words().terms().term_ord(word) {
                        words.push((ordinal as u32, slot));
                        symbols.insert(ordinal as usize);
                    }
                }
                Slot::Prefix(prefix) => {
                    let range = segment.prefix_ordinals(prefix).unwrap_or(0..0);
                    if !range.is_empty() {
                        symbols.insert_range(&range);
                        ranges.push((range, slot));
                    }
                }
            }
        }
        words.sort_unstable();
        symbols.insert(segment.forward().jump() as usize);
        Self {
            symbols: SymbolTests::new(width, vec![(0, SymbolTest::OneOf(symbols))]),
            is_empty: words.is_empty() && ranges.is_empty(),
            words,
            ranges,
        }
    }

    /// Adds every slot of a word.
    #[inline]
    fn push_hits(&self, ordinal: u32, field: FieldId, position: u16, out: &mut Vec<Occurrence>) {
        let start = out.len();
        let first = if self.words.len() <= FEW_WORDS {
            0
        } else {
            self.words.partition_point(|(word, _)| *word < ordinal)
        };
        for (_, slot) in self.words[first..]
            .iter()
            .skip_while(|(word, _)| *word < ordinal)
            .take_while(|(word, _)| *word == ordinal)
        {
            out.push(Occurrence {
                slot: *slot,
                field,
                position,
            });
        }
        for (range, slot) in &self.ranges {
            if range.contains(&ordinal) {
                out.push(Occurrence {
                    slot: *slot,
                    field,
                    position,
                });
            }
        }
        if out.len() - start > 1 {
            out[start..].sort_unstable();
        }
    }
}

impl SlotMatcher {
    /// Replaces `out` by the occurrences of slots in the part of a document that `reach` says:
    /// fields ascending, positions ascending within a field, slots ascending at a position.
    /// Nothing for documents that do not live.
    pub fn occurrences(&mut self, id: DocId, reach: Reach<'_>, out: &mut Vec<Occurrence>) {
        out.clear();
        let Some((slot, local)) = self.snapshot.0.map.get(id) else {
            return;
        };
        let Some(segment) = self
            .snapshot
            .0
            .slots
            .get(slot as usize)
            .and_then(Option::as_deref)
        else {
            return;
        };
        let slots = self.segments[slot as usize]
            .get_or_insert_with(|| SegmentSlots::new(segment, &self.slots));
        if slots.is_empty {
            return;
        }
        let jump = segment.forward().jump();
        for field in segment.forward().row(local).field_rows() {
            if !reach.reads(field.field) {
                continue;
            }
            // A symbol moves on by one position or more.
            let len = field.len.min(reach.positions as usize);
            let mut next = 0_u32;
            let mut start = 0;
            while start < len {
                let n_symbols = CHUNK.min(len - start);
                let mut masks = [0];
                slots.symbols.ask(&field, start, n_symbols, &mut masks);
                let [mut hits] = masks;
                let mut skipped = 0;
                while hits != 0 {
                    let at = hits.trailing_zeros();
                    hits &= hits - 1;
                    let symbol = field.symbol(start + at as usize);
                    if symbol == jump {
                        skipped += JUMP_LENGTH - 1;
                    } else {
                        let position = (next + at + skipped) as u16;
                        slots.push_hits(symbol as u32, field.field, position, out);
                    }
                }
                next += n_symbols as u32 + skipped;
                start += n_symbols;
            }
        }
    }

    /// The number of indexed words of a field of a document, which are counted up to `enough`.
    pub fn field_length(&self, id: DocId, field: FieldId, enough: u32) -> u32 {
        let Some((segment, local)) = self.snapshot.locate(id) else {
            return 0;
        };
        let n_terms = u64::from(segment.forward().n_terms());
        let mut fields = segment.forward().row(local).field_rows();
        fields.find(|row| row.field == field).map_or(0, |row| {
            let words = (0..row.len).filter(|index| row.symbol(*index) < n_terms);
            words.take(enough as usize).count() as u32
        })
    }
}
