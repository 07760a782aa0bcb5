//! What documents of words can be at best, without a look at any of them.
//!
//! # Cost
//! A look-up of each word in each segment; for a prefix two bytes of each of its words.

use std::collections::BTreeMap;
use std::ops::Range;

use super::segment_view::SegmentView;
use super::snapshot::Snapshot;
use crate::document::FieldId;
use crate::query::{Slot, Summary, TypedPlace, bucketed};
use crate::storage::word_places::{ALONE, position_of};

impl Snapshot {
    /// A summary that is no worse in anything than that of any document which holds one of `slots`, the
    /// first of which is the term as it was typed when `has_typed`. `None` if a segment does not say.
    #[must_use]
    pub fn least_summary(&self, slots: &[Slot], has_typed: bool) -> Option<Summary> {
        let mut best: BTreeMap<FieldId, _> = BTreeMap::new();
        let mut typed_place = None;
        for (at, slot) in slots.iter().enumerate() {
            for segment in self.segments() {
                let words = ordinals(segment, slot)?;
                if !segment.forward().best_places(words, &mut best) {
                    return None;
                }
            }
            // Of no other slot is anything known yet.
            if at == 0 && has_typed {
                typed_place = best.values().min().copied();
            }
        }
        let first = best
            .values()
            .min()
            .map_or(u16::MAX, |place| position_of(*place));
        Some(Summary {
            fields: best.into_keys().collect(),
            position: bucketed(first),
            typed: match typed_place {
                Some(ALONE) => TypedPlace::Alone,
                Some(place) if position_of(place) == 0 => TypedPlace::First,
                _ => TypedPlace::Elsewhere,
            },
        })
    }
}

fn ordinals(segment: &SegmentView, slot: &Slot) -> Option<Range<u32>> {
    match slot {
        Slot::Word(word) => {
            let ordinal = segment.words().terms().term_ord(word).ok()?;
            Some(ordinal.map_or(0..0, |ordinal| ordinal as u32..ordinal as u32 + 1))
        }
        Slot::Prefix(prefix) => segment.prefix_ordinals(prefix).ok(),
    }
}
