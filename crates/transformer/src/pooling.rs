//! From the vectors of the tokens of a text to the one of the text.

/// How the vectors of tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// Their sum, divided by the square root of their number.
    MeanSqrtLength,
    /// The largest number in each place.
    Max,
    /// The vector of the first token.
    Cls,
    /// The vector of the last token.
    LastToken,
}

/// Who decides how to pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoolingChoice {
    /// The folder of the model; the mean when it says nothing.
    #[default]
    UseModel,
    /// Always the mean.
    ForceMean,
    /// Always the first token.
    ForceCls,
}

impl Pooling {
    /// The vector of a text from those of its tokens, one after the other; zeros without any.
    pub(crate) fn pool(self, tokens: &[f32], dimensions: usize) -> Vec<f32> {
        let n = tokens.len() / dimensions;
        if n == 0 {
            return vec![0.0; dimensions];
        }
        let scaled = |by: f32| {
            let mut sum = fold(tokens, dimensions, |sum, value| sum + value);
            sum.iter_mut().for_each(|value| *value *= by);
            sum
        };
        match self {
            Self::Cls => tokens[..dimensions].to_vec(),
            Self::LastToken => tokens[(n - 1) * dimensions..].to_vec(),
            Self::Max => fold(tokens, dimensions, f32::max),
            Self::Mean => scaled(1.0 / n as f32),
            Self::MeanSqrtLength => scaled(1.0 / (n as f32).sqrt()),
        }
    }
}

/// Brings a vector to length one, unless it has none.
pub(crate) fn normalize(vector: &mut [f32]) {
    let square: f64 = vector.iter().map(|value| f64::from(*value).powi(2)).sum();
    if square > 0.0 {
        let scale = 1.0 / square.sqrt();
        let scaled = |value: &mut f32| *value = (f64::from(*value) * scale) as f32;
        vector.iter_mut().for_each(scaled);
    }
}

fn fold(tokens: &[f32], dimensions: usize, of: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    let mut rows = tokens.chunks_exact(dimensions);
    let mut folded = rows.next().map_or_else(Vec::new, <[f32]>::to_vec);
    for row in rows {
        let pairs = folded.iter_mut().zip(row);
        pairs.for_each(|(sum, value)| *sum = of(*sum, *value));
    }
    folded
}
