//! The points of a segment by the cells of a grid, for searches around a place.
//!
//! # Cost
//! Made in memory when it is first asked for, with one sort of the points, and kept as long as the
//! segment: four bytes per point.

use std::collections::BinaryHeap;

use super::segment_view::SegmentView;
use super::snapshot::Snapshot;
use crate::docset::{DocId, DocSet};
use crate::geometry::{Bounds, Position, distance, least_distance, most_distance};
use crate::query::PlacedDoc;
use crate::storage::attribute_file::AttributeReader;

/// Rows and columns of cells per degree.
const CELLS_PER_DEGREE: f64 = 2.0;
/// More columns than there are.
const ROW_STRIDE: u32 = 1024;
/// The cell of points that are not on the globe: latitudes are not checked when documents come in.
const NOWHERE: u32 = u32::MAX;

/// Points by cells.
pub(crate) struct GeoGrid {
    /// Places of points among those of the segment, cell by cell.
    entries: Vec<u32>,
    cells: Vec<Cell>,
}

struct Cell {
    /// End of its entries.
    end: u32,
    /// Around its points; `None` if they may be anywhere.
    bounds: Option<Bounds>,
}

impl GeoGrid {
    /// Puts the points of a segment into cells.
    pub(super) fn new(attributes: &AttributeReader) -> Self {
        let mut keyed = Vec::new();
        attributes.for_each_geo(|_, point| keyed.push((cell_of(point), keyed.len() as u32)));
        keyed.sort_unstable();
        let mut end = 0;
        let cells = keyed.chunk_by(|a, b| a.0 == b.0).map(|members| {
            end += members.len() as u32;
            let is_placed = |member: &&(u32, u32)| member.0 != NOWHERE;
            let points: Vec<Position> = members
                .iter()
                .filter(is_placed)
                .map(|(_, entry)| {
                    let [lat, lng] = attributes.geo_entry(*entry).1;
                    Position { lng, lat }
                })
                .collect();
            let bounds = Bounds::around(&points);
            Cell { end, bounds }
        });
        Self {
            cells: cells.collect(),
            entries: keyed.into_iter().map(|(_, entry)| entry).collect(),
        }
    }

    /// Cells with the entries of their points.
    fn cells(&self) -> impl Iterator<Item = (&Cell, &[u32])> {
        let mut start = 0;
        self.cells.iter().map(move |cell| {
            let entries = &self.entries[start..cell.end as usize];
            start = cell.end as usize;
            (cell, entries)
        })
    }
}

fn cell_of([lat, lng]: [f64; 2]) -> u32 {
    if !(-90.0..=90.0).contains(&lat) || !(-180.0..=180.0).contains(&lng) {
        return NOWHERE;
    }
    let row = ((lat + 90.0) * CELLS_PER_DEGREE) as u32;
    let column = ((lng + 180.0) * CELLS_PER_DEGREE) as u32;
    row * ROW_STRIDE + column
}

impl Snapshot {
    /// Calls `each` for the living documents with coordinates, but for those in boxes that `holds`
    /// refuses, in no order.
    pub(crate) fn for_each_geo_in(
        &self,
        holds: impl Fn(&Bounds) -> bool,
        mut each: impl FnMut(DocId, [f64; 2]),
    ) {
        for segment in self.segments() {
            for (cell, entries) in segment.geo_grid().cells() {
                if !cell.bounds.as_ref().is_none_or(&holds) {
                    continue;
                }
                for entry in entries {
                    let (local, point) = segment.attributes().geo_entry(*entry);
                    if let Some(id) = segment.living(local) {
                        each(id, point);
                    }
                }
            }
        }
    }

    /// A walk over the documents with coordinates, by their distance from a latitude and longitude:
    /// the nearest first and at one distance the lowest, or all the other way round.
    #[must_use]
    pub fn geo_walk(&self, target: (f64, f64), descending: bool) -> GeoWalk<'_> {
        let from = Position {
            lng: target.1,
            lat: target.0,
        };
        let mut walk = GeoWalk {
            target,
            descending,
            heap: BinaryHeap::new(),
        };
        for segment in self.segments() {
            for (cell, entries) in segment.geo_grid().cells() {
                let bound = match (&cell.bounds, descending) {
                    (None, false) => 0.0,
                    (None, true) => f64::INFINITY,
                    (Some(bounds), false) => least_distance(from, bounds),
                    (Some(bounds), true) => most_distance(from, bounds),
                };
                walk.push(bound, Stop::Cell { segment, entries });
            }
        }
        walk
    }
}

/// Documents in order of distance, found as far as they are asked for.
pub struct GeoWalk<'s> {
    target: (f64, f64),
    descending: bool,
    heap: BinaryHeap<Ahead<'s>>,
}

enum Stop<'s> {
    Cell {
        segment: &'s SegmentView,
        entries: &'s [u32],
    },
    Doc(PlacedDoc),
}

/// What is found next, by its distance or a bound of it; negative when the farthest come first.
struct Ahead<'s> {
    metres: f64,
    stop: Stop<'s>,
}

impl<'s> GeoWalk<'s> {
    /// The next one of `wanted`; the same set is to be given each time.
    pub fn next(&mut self, wanted: &DocSet) -> Option<PlacedDoc> {
        loop {
            match self.heap.pop()?.stop {
                Stop::Doc(placed) => return Some(placed),
                Stop::Cell { segment, entries } => self.open(segment, entries, wanted),
            }
        }
    }

    fn open(&mut self, segment: &'s SegmentView, entries: &[u32], wanted: &DocSet) {
        for entry in entries {
            let (local, [lat, lng]) = segment.attributes().geo_entry(*entry);
            let living = segment.living(local);
            if let Some(doc) = living.filter(|doc| wanted.contains(*doc)) {
                let point = (lat, lng);
                let distance = distance(self.target, point);
                let placed = PlacedDoc {
                    doc,
                    point,
                    distance,
                };
                self.push(distance, Stop::Doc(placed));
            }
        }
    }

    fn push(&mut self, metres: f64, stop: Stop<'s>) {
        let metres = if self.descending { -metres } else { metres };
        self.heap.push(Ahead { metres, stop });
    }
}

impl Ord for Ahead<'_> {
    /// Reversed, as the heap gives its largest element first. Cells come before documents at the
    /// same distance, which they may hold.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let doc = |ahead: &Self| match &ahead.stop {
            Stop::Cell { .. } => None,
            // The walk from the farthest is that from the nearest, backwards.
            Stop::Doc(placed) if ahead.metres.is_sign_negative() => Some(DocId::MAX - placed.doc),
            Stop::Doc(placed) => Some(placed.doc),
        };
        let by_distance = other.metres.total_cmp(&self.metres);
        by_distance.then_with(|| doc(other).cmp(&doc(self)))
    }
}

impl PartialOrd for Ahead<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ahead<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ahead<'_> {}
