//! Attention: every token becomes a mean of what the tokens of its text say, weighted by how much
//! they concern it.

use std::ops::Range;

use crate::TransformerError;
use crate::config::Config;
use crate::matrix::{Rows, RowsMut, by_rows, product};
use crate::pointwise::softmax;
use crate::weights::Weights;

/// Distances of tokens from which on all count as equally far.
const FAR: f64 = 128.0;

/// What is added to the concern of one token for another, by how far they are apart.
pub(crate) struct Distances {
    /// For each head, the numbers from the largest distance backwards to the largest forwards.
    numbers: Vec<f32>,
    max_tokens: usize,
}

impl Distances {
    /// The table of a model that has one.
    pub(crate) fn load(
        weights: &Weights,
        config: &Config,
    ) -> Result<Option<Self>, TransformerError> {
        let (n_rows, n_heads) = (config.n_distances, config.n_heads);
        if n_rows == 0 {
            return Ok(None);
        }
        let name = "encoder.relative_attention_bias.weight";
        let table = weights.tensor(name, &[n_rows, n_heads])?;
        let max_tokens = config.max_tokens();
        let numbers = (0..n_heads).flat_map(|head| {
            let table = &table;
            (0..2 * max_tokens - 1).map(move |at| {
                let row = row_of(at as i64 - (max_tokens as i64 - 1), n_rows);
                table[row * n_heads + head]
            })
        });
        Ok(Some(Self {
            numbers: numbers.collect(),
            max_tokens,
        }))
    }

    /// The numbers of a token for all tokens of a text.
    fn row(&self, head: usize, token: usize, n_tokens: usize) -> &[f32] {
        let n_distances = 2 * self.max_tokens - 1;
        let start = head * n_distances + self.max_tokens - 1 - token;
        &self.numbers[start..start + n_tokens]
    }
}

/// The row of a distance: half of the rows for those backwards, half of these for the nearest ones,
/// the others ever wider.
fn row_of(distance: i64, n_rows: usize) -> usize {
    let half = n_rows / 2;
    let near = half / 2;
    let size = distance.unsigned_abs() as usize;
    let row = if size < near {
        size
    } else {
        let wide = (size as f64 / near.max(1) as f64).ln() / (FAR / near.max(1) as f64).ln();
        (near + (wide * (half - near) as f64) as usize).min(half.saturating_sub(1))
    };
    if distance > 0 { half + row } else { row }
}

/// Queries, keys and values of all tokens, row by row.
pub(crate) struct Projected<'n> {
    pub(crate) queries: &'n [f32],
    pub(crate) keys: &'n [f32],
    pub(crate) values: &'n [f32],
}

/// How a layer attends.
#[derive(Clone, Copy)]
pub(crate) struct Attention<'d> {
    pub(crate) width: usize,
    pub(crate) n_heads: usize,
    pub(crate) distances: Option<&'d Distances>,
}

impl Attention<'_> {
    /// Writes a row for every token of the texts, which are ranges of tokens.
    pub(crate) fn attend(self, of: &Projected<'_>, texts: &[Range<usize>], out: &mut [f32]) {
        let mut concerns = Vec::new();
        for text in texts.iter().filter(|text| !text.is_empty()) {
            for head in 0..self.n_heads {
                self.attend_by(head, of, text, out, &mut concerns);
            }
        }
    }

    fn attend_by(
        self,
        head: usize,
        of: &Projected<'_>,
        text: &Range<usize>,
        out: &mut [f32],
        concerns: &mut Vec<f32>,
    ) {
        let (n_rows, width) = (text.len(), self.width / self.n_heads);
        let start = text.start * self.width + head * width;
        let part = |numbers| Rows {
            numbers,
            n_rows,
            width,
            stride: self.width,
        };
        concerns.resize(n_rows * n_rows, 0.0);
        let mut square = RowsMut {
            numbers: concerns,
            n_rows,
            width: n_rows,
            stride: n_rows,
        };
        let (queries, keys) = (part(&of.queries[start..]), part(&of.keys[start..]));
        by_rows(
            &mut square,
            queries,
            keys,
            1.0 / (width as f32).sqrt(),
            false,
        );
        if let Some(distances) = self.distances {
            for (token, row) in concerns.chunks_exact_mut(n_rows).enumerate() {
                let more = distances.row(head, token, n_rows);
                row.iter_mut().zip(more).for_each(|(x, more)| *x += more);
            }
        }
        softmax(concerns, n_rows);
        let mut rows = RowsMut {
            numbers: &mut out[start..],
            n_rows,
            width,
            stride: self.width,
        };
        product(
            &mut rows,
            Rows::dense(concerns, n_rows, n_rows),
            part(&of.values[start..]),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::row_of;

    #[test]
    fn far_tokens_share_rows_and_each_direction_has_its_own() {
        let rows = [0, 1, 7, 8, 9, 11, 12, 16, 23, 32, 64, 90, 91, 127, 128, 500];
        let found = rows.map(|distance| row_of(-distance, 32));
        // As PyTorch's implementation of the model sorts them.
        let expected = [0, 1, 7, 8, 8, 8, 9, 10, 11, 12, 14, 14, 15, 15, 15, 15];
        assert_eq!(found, expected);
        for distance in 1..500 {
            assert_eq!(row_of(distance, 32), row_of(-distance, 32) + 16);
        }
    }
}
