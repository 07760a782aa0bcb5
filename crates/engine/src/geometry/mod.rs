//! Shapes on the map and areas they may meet, in degrees on a plane.
//!
//! ```text
//! GeoJSON ──Shape──> bytes in the attribute file, with their bounds
//! filter ──Area──> which stored shapes have a point in common with it
//! ```
//!
//! # Invariants
//! 1. Borders belong to shapes and areas.
//! 2. Tests are exact: orientations are computed without rounding.
//! 3. Edges are straight in degrees, as GeoJSON says; an area that crosses the date line is
//!    several, each moved to where the shapes are.

mod area;
mod circle;
mod distance;
mod edges;
#[cfg(test)]
mod naive_tests;
mod shape;

pub(crate) use area::Area;
pub(crate) use distance::distance;
pub(crate) use distance::{least_distance, most_distance};
pub(crate) use shape::{Bounds, Part, Position, Shape};

/// Mean radius of the earth in metres, as the reference engine takes it.
pub(crate) const EARTH_RADIUS: f64 = 6_371_000.0;
