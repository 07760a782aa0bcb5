//! `model.safetensors`, mapped into memory, and the tensors in it.
//!
//! # Invariants
//! A tensor that is given out has the shape that was asked for.
//!
//! # Cost
//! 32-bit floats are used where they are mapped: opening a model reads nothing but the header.
//! Others are converted once, and held.

use std::fs::File;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

use crate::TransformerError;

/// Numbers of a tensor, row by row.
#[derive(Clone)]
pub(crate) enum Numbers {
    /// A range of bytes that is aligned for floats and holds a whole number of them.
    Mapped(Arc<Mmap>, Range<usize>),
    Owned(Arc<[f32]>),
}

impl Deref for Numbers {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match self {
            Self::Mapped(map, range) => bytemuck::cast_slice(&map[range.clone()]),
            Self::Owned(numbers) => numbers,
        }
    }
}

/// The file of weights.
pub(crate) struct Weights {
    path: PathBuf,
    map: Arc<Mmap>,
    prefix: String,
}

impl Weights {
    /// Maps the file of a folder. The names in it may start with one of the prefixes.
    pub(crate) fn open(folder: &Path, prefixes: &[&str]) -> Result<Self, TransformerError> {
        let path = folder.join("model.safetensors");
        let io = |source| TransformerError::Io {
            path: path.clone(),
            source,
        };
        let file = File::open(&path).map_err(io)?;
        // SAFETY: whoever changes a file that is mapped breaks the map. Models are put in their
        // place by renaming and never changed afterwards.
        let map = unsafe { Mmap::map(&file) }.map_err(io)?;
        let mut weights = Self {
            path: path.clone(),
            map: Arc::new(map),
            prefix: String::new(),
        };
        let tensors = weights.tensors()?;
        let marked = prefixes.iter().find(|prefix| {
            let mut names = tensors.names().into_iter();
            names.any(|name| name.starts_with(&format!("{prefix}embeddings.")))
        });
        weights.prefix = marked.map_or_else(String::new, |prefix| (*prefix).to_owned());
        Ok(weights)
    }

    /// The tensor of that name and shape.
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Numbers, TransformerError> {
        let name = format!("{}{name}", self.prefix);
        let tensors = self.tensors()?;
        let view = tensors
            .tensor(&name)
            .map_err(|error| self.refused(format!("{error}")))?;
        if view.shape() != shape {
            let found = view.shape();
            return Err(self.refused(format!("`{name}` has shape {found:?}, expected {shape:?}")));
        }
        self.numbers(&name, &view)
    }

    /// Scale and shift of a norm. Old files call them gamma and beta.
    pub(crate) fn norm(
        &self,
        name: &str,
        width: usize,
    ) -> Result<(Numbers, Numbers), TransformerError> {
        let old = format!("{}{name}.gamma", self.prefix);
        let is_old = self.tensors()?.tensor(&old).is_ok();
        let [scale, shift] = if is_old {
            ["gamma", "beta"]
        } else {
            ["weight", "bias"]
        };
        Ok((
            self.tensor(&format!("{name}.{scale}"), &[width])?,
            self.tensor(&format!("{name}.{shift}"), &[width])?,
        ))
    }

    fn tensors(&self) -> Result<SafeTensors<'_>, TransformerError> {
        SafeTensors::deserialize(&self.map).map_err(|error| self.refused(error.to_string()))
    }

    fn numbers(&self, name: &str, view: &TensorView<'_>) -> Result<Numbers, TransformerError> {
        let bytes = view.data();
        let owned = |numbers: Vec<f32>| Numbers::Owned(numbers.into());
        let halves = || {
            bytes
                .chunks_exact(2)
                .map(|two| u16::from_le_bytes([two[0], two[1]]))
        };
        match view.dtype() {
            Dtype::F32 if cfg!(target_endian = "little") && is_aligned(bytes) => {
                let start = bytes.as_ptr().addr() - self.map.as_ptr().addr();
                let range = start..start + bytes.len();
                Ok(Numbers::Mapped(Arc::clone(&self.map), range))
            }
            Dtype::F32 => {
                let words = bytes.chunks_exact(4);
                Ok(owned(
                    words
                        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                        .collect(),
                ))
            }
            Dtype::BF16 => {
                let numbers = halves().map(|half| f32::from_bits(u32::from(half) << 16));
                Ok(owned(numbers.collect()))
            }
            Dtype::F16 => Ok(owned(halves().map(half_to_single).collect())),
            other => Err(self.refused(format!("`{name}` holds numbers of type {other:?}"))),
        }
    }

    fn refused(&self, reason: String) -> TransformerError {
        let path = self.path.clone();
        TransformerError::Format { path, reason }
    }
}

fn is_aligned(bytes: &[u8]) -> bool {
    bytes.as_ptr().addr().is_multiple_of(align_of::<f32>())
}

/// A number of 16 bits: one of sign, five of exponent, ten of fraction.
fn half_to_single(half: u16) -> f32 {
    let sign = if half >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(half >> 10 & 31), f32::from(half & 1023));
    let size = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    };
    sign * size
}

#[cfg(test)]
mod tests {
    use super::half_to_single;

    #[test]
    fn numbers_of_16_bits_keep_their_values() {
        let cases = [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555_e-5),
            (0xfc00, f32::NEG_INFINITY),
        ];
        for (half, expected) in cases {
            assert_eq!(half_to_single(half), expected, "{half:#06x}");
        }
        assert!(half_to_single(0x7e00).is_nan());
    }
}
