//! What is calculated number by number: activations, softmax, norms.
//!
//! # Invariants
//! Each result is within 1e-6 of the exact one, relative to the larger of it and one.
//!
//! # Cost
//! Loops without branches and calls, which compilers turn into vector instructions; on x86 they
//! are compiled twice, and the processor decides which one runs.

use crate::config::Activation;

/// Compiles a loop for AVX2, too, and chooses when the program runs.
macro_rules! widened {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) = $plain:ident) => {
        $(#[$doc])*
        pub(crate) fn $name($($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($arg: $type),*) {
                    $plain($($arg),*);
                }
                // SAFETY: the processor has what the function is compiled for.
                return unsafe { wide($($arg),*) };
            }
            $plain($($arg),*);
        }
    };
}

widened! {
    /// Bends every number.
    activate(numbers: &mut [f32], activation: Activation) = activate_plain
}

widened! {
    /// Turns every row into shares of one.
    softmax(numbers: &mut [f32], width: usize) = softmax_plain
}

widened! {
    /// Adds `more` to every number, then brings every row to mean zero and variance one, scales and
    /// shifts it.
    add_and_norm(numbers: &mut [f32], more: &[f32], norm: Norm<'_>) = add_and_norm_plain
}

/// How a norm scales and shifts.
#[derive(Clone, Copy)]
pub(crate) struct Norm<'n> {
    pub(crate) scale: &'n [f32],
    pub(crate) shift: &'n [f32],
    pub(crate) epsilon: f32,
}

#[inline(always)]
fn activate_plain(numbers: &mut [f32], activation: Activation) {
    match activation {
        Activation::Gelu => numbers.iter_mut().for_each(|x| *x = gelu(*x)),
        Activation::GeluNew => numbers.iter_mut().for_each(|x| *x = gelu_new(*x)),
        Activation::Relu => numbers.iter_mut().for_each(|x| *x = x.max(0.0)),
    }
}

#[inline(always)]
fn softmax_plain(numbers: &mut [f32], width: usize) {
    for row in numbers.chunks_exact_mut(width) {
        let most = largest(row);
        row.iter_mut().for_each(|x| *x = exp(*x - most));
        let share = 1.0 / sum_of(row, |x| x);
        row.iter_mut().for_each(|x| *x *= share);
    }
}

#[inline(always)]
fn add_and_norm_plain(numbers: &mut [f32], more: &[f32], norm: Norm<'_>) {
    let width = norm.scale.len();
    let n = width as f32;
    for (row, more) in numbers
        .chunks_exact_mut(width)
        .zip(more.chunks_exact(width))
    {
        row.iter_mut().zip(more).for_each(|(x, more)| *x += more);
        let mean = sum_of(row, |x| x) / n;
        row.iter_mut().for_each(|x| *x -= mean);
        let squares = sum_of(row, |x| x * x);
        let factor = 1.0 / (squares / n + norm.epsilon).sqrt();
        let affine = norm.scale.iter().zip(norm.shift);
        row.iter_mut()
            .zip(affine)
            .for_each(|(x, (scale, shift))| *x = *x * factor * scale + shift);
    }
}

/// Numbers that are calculated at once.
const LANES: usize = 16;

#[inline(always)]
fn sum_of(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    lanes(row, 0.0, |sum, x| sum + term(x)).iter().sum()
}

#[inline(always)]
fn largest(row: &[f32]) -> f32 {
    let larger = |a, b| if a > b { a } else { b };
    lanes(row, f32::NEG_INFINITY, larger)
        .into_iter()
        .fold(f32::NEG_INFINITY, larger)
}

/// Folds every sixteenth number from each of the first sixteen on.
#[inline(always)]
fn lanes(row: &[f32], first: f32, of: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    let mut lanes = [first; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane = of(*lane, *x);
        }
    }
    for (lane, x) in lanes.iter_mut().zip(rest) {
        *lane = of(*lane, *x);
    }
    lanes
}

/// `x` times the share of a normal distribution below it.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    x * 0.5 * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The same by way of a hyperbolic tangent, as some models were trained with.
#[inline(always)]
fn gelu_new(x: f32) -> f32 {
    let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
    x * (1.0 - 1.0 / (exp(2.0 * inner) + 1.0))
}

/// The error function by formula 7.1.26 of Abramowitz and Stegun, whose error is below 1.5e-7.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let series = t
        * (0.254_829_6
            + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152_1 + t * 1.061_405_4))));
    (1.0 - series * exp(-size * size)).copysign(x)
}

/// The exponential function: a power of two times a short series. Below -87 it is that of -87, above
/// 88 that of 88.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    // Adding this leaves no bits for a fraction, which rounds to the nearest integer.
    const ROUNDER: f32 = 12_582_912.0;
    let shifted = x * std::f32::consts::LOG2_E + ROUNDER;
    let power = shifted - ROUNDER;
    // ln 2 in two parts, the first of few bits, so that its product is exact.
    let rest = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest
                            * (0.166_666_66
                                + rest
                                    * (0.041_666_67
                                        + rest * (0.008_333_334 + rest * 0.001_388_889)))));
    let exponent = shifted
        .to_bits()
        .wrapping_sub(ROUNDER.to_bits())
        .wrapping_add(127)
        << 23;
    series * f32::from_bits(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: f32, to: f32) -> impl Iterator<Item = f32> {
        (0..=20_000).map(move |at| from + (to - from) * at as f32 / 20_000.0)
    }

    fn assert_near(found: f32, expected: f64, of: f32) {
        let error = (f64::from(found) - expected).abs() / expected.abs().max(1.0);
        assert!(error < 1e-6, "of {of}: {found}, expected {expected}");
    }

    /// By its power series, which is exact enough where it is asked for.
    fn erf_slowly(x: f64) -> f64 {
        let (mut power, mut sum) = (x, x);
        for n in 1..120 {
            power *= -x * x / f64::from(n);
            sum += power / f64::from(2 * n + 1);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn the_exponential_function_is_near_the_exact_one() {
        for x in range(-87.0, 40.0) {
            let (found, expected) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((found / expected - 1.0).abs() < 1e-6, "of {x}: {found}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(1000.0) > 1e38);
    }

    #[test]
    fn activations_are_near_the_exact_ones() {
        for x in range(-4.0, 4.0) {
            let exact = f64::from(x);
            let mut numbers = [x; 3];
            activate(&mut numbers, Activation::Gelu);
            let share = 0.5 * (1.0 + erf_slowly(exact / std::f64::consts::SQRT_2));
            assert_near(numbers[0], exact * share, x);
            let mut numbers = [x; 3];
            activate(&mut numbers, Activation::GeluNew);
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (exact + 0.044_715 * exact.powi(3));
            assert_near(numbers[2], 0.5 * exact * (1.0 + inner.tanh()), x);
            let mut numbers = [x; 3];
            activate(&mut numbers, Activation::Relu);
            assert_eq!(numbers[1], x.max(0.0));
        }
        for activation in [Activation::Gelu, Activation::GeluNew] {
            let mut numbers = [-1e4, -30.0, 30.0, 1e4];
            activate(&mut numbers, activation);
            assert_eq!(numbers, [0.0, 0.0, 30.0, 1e4].map(|x: f32| x));
        }
    }

    #[test]
    fn shares_of_a_row_sum_to_one_however_large_its_numbers_are() {
        for width in [1, 3, 16, 37] {
            let mut numbers: Vec<f32> = (0..width * 2).map(|at| (at % 7) as f32 * 300.0).collect();
            softmax(&mut numbers, width);
            for row in numbers.chunks(width) {
                assert_near(row.iter().sum(), 1.0, width as f32);
            }
        }
        let mut numbers = [0.0, 2f32.ln(), 0.0];
        softmax(&mut numbers, 3);
        assert_near(numbers[1], 0.5, 2.0);
    }

    #[test]
    fn a_norm_brings_rows_to_mean_and_variance() {
        for width in [2usize, 5, 16, 33] {
            let mut numbers: Vec<f32> = (0..width * 3).map(|at| (at * at % 11) as f32).collect();
            let more: Vec<f32> = (0..width * 3).map(|at| (at % 3) as f32).collect();
            let sums: Vec<f64> = numbers
                .iter()
                .zip(&more)
                .map(|(a, b)| f64::from(a + b))
                .collect();
            let (scale, shift) = (vec![2.0; width], vec![0.5; width]);
            let norm = Norm {
                scale: &scale,
                shift: &shift,
                epsilon: 1e-5,
            };
            add_and_norm(&mut numbers, &more, norm);
            for (found, row) in numbers.chunks(width).zip(sums.chunks(width)) {
                let mean = row.iter().sum::<f64>() / width as f64;
                let squares: f64 = row.iter().map(|x| (x - mean).powi(2)).sum();
                let spread = (squares / width as f64 + 1e-5).sqrt();
                for (found, x) in found.iter().zip(row) {
                    assert_near(*found, (x - mean) / spread * 2.0 + 0.5, width as f32);
                }
            }
        }
    }
}
