//! Measures the documents of a snapshot from their rows in the forward index, or from what earlier searches
//! measured.

use super::measured_row::{JUMPS, RowMeasures, both_ways, one_way};
use super::remembered::{RememberedMeasures, is_remembered};
use super::segment_view::SegmentView;
use super::snapshot::Snapshot;
use super::symbol_set::SymbolSet;
use super::symbol_test::{SymbolTest, SymbolTests};
use crate::docset::DocId;
use crate::query::{FAR, MeasurePlan, MeasuredTerm, Measurer, NOWHERE, Slot};

/// Up to this many words or prefixes are compared with one by one.
const FEW_TESTS: usize = 6;

/// A measurer of the documents of a snapshot.
pub struct RowMeasurer {
    snapshot: Snapshot,
    plan: MeasurePlan,
    is_remembered: bool,
    /// Whether the last document was not remembered; most likely those behind it are not, either.
    is_reading: bool,
    /// By segment, made when a document of it is first measured.
    segments: Vec<Option<SegmentPlan>>,
    measures: RowMeasures,
}

/// What a plan means in one segment.
struct SegmentPlan {
    tests: SymbolTests,
    remembered: Option<RememberedMeasures>,
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
        RowMeasurer {
            snapshot: self.clone(),
            measures: RowMeasures::new(plan.terms.len()),
            plan,
            is_remembered,
            is_reading: true,
            segments,
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
        self.measures.measure(plan, &of_segment.tests, &row, out);
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
