//! Why a payload was refused.

use std::io;
use std::num::ParseFloatError;
use std::str::ParseBoolError;

use crate::Format;

const KEPT_AT_START: usize = 50;
const KEPT_AT_END: usize = 85;
const ELLIPSIS: &str = "...";
const NOT_DOCUMENTS: &str = "data are neither an object nor a list of objects";

/// Why a payload was refused. Displays as the message of the API.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The payload has no bytes at all.
    #[error("A {format} payload is missing.")]
    Missing {
        /// The format that was announced.
        format: Format,
    },
    /// The payload is not of its format. `cause` is the text between backquotes.
    #[error("The `{format}` payload provided is malformed{} `{cause}`.", separator(.format))]
    Malformed {
        /// The format that was announced.
        format: Format,
        /// What is wrong, with the place.
        cause: String,
    },
    /// A list of identifiers is no JSON. `cause` is the text between backquotes.
    #[error("The json payload provided is malformed. `{cause}`.")]
    NotJson {
        /// What is wrong, with the place.
        cause: String,
    },
    /// JSON that should be a list of identifiers is something else.
    #[error("Json deserialize error: {cause}")]
    NotAList {
        /// What it is, with the place.
        cause: String,
    },
    /// Reading the payload or writing the lines failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl PayloadError {
    /// Stable code of the error; an I/O failure is `internal`.
    pub const fn code(&self) -> &'static str {
        match self {
            PayloadError::Missing { .. } => "missing_payload",
            PayloadError::Malformed { .. } | PayloadError::NotJson { .. } => "malformed_payload",
            PayloadError::NotAList { .. } => "bad_request",
            PayloadError::Io(_) => "internal",
        }
    }

    pub(crate) fn json(format: Format, message: &str) -> Self {
        let cause = format!("Couldn't serialize document value: {}", shorten(message));
        PayloadError::Malformed { format, cause }
    }

    pub(crate) fn not_documents(format: Format) -> Self {
        let cause = format!("Couldn't serialize document value: {NOT_DOCUMENTS}");
        PayloadError::Malformed { format, cause }
    }

    pub(crate) fn csv(format: Format, error: csv::Error) -> Self {
        let cause = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(error) => PayloadError::Io(error),
            _ => PayloadError::Malformed { format, cause },
        }
    }

    pub(crate) fn cell(format: Format, cell: &str, row: u64, error: CellError) -> Self {
        let (kind, why) = match error {
            CellError::Number(error) => ("number", error.to_string()),
            CellError::Boolean(error) => ("boolean", error.to_string()),
        };
        let cause = format!("Error parsing {kind} {cell:?} at line {row}: {why}");
        PayloadError::Malformed { format, cause }
    }
}

/// Why a cell of a typed CSV column was refused.
pub(crate) enum CellError {
    Number(ParseFloatError),
    Boolean(ParseBoolError),
}

fn separator(format: &Format) -> &'static str {
    match format {
        Format::Csv { .. } => ":",
        Format::Json | Format::Ndjson | Format::Ids => ".",
    }
}

/// A message may quote the payload at any length: keep its two ends.
fn shorten(message: &str) -> String {
    let n_chars = message.chars().count();
    if n_chars <= KEPT_AT_START + KEPT_AT_END + ELLIPSIS.len() {
        return message.to_owned();
    }
    let start: String = message.chars().take(KEPT_AT_START).collect();
    let end: String = message.chars().skip(n_chars - KEPT_AT_END).collect();
    format!("{start}{ELLIPSIS}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_keeps_50_characters_before_and_85_after() {
        let short: String = "é".repeat(138);
        assert_eq!(shorten(&short), short);
        let long = format!("{}{}{}", "a".repeat(50), "b".repeat(4), "c".repeat(85));
        assert_eq!(
            shorten(&long),
            format!("{}...{}", "a".repeat(50), "c".repeat(85))
        );
    }
}
