//! The points of a segment in a tree of boxes, for searches around a place.
//!
//! The points are put into strips from pole to pole, and these into tiles of few points. Tiles, and
//! then strips, are the halves of boxes, these of larger ones, and so on.
//!
//! # Cost
//! Made in memory when it is first asked for, some passes over the points, and kept as long as the
//! segment: four bytes per point, and a box for a hundred of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::segment_view::SegmentView;
use super::snapshot::Snapshot;
use crate::docset::{DocId, DocSet};
use crate::geometry::{Bounds, Position, distance, least_distance, most_distance};
use crate::parallel::{MANY_DOCS, side_by_side};
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
        let (entries, elsewhere) = in_tiles(attributes);
        let mut tree = Self {
            boxes: Vec::with_capacity(2 * entries.len().div_ceil(LEAF_LEN)),
            elsewhere: entries.len(),
            entries,
        };
        tree.add_box(attributes, 0, tree.elsewhere);
        tree.entries.extend(elsewhere);
        tree
    }

    /// Adds the box around the points at these places, with all boxes in it; its place.
    fn add_box(&mut self, attributes: &AttributeReader, start: usize, end: usize) -> Option<u32> {
        let at = self.boxes.len();
        let around = |entries: &[u32]| {
            // They lie all over the file.
            let expected = entries.iter();
            expected.for_each(|entry| attributes.expect_geo(*entry));
            let points = entries.iter().map(|entry| attributes.geo_entry(*entry).1);
            let own = points.map(position).map(Bounds::of);
            own.reduce(|a, b| a.with(&b))
        };
        let n = end - start;
        if n <= LEAF_LEN {
            self.boxes.push(GeoBox {
                bounds: around(&self.entries[start..end])?,
                start: start as u32,
                end: end as u32,
                halves: None,
            });
            return Some(at as u32);
        }
        // Inside of a tile there is nothing to cut, and a strip is only cut into tiles.
        let strip = strip_len(self.elsewhere);
        let unit = if n > strip { strip } else { LEAF_LEN };
        let middle = start + (n / 2).next_multiple_of(unit);
        // In its place until the halves are known.
        self.boxes.push(GeoBox {
            bounds: around(&self.entries[start..=start])?,
            start: start as u32,
            end: end as u32,
            halves: None,
        });
        let halves = [
            self.add_box(attributes, start, middle)?,
            self.add_box(attributes, middle, end)?,
        ];
        let [before, behind] = halves.map(|half| self.boxes[half as usize].bounds);
        self.boxes[at].bounds = before.with(&behind);
        self.boxes[at].halves = Some(halves);
        Some(at as u32)
    }

    fn entries_of(&self, one: &GeoBox) -> &[u32] {
        &self.entries[one.start as usize..one.end as usize]
    }
}

/// Points of a strip from pole to pole: as many tiles as there are strips, all of them full.
fn strip_len(n_points: usize) -> usize {
    let n_tiles = n_points.div_ceil(LEAF_LEN);
    n_tiles.isqrt().max(1) * LEAF_LEN
}

/// The entries of points on the globe by strips from west to east, and within each from south to
/// north; and the entries of all others.
fn in_tiles(attributes: &AttributeReader) -> (Vec<u32>, Vec<u32>) {
    let (mut bounds, mut n_points): (Option<Bounds>, u32) = (None, 0);
    attributes.for_each_geo(|_, point| {
        let own = Some(position(point)).filter(|point| is_on_globe(*point));
        if let Some(own) = own.map(Bounds::of) {
            bounds = Some(bounds.map_or(own, |bounds| bounds.with(&own)));
        }
        n_points += 1;
    });
    let Some(bounds) = bounds else {
        return (Vec::new(), (0..n_points).collect());
    };
    // Near enough: boxes are around what is in them.
    let steps_per_degree = |from: f64, to: f64| f64::from(u16::MAX) / (to - from).max(f64::EPSILON);
    let per_lng = steps_per_degree(bounds.west, bounds.east);
    let per_lat = steps_per_degree(bounds.south, bounds.north);
    let mut keyed = Vec::with_capacity(n_points as usize);
    let (mut elsewhere, mut entry) = (Vec::new(), 0);
    attributes.for_each_geo(|_, point| {
        let point = position(point);
        if is_on_globe(point) {
            let lng = ((point.lng - bounds.west) * per_lng) as u16;
            let lat = ((point.lat - bounds.south) * per_lat) as u16;
            keyed.push(u64::from(entry) | u64::from(lng) << LNG_AT | u64::from(lat) << LAT_AT);
        } else {
            elsewhere.push(entry);
        }
        entry += 1;
    });
    let mut spare = vec![0; keyed.len()];
    sort_by_bits(&mut keyed, &mut spare, LNG_AT);
    for strip in keyed.chunks_mut(strip_len(spare.len())) {
        let n = strip.len();
        sort_by_bits(strip, &mut spare[..n], LAT_AT);
    }
    let entries = keyed.into_iter().map(|keyed| keyed as u32).collect();
    (entries, elsewhere)
}

const fn position([lat, lng]: [f64; 2]) -> Position {
    Position { lng, lat }
}

/// Where the longitude and the latitude of an entry are, 16 bits each.
const LNG_AT: u32 = 32;
const LAT_AT: u32 = 48;

/// Sorts by the 16 bits from `at` on, a byte at a time.
fn sort_by_bits(numbers: &mut [u64], spare: &mut [u64], at: u32) {
    let one_byte = |from: &[u64], to: &mut [u64], at: u32| {
        let byte = |number: u64| (number >> at) as usize & 0xff;
        let mut places = [0; 256];
        from.iter().for_each(|number| places[byte(*number)] += 1);
        let mut next = 0;
        for place in &mut places {
            (*place, next) = (next, next + *place);
        }
        for number in from {
            let place = &mut places[byte(*number)];
            to[*place] = *number;
            *place += 1;
        }
    };
    one_byte(numbers, spare, at);
    one_byte(spare, numbers, at + u8::BITS);
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
        self.make_geo_trees();
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

    /// Makes the trees that are missing, side by side if there are many documents.
    fn make_geo_trees(&self) {
        let missing = self
            .segments()
            .filter(|segment| segment.is_without_geo_tree());
        let mut missing: Vec<&Arc<SegmentView>> = missing.collect();
        let n_docs: u32 = missing.iter().map(|segment| segment.max_doc()).sum();
        if (n_docs as usize) < MANY_DOCS {
            return;
        }
        missing.sort_by_key(|segment| Reverse(segment.max_doc()));
        side_by_side(missing.len(), |at| {
            missing[at].geo_tree();
        });
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
        self.make_geo_trees();
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
