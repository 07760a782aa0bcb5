//! Edges of an area, found by latitude.
//!
//! # Cost
//! Rows of equal height list the edges that pass through them, at most [`MAX_ENTRIES_PER_EDGE`]
//! times the edges in all; a test looks at the edges of the rows it passes only.

use robust::{Coord, orient2d};

use super::{Bounds, Position};

const MAX_ENTRIES_PER_EDGE: usize = 8;
const MAX_ROWS: usize = 4096;

/// A straight line between two positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: Position,
    pub(super) to: Position,
}

impl Edge {
    /// The edges of a ring, the closing one included.
    pub(super) fn of_ring(ring: &[Position]) -> impl Iterator<Item = Self> + '_ {
        let next = ring.iter().cycle().skip(1);
        ring.iter()
            .zip(next)
            .map(|(from, to)| Self::new(*from, *to))
    }

    /// The edges along a line.
    pub(super) fn of_line(line: &[Position]) -> impl Iterator<Item = Self> + '_ {
        line.windows(2).map(|pair| Self::new(pair[0], pair[1]))
    }

    const fn new(from: Position, to: Position) -> Self {
        Self { from, to }
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            west: self.from.lng.min(self.to.lng),
            south: self.from.lat.min(self.to.lat),
            east: self.from.lng.max(self.to.lng),
            north: self.from.lat.max(self.to.lat),
        }
    }

    /// Above zero when the position is on the left, zero when it is on the same straight line.
    fn side(&self, position: Position) -> f64 {
        orient2d(coord(self.from), coord(self.to), coord(position))
    }

    /// Whether the two have a point in common, ends included.
    fn meets(&self, other: &Self) -> bool {
        let parts = |a: f64, b: f64| (a >= 0.0 && b <= 0.0) || (a <= 0.0 && b >= 0.0);
        self.bounds().meets(&other.bounds())
            && parts(self.side(other.from), self.side(other.to))
            && parts(other.side(self.from), other.side(self.to))
    }
}

const fn coord(position: Position) -> Coord<f64> {
    Coord {
        x: position.lng,
        y: position.lat,
    }
}

/// Tells whether a position is inside rings of edges: borders included, by an odd number of
/// crossings otherwise.
pub(super) fn surround(edges: impl Iterator<Item = Edge>, position: Position) -> bool {
    let mut is_inside = false;
    for edge in edges {
        let (above, rises) = (edge.from.lat > position.lat, edge.to.lat > edge.from.lat);
        let crosses = above != (edge.to.lat > position.lat);
        let is_near = edge.bounds().contains(position);
        if !crosses && !is_near {
            continue;
        }
        let side = edge.side(position);
        if side == 0.0 && is_near {
            return true;
        }
        is_inside ^= crosses && (side > 0.0) == rises;
    }
    is_inside
}

/// The edges of rings.
#[derive(Debug)]
pub(super) struct Edges {
    edges: Vec<Edge>,
    bounds: Bounds,
    /// Numbers of edges by row, from the south.
    rows: Vec<Vec<u32>>,
}

impl Edges {
    /// The edges of rings; `None` when no ring has a position.
    pub(super) fn of_rings(rings: &[Vec<Position>]) -> Option<Self> {
        let bounds = Bounds::around(rings.iter().flatten())?;
        let edges: Vec<Edge> = rings.iter().flat_map(|ring| Edge::of_ring(ring)).collect();
        let mut index = Self {
            bounds,
            rows: Vec::new(),
            edges,
        };
        index.make_rows();
        Some(index)
    }

    pub(super) const fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Whether the position is inside the rings or on one of them.
    pub(super) fn surround(&self, position: Position) -> bool {
        if !self.bounds.contains(position) {
            return false;
        }
        let row = &self.rows[self.row(position.lat, self.rows.len())];
        surround(row.iter().map(|edge| self.edges[*edge as usize]), position)
    }

    /// Whether one of the edges has a point in common with this one.
    pub(super) fn meet(&self, edge: &Edge) -> bool {
        let bounds = edge.bounds();
        if !self.bounds.meets(&bounds) {
            return false;
        }
        let first = self.row(bounds.south, self.rows.len());
        let last = self.row(bounds.north, self.rows.len());
        self.rows[first..=last]
            .iter()
            .flatten()
            .any(|other| self.edges[*other as usize].meets(edge))
    }

    fn make_rows(&mut self) {
        let mut n_rows = (self.edges.len() / 2).clamp(1, MAX_ROWS);
        while n_rows > 1 && self.n_entries(n_rows) > MAX_ENTRIES_PER_EDGE * self.edges.len() {
            n_rows /= 2;
        }
        let mut rows = vec![Vec::new(); n_rows];
        for (number, edge) in self.edges.iter().enumerate() {
            let (first, last) = self.rows_of(edge, n_rows);
            for row in &mut rows[first..=last] {
                row.push(number as u32);
            }
        }
        self.rows = rows;
    }

    fn n_entries(&self, n_rows: usize) -> usize {
        let n_of = |edge| {
            let (first, last) = self.rows_of(edge, n_rows);
            last - first + 1
        };
        self.edges.iter().map(n_of).sum()
    }

    fn rows_of(&self, edge: &Edge, n_rows: usize) -> (usize, usize) {
        let bounds = edge.bounds();
        (
            self.row(bounds.south, n_rows),
            self.row(bounds.north, n_rows),
        )
    }

    /// Grows with the latitude, so an edge that passes a latitude is in its row.
    fn row(&self, lat: f64, n_rows: usize) -> usize {
        let height = self.bounds.north - self.bounds.south;
        let part = (lat - self.bounds.south) / height;
        ((part * n_rows as f64) as usize).min(n_rows - 1)
    }
}
