//! Shapes of documents in the `attr` file, with their bounds in front.
//!
//! ```text
//! u32 n, u32 document * n
//! west, south, east, north as f64, n times
//! u64 end * n, counted from here on
//! the shapes, as geometry writes them
//! ```
//!
//! # Cost
//! A filter reads all bounds, 32 bytes a document, and only the shapes whose bounds it meets.

use tantivy::directory::OwnedBytes;

use super::column_reader::{u32_at, u64_at};
use crate::geometry::Bounds;

const BOUNDS_LEN: usize = 32;
/// Document, bounds and end of a shape.
const ENTRY_LEN: usize = 4 + BOUNDS_LEN + 8;

/// Shapes of a segment that is being built.
#[derive(Default)]
pub(super) struct ShapeBuilder {
    entries: Vec<(u32, Bounds, u64)>,
    bytes: Vec<u8>,
}

impl ShapeBuilder {
    /// Adds the shape of a document; documents must ascend.
    pub(super) fn push(&mut self, doc: u32, bounds: &Bounds, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.entries.push((doc, *bounds, self.bytes.len() as u64));
    }

    pub(super) fn mem_usage(&self) -> usize {
        self.entries.len() * size_of::<(u32, Bounds, u64)>() + self.bytes.len()
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.entries.len() as u32).to_le_bytes());
        for (doc, ..) in &self.entries {
            out.extend_from_slice(&doc.to_le_bytes());
        }
        for (_, bounds, _) in &self.entries {
            for edge in [bounds.west, bounds.south, bounds.east, bounds.north] {
                out.extend_from_slice(&edge.to_le_bytes());
            }
        }
        for (.., end) in &self.entries {
            out.extend_from_slice(&end.to_le_bytes());
        }
        out.extend_from_slice(&self.bytes);
    }
}

/// The shapes of one segment.
#[derive(Clone)]
pub(crate) struct ShapeReader {
    section: OwnedBytes,
    n: usize,
}

/// A shape where it lies.
pub(crate) struct ShapeRef<'s> {
    /// The smallest rectangle around it.
    pub(crate) bounds: Bounds,
    /// The shape, for [`crate::geometry::Shape::decode`].
    pub(crate) bytes: &'s [u8],
}

impl ShapeReader {
    /// Opens a section; `None` when its tables do not fit. An empty one has no shapes: files of
    /// version 1 end there.
    pub(super) fn new(section: OwnedBytes) -> Option<Self> {
        let n = u32_at(&section, 0) as usize;
        let is_whole = section.is_empty() || section.len() >= 4 + ENTRY_LEN * n;
        is_whole.then_some(Self { section, n })
    }

    /// Calls `each` for every document with a shape, ascending.
    pub(crate) fn for_each(&self, mut each: impl FnMut(u32, ShapeRef<'_>)) {
        let mut start = 0;
        for index in 0..self.n {
            let end = u64_at(&self.section, self.ends_at() + 8 * index) as usize;
            let shapes_at = self.ends_at() + 8 * self.n;
            let shape = ShapeRef {
                bounds: self.bounds(index),
                bytes: self
                    .section
                    .get(shapes_at + start..shapes_at.saturating_add(end))
                    .unwrap_or_default(),
            };
            each(u32_at(&self.section, 4 + 4 * index), shape);
            start = end;
        }
    }

    fn bounds(&self, index: usize) -> Bounds {
        let at = 4 + 4 * self.n + BOUNDS_LEN * index;
        let edge = |number: usize| f64::from_bits(u64_at(&self.section, at + 8 * number));
        Bounds {
            west: edge(0),
            south: edge(1),
            east: edge(2),
            north: edge(3),
        }
    }

    const fn ends_at(&self) -> usize {
        4 + (4 + BOUNDS_LEN) * self.n
    }
}
