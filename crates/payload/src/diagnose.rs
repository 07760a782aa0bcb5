//! Words the error of a payload that was refused.
//!
//! `serde_json` reads on from the last safe place, behind a stand-in for what came before, and
//! decodes values without keeping them. Its message is exact once line and column are counted
//! from the start of the payload. Memory holds what the decoder needs to see its error: the
//! document at fault, or a scalar that stands in the place of one.

use std::fmt;
use std::io::{self, Read};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer as JsonDeserializer;

use crate::window::Window;
use crate::{Format, Input, PayloadError};

/// What the window starts with when a payload is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A document that is not in an array.
    Root,
    /// The first element of the array.
    FirstElement,
    /// An element after a comma.
    NextElement,
    /// What follows an element.
    Separator,
    /// What follows the only value.
    End,
}

impl Place {
    /// Containers open at this place.
    pub(crate) const fn n_open(self) -> usize {
        match self {
            Place::Root | Place::End => 0,
            Place::FirstElement | Place::NextElement | Place::Separator => 1,
        }
    }

    /// The shortest text that brings the decoder to this place.
    const fn stand_in(self) -> &'static [u8] {
        match self {
            Place::Root => b"",
            Place::FirstElement => b"[",
            Place::NextElement => b"[{},",
            Place::Separator => b"[{}",
            Place::End => b"[]",
        }
    }
}

/// The error of a payload that holds one in `window`, which starts at `place`.
pub(crate) fn refusal(
    input: Input<'_>,
    window: &mut Window<'_>,
    format: Format,
    place: Place,
) -> PayloadError {
    match find_error(window, format, place) {
        Ok(Some(error)) if error.is_data() => PayloadError::not_documents(format),
        Ok(Some(error)) => match Position::after(input, window.n_consumed()) {
            Ok(start) => PayloadError::json(format, &start.locate(&error, place)),
            Err(error) => PayloadError::Io(error),
        },
        Ok(None) => PayloadError::not_documents(format),
        Err(error) => PayloadError::Io(error),
    }
}

fn find_error(
    window: &mut Window<'_>,
    format: Format,
    place: Place,
) -> io::Result<Option<serde_json::Error>> {
    loop {
        let text = [place.stand_in(), window.bytes()].concat();
        let error = match format {
            Format::Ndjson => JsonDeserializer::from_slice(&text)
                .into_iter::<Document>()
                .find_map(Result::err),
            _ => json_error(&text),
        };
        // The end of the window is not yet the end of the payload.
        let ends_early = error.as_ref().is_none_or(serde_json::Error::is_eof);
        if !ends_early || !window.grow()? {
            return Ok(error);
        }
    }
}

fn json_error(text: &[u8]) -> Option<serde_json::Error> {
    let mut reader = JsonDeserializer::from_slice(text);
    let read = match text.first() {
        Some(b'[') => reader.deserialize_seq(DocumentList),
        Some(b'{') => Document::deserialize(&mut reader).map(|_| ()),
        // A scalar: its own fault comes first, else the caller says it is not a document.
        _ => return Decoded::deserialize(&mut reader).err(),
    };
    read.and_then(|()| reader.end()).err()
}

/// Lines and columns before a place, as `serde_json` counts them: lines end at `\n`, columns are
/// bytes.
struct Position {
    n_lines: usize,
    n_columns: usize,
}

impl Position {
    /// The position after the first `n_bytes` of the payload.
    fn after(input: Input<'_>, n_bytes: u64) -> io::Result<Self> {
        let mut position = Position {
            n_lines: 0,
            n_columns: 0,
        };
        let mut reader = input.reader()?.take(n_bytes);
        let mut block = vec![0; 64 * 1024];
        loop {
            let n_read = reader.read(&mut block)?;
            if n_read == 0 {
                return Ok(position);
            }
            for byte in &block[..n_read] {
                if *byte == b'\n' {
                    position.n_lines += 1;
                    position.n_columns = 0;
                } else {
                    position.n_columns += 1;
                }
            }
        }
    }

    /// The message of `error` with its place in the payload. The decoder started here, behind the
    /// stand-in.
    fn locate(&self, error: &serde_json::Error, place: Place) -> String {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let own_place = format!(" at line {line} column {column}");
        let cause = message.strip_suffix(&own_place).unwrap_or(&message);
        let column = match line {
            1 => (self.n_columns + column).saturating_sub(place.stand_in().len()),
            _ => column,
        };
        format!("{cause} at line {} column {column}", self.n_lines + line)
    }
}

/// Any value, decoded and dropped.
pub(crate) struct Decoded;

impl<'de> Deserialize<'de> for Decoded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(DecodedVisitor)
            .map(|()| Decoded)
    }
}

struct DecodedVisitor;

impl<'de> Visitor<'de> for DecodedVisitor {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        while values.next_element::<Decoded>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        DocumentVisitor.visit_map(members)
    }
}

/// An object, decoded and dropped.
struct Document;

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(DocumentVisitor)
            .map(|()| Document)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while members.next_key::<String>()?.is_some() {
            members.next_value::<Decoded>()?;
        }
        Ok(())
    }
}

/// A list of objects, decoded and dropped.
struct DocumentList;

impl<'de> Visitor<'de> for DocumentList {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut documents: A) -> Result<(), A::Error> {
        while documents.next_element::<Document>()?.is_some() {}
        Ok(())
    }
}
