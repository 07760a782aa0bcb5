//! Drives the minifier over JSON and NDJSON payloads.
//!
//! Anything the minifier refuses ends here: [`diagnose`] reads on from the last safe place and
//! words the error.

use std::io::Write;

use crate::diagnose::{self, Place};
use crate::minify::Minifier;
use crate::scalar::Stop;
use crate::window::Window;
use crate::{Format, Input, PayloadError};

/// Bytes of lines gathered before they are written.
const WRITE_SIZE: usize = 128 * 1024;

/// Objects separated by any white space.
pub(crate) fn lines(input: Input<'_>, out: &mut dyn Write) -> Result<u64, PayloadError> {
    let mut reader = DocumentReader::open(input, Format::Ndjson)?;
    while reader.window.peek_token()?.is_some() {
        reader.document(Place::Root, out)?;
    }
    reader.finish(out)
}

/// An array of objects, or one object.
pub(crate) fn array_or_object(input: Input<'_>, out: &mut dyn Write) -> Result<u64, PayloadError> {
    let mut reader = DocumentReader::open(input, Format::Json)?;
    if reader.window.peek_token()? == Some(b'[') {
        reader.array(out)?;
    } else {
        reader.document(Place::Root, out)?;
    }
    match reader.window.peek_token()? {
        None => reader.finish(out),
        Some(_) => Err(reader.refusal(Place::End)),
    }
}

struct DocumentReader<'a> {
    input: Input<'a>,
    format: Format,
    window: Window<'a>,
    minifier: Minifier,
    n_docs: u64,
}

impl<'a> DocumentReader<'a> {
    fn open(input: Input<'a>, format: Format) -> Result<Self, PayloadError> {
        let window = Window::open(input)?;
        Ok(DocumentReader {
            input,
            format,
            window,
            minifier: Minifier::new(),
            n_docs: 0,
        })
    }

    /// Reads the document at the start of the window.
    fn document(&mut self, place: Place, out: &mut dyn Write) -> Result<(), PayloadError> {
        loop {
            match self.minifier.document(self.window.bytes(), place.n_open()) {
                Ok(n_bytes) => {
                    self.window.consume(n_bytes);
                    self.n_docs += 1;
                    return self.write_if_large(out);
                }
                Err(Stop::Incomplete) if self.window.grow()? => {}
                Err(_) => return Err(self.refusal(place)),
            }
        }
    }

    fn array(&mut self, out: &mut dyn Write) -> Result<(), PayloadError> {
        self.window.consume(1);
        if self.window.peek_token()? == Some(b']') {
            self.window.consume(1);
            return Ok(());
        }
        let mut place = Place::FirstElement;
        loop {
            self.document(place, out)?;
            let separator = self.window.peek_token()?;
            if !matches!(separator, Some(b',' | b']')) {
                return Err(self.refusal(Place::Separator));
            }
            self.window.consume(1);
            if separator == Some(b']') {
                return Ok(());
            }
            self.window.peek_token()?;
            place = Place::NextElement;
        }
    }

    fn write_if_large(&mut self, out: &mut dyn Write) -> Result<(), PayloadError> {
        if self.minifier.lines().len() >= WRITE_SIZE {
            out.write_all(self.minifier.lines())?;
            self.minifier.clear();
        }
        Ok(())
    }

    fn finish(&self, out: &mut dyn Write) -> Result<u64, PayloadError> {
        out.write_all(self.minifier.lines())?;
        Ok(self.n_docs)
    }

    fn refusal(&mut self, place: Place) -> PayloadError {
        diagnose::refusal(self.input, &mut self.window, self.format, place)
    }
}
