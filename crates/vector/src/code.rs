//! Vectors to rows: padded floats, 8-bit codes with a bound of their error, bits of signs.
//!
//! # Codes
//! A vector of length one is kept a second time as `scale * codes`, in a quarter of the space, with
//! the length of the difference. For vectors `v = s*p + e` and `u = t*q + f` of length one,
//! `|v.u - s*t*(p.q)| <= |e| + |s*p|*|f|`: what codes say of a similarity has known bounds, so that
//! a search that reads them first and then the floats of what could be among the best is exact.

use crate::kernel::CODE_LANES;
use crate::shape::{Encoding, VectorShape};

/// What belongs to a row of codes: scale, length of the error, one divided by the vector's length
/// (0 when it has none).
pub(crate) type Note = [f32; 3];

/// Rounding of 32-bit sums, added to bounds that are calculated in them.
const ROUNDING: f32 = 4e-6;

/// Writes the codes of a padded row of floats.
pub(crate) fn encode(row: &[f32], codes: &mut [i8]) -> Note {
    codes.fill(0);
    let norm = length(row);
    if norm == 0.0 {
        return [0.0; 3];
    }
    let peak = row.iter().fold(0f32, |peak, value| peak.max(value.abs()));
    let step = f64::from(peak) / 127.0;
    let mut squares = 0f64;
    for (&value, code) in row.iter().zip(codes) {
        let rounded = (f64::from(value) / step).round();
        *code = rounded as i8;
        let error = f64::from(value) - rounded * step;
        squares += error * error;
    }
    let error = (squares.sqrt() / norm) as f32;
    [(step / norm) as f32, error + ROUNDING, (1.0 / norm) as f32]
}

/// The length of a vector, without overflow.
pub(crate) fn length(row: &[f32]) -> f64 {
    let squares = |value: &f32| f64::from(*value) * f64::from(*value);
    row.iter().map(squares).sum::<f64>().sqrt()
}

/// The row of a vector, as bytes that a file keeps.
pub(crate) fn to_row(shape: VectorShape, vector: &[f32], row: &mut Vec<u8>) {
    row.clear();
    match shape.encoding {
        Encoding::F32 => row.extend(vector.iter().flat_map(|value| value.to_le_bytes())),
        Encoding::Binary => row.extend(to_bits(vector).iter().flat_map(|word| word.to_le_bytes())),
    }
    row.resize(shape.row_bytes(), 0);
}

/// One bit for each number, set when its sign is.
fn to_bits(vector: &[f32]) -> Vec<u64> {
    let bit = |(at, value): (usize, &f32)| u64::from(value.is_sign_positive()) << at;
    vector
        .chunks(64)
        .map(|chunk| chunk.iter().enumerate().map(bit).sum())
        .collect()
}

/// The vector of a row: what was given, or 1 and -1 for its signs.
pub(crate) fn from_row(shape: VectorShape, row: &[u8]) -> Vec<f32> {
    match shape.encoding {
        Encoding::F32 => bytemuck::cast_slice(row)[..shape.width()].to_vec(),
        Encoding::Binary => {
            let words: &[u64] = bytemuck::cast_slice(row);
            let sign = |at: usize| words[at / 64] >> (at % 64) & 1;
            (0..shape.width())
                .map(|at| if sign(at) == 1 { 1.0 } else { -1.0 })
                .collect()
        }
    }
}

/// A query in every form that rows are compared with.
pub(crate) struct Query {
    /// Of length one (or zero), padded like a row of floats.
    pub(crate) unit: Vec<f32>,
    /// Its codes, padded like a row of codes.
    pub(crate) codes: Vec<i8>,
    scale: f32,
    error: f32,
    /// The signs of its numbers, like a row of bits.
    pub(crate) bits: Vec<u64>,
    /// Whether it has no direction: every number is zero.
    pub(crate) is_zero: bool,
}

impl Query {
    /// A query from a vector of the right dimensions.
    pub(crate) fn new(shape: VectorShape, vector: &[f32]) -> Self {
        let bits = to_bits(vector);
        let signs: Vec<f32>;
        let directed = match shape.encoding {
            Encoding::F32 => vector,
            Encoding::Binary => {
                signs = vector.iter().map(|value| 1f32.copysign(*value)).collect();
                &signs
            }
        };
        let norm = length(directed);
        let mut unit = vec![0f32; shape.floats()];
        if norm > 0.0 {
            for (value, unit) in directed.iter().zip(&mut unit) {
                *unit = (f64::from(*value) / norm) as f32;
            }
        }
        let mut codes = vec![0i8; shape.width().next_multiple_of(CODE_LANES)];
        let [scale, error, _] = encode(&unit, &mut codes);
        Self {
            unit,
            codes,
            scale,
            error,
            bits,
            is_zero: norm == 0.0,
        }
    }

    /// The highest similarity that a row can have whose codes have this dot product with the
    /// query's.
    pub(crate) fn highest_similarity(&self, dot: i32, note: &Note) -> f32 {
        let [scale, error, inverse] = *note;
        if inverse == 0.0 {
            return 1.0;
        }
        let cosine = dot as f32 * scale * self.scale;
        (1.0 + cosine + error + (1.0 + error) * self.error + ROUNDING) / 2.0
    }

    /// The similarity of a row of floats: 1 when it or the query has no direction.
    pub(crate) fn similarity(
        &self,
        dot: fn(&[f32], &[f32]) -> f32,
        row: &[f32],
        note: &Note,
    ) -> f32 {
        let inverse = note[2];
        if inverse == 0.0 || self.is_zero {
            return 1.0;
        }
        let fast = dot(&self.unit, row) * inverse;
        let cosine = match inverse.is_normal() && fast.is_finite() {
            true => fast,
            false => self.slow_cosine(row),
        };
        (1.0 + cosine.clamp(-1.0, 1.0)) / 2.0
    }

    /// For lengths that 32-bit floats cannot calculate with.
    fn slow_cosine(&self, row: &[f32]) -> f32 {
        let product = |(a, b): (&f32, &f32)| f64::from(*a) * f64::from(*b);
        let sum: f64 = self.unit.iter().zip(row).map(product).sum();
        let cosine = (sum / length(row)) as f32;
        if cosine.is_nan() { 1.0 } else { cosine }
    }
}
