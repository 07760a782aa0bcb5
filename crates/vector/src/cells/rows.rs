//! Rows of a source as floats of length one.

use crate::VectorError;
use crate::code::{from_row, length};
use crate::file_writer::RowSource;
use crate::kernel::kernels;
use crate::shape::Encoding;

use super::stop_if_asked;

/// Rows between two looks at whether to stop.
const STOP_ROWS: u32 = 4096;

/// The rows of a source, scaled to length one; those without a direction stay zero.
pub(super) struct Rows<'a> {
    source: &'a dyn RowSource,
    floats: usize,
}

impl<'a> Rows<'a> {
    pub(super) fn new(source: &'a dyn RowSource) -> Self {
        Self {
            source,
            floats: source.shape().floats(),
        }
    }

    /// Floats of a row.
    pub(super) fn floats(&self) -> usize {
        self.floats
    }

    /// Up to `n` rows (of all, or of these), one after the other, evenly taken.
    pub(super) fn sample(&self, of: Option<&[u32]>, n: usize) -> Vec<f32> {
        let n_rows = of.map_or(self.source.len() as usize, <[u32]>::len);
        let n = n.min(n_rows);
        let mut sample = vec![0f32; n * self.floats];
        for (at, place) in sample.chunks_exact_mut(self.floats).enumerate() {
            let row = at * n_rows / n;
            self.read(of.map_or(row as u32, |rows| rows[row]), place);
        }
        sample
    }

    /// What a function says of each row.
    pub(super) fn map(&self, mut of: impl FnMut(&[f32]) -> u32) -> Result<Vec<u32>, VectorError> {
        let mut unit = vec![0f32; self.floats];
        let mut answers = Vec::with_capacity(self.source.len() as usize);
        for row in 0..self.source.len() {
            if row % STOP_ROWS == 0 {
                stop_if_asked(self.source)?;
            }
            self.read(row, &mut unit);
            answers.push(of(&unit));
        }
        Ok(answers)
    }

    fn read(&self, row: u32, unit: &mut [f32]) {
        let shape = self.source.shape();
        let bytes = self.source.row(row);
        match shape.encoding {
            Encoding::F32 => unit.copy_from_slice(bytemuck::cast_slice(bytes)),
            Encoding::Binary => unit[..shape.width()].copy_from_slice(&from_row(shape, bytes)),
        }
        scale_to_one(unit);
    }
}

/// Gives a vector the length one; zeros stay as they are.
pub(super) fn scale_to_one(vector: &mut [f32]) {
    let square = (kernels().dot)(vector, vector);
    if square.is_normal() {
        let factor = 1.0 / square.sqrt();
        vector.iter_mut().for_each(|value| *value *= factor);
        return;
    }
    let length = length(vector);
    if length > 0.0 {
        let scaled = |value: &mut f32| *value = (f64::from(*value) / length) as f32;
        vector.iter_mut().for_each(scaled);
    }
}

/// Evenly mixed numbers, the same in every run, so that the same rows make the same file.
pub(super) struct Spread(u64);

impl Spread {
    pub(super) fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % end as u64) as usize
    }
}
