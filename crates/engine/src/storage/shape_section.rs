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

use std::io::{self, Write};

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
        let walk = |each: &mut dyn FnMut(u32, &ShapeRef<'_>) -> io::Result<()>| {
            let mut start = 0;
            self.entries.iter().try_for_each(|(doc, bounds, end)| {
                let end = *end as usize;
                let (bounds, bytes) = (*bounds, &self.bytes[start..end]);
                start = end;
                each(*doc, &ShapeRef { bounds, bytes })
            })
        };
        // Writing to memory cannot fail.
        let _ = write_walked(&walk, out);
    }
}

/// Goes through shapes with ascending documents, as often as it is asked to.
pub(super) type ShapeWalk<'w> =
    &'w dyn Fn(&mut dyn FnMut(u32, &ShapeRef<'_>) -> io::Result<()>) -> io::Result<()>;

/// Writes a section in passes over its shapes, and says how many bytes it takes.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write_walked(walk: ShapeWalk<'_>, out: &mut dyn Write) -> io::Result<u64> {
    let (mut n, mut end) = (0_u32, 0_u64);
    walk(&mut |_, _| {
        n += 1;
        Ok(())
    })?;
    out.write_all(&n.to_le_bytes())?;
    walk(&mut |doc, _| out.write_all(&doc.to_le_bytes()))?;
    walk(&mut |_, shape| {
        let Bounds {
            west,
            south,
            east,
            north,
        } = shape.bounds;
        let mut edges = [west, south, east, north].into_iter();
        edges.try_for_each(|edge| out.write_all(&edge.to_le_bytes()))
    })?;
    walk(&mut |_, shape| {
        end += shape.bytes.len() as u64;
        out.write_all(&end.to_le_bytes())
    })?;
    walk(&mut |_, shape| out.write_all(shape.bytes))?;
    Ok(4 + ENTRY_LEN as u64 * u64::from(n) + end)
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
            // Shapes of a damaged file do not overlap either.
            let end = end.max(start);
            let shapes_at = self.ends_at() + 8 * self.n;
            let shape = ShapeRef {
                bounds: self.bounds(index),
                bytes: self
                    .section
                    .get(shapes_at.saturating_add(start)..shapes_at.saturating_add(end))
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
