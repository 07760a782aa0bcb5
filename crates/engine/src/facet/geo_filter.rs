//! Filters by place: circles and boxes over `_geo`, shapes over `_geojson`.
//!
//! Either counts as filterable only where the settings name it plainly, not through a rule of
//! patterns. Circles and boxes select by both fields, polygons by `_geojson` only.
//!
//! # Cost
//! All coordinates are compared, then the bounds of all shapes; shapes whose bounds meet the area
//! are read and tested exactly.

use serval_filter::Word;

use super::evaluate_filter::Evaluator;
use super::refusal::not_filterable;
use crate::docset::{DocSet, DocSetBuilder};
use crate::document::geo::GEO;
use crate::document::geojson::GEOJSON;
use crate::geometry::{Area, Bounds, Position, Shape, distance, least_distance, most_distance};
use crate::index::Coverage;
use crate::request::{SearchError, check_coordinates};

/// Corners of the polygon that stands for a circle.
const DEFAULT_RESOLUTION: usize = 125;

/// Documents within `radius` metres of `center`, the rim included.
pub(super) fn radius(
    evaluator: &Evaluator<'_>,
    center: &[Word; 2],
    radius: &Word,
    resolution: Option<&Word>,
) -> Result<DocSet, SearchError> {
    check_either_filterable(evaluator, &center[0])?;
    let center = point(evaluator, center)?;
    let radius = evaluator.number(radius)?;
    let n_corners = match resolution {
        Some(word) => checked_resolution(evaluator, word)?,
        None => DEFAULT_RESOLUTION,
    };
    let area = || Area::circle(position(center), radius, n_corners);
    let accepts = |lat: f64, lng: f64| distance(center, (lat, lng)) <= radius;
    let covers = |bounds: &Bounds| {
        if least_distance(position(center), bounds) > radius {
            Coverage::None
        } else if most_distance(position(center), bounds) <= radius {
            Coverage::All
        } else {
            Coverage::Part
        }
    };
    Ok(places(evaluator, accepts, covers, area))
}

/// Documents between two corners, edges included; a box whose right side is west of its left side
/// crosses the date line.
pub(super) fn bounding_box(
    evaluator: &Evaluator<'_>,
    top_right: &[Word; 2],
    bottom_left: &[Word; 2],
) -> Result<DocSet, SearchError> {
    check_either_filterable(evaluator, &top_right[0])?;
    let (top, right) = point(evaluator, top_right)?;
    let (bottom, left) = point(evaluator, bottom_left)?;
    if top < bottom {
        let message = format!("The top latitude `{top}` is below the bottom latitude `{bottom}`.");
        return Err(evaluator.refused(&bottom_left[1], &message));
    }
    let accepts = |lat: f64, lng: f64| {
        let is_between = if right < left {
            (left..=180.0).contains(&lng) || (-180.0..=right).contains(&lng)
        } else {
            (left..=right).contains(&lng)
        };
        is_between && (bottom..=top).contains(&lat)
    };
    let area = || {
        Area::rectangle(Bounds {
            west: left,
            south: bottom,
            east: right,
            north: top,
        })
    };
    let covers = |bounds: &Bounds| {
        let is_abreast = right < left || (bounds.west <= right && bounds.east >= left);
        let is_inside = left <= bounds.west && bounds.east <= right;
        if !is_abreast || bounds.south > top || bounds.north < bottom {
            Coverage::None
        } else if is_inside && bottom <= bounds.south && bounds.north <= top {
            Coverage::All
        } else {
            Coverage::Part
        }
    };
    Ok(places(evaluator, accepts, covers, area))
}

/// Documents whose shape meets the polygon.
pub(super) fn polygon(
    evaluator: &Evaluator<'_>,
    points: &[[Word; 2]],
) -> Result<DocSet, SearchError> {
    if !names(evaluator, GEOJSON) {
        let settings = evaluator.snapshot.settings();
        let place = points.first().map(|point| &point[0]);
        let message = not_filterable(settings, GEOJSON);
        return match place {
            Some(word) => Err(evaluator.refused(word, &message)),
            None => Ok(DocSet::empty()),
        };
    }
    let corner = |words: &[Word; 2]| point(evaluator, words).map(position);
    let corners = points.iter().map(corner).collect::<Result<_, _>>()?;
    let mut docs = DocSetBuilder::new(evaluator.snapshot.universe_len());
    add_shapes(evaluator, &Area::polygon(corners), &mut docs);
    Ok(docs.finish())
}

fn check_either_filterable(evaluator: &Evaluator<'_>, place: &Word) -> Result<(), SearchError> {
    if names(evaluator, GEO) || names(evaluator, GEOJSON) {
        return Ok(());
    }
    let message = not_filterable(evaluator.snapshot.settings(), "_geo/_geojson");
    Err(evaluator.refused(place, &message))
}

fn names(evaluator: &Evaluator<'_>, wanted: &str) -> bool {
    evaluator.snapshot.settings().names_filterable(wanted)
}

fn point(evaluator: &Evaluator<'_>, words: &[Word; 2]) -> Result<(f64, f64), SearchError> {
    let lat = evaluator.number(&words[0])?;
    let lng = evaluator.number(&words[1])?;
    check_coordinates(lat, 0.0).map_err(|message| evaluator.refused(&words[0], &message))?;
    check_coordinates(0.0, lng).map_err(|message| evaluator.refused(&words[1], &message))?;
    Ok((lat, lng))
}

fn checked_resolution(evaluator: &Evaluator<'_>, word: &Word) -> Result<usize, SearchError> {
    let resolution = evaluator.number(word)? as usize;
    if (3..=1000).contains(&resolution) {
        return Ok(resolution);
    }
    let message =
        format!("Invalid resolution `{resolution}`. Resolution must be between 3 and 1000.");
    Err(evaluator.refused(word, &message))
}

/// Documents whose coordinates pass or whose shape meets the area, as far as each is filterable;
/// `covers` says how many coordinates in a box pass.
fn places(
    evaluator: &Evaluator<'_>,
    accepts: impl Fn(f64, f64) -> bool,
    covers: impl Fn(&Bounds) -> Coverage,
    area: impl Fn() -> Area,
) -> DocSet {
    let mut docs = DocSetBuilder::new(evaluator.snapshot.universe_len());
    if names(evaluator, GEO) {
        let accepts = |[lat, lng]: [f64; 2]| accepts(lat, lng);
        let add = |id| docs.insert(id);
        evaluator.snapshot.for_each_geo_in(covers, accepts, add);
    }
    if names(evaluator, GEOJSON) {
        add_shapes(evaluator, &area(), &mut docs);
    }
    docs.finish()
}

fn add_shapes(evaluator: &Evaluator<'_>, area: &Area, docs: &mut DocSetBuilder) {
    evaluator.snapshot.for_each_shape(|id, shape| {
        let is_met = || Shape::decode(shape.bytes).is_some_and(|shape| area.meets(&shape));
        if area.may_meet(&shape.bounds) && (area.surely_covers(&shape.bounds) || is_met()) {
            docs.insert(id);
        }
    });
}

const fn position((lat, lng): (f64, f64)) -> Position {
    Position { lng, lat }
}
