//! Distances between vectors: half of one minus the cosine, so 0 for the same direction and 1 for
//! the opposite one. Of quantized vectors, the share of signs that differ.

/// A query made ready for one kind of row.
pub(crate) enum Probe {
    /// Values and their norm.
    Floats(Vec<f32>, f32),
    /// Signs, one bit per dimension, and the number of dimensions.
    Bits(Vec<u64>, usize),
}

impl Probe {
    /// Prepares a query.
    pub(crate) fn new(query: &[f32], is_quantized: bool) -> Self {
        if is_quantized {
            Self::Bits(signs(query), query.len())
        } else {
            Self::Floats(query.to_vec(), norm(query))
        }
    }

    /// The distance to a row, as a layer stores it.
    pub(crate) fn distance(&self, row: &[u8]) -> f32 {
        match self {
            Self::Floats(query, query_norm) => {
                let (row_norm, values) = row.split_at(size_of::<f32>());
                let norms = query_norm * float(row_norm);
                if norms == 0.0 {
                    return 0.0;
                }
                ((1.0 - dot(query, values) / norms) / 2.0).clamp(0.0, 1.0)
            }
            Self::Bits(query, n_dimensions) => {
                let words = row.chunks_exact(size_of::<u64>());
                let differing: u32 = query
                    .iter()
                    .zip(words)
                    .map(|(word, bytes)| (word ^ bits(bytes)).count_ones())
                    .sum();
                differing as f32 / *n_dimensions as f32
            }
        }
    }
}

/// One bit per dimension, set where the value is not negative.
pub(crate) fn signs(vector: &[f32]) -> Vec<u64> {
    let word = |values: &[f32]| {
        let bits = values.iter().enumerate();
        bits.fold(0_u64, |word, (at, value)| {
            word | u64::from(value.is_sign_positive()) << at
        })
    };
    vector.chunks(u64::BITS as usize).map(word).collect()
}

/// Length of a vector.
pub(crate) fn norm(vector: &[f32]) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}

/// A stored value.
pub(crate) fn float(bytes: &[u8]) -> f32 {
    f32::from_le_bytes(bytes.try_into().unwrap_or_default())
}

/// A stored word of signs.
pub(crate) fn bits(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().unwrap_or_default())
}

/// Sums in eight lanes, which compilers turn into vector instructions.
fn dot(query: &[f32], values: &[u8]) -> f32 {
    const LANES: usize = 8;
    let mut sums = [0.0_f32; LANES];
    let whole = query.len() / LANES * LANES;
    let (blocks, rest) = query.split_at(whole);
    let (block_bytes, rest_bytes) = values.split_at((whole * size_of::<f32>()).min(values.len()));
    for (block, bytes) in blocks
        .chunks_exact(LANES)
        .zip(block_bytes.chunks_exact(LANES * size_of::<f32>()))
    {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += block[lane] * float(&bytes[lane * 4..lane * 4 + 4]);
        }
    }
    let rest = rest.iter().zip(rest_bytes.chunks_exact(size_of::<f32>()));
    let tail: f32 = rest.map(|(a, b)| a * float(b)).sum();
    sums.iter().sum::<f32>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(vector: &[f32]) -> Vec<u8> {
        let mut row = norm(vector).to_le_bytes().to_vec();
        row.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
        row
    }

    #[test]
    fn the_distance_is_half_of_one_minus_the_cosine() {
        let distance = |a: &[f32], b: &[f32]| Probe::new(a, false).distance(&row(b));
        assert!((1.0 - distance(&[1.0, 1.0], &[2.0, 3.0]) - 0.990_29).abs() < 1e-5);
        assert!((1.0 - distance(&[1.0, 1.0], &[1.0, 2.0]) - 0.974_34).abs() < 1e-5);
        assert!((1.0 - distance(&[1.0, 1.0], &[1.0, 3.0]) - 0.947_21).abs() < 1e-5);
        assert_eq!(distance(&[1.0, 0.0], &[-3.0, 0.0]), 1.0);
        assert_eq!(distance(&[0.0, 0.0], &[1.0, 0.0]), 0.0);
        let long: Vec<f32> = (0..37).map(|n| n as f32 - 9.5).collect();
        assert!(distance(&long, &long) < 1e-6);
    }

    #[test]
    fn quantized_vectors_differ_by_the_share_of_their_signs() {
        let stored: Vec<u8> = signs(&[1.0, -1.0, 0.5, -2.0])
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let probe = Probe::new(&[3.0, 1.0, 1.0, -1.0], true);
        assert_eq!(probe.distance(&stored), 0.25);
    }
}
