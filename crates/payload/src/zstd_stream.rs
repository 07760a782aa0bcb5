//! Decompresses zstd piece by piece, for bodies that arrive over a connection.
//!
//! # Invariants
//! 1. One call makes at most [`ZstdStream::MAX_OUTPUT`] bytes, however strong the compression: who
//!    counts what comes out can stop a decompression bomb before it is unpacked.
//! 2. A window of more than 8 MiB is refused (RFC 9659), so a stream holds at most about that.
//!
//! # Cost
//! About a nanosecond per byte made.

use std::io;

use zstd::stream::raw::{DParameter, Decoder, Operation};

/// Base-two logarithm of the largest window that is taken.
const MAX_WINDOW_LOG: u32 = 23;

/// A zstd stream in the course of decompression. Several frames in a row are one stream.
pub struct ZstdStream {
    decoder: Decoder<'static>,
    input: Vec<u8>,
    /// Bytes of `input` that were read already.
    n_read: usize,
    in_frame: bool,
}

impl ZstdStream {
    /// Most bytes that one call of [`ZstdStream::pull`] makes.
    pub const MAX_OUTPUT: usize = 256 << 10;

    /// A stream of which nothing was read yet.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn new() -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG))?;
        Ok(Self {
            decoder,
            input: Vec::new(),
            n_read: 0,
            in_frame: false,
        })
    }

    /// Adds compressed bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.input.drain(..self.n_read);
        self.n_read = 0;
        self.input.extend_from_slice(bytes);
    }

    /// The next decompressed bytes. Fewer than [`ZstdStream::MAX_OUTPUT`] mean that more must be
    /// pushed first.
    ///
    /// # Errors
    /// When the bytes are no zstd, or ask for too large a window.
    pub fn pull(&mut self) -> io::Result<Vec<u8>> {
        let mut output = vec![0; Self::MAX_OUTPUT];
        let mut n_made = 0;
        while n_made < output.len() {
            let (input, room) = (&self.input[self.n_read..], &mut output[n_made..]);
            if input.is_empty() && !self.in_frame {
                break;
            }
            let status = self.decoder.run_on_buffers(input, room)?;
            self.n_read += status.bytes_read;
            n_made += status.bytes_written;
            self.in_frame = status.remaining != 0;
            if status.bytes_read == 0 && status.bytes_written == 0 {
                break;
            }
        }
        output.truncate(n_made);
        Ok(output)
    }

    /// Whether nothing was left in the middle of a frame.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.in_frame && self.n_read == self.input.len()
    }
}
