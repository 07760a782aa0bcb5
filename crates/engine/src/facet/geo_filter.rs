//! Filters by place: circles and boxes over `_geo`, shapes over `_geojson`.
//!
//! `_geo` counts as filterable only where the settings name it plainly, not through a rule of
//! patterns. Shapes are not indexed: a filterable `_geojson` lets a filter pass and selects nothing.

use serval_filter::Word;

use super::evaluate_filter::Evaluator;
use super::refusal::not_filterable;
use crate::docset::{DocSet, DocSetBuilder};
use crate::ranking::geo_distance;
use crate::search::{SearchError, check_coordinates};
use crate::settings::FilterableAttribute;

/// Least metres between two points whose latitudes differ by one degree.
const METRES_PER_DEGREE: f64 = 111_000.0;

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
    if let Some(word) = resolution {
        check_resolution(evaluator, word)?;
    }
    let band = radius / METRES_PER_DEGREE;
    Ok(places(evaluator, |lat, lng| {
        // Latitudes are not checked when documents come in; only real ones bound the distance.
        let is_far = lat.abs() <= 90.0 && (lat - center.0).abs() > band;
        !is_far && geo_distance(center, (lat, lng)) <= radius
    }))
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
    Ok(places(evaluator, |lat, lng| {
        let is_between = if right < left {
            (left..=180.0).contains(&lng) || (-180.0..=right).contains(&lng)
        } else {
            (left..=right).contains(&lng)
        };
        is_between && (bottom..=top).contains(&lat)
    }))
}

/// Documents whose shape meets the polygon.
pub(super) fn polygon(
    evaluator: &Evaluator<'_>,
    points: &[[Word; 2]],
) -> Result<DocSet, SearchError> {
    if !names(evaluator, "_geojson") {
        let settings = evaluator.snapshot.settings();
        let place = points.first().map(|point| &point[0]);
        let message = not_filterable(settings, "_geojson");
        return match place {
            Some(word) => Err(evaluator.refused(word, &message)),
            None => Ok(DocSet::empty()),
        };
    }
    for vertex in points {
        point(evaluator, vertex)?;
    }
    Ok(DocSet::empty())
}

fn check_either_filterable(evaluator: &Evaluator<'_>, place: &Word) -> Result<(), SearchError> {
    if names(evaluator, "_geo") || names(evaluator, "_geojson") {
        return Ok(());
    }
    let message = not_filterable(evaluator.snapshot.settings(), "_geo/_geojson");
    Err(evaluator.refused(place, &message))
}

fn names(evaluator: &Evaluator<'_>, wanted: &str) -> bool {
    let entries = &evaluator.snapshot.settings().filterable_attributes;
    entries
        .iter()
        .any(|entry| matches!(entry, FilterableAttribute::Name(name) if name == wanted))
}

fn point(evaluator: &Evaluator<'_>, words: &[Word; 2]) -> Result<(f64, f64), SearchError> {
    let lat = evaluator.number(&words[0])?;
    let lng = evaluator.number(&words[1])?;
    check_coordinates(lat, 0.0).map_err(|message| evaluator.refused(&words[0], &message))?;
    check_coordinates(0.0, lng).map_err(|message| evaluator.refused(&words[1], &message))?;
    Ok((lat, lng))
}

fn check_resolution(evaluator: &Evaluator<'_>, word: &Word) -> Result<(), SearchError> {
    let resolution = evaluator.number(word)? as usize;
    if (3..=1000).contains(&resolution) {
        return Ok(());
    }
    let message =
        format!("Invalid resolution `{resolution}`. Resolution must be between 3 and 1000.");
    Err(evaluator.refused(word, &message))
}

/// Documents whose coordinates pass; none if only shapes are filterable.
fn places(evaluator: &Evaluator<'_>, accepts: impl Fn(f64, f64) -> bool) -> DocSet {
    let mut docs = DocSetBuilder::new(evaluator.snapshot.universe_len());
    if names(evaluator, "_geo") {
        evaluator.snapshot.for_each_geo(|id, [lat, lng]| {
            if accepts(lat, lng) {
                docs.insert(id);
            }
        });
    }
    docs.finish()
}
