//! Chooses the run of matches that a cropped text is built around.
//!
//! A window slides over the matches; whenever the next match would make it longer than the crop,
//! the run so far is compared with the best one. More query words win, then smaller distances,
//! then more pairs in query order; of equals the first.

use crate::find_matches::Match;

/// Distances between matches count up to this.
const MAX_DISTANCE: usize = 7;

/// First and last match of the best run whose words fit in `crop` words.
///
/// A sequence longer than `crop` is chosen only if nothing else is there. `matches` must not be
/// empty.
pub(crate) fn best_interval(matches: &[Match], crop: usize) -> (usize, usize) {
    let last = matches.len() - 1;
    if last == 0 {
        return (0, 0);
    }
    let mut best: Option<(Score, (usize, usize))> = None;
    let mut first = 0;
    for (index, next) in matches.iter().enumerate() {
        let fits = |first: &Match| next.words.1 < first.words.0.saturating_add(crop);
        if first > index || fits(&matches[first]) {
            continue;
        }
        // No run ends before a sequence that is longer than the crop and begins one.
        if first < index {
            keep_better(&mut best, matches, first, index - 1);
        }
        first = (first + 1..=index)
            .find(|&start| fits(&matches[start]))
            .unwrap_or(index + 1);
    }
    if first < last || matches[last].n_words() < crop {
        keep_better(&mut best, matches, first.min(last), last);
    }
    best.map_or((0, 0), |(_, interval)| interval)
}

/// Query words covered, minus distances, pairs in order: bigger is better.
type Score = (usize, isize, usize);

fn keep_better(
    best: &mut Option<(Score, (usize, usize))>,
    matches: &[Match],
    first: usize,
    last: usize,
) {
    let score = score(&matches[first..=last]);
    if best
        .as_ref()
        .is_none_or(|(best_score, _)| score > *best_score)
    {
        *best = Some((score, (first, last)));
    }
}

fn score(run: &[Match]) -> Score {
    let mut ids: Vec<u16> = run.iter().flat_map(|found| found.ids.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    // The words of a sequence are next to each other and in order.
    let inner: usize = run.iter().map(|found| found.n_words() - 1).sum();
    let mut distance = inner;
    let mut in_order = inner;
    for pair in run.windows(2) {
        distance += (pair[1].words.0 - pair[0].words.1).min(MAX_DISTANCE);
        in_order += usize::from(pair[1].ids.start > pair[0].ids.start);
    }
    (ids.len(), -(distance as isize), in_order)
}
