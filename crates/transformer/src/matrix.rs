//! Products of matrices of floats, at the width that the processor has.
//!
//! # Cost
//! The kernels are chosen when the program runs: AVX-512, AVX2 or NEON where there are any. One
//! thread.

use gemm_common::Parallelism;

/// Numbers in rows that are `stride` apart.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'n> {
    pub(crate) numbers: &'n [f32],
    pub(crate) n_rows: usize,
    pub(crate) width: usize,
    pub(crate) stride: usize,
}

/// Numbers in rows that are `stride` apart, to be written.
pub(crate) struct RowsMut<'n> {
    pub(crate) numbers: &'n mut [f32],
    pub(crate) n_rows: usize,
    pub(crate) width: usize,
    pub(crate) stride: usize,
}

impl<'n> Rows<'n> {
    /// Rows one after the other.
    pub(crate) fn dense(numbers: &'n [f32], n_rows: usize, width: usize) -> Self {
        Self {
            numbers,
            n_rows,
            width,
            stride: width,
        }
    }
}

/// `out = scale * a * bᵀ`, or added to `out`.
pub(crate) fn by_rows(out: &mut RowsMut<'_>, a: Rows<'_>, b: Rows<'_>, scale: f32, adds: bool) {
    assert_eq!(
        (out.n_rows, out.width, a.width),
        (a.n_rows, b.n_rows, b.width)
    );
    // The transposed matrix has its columns where the other has its rows.
    multiply(out, a, b, (b.stride, 1), a.width, scale, adds);
}

/// `out = a * b`.
pub(crate) fn product(out: &mut RowsMut<'_>, a: Rows<'_>, b: Rows<'_>) {
    assert_eq!(
        (out.n_rows, out.width, a.width),
        (a.n_rows, b.width, b.n_rows)
    );
    multiply(out, a, b, (1, b.stride), a.width, 1.0, false);
}

/// `b_steps` are the numbers from one column of the right side to the next, and from one row to the
/// next.
fn multiply(
    out: &mut RowsMut<'_>,
    a: Rows<'_>,
    b: Rows<'_>,
    b_steps: (usize, usize),
    depth: usize,
    scale: f32,
    adds: bool,
) {
    check(out.numbers.len(), out.n_rows, out.width, out.stride);
    check(a.numbers.len(), a.n_rows, a.width, a.stride);
    check(b.numbers.len(), b.n_rows, b.width, b.stride);
    let step = |n: usize| isize::try_from(n).expect("invariant: no slice is longer");
    let gemm = gemm_f32::gemm::f32::get_gemm_fn();
    // SAFETY: the sizes are those of the rows, which were checked to lie in their slices, and the
    // output is borrowed for nobody else. The function suits this processor.
    unsafe {
        gemm(
            out.n_rows,
            out.width,
            depth,
            out.numbers.as_mut_ptr(),
            1,
            step(out.stride),
            adds,
            a.numbers.as_ptr(),
            1,
            step(a.stride),
            b.numbers.as_ptr(),
            step(b_steps.0),
            step(b_steps.1),
            1.0,
            scale,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

fn check(n_numbers: usize, n_rows: usize, width: usize, stride: usize) {
    let needed = match n_rows.checked_sub(1) {
        Some(before_last) => before_last * stride + width,
        None => 0,
    };
    assert!(width <= stride && needed <= n_numbers);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(n: usize, seed: u64) -> Vec<f32> {
        let mut state = seed;
        let next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(9);
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        std::iter::repeat_with(next).take(n).collect()
    }

    proptest! {
        #[test]
        fn products_are_those_of_plain_loops(
            (m, n, k) in (1usize..20, 1usize..40, 1usize..40),
            gap in 0usize..5,
            seed: u64,
            adds: bool,
        ) {
            let (a, b) = (numbers(m * (k + gap), seed), numbers(n * (k + gap), !seed));
            let before = numbers(m * (n + gap), seed ^ 7);
            let mut out = before.clone();
            let rows = |numbers, n_rows| Rows { numbers, n_rows, width: k, stride: k + gap };
            let mut to = RowsMut { numbers: &mut out, n_rows: m, width: n, stride: n + gap };
            by_rows(&mut to, rows(&a, m), rows(&b, n), 0.5, adds);
            for row in 0..m {
                for column in 0..n + gap {
                    let at = row * (n + gap) + column;
                    let sum = || (0..k).map(|i| a[row * (k + gap) + i] * b[column * (k + gap) + i]);
                    let expected = match column < n {
                        true => sum().sum::<f32>() * 0.5 + if adds { before[at] } else { 0.0 },
                        false => before[at],
                    };
                    prop_assert!((out[at] - expected).abs() < 1e-4);
                }
            }
        }

        #[test]
        fn products_of_rows_with_columns_are_those_of_plain_loops(
            (m, n, k) in (1usize..20, 1usize..40, 1usize..40),
            seed: u64,
        ) {
            let (a, b) = (numbers(m * k, seed), numbers(k * n, !seed));
            let mut out = vec![0.0; m * n];
            let mut to = RowsMut { numbers: &mut out, n_rows: m, width: n, stride: n };
            product(&mut to, Rows::dense(&a, m, k), Rows::dense(&b, k, n));
            for row in 0..m {
                for column in 0..n {
                    let expected: f32 = (0..k).map(|i| a[row * k + i] * b[i * n + column]).sum();
                    prop_assert!((out[row * n + column] - expected).abs() < 1e-4);
                }
            }
        }
    }
}
