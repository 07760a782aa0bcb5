//! `_geoPoint(lat, lng):asc|desc`: documents by distance from a point.
//!
//! Documents within a metre of the first one of a bucket share it, up to a number; those without a
//! point come last in both directions.

use crate::docset::{DocId, DocSet};
use crate::geometry::EARTH_RADIUS;
use crate::query::Paths;
use crate::ranking::{Bucket, Buckets, RankContext, RankingRule, ScoreDetail};
use crate::settings::Direction;

/// Metres within which documents tie.
const TIE_METRES: f64 = 1.0;
/// Documents of one bucket at the most.
const MAX_BUCKET: usize = 1000;

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
        let corpus = context.matching.corpus;
        let (mut placed, mut unplaced) = (Vec::new(), Vec::new());
        for doc in universe {
            if context.deadline.poll() {
                break;
            }
            match corpus.geo_point(doc) {
                Some(point) => placed.push(Placed {
                    doc,
                    point,
                    distance: distance(self.target, point),
                }),
                None => unplaced.push(doc),
            }
        }
        placed.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        if self.direction == Direction::Desc {
            // Of documents at one distance, the last one then stands for all of them.
            placed.reverse();
        }
        Box::new(GeoBuckets {
            rule: self,
            placed,
            at: 0,
            unplaced: Some(unplaced),
            paths: paths.clone(),
        })
    }
}

struct Placed {
    doc: DocId,
    point: (f64, f64),
    distance: f64,
}

struct GeoBuckets<'r> {
    rule: &'r GeoSortRule,
    placed: Vec<Placed>,
    at: usize,
    unplaced: Option<Vec<DocId>>,
    paths: Paths,
}

impl Buckets for GeoBuckets<'_> {
    fn next_bucket(&mut self) -> Option<Bucket> {
        let rest = &self.placed[self.at..];
        let Some(first) = rest.first() else {
            let docs = self.unplaced.take().filter(|docs| !docs.is_empty())?;
            let docs = DocSet::from_sorted(docs);
            return Some(Bucket {
                docs,
                paths: self.paths.clone(),
                detail: self.detail(None),
                is_best: false,
            });
        };
        let tied = rest
            .iter()
            .take(MAX_BUCKET)
            .take_while(|other| (other.distance - first.distance).abs() <= TIE_METRES);
        let docs: Vec<DocId> = tied.map(|placed| placed.doc).collect();
        let detail = self.detail(Some(first));
        self.at += docs.len();
        Some(Bucket {
            docs: docs.into_iter().collect(),
            paths: self.paths.clone(),
            detail,
            is_best: false,
        })
    }
}

impl GeoBuckets<'_> {
    fn detail(&self, first: Option<&Placed>) -> ScoreDetail {
        ScoreDetail::GeoSort {
            target: self.rule.target,
            direction: self.rule.direction,
            point: first.map(|placed| placed.point),
            distance: first.map(|placed| placed.distance),
        }
    }
}

/// Metres along the great circle between two points in degrees (haversine formula), rounded to
/// the millimetre.
#[must_use]
pub fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (lat_a, lat_b) = (a.0.to_radians(), b.0.to_radians());
    let half = |x: f64| (x / 2.0).sin().powi(2);
    let h =
        half(lat_b - lat_a) + lat_a.cos() * lat_b.cos() * half(b.1.to_radians() - a.1.to_radians());
    let metres = 2.0 * EARTH_RADIUS * h.sqrt().min(1.0).asin();
    (metres * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn one_degree_on_the_equator_is_a_360th_of_the_circumference() {
        assert!((distance((0.0, 0.0), (0.0, 1.0)) - 111_194.927).abs() < 1e-3);
        assert!((distance((0.0, 179.5), (0.0, -179.5)) - 111_194.927).abs() < 1e-3);
    }
}
