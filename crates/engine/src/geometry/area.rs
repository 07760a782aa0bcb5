//! An area that a filter names, and whether shapes have a point in common with it.
//!
//! # Cost
//! One pass over the edges of a shape whose bounds meet those of the area, each compared with the
//! edges of the area at its latitudes.

use super::edges::{Edge, Edges, surround};
use super::{Bounds, Part, Position, Shape, circle};

/// One polygon or several.
#[derive(Debug)]
pub(crate) struct Area {
    polygons: Vec<Polygon>,
    /// The area is the bounds of its polygons.
    is_rectangular: bool,
}

#[derive(Debug)]
struct Polygon {
    edges: Edges,
    /// A position on a border.
    border: Position,
}

impl Area {
    /// The inside of rings.
    fn of_rings(rings: &[Vec<Position>], polygons: &mut Vec<Polygon>) {
        let first = rings.iter().flatten().next();
        if let Some((edges, border)) = Edges::of_rings(rings).zip(first) {
            let border = *border;
            polygons.push(Polygon { edges, border });
        }
    }

    /// A polygon by its corners, closed without saying so.
    pub(crate) fn polygon(corners: Vec<Position>) -> Self {
        let mut polygons = Vec::new();
        Self::of_rings(&[corners], &mut polygons);
        Self {
            polygons,
            is_rectangular: false,
        }
    }

    /// A rectangle; one whose east side is west of its west side crosses the date line.
    pub(crate) fn rectangle(bounds: Bounds) -> Self {
        let mut polygons = Vec::new();
        let mut add = |bounds: Bounds| Self::of_rings(&[corners(&bounds)], &mut polygons);
        if bounds.east < bounds.west {
            add(Bounds {
                east: 180.0,
                ..bounds
            });
            add(Bounds {
                west: -180.0,
                ..bounds
            });
        } else {
            add(bounds);
        }
        Self {
            polygons,
            is_rectangular: true,
        }
    }

    /// A polygon of `n_corners` corners, all `radius` metres from the centre.
    pub(crate) fn circle(center: Position, radius: f64, n_corners: usize) -> Self {
        let rings = circle::rings(center, radius, n_corners);
        let mut polygons = Vec::new();
        for turn in [0.0, -360.0, 360.0] {
            let moved = moved(&rings, turn);
            let is_on_map = |bounds: &Bounds| bounds.west <= 180.0 && bounds.east >= -180.0;
            if Bounds::around(moved.iter().flatten())
                .as_ref()
                .is_some_and(is_on_map)
            {
                Self::of_rings(&moved, &mut polygons);
            }
        }
        Self {
            polygons,
            is_rectangular: false,
        }
    }

    /// Whether something with these bounds can have a point in common with the area.
    pub(crate) fn may_meet(&self, bounds: &Bounds) -> bool {
        self.polygons
            .iter()
            .any(|polygon| polygon.edges.bounds().meets(bounds))
    }

    /// Whether everything with these bounds is inside; `false` when that takes a closer look.
    pub(crate) fn surely_covers(&self, bounds: &Bounds) -> bool {
        self.is_rectangular
            && self
                .polygons
                .iter()
                .any(|polygon| polygon.edges.bounds().covers(bounds))
    }

    /// Whether the shape has a point in common with the area.
    pub(crate) fn meets(&self, shape: &Shape) -> bool {
        self.polygons
            .iter()
            .any(|polygon| shape.parts.iter().any(|part| polygon.meets(part)))
    }
}

impl Polygon {
    fn meets(&self, part: &Part) -> bool {
        match part {
            Part::Point(position) => self.edges.surround(*position),
            Part::Line(line) => {
                self.holds_start(line) || Edge::of_line(line).any(|edge| self.edges.meet(&edge))
            }
            Part::Polygon(rings) => {
                let mut edges = rings.iter().flat_map(|ring| Edge::of_ring(ring));
                rings.iter().any(|ring| self.holds_start(ring))
                    || edges.any(|edge| self.edges.meet(&edge))
                    || surround(
                        rings.iter().flat_map(|ring| Edge::of_ring(ring)),
                        self.border,
                    )
            }
        }
    }

    fn holds_start(&self, line: &[Position]) -> bool {
        line.first()
            .is_some_and(|position| self.edges.surround(*position))
    }
}

fn corners(bounds: &Bounds) -> Vec<Position> {
    let corner = |lng, lat| Position { lng, lat };
    vec![
        corner(bounds.west, bounds.south),
        corner(bounds.east, bounds.south),
        corner(bounds.east, bounds.north),
        corner(bounds.west, bounds.north),
    ]
}

fn moved(rings: &[Vec<Position>], turn: f64) -> Vec<Vec<Position>> {
    let moved = |position: &Position| Position {
        lng: position.lng + turn,
        ..*position
    };
    rings
        .iter()
        .map(|ring| ring.iter().map(moved).collect())
        .collect()
}
