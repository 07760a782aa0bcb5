//! What the vectors of one embedder look like, and how many bytes a row takes.

use serde::{Deserialize, Serialize};

use crate::kernel::{CODE_LANES, FLOAT_LANES};

/// The number by which the engine knows a document.
pub type DocId = u32;

/// How vectors are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Encoding {
    /// As 32-bit floats; similar is what has a small angle.
    F32,
    /// One bit for each number, set when it is not negative; similar is what differs in few bits.
    Binary,
}

/// What all vectors of an index have in common. It never changes: another shape is another index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VectorShape {
    /// Numbers in a vector, from 1 to [`VectorShape::MAX_DIMENSIONS`].
    pub dimensions: u32,
    /// How they are kept.
    pub encoding: Encoding,
}

impl VectorShape {
    /// More numbers than this are refused.
    pub const MAX_DIMENSIONS: u32 = 65_536;

    /// Whether the dimensions are in their bounds.
    pub(crate) fn is_valid(self) -> bool {
        (1..=Self::MAX_DIMENSIONS).contains(&self.dimensions)
    }

    /// Numbers in a vector, as a size.
    pub(crate) fn width(self) -> usize {
        self.dimensions as usize
    }

    /// Floats of a padded row.
    pub(crate) fn floats(self) -> usize {
        self.width().next_multiple_of(FLOAT_LANES)
    }

    /// Words of a row of bits.
    pub(crate) fn words(self) -> usize {
        self.width().div_ceil(64)
    }

    /// Bytes of the row that keeps everything known of a vector.
    pub(crate) fn row_bytes(self) -> usize {
        match self.encoding {
            Encoding::F32 => self.floats() * 4,
            Encoding::Binary => self.words() * 8,
        }
    }

    /// Bytes of the row that a search reads first: 8-bit codes, or the bits themselves.
    pub(crate) fn code_bytes(self) -> usize {
        match self.encoding {
            Encoding::F32 => self.width().next_multiple_of(CODE_LANES),
            Encoding::Binary => self.row_bytes(),
        }
    }
}
