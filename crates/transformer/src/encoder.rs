//! The layers of a model: from token numbers to a vector for each token.
//!
//! # Cost
//! The tokens of all texts are rows of one matrix, one text after the other: there is no padding,
//! and only attention looks at where a text ends.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::TransformerError;
use crate::attention::{Attention, Distances, Projected};
use crate::config::Config;
use crate::matrix::{Rows, RowsMut, by_rows};
use crate::pointwise::{Norm, activate, add_and_norm};
use crate::weights::{Numbers, Weights};

/// Token numbers of texts, one text after the other.
#[derive(Default)]
pub(crate) struct Tokens {
    pub(crate) words: Vec<u32>,
    pub(crate) types: Vec<u32>,
    /// The tokens of each text.
    pub(crate) texts: Vec<Range<usize>>,
}

impl Tokens {
    /// Adds a text.
    pub(crate) fn push(&mut self, words: &[u32], types: &[u32]) {
        let start = self.words.len();
        self.words.extend_from_slice(words);
        self.types.extend_from_slice(types);
        self.texts.push(start..self.words.len());
    }
}

/// A model with its weights.
pub(crate) struct Encoder {
    config: Config,
    words: Numbers,
    positions: Numbers,
    types: Option<Numbers>,
    norm: LayerNorm,
    distances: Option<Distances>,
    layers: Vec<Layer>,
}

impl Encoder {
    /// Takes the weights that a configuration asks for.
    pub(crate) fn load(weights: &Weights, config: Config) -> Result<Self, TransformerError> {
        let width = config.width;
        let table = |name: &str, n_rows: usize| {
            weights.tensor(&format!("embeddings.{name}.weight"), &[n_rows, width])
        };
        let types = match config.n_types {
            0 => None,
            n_types => Some(table("token_type_embeddings", n_types)?),
        };
        Ok(Self {
            words: table("word_embeddings", config.n_words)?,
            positions: table("position_embeddings", config.n_positions)?,
            types,
            norm: LayerNorm::load(weights, "embeddings.LayerNorm", &config)?,
            distances: Distances::load(weights, &config)?,
            layers: (0..config.n_layers)
                .map(|layer| Layer::load(weights, layer, &config))
                .collect::<Result<_, _>>()?,
            config,
        })
    }

    /// Numbers of the vector of a token.
    pub(crate) fn width(&self) -> usize {
        self.config.width
    }

    /// The vectors of all tokens, row by row.
    ///
    /// # Errors
    /// When a token has no row, or when it is stopped.
    pub(crate) fn forward(
        &self,
        tokens: &Tokens,
        stopped: &AtomicBool,
    ) -> Result<Vec<f32>, TransformerError> {
        let mut rows = self.embed(tokens)?;
        let mut scratch = Scratch::new(tokens.words.len(), &self.config);
        let attention = Attention {
            width: self.config.width,
            n_heads: self.config.n_heads,
            distances: self.distances.as_ref(),
        };
        for layer in &self.layers {
            if stopped.load(Ordering::Relaxed) {
                return Err(TransformerError::Stopped);
            }
            layer.forward(attention, tokens, &mut rows, &mut scratch);
        }
        Ok(rows)
    }

    /// What is known of each token by itself: which one, and where.
    fn embed(&self, tokens: &Tokens) -> Result<Vec<f32>, TransformerError> {
        let Config { width, .. } = self.config;
        let mut rows = Vec::with_capacity(tokens.words.len() * width);
        for word in &tokens.words {
            rows.extend_from_slice(row(&self.words, *word, width)?);
        }
        if let Some(types) = &self.types {
            for (to, kind) in rows.chunks_exact_mut(width).zip(&tokens.types) {
                let more = row(types, *kind, width)?;
                to.iter_mut().zip(more).for_each(|(x, more)| *x += more);
            }
        }
        let mut positions = Vec::with_capacity(rows.len());
        let start = self.config.first_position * width;
        for text in &tokens.texts {
            positions.extend_from_slice(&self.positions[start..start + text.len() * width]);
        }
        add_and_norm(&mut rows, &positions, self.norm.as_norm());
        Ok(rows)
    }
}

fn row(table: &[f32], at: u32, width: usize) -> Result<&[f32], TransformerError> {
    let start = at as usize * width;
    table
        .get(start..start + width)
        .ok_or(TransformerError::Token {
            token: at,
            known: table.len() / width,
        })
}

/// What a layer calculates on the way, used again by the next one.
struct Scratch {
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    mixed: Vec<f32>,
    inner: Vec<f32>,
}

impl Scratch {
    fn new(n_tokens: usize, config: &Config) -> Self {
        let row = || vec![0.0; n_tokens * config.width];
        Self {
            queries: row(),
            keys: row(),
            values: row(),
            mixed: row(),
            inner: vec![0.0; n_tokens * config.inner],
        }
    }
}

struct LayerNorm {
    scale: Numbers,
    shift: Numbers,
    epsilon: f32,
}

impl LayerNorm {
    fn load(weights: &Weights, name: &str, config: &Config) -> Result<Self, TransformerError> {
        let (scale, shift) = weights.norm(name, config.width)?;
        Ok(Self {
            scale,
            shift,
            epsilon: config.epsilon,
        })
    }

    fn as_norm(&self) -> Norm<'_> {
        Norm {
            scale: &self.scale,
            shift: &self.shift,
            epsilon: self.epsilon,
        }
    }
}

struct Linear {
    weight: Numbers,
    bias: Numbers,
}

impl Linear {
    fn load(
        weights: &Weights,
        name: &str,
        out: usize,
        input: usize,
    ) -> Result<Self, TransformerError> {
        Ok(Self {
            weight: weights.tensor(&format!("{name}.weight"), &[out, input])?,
            bias: weights.tensor(&format!("{name}.bias"), &[out])?,
        })
    }

    /// One row of the output for each row of the input.
    fn forward(&self, input: &[f32], output: &mut [f32]) {
        let out = self.bias.len();
        let width = self.weight.len() / out;
        let n_rows = input.len() / width;
        for row in output.chunks_exact_mut(out) {
            row.copy_from_slice(&self.bias);
        }
        let mut output = RowsMut {
            numbers: output,
            n_rows,
            width: out,
            stride: out,
        };
        let weight = Rows::dense(&self.weight, out, width);
        by_rows(
            &mut output,
            Rows::dense(input, n_rows, width),
            weight,
            1.0,
            true,
        );
    }
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    mixed: Linear,
    mixed_norm: LayerNorm,
    inner: Linear,
    outer: Linear,
    outer_norm: LayerNorm,
    config: Config,
}

impl Layer {
    fn load(weights: &Weights, layer: usize, config: &Config) -> Result<Self, TransformerError> {
        let names = config.family.layer(layer);
        let Config { width, inner, .. } = *config;
        let square = |name: &str| Linear::load(weights, name, width, width);
        Ok(Self {
            query: square(&names.query)?,
            key: square(&names.key)?,
            value: square(&names.value)?,
            mixed: square(&names.mixed)?,
            mixed_norm: LayerNorm::load(weights, &names.mixed_norm, config)?,
            inner: Linear::load(weights, &names.inner, inner, width)?,
            outer: Linear::load(weights, &names.outer, width, inner)?,
            outer_norm: LayerNorm::load(weights, &names.outer_norm, config)?,
            config: *config,
        })
    }

    /// Replaces the rows by those after the layer.
    fn forward(
        &self,
        attention: Attention<'_>,
        tokens: &Tokens,
        rows: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let Scratch {
            queries,
            keys,
            values,
            mixed,
            inner,
        } = scratch;
        self.query.forward(rows, queries);
        self.key.forward(rows, keys);
        self.value.forward(rows, values);
        let projected = Projected {
            queries,
            keys,
            values,
        };
        attention.attend(&projected, &tokens.texts, mixed);
        // The queries have been answered: their place is free.
        self.mixed.forward(mixed, queries);
        add_and_norm(rows, queries, self.mixed_norm.as_norm());
        self.inner.forward(rows, inner);
        activate(inner, self.config.activation);
        self.outer.forward(inner, mixed);
        add_and_norm(rows, mixed, self.outer_norm.as_norm());
    }
}
