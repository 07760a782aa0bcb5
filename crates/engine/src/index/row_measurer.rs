//! Measures documents from their rows in the forward index, 64 symbols at a time.
//!
//! Each mask has a bit for each symbol of a part of an attribute: whether it is a word of a term. Words
//! are near each other where a shifted mask meets another, unless a jump is between them. As holes and words both move on by one position, and a jump by more
//! than words can be apart, positions need counting only for the first words of an attribute.
//!
//! # Cost
//! An instruction or two per symbol and test; no list of occurrences. An attribute is left as soon
//! as nothing behind can change its measures.

use super::remembered::{RememberedMeasures, is_remembered};
use super::segment_view::{JUMP_LENGTH, SegmentView};
use super::snapshot::Snapshot;
use super::symbol_set::SymbolSet;
use super::symbol_test::{CHUNK, SymbolTest, SymbolTests};
use crate::docset::DocId;
use crate::query::{FAR, MeasurePlan, MeasuredTerm, Measurer, NOWHERE, Slot, bucketed};
use crate::storage::forward_reader::Row;

/// Up to this many words or prefixes are compared with one by one.
const FEW_TESTS: usize = 6;

/// Masks of jumps and of the words of each term: either way, and one way.
pub(super) const JUMPS: usize = 0;
pub(super) const fn both_ways(term: usize) -> usize {
    1 + 2 * term
}
const fn one_way(term: usize) -> usize {
    2 + 2 * term
}

/// A measurer of the documents of a snapshot.
pub struct RowMeasurer {
    snapshot: Snapshot,
    plan: MeasurePlan,
    is_remembered: bool,
    /// Whether the last document was not remembered; most likely those behind it are not, either.
    is_reading: bool,
    /// By segment, made when a document of it is first measured.
    segments: Vec<Option<SegmentPlan>>,
    parts: Parts,
}

/// What a plan means in one segment.
struct SegmentPlan {
    tests: SymbolTests,
    remembered: Option<RememberedMeasures>,
}

/// Where the reading of an attribute is.
struct Parts {
    /// What was tested last, of one attribute or several, one after the other.
    row: Part,
    now: Part,
    before: Part,
    /// By term, whether no word behind can be nearer to the wanted position.
    is_settled: Vec<bool>,
}

/// Masks of up to 64 symbols of an attribute.
#[derive(Clone)]
struct Part {
    masks: Vec<u64>,
}

impl Snapshot {
    /// Prepares to measure documents of this snapshot.
    #[must_use]
    pub fn measurer(&self, mut plan: MeasurePlan) -> RowMeasurer {
        let mut segments = Vec::new();
        segments.resize_with(self.0.slots.len(), || None);
        let is_remembered = is_remembered(&plan, self);
        if is_remembered {
            // What is kept serves searches to which another cost is enough.
            plan.pairs.iter_mut().for_each(|pair| pair.enough = 0);
        }
        let part = Part {
            masks: vec![0; both_ways(plan.terms.len())],
        };
        let parts = Parts {
            row: part.clone(),
            now: part.clone(),
            before: part,
            is_settled: vec![false; plan.terms.len()],
        };
        RowMeasurer {
            snapshot: self.clone(),
            plan,
            is_remembered,
            is_reading: true,
            segments,
            parts,
        }
    }
}

impl Measurer for RowMeasurer {
    #[inline]
    fn expect(&self, doc: DocId) {
        if self.is_reading {
            self.snapshot.expect_row(doc);
        }
    }

    fn measure(&mut self, doc: DocId, out: &mut [u16]) {
        let plan = &self.plan;
        clear(plan, out);
        let Some((slot, local)) = self.snapshot.0.map.get(doc) else {
            return;
        };
        let Some(Some(segment)) = self.snapshot.0.slots.get(slot as usize) else {
            return;
        };
        let kept = self.is_remembered.then_some(&self.snapshot.0.remembered);
        let of_segment = self.segments[slot as usize].get_or_insert_with(|| SegmentPlan {
            tests: tests_of(segment, &plan.terms),
            remembered: kept.map(|kept| RememberedMeasures::new(kept, segment, plan)),
        });
        let remembered = of_segment.remembered.as_ref();
        if let Some(remembered) = remembered {
            self.is_reading = !remembered.read(local, out);
            if !self.is_reading {
                return;
            }
            clear(plan, out);
        }
        let row = segment.forward().row(local);
        self.parts.measure_row(plan, &of_segment.tests, &row, out);
        if let Some(remembered) = remembered {
            remembered.write(local, out);
        }
    }
}

/// The measures of a document without any of the words.
fn clear(plan: &MeasurePlan, out: &mut [u16]) {
    let (places, costs) = out.split_at_mut(plan.pair_at(0));
    places.fill(NOWHERE);
    costs.fill(FAR);
}

impl Parts {
    /// Measures a document; `out` holds no measures yet. Its symbols are tested [`CHUNK`] at a time,
    /// whichever attributes they are of, and each attribute looks at its own. Not inlined: most
    /// documents of a later search are remembered, and should not pay for what this takes.
    #[inline(never)]
    fn measure_row(
        &mut self,
        plan: &MeasurePlan,
        tests: &SymbolTests,
        row: &Row<'_>,
        out: &mut [u16],
    ) {
        let Some(first) = row.field_rows().next() else {
            return;
        };
        let n_symbols: usize = row.field_rows().map(|field| field.len).sum();
        let (mut tested_from, mut tested_to) = (0, 0);
        // Where words of any term are in what was tested.
        let mut words = 0;
        let mut is_before_clear = false;
        let mut start = 0;
        for field in row.field_rows() {
            let end = start + field.len;
            let (mut at, mut position) = (start, 0);
            start = end;
            let mut is_begun = false;
            // Whether words of any term are in the part before.
            let mut has_before = false;
            while at < end {
                if at >= tested_to {
                    (tested_from, tested_to) = (at, n_symbols.min(at + CHUNK));
                    tests.ask(&first, at, tested_to - at, &mut self.row.masks);
                    let of_terms = self.row.masks[JUMPS + 1..].iter();
                    words = of_terms.fold(0, |all, mask| all | mask);
                }
                let (from, to) = (at - tested_from, end.min(tested_to) - tested_from);
                let of_part = (u64::MAX >> (CHUNK - (to - from))) << from;
                at = tested_from + to;
                // No word is before the first position of the part, so that positions may be counted
                // from the start of what was tested.
                let first_position = position - from as i64;
                let n_jumps = (self.row.masks[JUMPS] & of_part).count_ones();
                position += (to - from) as i64 + i64::from(n_jumps * (JUMP_LENGTH - 1));
                if words & of_part == 0 {
                    has_before = false;
                    continue;
                }
                for (mask, of_row) in self.now.masks.iter_mut().zip(&self.row.masks) {
                    *mask = of_row & of_part;
                }
                if !has_before && !is_before_clear {
                    self.before.masks.fill(0);
                    is_before_clear = true;
                }
                has_before = true;
                let weight = plan.weight_of(field.field);
                if !is_begun {
                    self.is_settled.fill(weight.is_none());
                    is_begun = true;
                }
                if let Some(weight) = weight {
                    self.place_terms(plan, weight, first_position, out);
                }
                let is_near = near_pairs(plan, &self.before, &self.now, out);
                if at == end || is_near && self.is_settled.iter().all(|is_settled| *is_settled) {
                    break;
                }
                std::mem::swap(&mut self.now, &mut self.before);
                is_before_clear = false;
            }
        }
    }

    /// Takes the weight of the attribute and the positions of the words in a part of it.
    fn place_terms(
        &mut self,
        plan: &MeasurePlan,
        weight: u16,
        first_position: i64,
        out: &mut [u16],
    ) {
        let now = &self.now;
        for (at, is_settled) in self.is_settled.iter_mut().enumerate() {
            let mut hits = now.of(at);
            if *is_settled || hits == 0 {
                continue;
            }
            out[2 * at] = out[2 * at].min(weight);
            let wanted = plan.terms[at].wanted;
            while hits != 0 && !*is_settled {
                let bit = hits.trailing_zeros();
                hits &= hits - 1;
                let n_jumps = (now.masks[JUMPS] & ((1 << bit) - 1)).count_ones();
                let n_symbols = bit + n_jumps * (JUMP_LENGTH - 1);
                let position = (first_position + i64::from(n_symbols)) as u16;
                let distance = bucketed(position).abs_diff(wanted).min(NOWHERE - 1);
                out[2 * at + 1] = out[2 * at + 1].min(distance);
                *is_settled = position >= wanted;
            }
        }
    }
}

/// Takes the pairs that meet in a part of an attribute, or in it and the part before; whether all
/// are as near as is asked.
fn near_pairs(plan: &MeasurePlan, before: &Part, now: &Part, out: &mut [u16]) -> bool {
    let mut is_enough = true;
    for (at, pair) in plan.pairs.iter().enumerate() {
        let cost = &mut out[plan.pair_at(at)];
        if *cost > pair.enough {
            *cost = (*cost).min(pair_cost(before, now, pair.first, pair.second));
            is_enough &= *cost <= pair.enough;
        }
    }
    is_enough
}

fn pair_cost(before: &Part, now: &Part, first: usize, second: usize) -> u16 {
    let (a, b) = (now.of(first), now.of(second));
    let (a_before, b_before) = (before.of(first), before.of(second));
    if (a | a_before) == 0 || (b | b_before) == 0 {
        return FAR;
    }
    if shifted(a, a_before, 1) & b != 0 {
        return 0;
    }
    // Words that can be near either way round.
    let (a2, b2) = (now.masks[both_ways(first)], now.masks[both_ways(second)]);
    let b2_before = before.masks[both_ways(second)];
    let jumps = |distance| shifted(now.masks[JUMPS], before.masks[JUMPS], distance);
    let apart = jumps(1);
    if shifted(a, a_before, 2) & b & !apart | shifted(b2, b2_before, 1) & a2 != 0 {
        return 1;
    }
    let far_apart = apart | jumps(2);
    if shifted(a, a_before, 3) & b & !far_apart | shifted(b2, b2_before, 2) & a2 & !apart != 0 {
        return 2;
    }
    FAR
}

/// The mask moved on by up to 63 symbols, with what comes in from the part before.
const fn shifted(mask: u64, before: u64, distance: u32) -> u64 {
    mask << distance | before >> (64 - distance)
}

impl Part {
    /// All words of a term.
    fn of(&self, term: usize) -> u64 {
        self.masks[both_ways(term)] | self.masks[one_way(term)]
    }
}

/// The words of all terms as tests of the symbols of a segment.
pub(super) fn tests_of(segment: &SegmentView, terms: &[MeasuredTerm]) -> SymbolTests {
    let width = segment.forward().width();
    let mut tests = vec![(JUMPS, SymbolTest::Is(segment.forward().jump() as u32))];
    for (at, term) in terms.iter().enumerate() {
        add_tests(segment, &term.slots, both_ways(at), &mut tests);
        add_tests(segment, &term.one_way, one_way(at), &mut tests);
    }
    SymbolTests::new(width, tests)
}

fn add_tests(
    segment: &SegmentView,
    slots: &[Slot],
    mask: usize,
    tests: &mut Vec<(usize, SymbolTest)>,
) {
    let mut found = Vec::new();
    for slot in slots {
        match slot {
            Slot::Word(word) => {
                if let Ok(Some(ordinal)) = segment.words().terms().term_ord(word) {
                    found.push(SymbolTest::Is(ordinal as u32));
                }
            }
            Slot::Prefix(prefix) => {
                let range = segment.prefix_ordinals(prefix).unwrap_or(0..0);
                if !range.is_empty() {
                    found.push(SymbolTest::Within(range));
                }
            }
        }
    }
    if found.len() <= FEW_TESTS {
        tests.extend(found.into_iter().map(|test| (mask, test)));
        return;
    }
    let mut set = SymbolSet::new(segment.forward().width());
    for test in found {
        match test {
            SymbolTest::Is(symbol) => set.insert(symbol as usize),
            SymbolTest::Within(range) => set.insert_range(&range),
            SymbolTest::OneOf(_) => {}
        }
    }
    tests.push((mask, SymbolTest::OneOf(set)));
}
