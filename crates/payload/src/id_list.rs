//! Reads a JSON list of identifiers: each becomes one line, a JSON string.
//!
//! Identifiers that are no strings are written as their JSON text, like the interface shows them:
//! integers with all their digits, other numbers in the form of ECMAScript (`1.0` is `1`). Lists and
//! objects, which no document has for an identifier, are written as they stand there: memory holds the
//! text of one element, not what it would be as a value.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufReader, Read, Write};

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Deserializer as JsonDeserializer, Number};

use crate::diagnose::Decoded;
use crate::{Input, PayloadError};

const BUFFER: usize = 256 * 1024;

/// Writes the identifiers and returns how many there are.
pub(crate) fn to_lines(input: Input<'_>, out: &mut dyn Write) -> Result<u64, PayloadError> {
    let reader = BufReader::with_capacity(BUFFER, input.reader()?);
    let mut list = IdList {
        out,
        n_ids: 0,
        failure: None,
    };
    let mut json = JsonDeserializer::from_reader(reader);
    let read = json
        .deserialize_seq(&mut list)
        .and_then(|()| json.end())
        .err();
    match (list.failure, read) {
        (Some(error), _) => Err(error.into()),
        (None, None) => Ok(list.n_ids),
        (None, Some(error)) if error.is_io() => Err(io::Error::from(error).into()),
        (None, Some(_)) => Err(refusal(input)?),
    }
}

/// The error of a text that is no list, or no JSON, which comes first. It is read once more, as a
/// whole: places are told as for a text in memory.
fn refusal(input: Input<'_>) -> Result<PayloadError, PayloadError> {
    let mut text = Vec::new();
    input.reader()?.read_to_end(&mut text)?;
    let mut json = JsonDeserializer::from_slice(&text);
    let malformed = Decoded::deserialize(&mut json)
        .and_then(|_| json.end())
        .err();
    if let Some(error) = malformed {
        return Ok(PayloadError::NotJson {
            cause: error.to_string(),
        });
    }
    let kind = JsonDeserializer::from_slice(&text)
        .deserialize_seq(AnyList)
        .err();
    let cause = kind.map_or_else(String::new, |error| error.to_string());
    Ok(PayloadError::NotAList { cause })
}

/// A list whose elements are written as they are read.
struct IdList<'o> {
    out: &'o mut dyn Write,
    n_ids: u64,
    /// Why writing failed.
    failure: Option<io::Error>,
}

impl<'de> Visitor<'de> for &mut IdList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut ids: A) -> Result<(), A::Error> {
        while let Some(id) = ids.next_element::<Box<RawValue>>()? {
            let text = id_text(id.get()).map_err(serde::de::Error::custom)?;
            if let Err(error) = write_line(self.out, &text) {
                self.failure = Some(error);
                return Err(serde::de::Error::custom("the list cannot be written"));
            }
            self.n_ids += 1;
        }
        Ok(())
    }
}

/// What names a document, of an element of the list.
fn id_text(json: &str) -> serde_json::Result<Cow<'_, str>> {
    match json.as_bytes().first() {
        Some(b'"') => serde_json::from_str(json).map(Cow::Owned),
        Some(b'-' | b'0'..=b'9') => {
            let number: Number = serde_json::from_str(json)?;
            Ok(Cow::Owned(number_text(&number)))
        }
        _ => serde_json::from_str(json).map(|Decoded| Cow::Borrowed(json)),
    }
}

fn write_line(out: &mut dyn Write, id: &str) -> io::Result<()> {
    serde_json::to_writer(&mut *out, id)?;
    out.write_all(b"\n")
}

/// Numbers that ECMAScript writes without an exponent.
const PLAIN: std::ops::Range<f64> = 1e-6..1e21;

fn number_text(number: &Number) -> String {
    let Some(value) = number.as_f64().filter(|_| number.is_f64()) else {
        return number.to_string();
    };
    if value == 0.0 {
        return "0".to_owned();
    }
    if PLAIN.contains(&value.abs()) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    if value.abs() < 1.0 {
        text
    } else {
        text.replace('e', "e+")
    }
}

/// Any list, decoded and dropped.
struct AnyList;

impl<'de> Visitor<'de> for AnyList {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        while values.next_element::<Decoded>()?.is_some() {}
        Ok(())
    }
}
