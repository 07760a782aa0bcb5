//! A view on the bytes not yet consumed, which grows on demand.
//!
//! Bytes in memory are seen at once, without a copy. A file is read by blocks: each growth reads
//! as much as is already held, so scanning again from the start of a document after every growth
//! costs at most twice its size.

use std::fs::File;
use std::io::{self, Read};

use crate::Input;

const BLOCK: usize = 256 * 1024;

/// The unread part of a payload.
pub(crate) struct Window<'a> {
    source: Source<'a>,
    n_consumed: u64,
}

enum Source<'a> {
    /// All bytes are there.
    Whole(&'a [u8]),
    /// Bytes come from a file; those before `start` are consumed.
    Growing {
        file: File,
        buffer: Vec<u8>,
        start: usize,
        ended: bool,
    },
}

impl<'a> Window<'a> {
    pub(crate) fn open(input: Input<'a>) -> io::Result<Self> {
        let source = match input {
            Input::Bytes(bytes) => Source::Whole(bytes),
            Input::File(path) => Source::Growing {
                file: File::open(path)?,
                buffer: Vec::new(),
                start: 0,
                ended: false,
            },
        };
        Ok(Window {
            source,
            n_consumed: 0,
        })
    }

    /// Bytes read and not consumed.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.source {
            Source::Whole(bytes) => bytes,
            Source::Growing { buffer, start, .. } => &buffer[*start..],
        }
    }

    /// Bytes consumed since the start of the payload.
    pub(crate) fn n_consumed(&self) -> u64 {
        self.n_consumed
    }

    pub(crate) fn consume(&mut self, n_bytes: usize) {
        self.n_consumed += n_bytes as u64;
        match &mut self.source {
            Source::Whole(bytes) => *bytes = &bytes[n_bytes..],
            Source::Growing { start, .. } => *start += n_bytes,
        }
    }

    /// Makes at least one more byte visible; `false` when the payload has ended.
    pub(crate) fn grow(&mut self) -> io::Result<bool> {
        let Source::Growing {
            file,
            buffer,
            start,
            ended,
        } = &mut self.source
        else {
            return Ok(false);
        };
        if *ended {
            return Ok(false);
        }
        buffer.drain(..*start);
        *start = 0;
        let wanted = buffer.len().max(BLOCK);
        let n_read = file.by_ref().take(wanted as u64).read_to_end(buffer)?;
        *ended = n_read < wanted;
        Ok(n_read > 0)
    }

    /// Consumes JSON white space and returns the byte after it, not consumed; `None` at the end.
    pub(crate) fn peek_token(&mut self) -> io::Result<Option<u8>> {
        loop {
            let bytes = self.bytes();
            let blank = bytes.iter().position(|byte| !is_space(*byte));
            let (n_blank, next) = match blank {
                Some(at) => (at, Some(bytes[at])),
                None => (bytes.len(), None),
            };
            self.consume(n_blank);
            if next.is_some() || !self.grow()? {
                return Ok(next);
            }
        }
    }
}

/// The four white space bytes of JSON.
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
