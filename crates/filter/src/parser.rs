//! Recursive descent over `OR`, `AND`, `NOT` and parentheses.
//!
//! Each level of the grammar counts one towards [`MAX_DEPTH`], so parentheses cost four and `NOT`
//! one; the recursion of this module never goes deeper. Chains are loops.

use crate::error::Fault;
use crate::lexer::{Lexer, Read, WordsLeft};
use crate::{Filter, FilterError};

/// Deepest level of the grammar that is read.
const MAX_DEPTH: usize = 150;

/// Parses a filter written as one string. Empty and blank texts are no filter.
///
/// # Errors
/// When the text is not of the grammar; the error shows the fragment at fault.
///
/// ```
/// use serval_filter::{Filter, parse};
///
/// assert!(matches!(parse("genre = drama AND NOT year < 1990"), Ok(Some(Filter::And(_)))));
/// assert_eq!(parse("  "), Ok(None));
/// let error = parse("genre =").expect_err("there is no value");
/// assert_eq!(error.to_string(), "Was expecting a value but instead got nothing.\n8:8 genre =");
/// ```
pub fn parse(text: &str) -> Result<Option<Filter>, FilterError> {
    parse_part(text, &WordsLeft::of_filter())
}

/// Parses one of the strings that a filter is made of.
pub(crate) fn parse_part(text: &str, left: &WordsLeft) -> Result<Option<Filter>, FilterError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let parser = Parser {
        lexer: Lexer::new(text, left),
    };
    parser
        .whole()
        .map(Some)
        .map_err(|stop| FilterError::new(&stop.fault, parser.lexer.text(), &stop.range))
}

pub(crate) struct Parser<'l> {
    pub(crate) lexer: Lexer<'l>,
}

impl Parser<'_> {
    fn whole(&self) -> Result<Filter, crate::lexer::Stop> {
        let (filter, at) = self.or(0, 0)?;
        if self.lexer.rest(at).trim_start().is_empty() {
            return Ok(filter);
        }
        Err(self.lexer.stop(Fault::TrailingText, at))
    }

    pub(crate) fn or(&self, at: usize, depth: usize) -> Read<Filter> {
        let part = |at| self.and(at, depth + 1);
        let (mut parts, at) = self.chain(at, depth, "OR", part)?;
        Ok((only(&mut parts).unwrap_or(Filter::Or(parts)), at))
    }

    fn and(&self, at: usize, depth: usize) -> Read<Filter> {
        let part = |at| self.not(at, depth + 1);
        let (mut parts, at) = self.chain(at, depth, "AND", part)?;
        Ok((only(&mut parts).unwrap_or(Filter::And(parts)), at))
    }

    /// One part or more, joined by a keyword.
    fn chain(
        &self,
        at: usize,
        depth: usize,
        keyword: &str,
        part: impl Fn(usize) -> Read<Filter>,
    ) -> Read<Vec<Filter>> {
        self.check_depth(at, depth)?;
        let (first, mut at) = part(at)?;
        let mut parts = vec![first];
        while !self.lexer.is_inside_word(at)
            && let Some(after) = self.lexer.skip_word(self.lexer.skip_space(at), keyword)
        {
            let (next, end) = part(self.lexer.skip_space(after))?;
            parts.push(next);
            at = end;
        }
        Ok((parts, at))
    }

    fn not(&self, at: usize, depth: usize) -> Read<Filter> {
        self.check_depth(at, depth)?;
        let Some(after) = self.lexer.skip_word(self.lexer.skip_space(at), "NOT") else {
            return self.primary(at, depth + 1);
        };
        let (inner, at) = self.not(self.lexer.skip_space(after), depth + 1)?;
        Ok((negated(inner), at))
    }

    fn primary(&self, at: usize, depth: usize) -> Read<Filter> {
        self.check_depth(at, depth)?;
        let start = self.lexer.skip_space(at);
        if let Some(inside) = self.lexer.skip(start, "(") {
            return self.parentheses(at, inside, depth);
        }
        match self.lexer.bare_word(start) {
            "_geoRadius" => self.geo_radius(start),
            "_geoBoundingBox" => self.geo_bounding_box(start),
            "_geoPolygon" => self.geo_polygon(start),
            _ => self.condition(at, depth),
        }
    }

    fn parentheses(&self, at: usize, inside: usize, depth: usize) -> Read<Filter> {
        let (filter, end) = self.or(self.lexer.skip_space(inside), depth + 1)?;
        match self.lexer.skip(self.lexer.skip_space(end), ")") {
            Some(after) => Ok((filter, self.lexer.skip_space(after))),
            None => Err(self.lexer.stop(Fault::MissingClosing(')'), at)),
        }
    }

    fn check_depth(&self, at: usize, depth: usize) -> Result<(), crate::lexer::Stop> {
        if depth > MAX_DEPTH {
            return Err(self.lexer.stop(Fault::TooDeep, at));
        }
        Ok(())
    }
}

/// The part of a chain of one.
fn only(parts: &mut Vec<Filter>) -> Option<Filter> {
    if parts.len() == 1 { parts.pop() } else { None }
}

/// The complement; that of a complement is what it is made of.
pub(crate) fn negated(filter: Filter) -> Filter {
    match filter {
        Filter::Not(inner) => *inner,
        filter => Filter::Not(Box::new(filter)),
    }
}
