//! Kernels for 64-bit ARM, which always has NEON.

use std::arch::aarch64::*;

use super::Kernels;

pub(super) const KERNELS: Kernels = Kernels {
    dot,
    dot_rows,
    dot_codes,
    hamming,
};

fn dot(a: &[f32], b: &[f32]) -> f32 {
    // SAFETY: NEON belongs to the base of this architecture; both chunks hold 16 floats, of which
    // 4 are read at 0, 4, 8 or 12.
    unsafe {
        let mut sums = [vdupq_n_f32(0.0); 4];
        for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (a, b) = (a.as_ptr().add(lane * 4), b.as_ptr().add(lane * 4));
                *sum = vfmaq_f32(*sum, vld1q_f32(a), vld1q_f32(b));
            }
        }
        let left = vaddq_f32(sums[0], sums[1]);
        vaddvq_f32(vaddq_f32(left, vaddq_f32(sums[2], sums[3])))
    }
}

fn dot_rows(query: &[f32], rows: &[f32], out: &mut [f32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = dot(query, row);
    }
}

fn dot_codes(query: &[i8], rows: &[i8], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        // SAFETY: NEON belongs to the base of this architecture; both chunks hold 16 bytes.
        *out = unsafe {
            let mut sum = vdupq_n_s32(0);
            for (query, row) in query.chunks_exact(16).zip(row.chunks_exact(16)) {
                let (query, row) = (vld1q_s8(query.as_ptr()), vld1q_s8(row.as_ptr()));
                // A product is at most 128 * 127 and fits 16 bits; pairs are added up in 32.
                let low = vmull_s8(vget_low_s8(query), vget_low_s8(row));
                let high = vmull_s8(vget_high_s8(query), vget_high_s8(row));
                sum = vpadalq_s16(vpadalq_s16(sum, low), high);
            }
            vaddvq_s32(sum)
        };
    }
}

fn hamming(query: &[u64], rows: &[u64], out: &mut [u32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        // Compiled to the vector bit count of the base architecture.
        *out = query
            .iter()
            .zip(row)
            .map(|(a, b)| (a ^ b).count_ones())
            .sum();
    }
}
