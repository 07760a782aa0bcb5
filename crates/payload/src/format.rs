//! What a payload is written in and where its bytes come from.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Format of a payload. Displays as the name used in messages: `json`, `ndjson`, `csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One object, or an array of objects.
    Json,
    /// Objects separated by any white space, or by nothing.
    Ndjson,
    /// A header row, then one row a document.
    Csv {
        /// The byte between two cells, `,` by default.
        delimiter: u8,
    },
    /// No documents: an array of identifiers, in JSON.
    Ids,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Json | Format::Ids => "json",
            Format::Ndjson => "ndjson",
            Format::Csv { .. } => "csv",
        })
    }
}

/// Where the payload is. A file is opened again when an error has to be worded, so it must stay
/// unchanged during the call.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The whole payload, in memory.
    Bytes(&'a [u8]),
    /// A file that holds the payload.
    File(&'a Path),
}

impl<'a> Input<'a> {
    pub(crate) fn is_empty(&self) -> io::Result<bool> {
        match self {
            Input::Bytes(bytes) => Ok(bytes.is_empty()),
            Input::File(path) => Ok(path.metadata()?.len() == 0),
        }
    }

    pub(crate) fn reader(&self) -> io::Result<Box<dyn Read + 'a>> {
        match *self {
            Input::Bytes(bytes) => Ok(Box::new(bytes)),
            Input::File(path) => Ok(Box::new(File::open(path)?)),
        }
    }
}
