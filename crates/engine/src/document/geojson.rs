//! Reads the special field `_geojson`: a GeoJSON geometry, feature or collection of either.
//!
//! Only longitudes and latitudes are kept; heights, properties and names are not looked at.
//! Coordinates are numbers of any size. Rings are closed where they are open.

use geojson::{Error, Feature, GeoJson, Geometry, Value};

use super::DocumentError;
use super::raw_document::JsonText;
use crate::geometry::{Part, Position, Shape};

/// Name of the field.
pub(crate) const GEOJSON: &str = "_geojson";

/// The shape, or `None` when the value is `null` or has no position at all.
///
/// # Errors
/// When the value is no GeoJSON.
pub(crate) fn parse(value: JsonText<'_>) -> Result<Option<Shape>, DocumentError> {
    if value.get() == "null" {
        return Ok(None);
    }
    let document: GeoJson = value.get().parse().map_err(refused)?;
    let mut shape = Shape::default();
    match document {
        GeoJson::Geometry(geometry) => add(&mut shape, &geometry),
        GeoJson::Feature(feature) => add_feature(&mut shape, &feature),
        GeoJson::FeatureCollection(collection) => collection
            .features
            .iter()
            .for_each(|feature| add_feature(&mut shape, feature)),
    }
    Ok(Some(shape).filter(|shape| !shape.parts.is_empty()))
}

fn refused(error: Error) -> DocumentError {
    match error {
        Error::MalformedJson(cause) => DocumentError::MalformedGeojson(cause.to_string()),
        other => DocumentError::InvalidGeojson(other.to_string()),
    }
}

fn add_feature(shape: &mut Shape, feature: &Feature) {
    if let Some(geometry) = &feature.geometry {
        add(shape, geometry);
    }
}

/// Recursion is as deep as collections are nested, which reading the JSON has bounded.
fn add(shape: &mut Shape, geometry: &Geometry) {
    let parts = &mut shape.parts;
    match &geometry.value {
        Value::Point(point) => parts.extend(position(point).map(Part::Point)),
        Value::MultiPoint(points) => parts.extend(line(points).into_iter().map(Part::Point)),
        Value::LineString(points) => push_line(parts, points),
        Value::MultiLineString(lines) => lines.iter().for_each(|points| push_line(parts, points)),
        Value::Polygon(rings) => push_polygon(parts, rings),
        Value::MultiPolygon(polygons) => {
            polygons.iter().for_each(|rings| push_polygon(parts, rings));
        }
        Value::GeometryCollection(geometries) => {
            geometries.iter().for_each(|geometry| add(shape, geometry));
        }
    }
}

fn push_line(parts: &mut Vec<Part>, points: &[Vec<f64>]) {
    let line = line(points);
    if !line.is_empty() {
        parts.push(Part::Line(line));
    }
}

fn push_polygon(parts: &mut Vec<Part>, rings: &[Vec<Vec<f64>>]) {
    let rings: Vec<_> = rings.iter().map(|points| line(points)).collect();
    let rings: Vec<_> = rings.into_iter().filter(|ring| !ring.is_empty()).collect();
    if !rings.is_empty() {
        parts.push(Part::Polygon(rings));
    }
}

fn line(points: &[Vec<f64>]) -> Vec<Position> {
    points.iter().filter_map(|point| position(point)).collect()
}

fn position(point: &[f64]) -> Option<Position> {
    match point {
        [lng, lat, ..] => Some(Position {
            lng: *lng,
            lat: *lat,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Shape>, DocumentError> {
        parse(JsonText::new_checked(text))
    }

    fn message(text: &str) -> (String, &'static str) {
        let error = read(text).expect_err("no GeoJSON");
        (error.to_string(), error.code())
    }

    const fn at(lng: f64, lat: f64) -> Position {
        Position { lng, lat }
    }

    #[test]
    fn every_kind_of_geometry_becomes_its_parts() {
        let shape = read(
            r#"{"type":"GeometryCollection","geometries":[
                {"type":"Point","coordinates":[1,2,300]},
                {"type":"MultiPoint","coordinates":[[3,4],[5,6]]},
                {"type":"LineString","coordinates":[[0,0],[1,1]]},
                {"type":"MultiLineString","coordinates":[[[2,2],[3,3]]]},
                {"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1],[0,0]]]},
                {"type":"GeometryCollection","geometries":[
                    {"type":"MultiPolygon","coordinates":[[[[5,5],[6,5],[5,6]]]]}]}]}"#,
        );
        let expected = vec![
            Part::Point(at(1.0, 2.0)),
            Part::Point(at(3.0, 4.0)),
            Part::Point(at(5.0, 6.0)),
            Part::Line(vec![at(0.0, 0.0), at(1.0, 1.0)]),
            Part::Line(vec![at(2.0, 2.0), at(3.0, 3.0)]),
            Part::Polygon(vec![vec![
                at(0.0, 0.0),
                at(1.0, 0.0),
                at(0.0, 1.0),
                at(0.0, 0.0),
            ]]),
            Part::Polygon(vec![vec![at(5.0, 5.0), at(6.0, 5.0), at(5.0, 6.0)]]),
        ];
        assert_eq!(shape, Ok(Some(Shape { parts: expected })));
    }

    #[test]
    fn features_are_their_geometries_and_nothing_is_no_shape() {
        let feature = r#"{"type":"Feature","properties":{"name":"x"},"geometry":{"type":"Point","coordinates":[1,2]}}"#;
        let point = Ok(Some(Shape {
            parts: vec![Part::Point(at(1.0, 2.0))],
        }));
        assert_eq!(read(feature), point);
        let collection = format!(r#"{{"type":"FeatureCollection","features":[{feature}]}}"#);
        assert_eq!(read(&collection), point);
        assert_eq!(read("null"), Ok(None));
        assert_eq!(read(r#"{"type":"MultiPoint","coordinates":[]}"#), Ok(None));
    }

    #[test]
    fn each_defect_has_its_message() {
        let cases = [
            (
                r#"{"type":"Circle","coordinates":[1,2]}"#,
                "Expected a Feature, FeatureCollection, or Geometry, but got an empty type",
            ),
            (r#""x""#, r#"Expected an owned Object, but got `"x"`"#),
            (
                r#"{"type":"Point","coordinates":["a","b"]}"#,
                "Expected a floating-point value, but got None",
            ),
            (
                r#"{"type":"Point","coordinates":[1]}"#,
                "A position must contain two or more elements, but got `1`",
            ),
        ];
        for (text, expected) in cases {
            let expected = (expected.to_owned(), "invalid_document_geo_field");
            assert_eq!(message(text), expected, "{text}");
        }
    }

    #[test]
    fn a_shape_nested_too_deep_is_refused() {
        let open = r#"{"type":"GeometryCollection","geometries":["#.repeat(1000);
        let (text, code) = message(&format!("{open}{}", "]}".repeat(1000)));
        assert!(text.starts_with("Malformed geojson: "), "{text}");
        assert_eq!(code, "invalid_document_geojson_field");
    }
}
