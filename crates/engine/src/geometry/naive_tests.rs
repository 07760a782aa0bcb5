//! Shapes and areas on a grid of whole numbers, compared with plain integer arithmetic over all
//! pairs of edges.

use proptest::prelude::*;

use super::{Area, Bounds, Part, Position, Shape};

type Place = (i64, i64);

fn ring(corners: &[Place]) -> Vec<(Place, Place)> {
    let next = corners.iter().cycle().skip(1);
    corners.iter().copied().zip(next.copied()).collect()
}

fn turn(a: Place, b: Place, c: Place) -> i64 {
    ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).signum()
}

fn is_on(place: Place, (a, b): (Place, Place)) -> bool {
    turn(a, b, place) == 0
        && (a.0.min(b.0)..=a.0.max(b.0)).contains(&place.0)
        && (a.1.min(b.1)..=a.1.max(b.1)).contains(&place.1)
}

fn cross((a, b): (Place, Place), (c, d): (Place, Place)) -> bool {
    (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0)
        || is_on(a, (c, d))
        || is_on(b, (c, d))
        || is_on(c, (a, b))
        || is_on(d, (a, b))
}

/// Edges crossed on the way to the far east, on a line just above the place.
fn is_inside(place: Place, edges: &[(Place, Place)]) -> bool {
    if edges.iter().any(|edge| is_on(place, *edge)) {
        return true;
    }
    let crossed = edges.iter().filter(|(a, b)| {
        let (low, high) = if a.1 <= b.1 { (*a, *b) } else { (*b, *a) };
        low.1 <= place.1 && place.1 < high.1 && turn(low, high, place) > 0
    });
    crossed.count() % 2 == 1
}

/// A part as its corners and edges; only a polygon has an inside.
#[derive(Clone, Debug)]
enum Piece {
    Point(Place),
    Line(Vec<Place>),
    Polygon(Vec<Vec<Place>>),
}

impl Piece {
    fn edges(&self) -> Vec<(Place, Place)> {
        match self {
            Piece::Point(place) => vec![(*place, *place)],
            Piece::Line(line) if line.len() == 1 => vec![(line[0], line[0])],
            Piece::Line(line) => line.windows(2).map(|pair| (pair[0], pair[1])).collect(),
            Piece::Polygon(rings) => rings.iter().flat_map(|corners| ring(corners)).collect(),
        }
    }

    fn meets(&self, area: &[(Place, Place)]) -> bool {
        let edges = self.edges();
        let is_polygon = matches!(self, Piece::Polygon(_));
        edges.iter().any(|edge| is_inside(edge.0, area))
            || edges
                .iter()
                .any(|edge| area.iter().any(|other| cross(*edge, *other)))
            || (is_polygon && area.iter().any(|edge| is_inside(edge.0, &edges)))
    }

    fn part(&self) -> Part {
        match self {
            Piece::Point(place) => Part::Point(position(place)),
            Piece::Line(line) => Part::Line(line.iter().map(position).collect()),
            Piece::Polygon(rings) => Part::Polygon(
                rings
                    .iter()
                    .map(|corners| corners.iter().map(position).collect())
                    .collect(),
            ),
        }
    }
}

fn position(place: &Place) -> Position {
    Position {
        lng: place.0 as f64,
        lat: place.1 as f64,
    }
}

fn place() -> impl Strategy<Value = Place> {
    (-7_i64..=7, -7_i64..=7)
}

fn piece() -> impl Strategy<Value = Piece> {
    let corners = || prop::collection::vec(place(), 3..9);
    prop_oneof![
        place().prop_map(Piece::Point),
        prop::collection::vec(place(), 1..6).prop_map(Piece::Line),
        prop::collection::vec(corners(), 1..3).prop_map(Piece::Polygon),
    ]
}

proptest! {
    /// A polygon meets exactly the shapes that have a point in common with it.
    #[test]
    fn polygons_meet_what_the_naive_reading_says(
        corners in prop::collection::vec(place(), 3..30),
        pieces in prop::collection::vec(piece(), 1..3),
    ) {
        let area = Area::polygon(corners.iter().map(position).collect());
        let shape = Shape { parts: pieces.iter().map(Piece::part).collect() };
        let edges = ring(&corners);
        let expected = pieces.iter().any(|piece| piece.meets(&edges));
        prop_assert_eq!(area.meets(&shape), expected);
        let bounds = shape.bounds().expect("parts");
        prop_assert!(!expected || area.may_meet(&bounds));
    }

    /// A rectangle does too, and covers only what it meets.
    #[test]
    fn rectangles_meet_what_the_naive_reading_says(a in place(), b in place(), piece in piece()) {
        let (west, east) = (a.0.min(b.0), a.0.max(b.0));
        let (south, north) = (a.1.min(b.1), a.1.max(b.1));
        let area = Area::rectangle(Bounds {
            west: west as f64,
            south: south as f64,
            east: east as f64,
            north: north as f64,
        });
        let edges = ring(&[(west, south), (east, south), (east, north), (west, north)]);
        let shape = Shape { parts: vec![piece.part()] };
        let expected = piece.meets(&edges);
        prop_assert_eq!(area.meets(&shape), expected);
        let bounds = shape.bounds().expect("parts");
        prop_assert!(expected || !area.surely_covers(&bounds));
        prop_assert!(!expected || area.may_meet(&bounds));
    }

    /// Shapes survive their bytes; cut bytes are no shape or a shorter one, and never a panic.
    #[test]
    fn shapes_are_read_back_as_they_were(
        pieces in prop::collection::vec(piece(), 0..5),
        cut in 0_usize..300,
    ) {
        let shape = Shape { parts: pieces.iter().map(Piece::part).collect() };
        let bytes = shape.encode();
        prop_assert_eq!(Shape::decode(&bytes), Some(shape.clone()));
        if let Some(shorter) = Shape::decode(&bytes[..cut.min(bytes.len())]) {
            prop_assert!(shape.parts.starts_with(&shorter.parts));
        }
    }
}
