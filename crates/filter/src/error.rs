//! Why a filter was refused, and the words for it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::suggestion::nearest;
use crate::{Span, with_context};

/// Scopes a vector filter can name.
pub(crate) const VECTOR_SCOPES: [&str; 4] = [
    "fragments",
    "userProvided",
    "documentTemplate",
    "regenerate",
];

/// Why a filter was refused. Displays as the message of the API: one line, then the context line
/// when the fault has a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    message: String,
    context: Option<(Span, Arc<str>)>,
}

impl FilterError {
    /// An error without a place.
    pub(crate) fn unplaced(message: String) -> Self {
        FilterError {
            message,
            context: None,
        }
    }

    /// An error about a fragment of `source`.
    pub(crate) fn new(fault: &Fault, source: &Arc<str>, range: &Range<usize>) -> Self {
        if *fault == Fault::TooManyWords {
            // Megabytes of text explain nothing.
            return Self::unplaced(fault.fixed_message().to_owned());
        }
        let message = fault.message(&source[range.clone()]);
        FilterError {
            message,
            context: Some((Span::of(source, range), Arc::clone(source))),
        }
    }

    /// The stable code of the error in a search; routes on documents and similar documents have
    /// codes of their own for the same errors.
    pub const fn code(&self) -> &'static str {
        "invalid_search_filter"
    }

    /// The message without the context line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The fragment at fault, when there is one.
    pub fn span(&self) -> Option<Span> {
        self.context.as_ref().map(|(span, _)| *span)
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.context {
            Some((span, source)) => f.write_str(&with_context(&self.message, *span, source)),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for FilterError {}

/// What is wrong with a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    ExpectedValue,
    ReservedKeyword,
    ExpectedOperation,
    TrailingText,
    MissingClosing(char),
    MalformedValue,
    InvalidEscapedNumber,
    Incomplete,
    TooDeep,
    TooManyWords,
    InWithoutBracket,
    InNotClosed,
    InBadItem,
    GeoRadius,
    GeoRadiusArity(usize),
    GeoBoundingBox,
    GeoPolygon,
    GeoPolygonTooFewPoints(usize),
    NotTwoCoordinates(usize),
    ReservedGeo(&'static str),
    MisusedFunction(&'static str),
    NumberUnreadable(String),
    NumberNotFinite,
    Foreign,
    VectorsOperation,
    VectorsEmbedderMissing,
    VectorsEmbedderInvalid,
    VectorsQuotes,
    VectorsLeftover,
    VectorsFragmentMissing,
    VectorsFragmentInvalid,
    /// A scope that is not one, after a scope or after none.
    VectorsScope {
        previous: Option<&'static str>,
        found: String,
    },
}

impl Fault {
    /// The message about `fragment`, whose quotes and line ends are escaped to keep it on a line.
    fn message(&self, fragment: &str) -> String {
        let shown = fragment.escape_debug();
        let nothing = fragment.trim().is_empty();
        match self {
            Fault::ExpectedValue | Fault::ReservedKeyword if nothing => {
                "Was expecting a value but instead got nothing.".to_owned()
            }
            Fault::ExpectedValue => format!("Was expecting a value but instead got `{shown}`."),
            Fault::ReservedKeyword => format!(
                "Was expecting a value but instead got `{shown}`, which is a reserved keyword. To \
                 use `{shown}` as a field name or a value, surround it by quotes."
            ),
            Fault::ExpectedOperation if nothing => {
                format!("{EXPECTED_OPERATION} but instead got nothing.")
            }
            Fault::ExpectedOperation => format!("{EXPECTED_OPERATION} at `{shown}`."),
            Fault::TrailingText => format!(
                "Found unexpected characters at the end of the filter: `{shown}`. You probably \
                 forgot an `OR` or an `AND` rule."
            ),
            Fault::MissingClosing(delimiter) => format!(
                "Expression `{shown}` is missing the following closing delimiter: `{delimiter}`."
            ),
            Fault::MalformedValue => format!("Malformed value: `{shown}`."),
            Fault::InvalidEscapedNumber => {
                format!("Found an invalid escaped sequence number: `{shown}`.")
            }
            Fault::InBadItem => format!(
                "Expected only comma-separated field names inside `IN[..]` but instead found \
                 `{shown}`."
            ),
            Fault::Foreign => format!(
                "Was expecting a field name and an condition inside `_foreign(..)` filter but \
                 instead found `{shown}`."
            ),
            Fault::GeoRadiusArity(found) => format!(
                "Was expecting 3 or 4 arguments for `_geoRadius`, but instead found {found}."
            ),
            Fault::GeoPolygonTooFewPoints(found) => format!(
                "The `_geoPolygon` filter expects at least 3 points but only {found} were specified"
            ),
            Fault::NotTwoCoordinates(found) => {
                format!("Was expecting 2 coordinates but instead found {found}.")
            }
            Fault::ReservedGeo(name) => format!(
                "`{name}` is a reserved keyword and thus can't be used as a filter expression. Use \
                 the `_geoRadius(latitude, longitude, distance)` or \
                 `_geoBoundingBox([latitude, longitude], [latitude, longitude])` built-in rules to \
                 filter on `_geo` coordinates."
            ),
            Fault::MisusedFunction(name) => {
                format!("The `{name}` filter is an operation and can't be used as a value.")
            }
            Fault::NumberUnreadable(why) => why.clone(),
            Fault::VectorsScope { previous, found } => vectors_scope(*previous, found),
            _ => self.fixed_message().to_owned(),
        }
    }

    /// The messages that hold nothing of the filter.
    const fn fixed_message(&self) -> &'static str {
        match self {
            Fault::Incomplete => {
                "The filter is incomplete and requires Unknown additional bytes to be parsed."
            }
            Fault::TooDeep => {
                "The filter exceeded the maximum depth limit. Try rewriting the filter so that it \
                 contains fewer nested conditions."
            }
            Fault::TooManyWords => {
                "The filter names more than 2000000 attributes and values. Try rewriting the filter \
                 so that it contains fewer conditions."
            }
            Fault::InWithoutBracket => "Expected `[` after `IN` keyword.",
            Fault::InNotClosed => {
                "Expected matching `]` after the list of field names given to `IN[`"
            }
            Fault::GeoRadius => {
                "The `_geoRadius` filter must be in the form: `_geoRadius(latitude, longitude, \
                 radius, optionalResolution)`."
            }
            Fault::GeoBoundingBox => {
                "The `_geoBoundingBox` filter expects two pairs of arguments: \
                 `_geoBoundingBox([latitude, longitude], [latitude, longitude])`."
            }
            Fault::GeoPolygon => {
                "The `_geoPolygon` filter doesn't match the expected format: \
                 `_geoPolygon([latitude, longitude], [latitude, longitude])`."
            }
            Fault::NumberNotFinite => "Non finite floats are not supported",
            Fault::VectorsOperation => {
                "Was expecting an operation like `EXISTS` or `NOT EXISTS` after the vector filter."
            }
            Fault::VectorsEmbedderMissing => "Was expecting embedder name but found nothing.",
            Fault::VectorsEmbedderInvalid => "The vector filter's embedder name is invalid.",
            Fault::VectorsQuotes => "The quotes in one of the values are inconsistent.",
            Fault::VectorsLeftover => "The vector filter has leftover tokens.",
            Fault::VectorsFragmentMissing => "The vector filter is missing a fragment name.",
            Fault::VectorsFragmentInvalid => "The vector filter's fragment name is invalid.",
            _ => "The filter is invalid.",
        }
    }
}

const EXPECTED_OPERATION: &str = "Was expecting an operation `=`, `!=`, `>=`, `>`, `<=`, `<`, \
    `IN`, `NOT IN`, `TO`, `EXISTS`, `NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, \
    `IS NOT EMPTY`, `CONTAINS`, `NOT CONTAINS`, `STARTS WITH`, `NOT STARTS WITH`, `_geoRadius`, \
    `_geoBoundingBox` or `_geoPolygon`";

fn vectors_scope(previous: Option<&str>, found: &str) -> String {
    match previous {
        _ if found == "." => "Was expecting one of `.fragments`, `.userProvided`, \
            `.documentTemplate`, `.regenerate` or nothing, but instead found a point without a \
            valid value."
            .to_owned(),
        Some(previous) => format!(
            "Vector filter can only accept one of `fragments`, `userProvided`, `documentTemplate` \
             or `regenerate`, but found both `{previous}` and `{found}`."
        ),
        None if VECTOR_SCOPES.contains(&found) => {
            "Was expecting this part to be unquoted.".to_owned()
        }
        None => {
            let hint = nearest(found, &VECTOR_SCOPES)
                .map_or(String::new(), |scope| format!(" Did you mean `{scope}`?"));
            format!(
                "Was expecting one of `fragments`, `userProvided`, `documentTemplate`, \
                 `regenerate` or nothing, but instead found `{found}`.{hint}"
            )
        }
    }
}
