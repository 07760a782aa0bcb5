//! `_geoPoint(lat, lng):asc|desc`: documents by distance from a point.
//!
//! Documents within a metre of the first one of a bucket share it, up to a number; those without a
//! point come last in both directions.

use crate::docset::DocSet;
use crate::geometry::distance;
use crate::query::{GeoOrder, Paths, PlacedDoc};
use crate::ranking::{Bucket, Buckets, Deadline, RankContext, RankingRule, ScoreDetail, Untyped};
use crate::settings::Direction;

/// Metres within which documents tie.
const TIE_METRES: f64 = 1.0;
/// Documents of one bucket at the most.
const MAX_BUCKET: usize = 1000;

/// Documents from which on they are found in order, not one by one.
const MANY_DOCS: usize = 4096;

/// Sorts by distance.
pub(in crate::ranking) struct GeoSortRule {
    /// Latitude and longitude, in degrees.
    pub(in crate::ranking) target: (f64, f64),
    /// Nearest or farthest first.
    pub(in crate::ranking) direction: Direction,
}

impl RankingRule for GeoSortRule {
    fn name(&self) -> &'static str {
        "geo sort"
    }

    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let order = (universe.len() >= MANY_DOCS)
            .then(|| {
                let descending = self.direction == Direction::Desc;
                context.matching.corpus.geo_order(self.target, descending)
            })
            .flatten();
        let way = match order {
            Some(order) => Way::Along(order),
            None => Way::Sorted(self.sorted(context, universe).into_iter()),
        };
        Box::new(GeoBuckets {
            rule: self,
            deadline: context.deadline,
            way,
            next: None,
            universe: universe.clone(),
            left: universe.clone(),
            paths: paths.clone(),
        })
    }
}

impl GeoSortRule {
    /// All documents with coordinates in order.
    fn sorted(&self, context: &RankContext<'_>, universe: &DocSet) -> Vec<PlacedDoc> {
        let corpus = context.matching.corpus;
        let placed = |doc| {
            let point = corpus.geo_point(doc)?;
            let distance = distance(self.target, point);
            Some(PlacedDoc {
                doc,
                point,
                distance,
            })
        };
        let docs = universe.iter().take_while(|_| !context.deadline.poll());
        let mut sorted: Vec<PlacedDoc> = docs.filter_map(placed).collect();
        sorted.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        if self.direction == Direction::Desc {
            // Of documents at one distance, the last one then stands for all of them.
            sorted.reverse();
        }
        sorted
    }
}

/// How documents are found in order.
enum Way<'r> {
    /// Those of the index, as far as they are wanted.
    Along(Box<dyn GeoOrder + 'r>),
    /// Each by itself.
    Sorted(std::vec::IntoIter<PlacedDoc>),
}

struct GeoBuckets<'r> {
    rule: &'r GeoSortRule,
    deadline: &'r Deadline,
    way: Way<'r>,
    /// What was found and is in no bucket yet.
    next: Option<PlacedDoc>,
    universe: DocSet,
    /// Documents in no bucket yet.
    left: DocSet,
    paths: Paths,
}

impl Buckets for GeoBuckets<'_> {
    fn next_bucket(&mut self) -> Option<Bucket> {
        let first = self.next.take().or_else(|| self.find());
        let docs = match &first {
            Some(first) => self.tied_with(first),
            None => std::mem::take(&mut self.left),
        };
        if docs.is_empty() {
            return None;
        }
        self.left.remove_all(&docs);
        Some(Bucket {
            docs,
            paths: self.paths.clone(),
            detail: ScoreDetail::GeoSort {
                target: self.rule.target,
                direction: self.rule.direction,
                point: first.map(|placed| placed.point),
                distance: first.map(|placed| placed.distance),
            },
            is_best: false,
            untyped: Untyped::Anywhere,
        })
    }
}

impl GeoBuckets<'_> {
    fn find(&mut self) -> Option<PlacedDoc> {
        if self.deadline.poll() {
            return None;
        }
        match &mut self.way {
            Way::Along(order) => order.next(&self.universe),
            Way::Sorted(sorted) => sorted.next(),
        }
    }

    /// The documents that share the bucket of the first one.
    fn tied_with(&mut self, first: &PlacedDoc) -> DocSet {
        let mut docs = vec![first.doc];
        while let Some(next) = self.find() {
            let is_tied = (next.distance - first.distance).abs() <= TIE_METRES;
            if !is_tied || docs.len() == MAX_BUCKET {
                self.next = Some(next);
                break;
            }
            docs.push(next.doc);
        }
        docs.into_iter().collect()
    }
}
