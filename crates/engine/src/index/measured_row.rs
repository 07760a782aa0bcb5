//! Measures one document from its row in the forward index, 64 symbols at a time.
//!
//! Each mask has a bit for each symbol of a part of the row: whether it is a word of a term. Words
//! are near each other where a shifted mask meets another, unless a jump or the start of an attribute is
//! between them. As holes and words both move on by one position, and a jump by more
//! than words can be apart, positions need counting only for the first words of an attribute.
//!
//! # Cost
//! An instruction or two per symbol and test; attributes are looked at only where they have words. An
//! attribute is left as soon as nothing behind can change its measures.

use std::ops::Range;

use super::segment_view::JUMP_LENGTH;
use super::symbol_test::{CHUNK, SymbolTests};
use crate::query::{FAR, MeasurePlan, NOWHERE, bucketed};
use crate::storage::forward_reader::Row;

/// Masks of jumps, the first, and of the words of each term: either way, and one way.
pub(super) const JUMPS: usize = 0;
pub(super) const fn both_ways(term: usize) -> usize {
    1 + 2 * term
}
pub(super) const fn one_way(term: usize) -> usize {
    2 + 2 * term
}

/// Measures one row after the other.
pub(super) struct RowMeasures {
    /// Where each attribute ends among the symbols of the row.
    ends: Vec<usize>,
    now: Part,
    before: Part,
    /// By term, whether no word behind in the same attribute can be nearer to the wanted position.
    is_settled: Vec<bool>,
}

/// Masks of up to 64 symbols of a row.
#[derive(Clone)]
struct Part {
    masks: Vec<u64>,
}

/// Which attribute is read, and how much of it is behind.
#[derive(Clone, Copy, Default)]
struct Attribute {
    nth: usize,
    start: usize,
    /// Jumps in the parts before.
    n_jumps: u32,
}

impl RowMeasures {
    /// For so many terms.
    pub(super) fn new(n_terms: usize) -> Self {
        let part = Part {
            masks: vec![0; both_ways(n_terms)],
        };
        Self {
            ends: Vec::new(),
            now: part.clone(),
            before: part,
            is_settled: vec![false; n_terms],
        }
    }

    /// Measures a document; `out` holds no measures yet. Not inlined: most documents of a later search
    /// are remembered, and should not pay for what this takes.
    #[inline(never)]
    pub(super) fn measure(
        &mut self,
        plan: &MeasurePlan,
        tests: &SymbolTests,
        row: &Row<'_>,
        out: &mut [u16],
    ) {
        self.ends.clear();
        let mut fields = row.field_rows();
        let Some(first) = fields.next() else {
            return;
        };
        let mut n_symbols = first.len;
        self.ends.push(n_symbols);
        for field in fields {
            n_symbols += field.len;
            self.ends.push(n_symbols);
        }
        self.before.masks.fill(0);
        self.is_settled.fill(false);
        let (mut at, mut is_before_clear, mut is_near) = (0, true, false);
        let mut attribute = Attribute::default();
        while at < n_symbols {
            let part = at..n_symbols.min(at + CHUNK);
            at = part.end;
            first.expect(at + 3 * CHUNK..at + 4 * CHUNK);
            let words = tests.ask(&first, part.start, part.len(), &mut self.now.masks);
            if words != 0 {
                is_near = is_near || self.near_pairs(plan, &part, out);
            }
            if plan.weights.is_none() {
                if is_near {
                    return;
                }
            } else {
                attribute = self.place_words(plan, row, attribute, (&part, words), out);
                if at == n_symbols {
                    return;
                }
                attribute = self.attribute_behind(attribute, &part);
                if is_near && self.is_settled.iter().all(|is_settled| *is_settled) {
                    at = self.ends[attribute.nth];
                    if at == n_symbols {
                        return;
                    }
                    attribute = self.attribute_of(attribute.nth, at);
                    self.is_settled.fill(false);
                }
            }
            if words != 0 && at == part.end {
                std::mem::swap(&mut self.now, &mut self.before);
                is_before_clear = false;
            } else if !is_before_clear {
                self.before.masks.fill(0);
                is_before_clear = true;
            }
        }
    }

    /// Takes the pairs that meet in a part of the row, or in it and the part before; whether all are as
    /// near as is asked.
    fn near_pairs(&self, plan: &MeasurePlan, part: &Range<usize>, out: &mut [u16]) -> bool {
        let mut within_attributes = None;
        let within_row = Near {
            before: &self.before,
            now: &self.now,
            same: [u64::MAX; 3],
        };
        let mut is_enough = true;
        for (at, pair) in plan.pairs.iter().enumerate() {
            let cost = &mut out[plan.pair_at(at)];
            if *cost <= pair.enough {
                continue;
            }
            // What is not nearer in the row as a whole is not in one attribute: those seldom matter.
            if within_row.cost(pair.first, pair.second) < *cost {
                let near = within_attributes.get_or_insert_with(|| Near {
                    same: self.same_attribute(part),
                    ..within_row
                });
                *cost = (*cost).min(near.cost(pair.first, pair.second));
            }
            is_enough &= *cost <= pair.enough;
        }
        is_enough
    }

    /// The symbols of a part that are of the same attribute as the one before them, as the two and as the
    /// three before them.
    fn same_attribute(&self, part: &Range<usize>) -> [u64; 3] {
        let same = |part: Range<usize>| !self.starts(&part);
        let now = same(part.clone());
        let before = same(part.start.saturating_sub(CHUNK)..part.start);
        let two = now & shifted(now, before, 1);
        [now, two, two & shifted(now, before, 2)]
    }

    /// The symbols of a part that are the first of an attribute.
    fn starts(&self, part: &Range<usize>) -> u64 {
        let starts = std::iter::once(&0).chain(&self.ends);
        let starts = starts
            .skip_while(|start| **start < part.start)
            .take_while(|start| **start < part.end);
        starts.fold(0, |starts, start| starts | 1 << (start - part.start))
    }

    /// Takes the weights and positions of the words in a part of the row, whose first symbol is of
    /// `attribute`; the attribute of the last of them.
    fn place_words(
        &mut self,
        plan: &MeasurePlan,
        row: &Row<'_>,
        mut attribute: Attribute,
        (part, mut words): (&Range<usize>, u64),
        out: &mut [u16],
    ) -> Attribute {
        while words != 0 {
            let place = part.start + words.trailing_zeros() as usize;
            if place >= self.ends[attribute.nth] {
                attribute = self.attribute_of(attribute.nth, place);
                self.is_settled.fill(false);
            }
            let from = attribute.start.max(part.start) - part.start;
            let to = self.ends[attribute.nth].min(part.end) - part.start;
            let of_attribute = (u64::MAX >> (CHUNK - (to - from))) << from;
            words &= !of_attribute;
            let Some(weight) = plan.weight_of(row.fields[attribute.nth]) else {
                continue;
            };
            let jumps = self.now.masks[JUMPS] & of_attribute;
            // Of the first symbol of the part, were it of the attribute and there no jumps.
            let first = part.start as i64 - attribute.start as i64;
            for (at, is_settled) in self.is_settled.iter_mut().enumerate() {
                let mut hits = self.now.of(at) & of_attribute;
                if *is_settled || hits == 0 {
                    continue;
                }
                out[2 * at] = out[2 * at].min(weight);
                let wanted = plan.terms[at].wanted;
                while hits != 0 && !*is_settled {
                    let bit = hits.trailing_zeros();
                    hits &= hits - 1;
                    let n_jumps = attribute.n_jumps + (jumps & ((1 << bit) - 1)).count_ones();
                    let n_behind = bit + n_jumps * (JUMP_LENGTH - 1);
                    let position = (first + i64::from(n_behind)) as u16;
                    let distance = bucketed(position).abs_diff(wanted).min(NOWHERE - 1);
                    out[2 * at + 1] = out[2 * at + 1].min(distance);
                    *is_settled = position >= wanted;
                }
            }
        }
        attribute
    }

    /// The attribute of the symbol at `place`, which is not before the attribute `nth`.
    fn attribute_of(&self, mut nth: usize, place: usize) -> Attribute {
        while self.ends[nth] <= place {
            nth += 1;
        }
        Attribute {
            nth,
            start: nth.checked_sub(1).map_or(0, |before| self.ends[before]),
            n_jumps: 0,
        }
    }

    /// The attribute of the symbol behind a part, which has symbols of `attribute` or ones behind it.
    fn attribute_behind(&mut self, attribute: Attribute, part: &Range<usize>) -> Attribute {
        let mut behind = attribute;
        if part.end >= self.ends[attribute.nth] {
            behind = self.attribute_of(attribute.nth, part.end);
            self.is_settled.fill(false);
        }
        if behind.start < part.end {
            let from = behind.start.max(part.start) - part.start;
            behind.n_jumps += (self.now.masks[JUMPS] >> from).count_ones();
        }
        behind
    }
}

impl Part {
    /// All words of a term.
    fn of(&self, term: usize) -> u64 {
        self.masks[both_ways(term)] | self.masks[one_way(term)]
    }
}

/// Which words of a part are near each other.
#[derive(Clone, Copy)]
struct Near<'p> {
    before: &'p Part,
    now: &'p Part,
    /// Symbols that are of the same attribute as the one before them, as the two and as the three before.
    same: [u64; 3],
}

impl Near<'_> {
    /// What it costs that the second term does not stand directly behind the first.
    fn cost(&self, first: usize, second: usize) -> u16 {
        let Self { before, now, same } = self;
        let (a, b) = (now.of(first), now.of(second));
        let (a_before, b_before) = (before.of(first), before.of(second));
        if (a | a_before) == 0 || (b | b_before) == 0 {
            return FAR;
        }
        if shifted(a, a_before, 1) & b & same[0] != 0 {
            return 0;
        }
        // Words that can be near either way round.
        let (a2, b2) = (now.masks[both_ways(first)], now.masks[both_ways(second)]);
        let b2_before = before.masks[both_ways(second)];
        let jumps = |distance| shifted(now.masks[JUMPS], before.masks[JUMPS], distance);
        let apart = jumps(1);
        let in_order = shifted(a, a_before, 2) & b & !apart & same[1];
        if in_order | shifted(b2, b2_before, 1) & a2 & same[0] != 0 {
            return 1;
        }
        let far_apart = apart | jumps(2);
        let in_order = shifted(a, a_before, 3) & b & !far_apart & same[2];
        if in_order | shifted(b2, b2_before, 2) & a2 & !apart & same[1] != 0 {
            return 2;
        }
        FAR
    }
}

/// The mask moved on by up to 63 symbols, with what comes in from the part before.
const fn shifted(mask: u64, before: u64, distance: u32) -> u64 {
    mask << distance | before >> (64 - distance)
}
