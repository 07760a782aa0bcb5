//! Geographic functions. Once the name is read, every fault is final and shown from its place.

use std::ops::Range;

use crate::error::Fault;
use crate::lexer::{MissingDigit, Read, Stop};
use crate::parser::Parser;
use crate::{Filter, Word};

/// Numbers of a point, as places in the text.
type Numbers = Vec<Range<usize>>;

impl Parser<'_> {
    /// `_geoRadius` at `start`.
    pub(crate) fn geo_radius(&self, start: usize) -> Read<Filter> {
        let stop = |at| self.lexer.stop(Fault::GeoRadius, at);
        let open = start + "_geoRadius".len();
        let inside = self.lexer.skip(open, "(").ok_or_else(|| stop(open))?;
        let (numbers, at) = self.numbers(inside).map_err(|missing| stop(missing.at))?;
        let end = self.lexer.skip(at, ")").ok_or_else(|| stop(at))?;
        let mut words = numbers.iter().map(|range| self.lexer.word(range.clone()));
        let filter = match (
            words.next(),
            words.next(),
            words.next(),
            words.next(),
            words.next(),
        ) {
            (Some(latitude), Some(longitude), Some(radius), resolution, None) => {
                Filter::GeoRadius {
                    center: [latitude, longitude],
                    radius,
                    resolution,
                }
            }
            _ => return Err(self.lexer.stop(Fault::GeoRadiusArity(numbers.len()), end)),
        };
        Ok((filter, end))
    }

    /// `_geoBoundingBox` at `start`.
    pub(crate) fn geo_bounding_box(&self, start: usize) -> Read<Filter> {
        let stop = |at| self.lexer.stop(Fault::GeoBoundingBox, at);
        let open = start + "_geoBoundingBox".len();
        let (points, at) = self.points(open).map_err(|missing| stop(missing.at))?;
        let end = self.lexer.skip(at, ")").ok_or_else(|| stop(at))?;
        if points.len() != 2 {
            return Err(stop(end));
        }
        let mut pairs = self.pairs(&points)?.into_iter();
        match (pairs.next(), pairs.next()) {
            (Some(top_right), Some(bottom_left)) => Ok((
                Filter::GeoBoundingBox {
                    top_right,
                    bottom_left,
                },
                end,
            )),
            _ => Err(stop(end)),
        }
    }

    /// `_geoPolygon` at `start`.
    pub(crate) fn geo_polygon(&self, start: usize) -> Read<Filter> {
        let stop = |at| self.lexer.stop(Fault::GeoPolygon, at);
        let open = start + "_geoPolygon".len();
        let (points, at) = self.points(open).map_err(|missing| stop(missing.at))?;
        // A comma may end the list.
        let comma = self.lexer.skip(self.lexer.skip_space(at), ",");
        let at = comma.map_or(at, |at| self.lexer.skip_space(at));
        let end = self.lexer.skip(at, ")").ok_or_else(|| stop(at))?;
        if points.len() < 3 {
            let last = points.last().and_then(|point| point.last()).cloned();
            let range = last.unwrap_or_else(|| self.lexer.to_end(end));
            return Err(Stop::last(
                Fault::GeoPolygonTooFewPoints(points.len()),
                range,
            ));
        }
        Ok((
            Filter::GeoPolygon {
                points: self.pairs(&points)?,
            },
            end,
        ))
    }

    /// Points as words; each must have two coordinates.
    fn pairs(&self, points: &[Numbers]) -> Result<Vec<[Word; 2]>, Stop> {
        let pair = |numbers: &Numbers| match numbers.as_slice() {
            [latitude, longitude] => {
                Ok([latitude, longitude].map(|range| self.lexer.word(range.clone())))
            }
            _ => {
                let first = numbers.first().cloned().unwrap_or_default();
                Err(Stop::last(Fault::NotTwoCoordinates(numbers.len()), first))
            }
        };
        points.iter().map(pair).collect()
    }

    /// An opening parenthesis and points between brackets, separated by commas.
    fn points(&self, at: usize) -> Result<(Vec<Numbers>, usize), MissingDigit> {
        let inside = self.expect(at, "(")?;
        self.separated(inside, |at| self.point(at))
    }

    fn point(&self, at: usize) -> Result<(Numbers, usize), MissingDigit> {
        let inside = self.expect(at, "[")?;
        let (numbers, at) = self.numbers(inside)?;
        Ok((numbers, self.expect(at, "]")?))
    }

    fn numbers(&self, at: usize) -> Result<(Numbers, usize), MissingDigit> {
        self.separated(at, |at| self.lexer.number(at).map(|end| (at..end, end)))
    }

    /// One item or more, with commas between and white space around them. A comma that no item
    /// follows is left unread.
    fn separated<T>(
        &self,
        at: usize,
        item: impl Fn(usize) -> Result<(T, usize), MissingDigit>,
    ) -> Result<(Vec<T>, usize), MissingDigit> {
        let (first, end) = item(self.lexer.skip_space(at))?;
        let mut items = vec![first];
        let mut at = self.lexer.skip_space(end);
        while let Some(after) = self.lexer.skip(at, ",") {
            match item(self.lexer.skip_space(after)) {
                Ok((next, end)) => {
                    items.push(next);
                    at = self.lexer.skip_space(end);
                }
                Err(missing) if missing.is_final => return Err(missing),
                Err(_) => break,
            }
        }
        Ok((items, at))
    }

    fn expect(&self, at: usize, text: &str) -> Result<usize, MissingDigit> {
        self.lexer.skip(at, text).ok_or(MissingDigit {
            at,
            is_final: false,
        })
    }
}
