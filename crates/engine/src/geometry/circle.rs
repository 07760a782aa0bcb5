//! Polygons that stand for circles on the globe.
//!
//! Longitudes run on past 180 degrees rather than jumping; a circle around a pole is the part of
//! the map between its rim and that pole, one around both poles the map without the circle around
//! the opposite point.

use std::f64::consts::{FRAC_PI_2, PI};

use super::{EARTH_RADIUS, Position};

/// The rings of a circle with `n_corners` corners; none when the radius is negative.
pub(super) fn rings(center: Position, radius: f64, n_corners: usize) -> Vec<Vec<Position>> {
    let reach = radius / EARTH_RADIUS;
    let to_pole = FRAC_PI_2 - center.lat.to_radians().abs();
    if reach < 0.0 {
        Vec::new()
    } else if reach < to_pole {
        let rim = rim(center, reach, n_corners);
        vec![
            rim.map(|(lng, lat)| Position {
                lng: center.lng + lng,
                lat,
            })
            .collect(),
        ]
    } else if reach < PI - to_pole {
        vec![around_pole(center, reach, n_corners)]
    } else {
        let opposite = Position {
            lng: center.lng + 180.0,
            lat: -center.lat,
        };
        let mut rings = vec![map_around(opposite.lng)];
        if reach < PI {
            rings.extend(self::rings(
                opposite,
                (PI - reach) * EARTH_RADIUS,
                n_corners,
            ));
        }
        rings
    }
}

/// Corners as longitude from the centre and latitude, in degrees, clockwise from the north.
fn rim(center: Position, reach: f64, n_corners: usize) -> impl Iterator<Item = (f64, f64)> {
    let (sin_lat, cos_lat) = center.lat.to_radians().sin_cos();
    let (sin_reach, cos_reach) = reach.sin_cos();
    (0..n_corners).map(move |corner| {
        let bearing = 2.0 * PI * corner as f64 / n_corners as f64;
        let sin = sin_lat * cos_reach + cos_lat * sin_reach * bearing.cos();
        let lng = (bearing.sin() * sin_reach * cos_lat).atan2(cos_reach - sin_lat * sin);
        (lng.to_degrees(), sin.clamp(-1.0, 1.0).asin().to_degrees())
    })
}

/// From the rim, along the date line seen from the centre, to the pole and back.
fn around_pole(center: Position, reach: f64, n_corners: usize) -> Vec<Position> {
    // The south is the north of the mirrored globe.
    let mirror = if center.lat < 0.0 { -1.0 } else { 1.0 };
    let northern = Position {
        lat: center.lat.abs(),
        ..center
    };
    let mut corners: Vec<(f64, f64)> = rim(northern, reach, n_corners).collect();
    // Due north the rim is behind the pole, half a turn away on either side.
    let behind = corners.first().map_or(90.0, |first| first.1);
    if let Some(first) = corners.first_mut() {
        first.0 = 180.0;
    }
    corners.extend([(-180.0, behind), (-180.0, 90.0), (180.0, 90.0)]);
    let placed = |(lng, lat): (f64, f64)| Position {
        lng: center.lng + lng,
        lat: mirror * lat,
    };
    corners.into_iter().map(placed).collect()
}

/// The whole map with this longitude in the middle.
fn map_around(lng: f64) -> Vec<Position> {
    let corner = |lng, lat| Position { lng, lat };
    vec![
        corner(lng - 180.0, -90.0),
        corner(lng + 180.0, -90.0),
        corner(lng + 180.0, 90.0),
        corner(lng - 180.0, 90.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::{Area, Part, Shape};
    use super::*;

    fn holds(center: (f64, f64), radius: f64, point: (f64, f64)) -> bool {
        let place = |(lat, lng)| Position { lng, lat };
        let shape = Shape {
            parts: vec![Part::Point(place(point))],
        };
        Area::circle(place(center), radius, 125).meets(&shape)
    }

    /// Corners of 125 are at most a thousandth of the radius inside the circle.
    #[test]
    fn circles_hold_what_is_clearly_within_and_nothing_clearly_beyond() {
        let centers = [
            (0.0, 0.0),
            (48.0, 2.0),
            (-80.0, 179.0),
            (89.9, -120.0),
            (-90.0, 0.0),
            (12.0, -179.9),
        ];
        let radii = [1.0e3, 1.0e5, 2.0e6, 9.0e6, 1.1e7, 1.6e7, 1.99e7];
        for center in centers {
            for radius in radii {
                for lat in (-88..=88).step_by(8) {
                    for lng in (-180..180).step_by(15) {
                        let point = (f64::from(lat), f64::from(lng));
                        let distance = crate::geometry::distance(center, point);
                        if (distance - radius).abs() > radius * 0.01 + 1000.0 {
                            assert_eq!(
                                holds(center, radius, point),
                                distance < radius,
                                "{center:?} {radius} {point:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_circle_around_the_globe_holds_everything_and_a_negative_one_nothing() {
        assert!(holds((10.0, 20.0), 3.0e7, (-10.0, -160.0)));
        assert!(!holds((10.0, 20.0), -1.0, (10.0, 20.0)));
        assert!(holds((10.0, 20.0), 0.0, (10.0, 20.0)) || !holds((10.0, 20.0), 0.0, (10.1, 20.0)));
    }
}
