//! The tree of a filter.
//!
//! Precedence, from the tightest: parentheses, `NOT`, `AND`, `OR`. `NOT` binds the next primary
//! only. `IS NOT NULL`, `NOT IN` and the like are [`Filter::Not`] around the plain operator, and
//! two `NOT` in a row cancel out, so a `Not` never holds a `Not`. A flat chain is one `And` or
//! `Or` node however long it is; depth grows with parentheses and `NOT` only and is bounded by
//! the parser, so recursion over a parsed tree is safe.

use crate::Word;

/// A condition on documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// At least one holds; two parts or more when parsed.
    Or(Vec<Filter>),
    /// All hold; two parts or more when parsed.
    And(Vec<Filter>),
    /// The complement over all documents of the index.
    Not(Box<Filter>),
    /// A test of one attribute.
    Condition {
        /// The attribute, dotted names included.
        attribute: Word,
        /// The test.
        operator: Operator,
    },
    /// `_geoRadius(latitude, longitude, metres[, resolution])`.
    GeoRadius {
        /// Latitude and longitude of the centre.
        center: [Word; 2],
        /// Metres.
        radius: Word,
        /// Vertices of the polygon that stands for the circle.
        resolution: Option<Word>,
    },
    /// `_geoBoundingBox([latitude, longitude], [latitude, longitude])`.
    GeoBoundingBox {
        /// Latitude and longitude of the first corner.
        top_right: [Word; 2],
        /// Latitude and longitude of the second corner.
        bottom_left: [Word; 2],
    },
    /// `_geoPolygon([latitude, longitude], ...)`, three points at least.
    GeoPolygon {
        /// Latitude and longitude of each vertex.
        points: Vec<[Word; 2]>,
    },
    /// `_vectors[.embedder[.scope]] EXISTS`.
    Vectors {
        /// The `_vectors` keyword.
        keyword: Word,
        /// The embedder; none means any.
        embedder: Option<Word>,
        /// Which vectors of the embedder count.
        scope: VectorScope,
    },
    /// `_foreign(attribute, filter)`: the attribute holds the id of a document of another index
    /// that passes `filter`.
    Foreign {
        /// The `_foreign` keyword.
        keyword: Word,
        /// The attribute of this index that holds ids.
        attribute: Word,
        /// The condition on the documents of the other index.
        filter: Box<Filter>,
    },
}

/// The test of a [`Filter::Condition`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `= value`.
    Equal(Word),
    /// `!= value`.
    NotEqual(Word),
    /// `> value`.
    Greater(Word),
    /// `>= value`.
    GreaterOrEqual(Word),
    /// `< value`.
    Less(Word),
    /// `<= value`.
    LessOrEqual(Word),
    /// `from TO to`, both ends included.
    Between {
        /// Lower end.
        from: Word,
        /// Upper end.
        to: Word,
    },
    /// `IN [values]`, which may be empty.
    In(Vec<Word>),
    /// `EXISTS`.
    Exists,
    /// `IS NULL`.
    IsNull,
    /// `IS EMPTY`.
    IsEmpty,
    /// `CONTAINS value`.
    Contains {
        /// The `CONTAINS` keyword.
        keyword: Word,
        /// The substring.
        value: Word,
    },
    /// `STARTS WITH value`.
    StartsWith {
        /// The `STARTS WITH` keywords.
        keyword: Word,
        /// The prefix.
        value: Word,
    },
}

/// Which vectors a [`Filter::Vectors`] is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VectorScope {
    /// Any vector.
    Any,
    /// The vectors of one fragment.
    Fragment(Word),
    /// Vectors the user gave.
    UserProvided,
    /// Vectors made from the document template.
    DocumentTemplate,
    /// Vectors that are made again when the document changes.
    Regenerate,
}

impl Operator {
    /// The operator as messages name it: `=`, `TO`, `IS NULL`, ... Membership is `=`.
    pub const fn name(&self) -> &'static str {
        match self {
            Operator::Equal(_) | Operator::In(_) => "=",
            Operator::NotEqual(_) => "!=",
            Operator::Greater(_) => ">",
            Operator::GreaterOrEqual(_) => ">=",
            Operator::Less(_) => "<",
            Operator::LessOrEqual(_) => "<=",
            Operator::Between { .. } => "TO",
            Operator::Exists => "EXISTS",
            Operator::IsNull => "IS NULL",
            Operator::IsEmpty => "IS EMPTY",
            Operator::Contains { .. } => "CONTAINS",
            Operator::StartsWith { .. } => "STARTS WITH",
        }
    }
}
