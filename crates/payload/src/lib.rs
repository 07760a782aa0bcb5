//! Streams documents in JSON, NDJSON or CSV into checked NDJSON, and lists of identifiers into lines.
//!
//! ```text
//! bytes or file --> window --> minifier (JSON, NDJSON) --> one compact object a line
//!                         '--> csv reader (CSV)        --'
//!               '--> serde_json (identifiers) -----------> one JSON string a line
//!                                   |
//!                              any refusal --> diagnose: serde_json re-reads and words the error
//! ```
//!
//! # Invariants
//! 1. Every line written is a compact JSON object that `serde_json` can read: valid UTF-8, valid
//!    escapes, finite numbers, nesting below its limit.
//! 2. Keys keep the place of their first sight; of two equal keys the last value stays, at any
//!    depth. Escapes stay as they were written; numbers take their shortest decimal form.
//! 3. A refusal carries the message of `serde_json`, with line and column counted from the start
//!    of the payload.
//!
//! # Cost
//! One pass and memory for one document plus one read buffer, whatever the payload's size. Only a
//! refused payload is read a second time.
//!
//! ```
//! use serval_payload::{Format, Input, to_ndjson};
//!
//! let mut out = Vec::new();
//! let payload = br#"[ {"id": 1}, {"id": 2, "id": 3} ]"#;
//! let n_docs = to_ndjson(Input::Bytes(payload), Format::Json, &mut out)?;
//! assert_eq!((n_docs, out.as_slice()), (2, &b"{\"id\":1}\n{\"id\":3}\n"[..]));
//! # Ok::<(), serval_payload::PayloadError>(())
//! ```
#![forbid(unsafe_code)]

mod compress;
mod csv_header;
mod csv_rows;
mod diagnose;
mod document_lines;
mod error;
mod format;
mod id_list;
mod json_documents;
mod members;
mod minify;
mod scalar;
mod window;
mod zstd_stream;

use std::io::Write;

pub use compress::{Encoding, compress};
pub use document_lines::{DocumentLine, DocumentLines, document_lines};
pub use error::PayloadError;
pub use format::{Format, Input};
pub use zstd_stream::ZstdStream;

/// Reads, checks and rewrites a payload as NDJSON, one compact object a line, and returns the
/// number of documents; of identifiers, one JSON string a line, and their number.
///
/// An array without elements, white space between NDJSON lines, and a CSV header alone are zero
/// documents. `out` may have received some lines when an error comes back: throw them away.
///
/// # Errors
/// [`PayloadError::Missing`] when there is not one byte, [`PayloadError::Malformed`] when the
/// payload is not of its format ([`PayloadError::NotJson`] and [`PayloadError::NotAList`] for
/// identifiers), [`PayloadError::Io`] when reading or writing fails.
pub fn to_ndjson(
    input: Input<'_>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u64, PayloadError> {
    if input.is_empty()? {
        return Err(PayloadError::Missing { format });
    }
    match format {
        Format::Json => json_documents::array_or_object(input, out),
        Format::Ndjson => json_documents::lines(input, out),
        Format::Ids => id_list::to_lines(input, out),
        Format::Csv { delimiter } => csv_rows::to_ndjson(input, delimiter, out),
    }
}
