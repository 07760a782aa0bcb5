//! Values by which hits of different indexes are the same.

use rustc_hash::FxHashSet;

/// Values already seen among hits.
#[derive(Default)]
pub(super) struct SeenValues(FxHashSet<String>);

impl SeenValues {
    /// The values of hits that are there whatever comes.
    pub(super) fn of(values: impl Iterator<Item = Vec<String>>) -> Self {
        Self(values.flatten().collect())
    }

    /// Whether none of the values was seen before; they are from now on.
    pub(super) fn are_new(&mut self, values: &[String]) -> bool {
        let are_new = values.iter().all(|value| !self.0.contains(value));
        if are_new {
            self.0.extend(values.iter().cloned());
        }
        are_new
    }
}

/// The first `end` hits of which none has a value that was `seen` and no two share one, and how many
/// others were met on the way.
pub(super) fn first_distinct<H>(
    mut seen: SeenValues,
    hits: impl Iterator<Item = H>,
    end: usize,
    mut values_of: impl FnMut(&H) -> Vec<String>,
) -> (Vec<H>, usize) {
    let mut kept = Vec::new();
    let mut n_repeats = 0;
    for hit in hits {
        if kept.len() >= end {
            break;
        }
        if seen.are_new(&values_of(&hit)) {
            kept.push(hit);
        } else {
            n_repeats += 1;
        }
    }
    (kept, n_repeats)
}
