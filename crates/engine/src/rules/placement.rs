//! Where pinned documents stand among the others.

use serde_json::Value;

/// What stands at a place of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The pin of that number.
    Pin(usize),
    /// The ranked hit of that number, counted from the first one of all.
    Ranked(usize),
}

/// What stands at the places `offset..offset + limit` of all hits. `positions` are those of the
/// pins, ascending; `n_ranked` counts the hits beside them, and may be too high as long as it is
/// past the page.
///
/// At each place stands the next pin if its position is reached, else the next ranked hit, else the
/// next pin: pins are pulled forward when there are few hits.
pub(crate) fn slots(
    positions: &[usize],
    n_ranked: usize,
    offset: usize,
    limit: usize,
) -> Vec<Slot> {
    let mut places = Vec::with_capacity(positions.len());
    for (number, position) in positions.iter().enumerate() {
        let after_last = places.last().map_or(0, |last| last + 1);
        let latest = n_ranked.saturating_add(number);
        places.push((*position).max(after_last).min(latest));
    }
    let end = offset
        .saturating_add(limit)
        .min(n_ranked.saturating_add(positions.len()));
    let mut next = places.partition_point(|place| *place < offset);
    let mut page = Vec::new();
    for place in offset..end {
        if places.get(next) == Some(&place) {
            page.push(Slot::Pin(next));
            next += 1;
        } else {
            page.push(Slot::Ranked(place - next));
        }
    }
    page
}

/// The places of a page where pins stand.
pub(crate) fn pinned_places(page: &[Slot]) -> Value {
    let places = page.iter().enumerate();
    places
        .filter(|(_, slot)| matches!(slot, Slot::Pin(_)))
        .map(|(place, _)| place)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The walk as it is described, from the first place on.
    fn walked(positions: &[usize], n_ranked: usize) -> Vec<Slot> {
        let (mut pin, mut ranked) = (0, 0);
        let mut all = Vec::new();
        while pin < positions.len() || ranked < n_ranked {
            let is_due = positions
                .get(pin)
                .is_some_and(|position| *position <= all.len());
            if is_due || ranked == n_ranked {
                all.push(Slot::Pin(pin));
                pin += 1;
            } else {
                all.push(Slot::Ranked(ranked));
                ranked += 1;
            }
        }
        all
    }

    proptest! {
        #[test]
        fn a_page_is_a_piece_of_the_walk_over_all_hits(
            mut positions in proptest::collection::vec(0..12_usize, 0..5),
            n_ranked in 0..12_usize,
            offset in 0..20_usize,
            limit in 0..20_usize,
        ) {
            positions.sort_unstable();
            let all = walked(&positions, n_ranked);
            let expected: Vec<Slot> = all.into_iter().skip(offset).take(limit).collect();
            prop_assert_eq!(slots(&positions, n_ranked, offset, limit), expected);
        }
    }
}
