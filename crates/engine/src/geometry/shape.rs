//! A shape as a list of points, lines and polygons, and its bytes.
//!
//! ```text
//! parts, each: u8 kind (0 point, 1 line, 2 polygon)
//!   point    a position
//!   line     u32 n, n positions
//!   polygon  u32 rings, each: u32 n, n positions
//! position   f64 longitude, f64 latitude
//! ```
//!
//! All numbers are little-endian.

const POINT: u8 = 0;
const LINE: u8 = 1;
const POLYGON: u8 = 2;
const POSITION_LEN: usize = 16;

/// A place in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Position {
    pub(crate) lng: f64,
    pub(crate) lat: f64,
}

/// The smallest rectangle around something, its edges included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) west: f64,
    pub(crate) south: f64,
    pub(crate) east: f64,
    pub(crate) north: f64,
}

impl Bounds {
    /// Around all positions; `None` without any.
    pub(crate) fn around<'p>(positions: impl IntoIterator<Item = &'p Position>) -> Option<Self> {
        let each = positions.into_iter().copied().map(Self::of);
        each.reduce(|a, b| a.with(&b))
    }

    /// Around one.
    pub(crate) const fn of(position: Position) -> Self {
        Self {
            west: position.lng,
            south: position.lat,
            east: position.lng,
            north: position.lat,
        }
    }

    /// Around both.
    pub(crate) const fn with(&self, other: &Self) -> Self {
        Self {
            west: self.west.min(other.west),
            south: self.south.min(other.south),
            east: self.east.max(other.east),
            north: self.north.max(other.north),
        }
    }

    /// Whether the two have a point in common.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.west <= other.east
            && other.west <= self.east
            && self.south <= other.north
            && other.south <= self.north
    }

    /// Whether the other lies inside, touching included.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.west <= other.west
            && other.east <= self.east
            && self.south <= other.south
            && other.north <= self.north
    }

    /// Whether the position lies inside, touching included.
    pub(crate) fn contains(&self, position: Position) -> bool {
        (self.west..=self.east).contains(&position.lng)
            && (self.south..=self.north).contains(&position.lat)
    }
}

/// One connected piece of a shape; never empty.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Point(Position),
    /// One position or more.
    Line(Vec<Position>),
    /// Rings, closed without saying so; a point is inside when an odd number of them surround it.
    Polygon(Vec<Vec<Position>>),
}

impl Part {
    fn positions(&self) -> impl Iterator<Item = &Position> {
        let (point, lists) = match self {
            Part::Point(point) => (Some(point), None),
            Part::Line(line) => (None, Some(std::slice::from_ref(line))),
            Part::Polygon(rings) => (None, Some(rings.as_slice())),
        };
        point
            .into_iter()
            .chain(lists.into_iter().flatten().flatten())
    }
}

/// A shape: the union of its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    pub(crate) parts: Vec<Part>,
}

impl Shape {
    /// The smallest rectangle around the shape; `None` when it has no parts.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        Bounds::around(self.parts.iter().flat_map(Part::positions))
    }

    /// The shape as bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for part in &self.parts {
            match part {
                Part::Point(position) => {
                    out.push(POINT);
                    put_position(&mut out, *position);
                }
                Part::Line(line) => {
                    out.push(LINE);
                    put_line(&mut out, line);
                }
                Part::Polygon(rings) => {
                    out.push(POLYGON);
                    put_count(&mut out, rings.len());
                    rings.iter().for_each(|ring| put_line(&mut out, ring));
                }
            }
        }
        out
    }

    /// The shape that [`Self::encode`] wrote; `None` for anything else.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader { bytes, at: 0 };
        let mut parts = Vec::new();
        while let Some(kind) = bytes.get(reader.at) {
            reader.at += 1;
            parts.push(match *kind {
                POINT => Part::Point(reader.position()?),
                LINE => Part::Line(reader.line()?),
                POLYGON => {
                    let n_rings = reader.count()?;
                    Part::Polygon((0..n_rings).map(|_| reader.line()).collect::<Option<_>>()?)
                }
                _ => return None,
            });
        }
        Some(Self { parts })
    }
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(&(count as u32).to_le_bytes());
}

fn put_position(out: &mut Vec<u8>, position: Position) {
    out.extend_from_slice(&position.lng.to_le_bytes());
    out.extend_from_slice(&position.lat.to_le_bytes());
}

fn put_line(out: &mut Vec<u8>, line: &[Position]) {
    put_count(out, line.len());
    line.iter()
        .for_each(|position| put_position(out, *position));
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    fn count(&mut self) -> Option<u32> {
        let bytes = self.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    fn position(&mut self) -> Option<Position> {
        let number = |at: usize| {
            let bytes = self.bytes.get(at..at + 8)?;
            Some(f64::from_le_bytes(bytes.try_into().ok()?))
        };
        let position = Position {
            lng: number(self.at)?,
            lat: number(self.at + 8)?,
        };
        self.at += POSITION_LEN;
        Some(position)
    }

    fn line(&mut self) -> Option<Vec<Position>> {
        let n = self.count()? as usize;
        if n == 0 || n > (self.bytes.len() - self.at) / POSITION_LEN {
            return None;
        }
        (0..n).map(|_| self.position()).collect()
    }
}
