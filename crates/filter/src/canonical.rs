//! The canonical text of a filter, which evaluation errors of a search quote.
//!
//! Names and values stand between double quotes with JSON escapes, parts of `AND` and `OR` and the
//! inside of `NOT` between parentheses, numbers of geographic filters as they were written.

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use crate::{Filter, Operator, VectorScope, Word};

impl Filter {
    /// The same filter read from its canonical text: words keep their texts and get the spans they
    /// have there. The text itself is the [`Word::source`] of every word.
    ///
    /// ```
    /// let filter = serval_filter::parse("a = 1 AND b = 2")?.expect("a filter");
    /// let canonical = filter.canonical();
    /// let b = canonical.attributes().nth(1).expect("a second attribute");
    /// assert_eq!(b.with_context("bad"), "bad\n19:20 (\"a\" = \"1\") AND (\"b\" = \"2\")");
    /// # Ok::<(), serval_filter::FilterError>(())
    /// ```
    pub fn canonical(&self) -> Filter {
        let mut writer = Writer::default();
        writer.filter(self);
        let source: Arc<str> = writer.text.into();
        let mut places = writer.places.into_iter();
        let mut filter = self.clone();
        filter.for_each_word(&mut |word| {
            let (range, quoted) = places
                .next()
                .expect("invariant: words are written in order");
            word.move_to(&source, range, quoted);
        });
        filter
    }
}

/// Displays as the canonical text.
impl std::fmt::Display for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut writer = Writer::default();
        writer.filter(self);
        f.write_str(&writer.text)
    }
}

/// Writes the text and remembers where each word went.
#[derive(Default)]
struct Writer {
    text: String,
    places: Vec<(Range<usize>, bool)>,
}

impl Writer {
    fn filter(&mut self, filter: &Filter) {
        match filter {
            Filter::Or(parts) => self.joined(parts, " OR "),
            Filter::And(parts) => self.joined(parts, " AND "),
            Filter::Not(inner) => {
                self.text.push_str("NOT ");
                self.in_parentheses(inner);
            }
            Filter::Condition {
                attribute,
                operator,
            } => {
                self.quoted(attribute);
                self.operator(operator);
            }
            Filter::GeoRadius {
                center,
                radius,
                resolution,
            } => {
                self.text.push_str("_geoRadius(");
                let words = center.iter().chain([radius]).chain(resolution);
                self.list(words, Self::bare);
                self.text.push(')');
            }
            Filter::GeoBoundingBox {
                top_right,
                bottom_left,
            } => {
                self.points("_geoBoundingBox", &[top_right, bottom_left]);
            }
            Filter::GeoPolygon { points } => {
                self.points("_geoPolygon", &points.iter().collect::<Vec<_>>());
            }
            Filter::Vectors {
                keyword,
                embedder,
                scope,
            } => {
                self.vectors(keyword, embedder.as_ref(), scope);
            }
            Filter::Foreign {
                keyword,
                attribute,
                filter,
            } => {
                self.bare(keyword);
                self.text.push('(');
                self.quoted(attribute);
                self.text.push_str(", ");
                self.filter(filter);
                self.text.push(')');
            }
        }
    }

    fn joined(&mut self, parts: &[Filter], keyword: &str) {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                self.text.push_str(keyword);
            }
            self.in_parentheses(part);
        }
    }

    fn in_parentheses(&mut self, filter: &Filter) {
        self.text.push('(');
        self.filter(filter);
        self.text.push(')');
    }

    fn operator(&mut self, operator: &Operator) {
        match operator {
            Operator::Equal(value)
            | Operator::NotEqual(value)
            | Operator::Greater(value)
            | Operator::GreaterOrEqual(value)
            | Operator::Less(value)
            | Operator::LessOrEqual(value) => {
                self.push(&[" ", operator.name(), " "]);
                self.quoted(value);
            }
            Operator::Between { from, to } => {
                self.text.push(' ');
                self.quoted(from);
                self.text.push_str(" TO ");
                self.quoted(to);
            }
            Operator::In(values) => {
                self.text.push_str(" IN [");
                self.list(values.iter(), Self::quoted);
                self.text.push(']');
            }
            Operator::Exists | Operator::IsNull | Operator::IsEmpty => {
                self.push(&[" ", operator.name()]);
            }
            Operator::Contains { value, .. } | Operator::StartsWith { value, .. } => {
                self.text.push(' ');
                let start = self.text.len();
                self.text.push_str(operator.name());
                self.places.push((start..self.text.len(), false));
                self.text.push(' ');
                self.quoted(value);
            }
        }
    }

    fn points(&mut self, function: &str, points: &[&[Word; 2]]) {
        self.push(&[function, "("]);
        for (i, point) in points.iter().enumerate() {
            self.text.push_str(if i > 0 { ", [" } else { "[" });
            self.list(point.iter(), Self::bare);
            self.text.push(']');
        }
        self.text.push(')');
    }

    fn vectors(&mut self, keyword: &Word, embedder: Option<&Word>, scope: &VectorScope) {
        self.bare(keyword);
        if let Some(embedder) = embedder {
            self.text.push('.');
            self.quoted(embedder);
        }
        match scope {
            VectorScope::Any => {}
            VectorScope::Fragment(name) => {
                self.text.push_str(".fragments.");
                self.quoted(name);
            }
            VectorScope::UserProvided => self.text.push_str(".userProvided"),
            VectorScope::DocumentTemplate => self.text.push_str(".documentTemplate"),
            VectorScope::Regenerate => self.text.push_str(".regenerate"),
        }
        self.text.push_str(" EXISTS");
    }

    fn list<'w>(&mut self, words: impl Iterator<Item = &'w Word>, write: fn(&mut Self, &Word)) {
        for (i, word) in words.enumerate() {
            if i > 0 {
                self.text.push_str(", ");
            }
            write(self, word);
        }
    }

    fn push(&mut self, pieces: &[&str]) {
        self.text.extend(pieces.iter().copied());
    }

    fn bare(&mut self, word: &Word) {
        let start = self.text.len();
        self.text.push_str(word.text());
        self.places.push((start..self.text.len(), false));
    }

    fn quoted(&mut self, word: &Word) {
        self.text.push('"');
        let start = self.text.len();
        word.text().chars().for_each(|c| self.escaped(c));
        self.places.push((start..self.text.len(), true));
        self.text.push('"');
    }

    fn escaped(&mut self, c: char) {
        match c {
            '"' => self.text.push_str("\\\""),
            '\\' => self.text.push_str("\\\\"),
            '\n' => self.text.push_str("\\n"),
            '\r' => self.text.push_str("\\r"),
            '\t' => self.text.push_str("\\t"),
            '\u{8}' => self.text.push_str("\\b"),
            '\u{c}' => self.text.push_str("\\f"),
            c if c < ' ' => {
                write!(self.text, "\\u{:04x}", u32::from(c))
                    .expect("invariant: a string takes any text");
            }
            c => self.text.push(c),
        }
    }
}
