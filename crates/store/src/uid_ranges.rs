//! A set of uids as ascending closed ranges: `[[0, 5], [7, 7]]` in JSON.
//!
//! Neighbouring ranges never touch, so a queue of a million tasks in a row is one pair.

use serde::{Deserialize, Serialize};

/// Ascending, disjoint, non-touching closed ranges of uids.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UidRanges(Vec<(u32, u32)>);

impl UidRanges {
    /// Builds the set of the given uids, in any order, repeats allowed.
    #[must_use]
    pub fn from_uids(mut uids: Vec<u32>) -> Self {
        uids.sort_unstable();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for uid in uids {
            match ranges.last_mut() {
                Some((_, end)) if uid <= *end || uid - *end == 1 => *end = uid.max(*end),
                _ => ranges.push((uid, uid)),
            }
        }
        Self(ranges)
    }

    /// The ranges, ascending.
    #[must_use]
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// How many uids the set holds.
    #[must_use]
    pub fn n_uids(&self) -> u64 {
        self.0
            .iter()
            .map(|(start, end)| u64::from(end.saturating_sub(*start)) + 1)
            .sum()
    }

    /// Whether the set holds `uid`.
    #[must_use]
    pub fn contains(&self, uid: u32) -> bool {
        let after = self.0.partition_point(|(start, _)| *start <= uid);
        after > 0 && self.0[after - 1].1 >= uid
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The ranges hold exactly the uids given, as a plain set would.
        #[test]
        fn ranges_hold_the_uids_given(uids in prop::collection::vec(0u32..60, 0..40)) {
            let plain: BTreeSet<u32> = uids.iter().copied().collect();
            let set = UidRanges::from_uids(uids);
            prop_assert_eq!(set.n_uids(), plain.len() as u64);
            for uid in 0..70 {
                prop_assert_eq!(set.contains(uid), plain.contains(&uid));
            }
            for pair in set.ranges().windows(2) {
                prop_assert!(pair[0].1 + 1 < pair[1].0);
            }
        }
    }
}
