//! The points of a segment in a tree of boxes, for searches around a place.
//!
//! Each box is cut in two halves of as many points, across its longer side, until few are left.
//!
//! # Cost
//! Made in memory when it is first asked for, a partition of the points per level, and kept as long
//! as the segment: four bytes per point, and a box for a hundred of them.

use std::collections::BinaryHeap;

use super::segment_view::SegmentView;
use super::snapshot::Snapshot;
use crate::docset::{DocId, DocSet};
use crate::geometry::{Bounds, Position, distance, least_distance, most_distance};
use crate::query::PlacedDoc;
use crate::storage::attribute_file::AttributeReader;

/// Points of a box that is not cut any more.
const LEAF_LEN: usize = if cfg!(test) { 3 } else { 256 };

/// Points in boxes within boxes.
pub(crate) struct GeoTree {
    /// Places of points among those of the segment, box by box.
    entries: Vec<u32>,
    /// The first one, if there is any, holds all points that are on the globe.
    boxes: Vec<GeoBox>,
    /// Where the points begin that may be anywhere: latitudes are not checked when documents come in.
    elsewhere: usize,
}

struct GeoBox {
    bounds: Bounds,
    start: u32,
    end: u32,
    /// Places of the halves.
    halves: Option<[u32; 2]>,
}

/// How much of a box an area covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// Nothing.
    None,
    /// Some of it, or all.
    Part,
    /// All of it.
    All,
}

impl GeoTree {
    /// Puts the points of a segment into boxes.
    pub(super) fn new(attributes: &AttributeReader) -> Self {
        let mut points: Vec<(Position, u32)> = Vec::new();
        attributes.for_each_geo(|_, [lat, lng]| {
            points.push((Position { lng, lat }, points.len() as u32));
        });
        points.sort_by_key(|(point, _)| !is_on_globe(*point));
        let elsewhere = points.partition_point(|(point, _)| is_on_globe(*point));
        let mut tree = Self {
            entries: Vec::new(),
            boxes: Vec::new(),
            elsewhere,
        };
        tree.cut(&mut points[..elsewhere], 0);
        tree.entries = points.into_iter().map(|(_, entry)| entry).collect();
        tree
    }

    /// Adds the box around points that start at a place, with all boxes in it; its place.
    fn cut(&mut self, points: &mut [(Position, u32)], start: usize) -> Option<u32> {
        let bounds = Bounds::around(points.iter().map(|(point, _)| point))?;
        let at = self.boxes.len();
        self.boxes.push(GeoBox {
            bounds,
            start: start as u32,
            end: (start + points.len()) as u32,
            halves: None,
        });
        if points.len() > LEAF_LEN {
            let is_wide = bounds.east - bounds.west > bounds.north - bounds.south;
            let key = |point: &Position| if is_wide { point.lng } else { point.lat };
            let middle = points.len() / 2;
            points.select_nth_unstable_by(middle, |a, b| key(&a.0).total_cmp(&key(&b.0)));
            let (before, behind) = points.split_at_mut(middle);
            let halves = [self.cut(before, start), self.cut(behind, start + middle)];
            self.boxes[at].halves = halves[0].zip(halves[1]).map(<[u32; 2]>::from);
        }
        Some(at as u32)
    }

    fn entries_of(&self, one: &GeoBox) -> &[u32] {
        &self.entries[one.start as usize..one.end as usize]
    }
}

fn is_on_globe(Position { lng, lat }: Position) -> bool {
    (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lng)
}

impl Snapshot {
    /// Calls `each` for the living documents whose coordinates an area accepts, in no order;
    /// `covers` says how much of a box it covers.
    pub(crate) fn for_each_geo_in(
        &self,
        covers: impl Fn(&Bounds) -> Coverage,
        accepts: impl Fn([f64; 2]) -> bool,
        mut each: impl FnMut(DocId),
    ) {
        for segment in self.segments() {
            let tree = segment.geo_tree();
            let mut look_at = |entries: &[u32], is_sure: bool| {
                for entry in entries {
                    let (local, point) = segment.attributes().geo_entry(*entry);
                    if is_sure || accepts(point) {
                        segment.living(local).into_iter().for_each(&mut each);
                    }
                }
            };
            look_at(&tree.entries[tree.elsewhere..], false);
            let mut open: Vec<&GeoBox> = tree.boxes.first().into_iter().collect();
            while let Some(one) = open.pop() {
                match (covers(&one.bounds), one.halves) {
                    (Coverage::None, _) => {}
                    (Coverage::Part, Some(halves)) => {
                        open.extend(halves.map(|half| &tree.boxes[half as usize]));
                    }
                    (coverage, _) => look_at(tree.entries_of(one), coverage == Coverage::All),
                }
            }
        }
    }

    /// A walk over the documents with coordinates, by their distance from a latitude and longitude:
    /// the nearest first and at one distance the lowest, or all the other way round.
    #[must_use]
    pub fn geo_walk(&self, target: (f64, f64), descending: bool) -> GeoWalk<'_> {
        let mut walk = GeoWalk {
            target,
            descending,
            heap: BinaryHeap::new(),
        };
        for segment in self.segments() {
            let tree = segment.geo_tree();
            if let Some(all) = tree.boxes.first() {
                walk.push_box(segment, all);
            }
            let entries = &tree.entries[tree.elsewhere..];
            let bound = if descending { f64::INFINITY } else { 0.0 };
            walk.push(bound, Stop::Points { segment, entries });
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
    Box {
        segment: &'s SegmentView,
        one: &'s GeoBox,
    },
    Points {
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
                Stop::Points { segment, entries } => self.open(segment, entries, wanted),
                Stop::Box { segment, one } => {
                    let tree = segment.geo_tree();
                    match one.halves {
                        Some(halves) => {
                            for half in halves {
                                self.push_box(segment, &tree.boxes[half as usize]);
                            }
                        }
                        None => self.open(segment, tree.entries_of(one), wanted),
                    }
                }
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

    fn push_box(&mut self, segment: &'s SegmentView, one: &'s GeoBox) {
        let (lat, lng) = self.target;
        let from = Position { lng, lat };
        let bound = if self.descending {
            most_distance(from, &one.bounds)
        } else {
            least_distance(from, &one.bounds)
        };
        self.push(bound, Stop::Box { segment, one });
    }

    fn push(&mut self, metres: f64, stop: Stop<'s>) {
        let metres = if self.descending { -metres } else { metres };
        self.heap.push(Ahead { metres, stop });
    }
}

impl Ord for Ahead<'_> {
    /// Reversed, as the heap gives its largest element first. Boxes come before documents at the
    /// same distance, which they may hold.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let doc = |ahead: &Self| match &ahead.stop {
            Stop::Box { .. } | Stop::Points { .. } => None,
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
