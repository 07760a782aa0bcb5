//! Groups rows around centres, by the angle between them (spherical k-means, a few rounds).

use crate::kernel::kernels;

use super::assign::nearest;
use super::rows::{Spread, scale_to_one};

/// Rounds of moving the centres; more of them change little.
const ROUNDS: usize = 8;

/// Up to `n` centres of length one for rows that lie one after the other; at least one.
pub(super) fn cluster(rows: &[f32], floats: usize, n: usize) -> Vec<f32> {
    let n_rows = rows.len() / floats;
    let n = n.min(n_rows).max(1);
    let row = |at: usize| &rows[at * floats..][..floats];
    let mut spread = Spread::new();
    let mut centres: Vec<f32> = match n_rows {
        0 => vec![0.0; floats],
        _ => first_rows(n_rows, n, &mut spread)
            .into_iter()
            .flat_map(row)
            .copied()
            .collect(),
    };
    let mut dots = vec![0f32; n];
    for _ in 0..ROUNDS {
        let mut sums = vec![0f32; centres.len()];
        let mut sizes = vec![0u32; n];
        for row in rows.chunks_exact(floats) {
            (kernels().dot_rows)(row, &centres, &mut dots);
            let centre = nearest(&dots);
            sizes[centre] += 1;
            let sum = &mut sums[centre * floats..][..floats];
            sum.iter_mut()
                .zip(row)
                .for_each(|(sum, value)| *sum += value);
        }
        for (centre, size) in sizes.into_iter().enumerate() {
            let sum = &mut sums[centre * floats..][..floats];
            if size == 0 && n_rows > 0 {
                sum.copy_from_slice(row(spread.below(n_rows)));
            }
            scale_to_one(sum);
        }
        centres = sums;
    }
    centres
}

/// `n` different rows, chosen evenly.
fn first_rows(n_rows: usize, n: usize, spread: &mut Spread) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..n_rows).collect();
    for at in 0..n {
        let other = at + spread.below(n_rows - at);
        rows.swap(at, other);
    }
    rows.truncate(n);
    rows
}
