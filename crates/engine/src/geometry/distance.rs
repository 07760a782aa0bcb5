//! Distances on the globe, and the least and the most that they can be to anywhere in a box.

use std::f64::consts::PI;

use super::{Bounds, EARTH_RADIUS, Position};

/// Metres by which bounds give way, for the rounding of angles near zero.
const SLACK: f64 = 1.0;

/// Metres along the great circle between two points, latitude first, in degrees (haversine
/// formula), rounded to the millimetre.
#[must_use]
pub(crate) fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (lat_a, lat_b) = (a.0.to_radians(), b.0.to_radians());
    let half = |x: f64| (x / 2.0).sin().powi(2);
    let h =
        half(lat_b - lat_a) + lat_a.cos() * lat_b.cos() * half(b.1.to_radians() - a.1.to_radians());
    let metres = 2.0 * EARTH_RADIUS * h.sqrt().min(1.0).asin();
    (metres * 1000.0).round() / 1000.0
}

/// No point in the box is nearer than so many metres. Latitudes lie within 90 degrees, longitudes
/// of the box within 180.
pub(crate) fn least_distance(from: Position, to: &Bounds) -> f64 {
    let angle = least_angle(from, to);
    (angle * EARTH_RADIUS - SLACK).max(0.0)
}

/// No point in the box is farther than so many metres.
pub(crate) fn most_distance(from: Position, to: &Bounds) -> f64 {
    let opposite = Position {
        lng: from.lng + 180.0,
        lat: -from.lat,
    };
    (PI - least_angle(opposite, to)) * EARTH_RADIUS + SLACK
}

fn least_angle(from: Position, to: &Bounds) -> f64 {
    if turned(from.lng, to.west) <= to.east - to.west {
        let nearest = from.lat.clamp(to.south, to.north);
        return (from.lat - nearest).abs().to_radians();
    }
    let edges = [to.west, to.east].map(|edge| angle_to_meridian(from, edge, to.south, to.north));
    edges[0].min(edges[1])
}

/// Degrees eastward from the second longitude to the first, from 0 up to 360.
fn turned(lng: f64, from: f64) -> f64 {
    (lng - from).rem_euclid(360.0)
}

/// The angle to the nearest point of a part of a meridian. The cosine of the angle to its point at
/// latitude `x` is `a sin x + b cos x`, which has one top.
fn angle_to_meridian(from: Position, meridian: f64, south: f64, north: f64) -> f64 {
    let (sin, cos) = from.lat.to_radians().sin_cos();
    let (a, b) = (sin, cos * (meridian - from.lng).to_radians().cos());
    let top = a.atan2(b);
    let (south, north) = (south.to_radians(), north.to_radians());
    let cosine_at = |lat: f64| a * lat.sin() + b * lat.cos();
    let cosine = if (south..=north).contains(&top) {
        a.hypot(b)
    } else {
        cosine_at(south).max(cosine_at(north))
    };
    cosine.clamp(-1.0, 1.0).acos()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_degree_on_the_equator_is_a_360th_of_the_circumference() {
        assert!((distance((0.0, 0.0), (0.0, 1.0)) - 111_194.927).abs() < 1e-3);
        assert!((distance((0.0, 179.5), (0.0, -179.5)) - 111_194.927).abs() < 1e-3);
    }

    proptest! {
        /// Every point of a box is as far as the bounds say, and some point is about as near.
        #[test]
        fn bounds_hold_every_point_of_a_box(
            lat in -90.0..90.0_f64, lng in -180.0..180.0_f64,
            south in -90.0..90.0_f64, west in -180.0..180.0_f64,
            height in 0.0..40.0_f64, width in 0.0..200.0_f64,
        ) {
            let from = Position { lng, lat };
            let (north, east) = ((south + height).min(90.0), (west + width).min(180.0));
            let to = Bounds { west, south, east, north };
            let (least, most) = (least_distance(from, &to), most_distance(from, &to));
            let mut nearest = f64::MAX;
            for row in 0..=20 {
                for column in 0..=20 {
                    let part = |step: i32, low: f64, high: f64| {
                        low + (high - low) * f64::from(step) / 20.0
                    };
                    let point = (part(row, south, north), part(column, west, east));
                    let metres = distance((lat, lng), point);
                    prop_assert!(least <= metres && metres <= most, "{least} {metres} {most}");
                    nearest = nearest.min(metres);
                }
            }
            // A step of the grid is 10 degrees wide at the most.
            prop_assert!(nearest - least < 1.2e6, "{nearest} {least}");
        }
    }
}
