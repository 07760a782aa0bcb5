//! The kernels in portable Rust: the oracle of the others, and what runs where none of them does.

use super::Kernels;

pub(super) const KERNELS: Kernels = Kernels {
    dot,
    dot_rows,
    dot_codes,
    hamming,
};

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; super::FLOAT_LANES];
    for (a, b) in a.chunks_exact(sums.len()).zip(b.chunks_exact(sums.len())) {
        for lane in 0..sums.len() {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

fn dot_rows(query: &[f32], rows: &[f32], out: &mut [f32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = dot(query, row);
    }
}

fn dot_codes(query: &[i8], rows: &[i8], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = query
            .iter()
            .zip(row)
            .map(|(&a, &b)| i32::from(a) * i32::from(b))
            .sum();
    }
}

fn hamming(query: &[u64], rows: &[u64], out: &mut [u32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = query
            .iter()
            .zip(row)
            .map(|(a, b)| (a ^ b).count_ones())
            .sum();
    }
}
