//! Measures that searches took of the documents of a segment, kept for the searches to come.
//!
//! A term at its place of a query has a column, and so has a pair of terms: a number for each
//! document of the segment, filled in as documents are measured. Two words that nearly all
//! documents have are so measured once, not in each search. Segments never change, so that columns
//! outlive commits.
//!
//! # Invariants
//! What a column says of a document is what measuring it gives, or nothing. Searches may fill in the
//! same column at the same time: all of them say the same.
//!
//! # Cost
//! A byte for each document and column, within the budget of a cache; a nanosecond or two to read
//! one. Few documents differ in more than the attribute and the position, so a byte is a place in a
//! list of those that occur; what is not in a full list is measured each time.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};

use tantivy::DocId as LocalId;

use super::change_log::Moment;
use super::sized_cache::{HeapSize, SizedCache};
use super::{MEASURES_PARTS, Remembered};
use crate::index::{SegmentView, Snapshot};
use crate::query::{FAR, MeasurePlan, MeasuredTerm, NOWHERE};

/// Bytes of rows from which on it pays to remember what is in them, some 60 microseconds.
const MUCH: u64 = if cfg!(test) { 1 } else { 1 << 17 };
/// What a document costs besides reading its row, in bytes of a row.
const ROW_COST: u64 = 128;
/// Searches that measure fewer documents than one in so many remember nothing: a column is as long
/// as the segment.
const FEW: usize = 64;
/// All columns of a search take at most one part of so many of the share of measures.
const SHARE: usize = 4;

/// Segments do not change.
const AT_ANY_TIME: Moment = 0;

/// The code of a document that was not measured.
const UNKNOWN: u8 = u8::MAX;
/// Different measures of a term that a column can hold.
const N_KINDS: usize = UNKNOWN as usize;
/// A place for a measure that is not taken.
const FREE: u16 = u16::MAX;
/// The measure of a term that the document does not hold.
const ABSENT: u16 = FREE - 1;
/// Bits of a term's measure that say how far it stands from the wanted position.
const POSITION_BITS: u32 = 5;
/// The weight that stands for attributes without one.
const UNWEIGHTED: u16 = (1 << (16 - POSITION_BITS)) - 2;
/// Different [`crate::query::bucketed`] positions.
const N_POSITIONS: usize = 29;

/// Codes of the documents of one segment.
pub(crate) struct Column {
    codes: Box<[AtomicU8]>,
    /// Measures of a term by their codes, in order of first sight; costs of a pair are codes.
    kinds: Box<[AtomicU16]>,
}

impl Column {
    fn new(n_docs: u32, n_kinds: usize) -> Self {
        Self {
            codes: (0..n_docs).map(|_| AtomicU8::new(UNKNOWN)).collect(),
            kinds: (0..n_kinds).map(|_| AtomicU16::new(FREE)).collect(),
        }
    }

    #[inline]
    fn code(&self, doc: LocalId) -> u8 {
        let code = self.codes.get(doc as usize);
        code.map_or(UNKNOWN, |code| code.load(Ordering::Acquire))
    }

    fn set_code(&self, doc: LocalId, code: u8) {
        if let Some(place) = self.codes.get(doc as usize) {
            place.store(code, Ordering::Release);
        }
    }

    /// The measure of a term, [`FREE`] if it is not known.
    #[inline]
    fn kind(&self, doc: LocalId) -> u16 {
        let kind = self.kinds.get(usize::from(self.code(doc)));
        kind.map_or(FREE, |kind| kind.load(Ordering::Relaxed))
    }

    fn set_kind(&self, doc: LocalId, kind: u16) {
        for (code, place) in self.kinds.iter().enumerate() {
            let mut known = place.load(Ordering::Relaxed);
            // Only a free place is worth the time that an exchange takes.
            if known == FREE {
                let taken =
                    place.compare_exchange(FREE, kind, Ordering::Relaxed, Ordering::Relaxed);
                known = taken.map_or_else(|other| other, |_| kind);
            }
            if known == kind {
                self.set_code(doc, code as u8);
                return;
            }
        }
    }
}

impl HeapSize for Column {
    fn heap_size(&self) -> usize {
        // What the key and the entry take is more than the column of a small segment.
        size_of_val(&*self.codes) + size_of_val(&*self.kinds) + (1 << 10)
    }
}

/// Columns of all segments of an index, by segment and by what they are of.
pub(crate) type MeasureCache = SizedCache<Column>;

/// Whether a search of a snapshot remembers what it measures.
pub(in crate::index) fn is_remembered(plan: &MeasurePlan, snapshot: &Snapshot) -> bool {
    let universe = snapshot.universe_len();
    let row_bytes: u64 = snapshot.segments().map(|s| s.forward().rows_len()).sum();
    let work = (row_bytes / universe.max(1) as u64 + ROW_COST) * plan.n_docs as u64;
    let n_terms = plan.weights.as_ref().map_or(0, |_| plan.terms.len());
    let bytes = universe * (n_terms + plan.pairs.len());
    let share = snapshot.0.remembered.room.share(MEASURES_PARTS);
    work >= MUCH && plan.n_docs >= universe / FEW && bytes <= share / SHARE
}

/// The columns of one segment for what a plan asks.
pub(in crate::index) struct RememberedMeasures {
    /// With the distances that positions have; none if weights are not wanted.
    terms: Vec<(Arc<Column>, [u16; N_POSITIONS])>,
    pairs: Vec<Arc<Column>>,
    /// Where the costs of pairs start among the measures.
    pair_at: usize,
}

impl RememberedMeasures {
    /// Finds the columns, or makes empty ones.
    pub(in crate::index) fn new(
        remembered: &Remembered,
        segment: &SegmentView,
        plan: &MeasurePlan,
    ) -> Self {
        let n_docs = segment.max_doc();
        let cache = (&remembered.measures, MEASURES_PARTS);
        let column = |key: &str, n_kinds| match cache.0.known(key) {
            Some(kept) => kept.value,
            None => remembered.keep(cache, key, Column::new(n_docs, n_kinds), AT_ANY_TIME),
        };
        let name = segment.file_name();
        let of_term = |weights: &[u16], term: &MeasuredTerm| {
            let mut key = format!("{name}@{}", term.wanted);
            for weight in weights {
                let _ = write!(key, ",{weight:x}");
            }
            push_term(&mut key, term);
            (column(&key, N_KINDS), distances(term.wanted))
        };
        let terms = plan.weights.as_ref().map_or_else(Vec::new, |weights| {
            let terms = plan.terms.iter();
            terms.map(|term| of_term(weights, term)).collect()
        });
        let pairs = plan.pairs.iter().map(|pair| {
            let mut key = format!("{name}:");
            push_term(&mut key, &plan.terms[pair.first]);
            push_term(&mut key, &plan.terms[pair.second]);
            column(&key, 0)
        });
        Self {
            terms,
            pairs: pairs.collect(),
            pair_at: plan.pair_at(0),
        }
    }

    /// Replaces the measures of terms and pairs that are asked for; false if the document was not
    /// measured, and then anything may stand there.
    #[inline]
    pub(in crate::index) fn read(&self, doc: LocalId, out: &mut [u16]) -> bool {
        for ((column, distances), place) in self.terms.iter().zip(out.chunks_exact_mut(2)) {
            let kind = column.kind(doc);
            if kind == FREE {
                return false;
            }
            (place[0], place[1]) = decoded(kind, distances);
        }
        for (column, cost) in self.pairs.iter().zip(&mut out[self.pair_at..]) {
            let code = column.code(doc);
            if code == UNKNOWN {
                return false;
            }
            *cost = u16::from(code);
        }
        true
    }

    /// Keeps the measures of a document, as far as there is a code for them.
    pub(in crate::index) fn write(&self, doc: LocalId, out: &[u16]) {
        for ((column, distances), place) in self.terms.iter().zip(out.chunks_exact(2)) {
            if let Some(kind) = encoded(place[0], place[1], distances) {
                column.set_kind(doc, kind);
            }
        }
        for (column, cost) in self.pairs.iter().zip(&out[self.pair_at..]) {
            column.set_code(doc, (*cost).min(FAR) as u8);
        }
    }
}

/// Adds what is looked for, so that different terms give different keys: no word holds U+0000 or
/// U+0001.
fn push_term(key: &mut String, term: &MeasuredTerm) {
    for slots in [&term.slots, &term.one_way] {
        for slot in slots {
            slot.add_to_key(key);
        }
        key.push('\u{1}');
    }
}

/// The [`crate::query::bucketed`] position with a number below [`N_POSITIONS`].
const fn position(number: usize) -> u16 {
    match number {
        0..16 => number as u16,
        16 => 24,
        17..28 => 1 << (number - 12),
        _ => u16::MAX,
    }
}

/// How far each position is from the wanted one.
fn distances(wanted: u16) -> [u16; N_POSITIONS] {
    std::array::from_fn(|number| position(number).abs_diff(wanted).min(NOWHERE - 1))
}

fn encoded(weight: u16, distance: u16, distances: &[u16; N_POSITIONS]) -> Option<u16> {
    if distance == NOWHERE {
        return (weight == NOWHERE).then_some(ABSENT);
    }
    let weight = match weight {
        NOWHERE => UNWEIGHTED,
        weight if weight < UNWEIGHTED => weight,
        _ => return None,
    };
    let position = distances.iter().position(|known| *known == distance)?;
    Some(weight << POSITION_BITS | position as u16)
}

#[inline]
fn decoded(kind: u16, distances: &[u16; N_POSITIONS]) -> (u16, u16) {
    if kind == ABSENT {
        return (NOWHERE, NOWHERE);
    }
    let weight = kind >> POSITION_BITS;
    let position = usize::from(kind & ((1 << POSITION_BITS) - 1));
    let weight = if weight == UNWEIGHTED {
        NOWHERE
    } else {
        weight
    };
    (weight, distances.get(position).copied().unwrap_or(NOWHERE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::bucketed;

    #[test]
    fn every_position_and_weight_comes_back() {
        let mut positions: Vec<u16> = (0..=u16::MAX).map(bucketed).collect();
        positions.dedup();
        assert_eq!(
            positions,
            (0..N_POSITIONS).map(position).collect::<Vec<_>>()
        );
        for wanted in [0, 1, 7, 20, 300, u16::MAX] {
            let distances = distances(wanted);
            for distance in distances {
                for weight in [0, 1, 77, UNWEIGHTED - 1, NOWHERE] {
                    let kind = encoded(weight, distance, &distances).expect("it has a kind");
                    assert!(kind < ABSENT);
                    assert_eq!(decoded(kind, &distances), (weight, distance));
                }
            }
            let absent = encoded(NOWHERE, NOWHERE, &distances).expect("it has a kind");
            assert_eq!(decoded(absent, &distances), (NOWHERE, NOWHERE));
            assert_eq!(encoded(UNWEIGHTED, distances[0], &distances), None);
        }
    }

    #[test]
    fn a_column_that_knows_too_many_kinds_forgets_the_rest() {
        let column = Column::new(300, N_KINDS);
        for doc in 0..300 {
            column.set_kind(doc, doc as u16 * 32);
        }
        for doc in 0..300 {
            let is_known = (doc as usize) < N_KINDS;
            assert_eq!(
                column.kind(doc),
                if is_known { doc as u16 * 32 } else { FREE }
            );
        }
        column.set_kind(299, 32);
        assert_eq!(column.kind(299), 32);
    }
}
