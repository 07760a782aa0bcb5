//! Finds where query words stand in a document, from the forward index.
//!
//! For each segment the slots become a bitmap over word ordinals, so that a token costs one load
//! and one bit test, and a hit a look-up of the slots behind the ordinal. Bitmaps are made when a
//! document of the segment is first asked for and go back to a thread-local pool.

use std::cell::RefCell;
use std::ops::Range;

use super::segment_view::{JUMP_LENGTH, SegmentView};
use super::snapshot::Snapshot;
use crate::docset::DocId;
use crate::document::FieldId;
use crate::query::{Occurrence, Reach, Slot};
use crate::storage::forward_reader::FieldRow;

/// Looks for the same slots in many documents.
pub struct SlotMatcher {
    snapshot: Snapshot,
    slots: Vec<Slot>,
    segments: Vec<Option<SegmentSlots>>,
}

/// The slots as ordinals of one segment.
struct SegmentSlots {
    /// A bit per ordinal; two more for the marks between words.
    bits: Vec<u64>,
    /// Ordinals of single words with their slots, ascending.
    words: Vec<(u32, u16)>,
    /// Slots of prefixes.
    ranges: Vec<(Range<u32>, u16)>,
    is_empty: bool,
}

thread_local! {
    static POOL: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}
/// Up to this many words are looked through one by one.
const FEW_WORDS: usize = 16;
/// Symbols tested before hits are looked at.
const CHUNK: usize = 64;
/// Bitmaps kept per thread.
const POOLED: usize = 8;

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
        let n_terms = segment.forward().n_terms() as usize;
        let mut bits = POOL.with_borrow_mut(Vec::pop).unwrap_or_default();
        bits.clear();
        bits.resize((n_terms + 2).div_ceil(64), 0);
        let mut this = Self {
            bits,
            words: Vec::new(),
            ranges: Vec::new(),
            is_empty: true,
        };
        for (slot, wanted) in slots.iter().enumerate() {
            let slot = slot as u16;
            match wanted {
                Slot::Word(word) => {
                    if let Ok(Some(ordinal)) = segment.words().terms().term_ord(word) {
                        this.words.push((ordinal as u32, slot));
                        this.set(ordinal as usize);
                    }
                }
                Slot::Prefix(prefix) => {
                    let range = segment.prefix_ordinals(prefix).unwrap_or(0..0);
                    if !range.is_empty() {
                        this.set_range(range.start as usize, range.end as usize);
                        this.ranges.push((range, slot));
                    }
                }
            }
        }
        this.words.sort_unstable();
        this.is_empty = this.words.is_empty() && this.ranges.is_empty();
        this.set(segment.forward().jump() as usize);
        this
    }

    fn set(&mut self, ordinal: usize) {
        self.bits[ordinal / 64] |= 1 << (ordinal % 64);
    }

    fn set_range(&mut self, start: usize, end: usize) {
        let (first, last) = (start / 64, (end - 1) / 64);
        let from = u64::MAX << (start % 64);
        let to = u64::MAX >> (63 - (end - 1) % 64);
        if first == last {
            self.bits[first] |= from & to;
            return;
        }
        self.bits[first] |= from;
        self.bits[first + 1..last].fill(u64::MAX);
        self.bits[last] |= to;
    }

    /// A bit for each of up to [`CHUNK`] symbols: whether it is a mark or a word of a slot.
    #[inline]
    fn hits(&self, field: &FieldRow<'_>, start: usize, n_symbols: usize) -> u64 {
        let mut hits = 0;
        for at in 0..n_symbols {
            let symbol = field.symbol(start + at);
            let word = self.bits.get((symbol / 64) as usize).copied().unwrap_or(0);
            hits |= (word >> (symbol % 64) & 1) << at;
        }
        hits
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

impl Drop for SegmentSlots {
    fn drop(&mut self) {
        let bits = std::mem::take(&mut self.bits);
        // A thread that is ending has no pool any more; the bitmap then simply goes.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            if pool.len() < POOLED {
                pool.push(bits);
            }
        });
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
                let mut hits = slots.hits(&field, start, n_symbols);
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

    /// Replaces `out` by the number of indexed words of each field of a document that has words,
    /// fields ascending.
    pub fn field_lengths(&self, id: DocId, out: &mut Vec<(FieldId, u32)>) {
        out.clear();
        let Some((segment, local)) = self.snapshot.locate(id) else {
            return;
        };
        let n_terms = u64::from(segment.forward().n_terms());
        for field in segment.forward().row(local).field_rows() {
            let words = (0..field.len).filter(|index| field.symbol(*index) < n_terms);
            out.push((field.field, words.count() as u32));
        }
    }
}
