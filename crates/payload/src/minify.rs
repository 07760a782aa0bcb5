//! Checks one JSON object and writes it without white space, in one pass.
//!
//! The text between two white spaces is copied in one piece, so a payload that is already compact
//! costs one copy a document. Nesting uses a stack of its own, never the thread's.

use crate::members::{self, Member};
use crate::scalar::{self, Stop};
use crate::window::is_space;

/// Containers that may be open at once; one more is refused, as `serde_json` does.
const MAX_OPEN: usize = 127;

/// An open container.
enum Frame {
    /// Index of its first member in the member stack.
    Object {
        first: usize,
    },
    Array,
}

/// Writes documents one after the other into a buffer.
pub(crate) struct Minifier {
    out: Vec<u8>,
    frames: Vec<Frame>,
    members: Vec<Member>,
    /// Containers that are open around the document.
    n_outer: usize,
}

/// Where the scan is in the input, and from where the input has not been copied yet.
struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
    copied: usize,
}

impl Minifier {
    pub(crate) fn new() -> Self {
        Minifier {
            out: Vec::new(),
            frames: Vec::new(),
            members: Vec::new(),
            n_outer: 0,
        }
    }

    /// Documents written since the last [`Self::clear`], one a line.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.out
    }

    /// Forgets the written documents.
    pub(crate) fn clear(&mut self) {
        self.out.clear();
    }

    /// Writes the object at the start of `bytes` as one line and returns its length in `bytes`.
    /// `n_outer` containers are open around it. On a stop nothing is written.
    pub(crate) fn document(&mut self, bytes: &[u8], n_outer: usize) -> Result<usize, Stop> {
        self.n_outer = n_outer;
        let start = self.out.len();
        let result = self.try_document(bytes);
        if result.is_err() {
            self.out.truncate(start);
        }
        result
    }

    fn try_document(&mut self, bytes: &[u8]) -> Result<usize, Stop> {
        self.frames.clear();
        self.members.clear();
        let mut cursor = Cursor {
            bytes,
            at: 0,
            copied: 0,
        };
        if cursor.peek()? != b'{' {
            return Err(Stop::Refused);
        }
        self.value(&mut cursor)?;
        while !self.frames.is_empty() {
            self.step(&mut cursor)?;
        }
        std::str::from_utf8(&bytes[..cursor.at]).map_err(|_| Stop::Refused)?;
        self.copy(&mut cursor);
        self.out.push(b'\n');
        Ok(cursor.at)
    }

    /// After a value: goes to the next one of the container on top, or closes it.
    fn step(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        let is_object = matches!(self.frames.last(), Some(Frame::Object { .. }));
        match (self.token(cursor)?, is_object) {
            (b',', true) => {
                cursor.at += 1;
                self.member(cursor)
            }
            (b',', false) => {
                cursor.at += 1;
                self.value(cursor)
            }
            (b'}', true) | (b']', false) => {
                self.close(cursor);
                Ok(())
            }
            _ => Err(Stop::Refused),
        }
    }

    /// A scalar or an empty container; else opens containers down to the first of these.
    fn value(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        loop {
            let opened = match self.token(cursor)? {
                b'{' => self.open_object(cursor)?,
                b'[' => self.open_array(cursor)?,
                first => {
                    self.scalar(cursor, first)?;
                    false
                }
            };
            if !opened {
                return Ok(());
            }
        }
    }

    fn push(&mut self, cursor: &mut Cursor<'_>, frame: Frame) -> Result<(), Stop> {
        if self.frames.len() + self.n_outer >= MAX_OPEN {
            return Err(Stop::Refused);
        }
        self.frames.push(frame);
        cursor.at += 1;
        Ok(())
    }

    /// Opens an array; `false` when it is empty, and then it is closed again.
    fn open_array(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
        self.push(cursor, Frame::Array)?;
        if self.token(cursor)? != b']' {
            return Ok(true);
        }
        self.close(cursor);
        Ok(false)
    }

    /// Opens an object and reads its first key; `false` when it is empty, as for an array.
    fn open_object(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
        let first = self.members.len();
        self.push(cursor, Frame::Object { first })?;
        if self.token(cursor)? == b'}' {
            self.close(cursor);
            return Ok(false);
        }
        self.key(cursor)?;
        Ok(true)
    }

    fn member(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        self.key(cursor)?;
        self.value(cursor)
    }

    /// A key and its colon.
    fn key(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        if self.token(cursor)? != b'"' {
            return Err(Stop::Refused);
        }
        let start = self.place(cursor);
        let string = scalar::string(cursor.bytes, cursor.at)?;
        let key_len = string.end - cursor.at;
        self.members.push(Member {
            start,
            key_len,
            escaped: string.escaped,
        });
        cursor.at = string.end;
        if self.token(cursor)? != b':' {
            return Err(Stop::Refused);
        }
        cursor.at += 1;
        Ok(())
    }

    fn close(&mut self, cursor: &mut Cursor<'_>) {
        if let Some(Frame::Object { first }) = self.frames.pop() {
            if self.members.len() > first + 1 {
                self.drop_repeated_keys(cursor, first);
            }
            self.members.truncate(first);
        }
        cursor.at += 1;
    }

    fn drop_repeated_keys(&mut self, cursor: &mut Cursor<'_>, first: usize) {
        self.copy(cursor);
        if members::has_repeated_key(&self.out, &self.members[first..]) {
            members::keep_last_values(&mut self.out, &self.members[first..]);
        }
    }

    /// Passes the scalar under the cursor; a number in another form than the usual one is written
    /// in the usual one.
    fn scalar(&mut self, cursor: &mut Cursor<'_>, first: u8) -> Result<(), Stop> {
        let end = scalar(cursor, first)?;
        let usual = match first {
            b'-' | b'0'..=b'9' => scalar::usual_form(&cursor.bytes[cursor.at..end]),
            _ => None,
        };
        if let Some(usual) = usual {
            self.copy(cursor);
            self.out.extend_from_slice(usual.as_bytes());
            cursor.copied = end;
        }
        cursor.at = end;
        Ok(())
    }

    /// The next byte that is not white space.
    fn token(&mut self, cursor: &mut Cursor<'_>) -> Result<u8, Stop> {
        let byte = cursor.peek()?;
        if !is_space(byte) {
            return Ok(byte);
        }
        self.copy(cursor);
        while is_space(cursor.peek()?) {
            cursor.at += 1;
        }
        cursor.copied = cursor.at;
        cursor.peek()
    }

    /// Place in the output of the byte under the cursor.
    fn place(&self, cursor: &Cursor<'_>) -> usize {
        self.out.len() + cursor.at - cursor.copied
    }

    /// Copies everything before the cursor.
    fn copy(&mut self, cursor: &mut Cursor<'_>) {
        self.out
            .extend_from_slice(&cursor.bytes[cursor.copied..cursor.at]);
        cursor.copied = cursor.at;
    }
}

/// Checks the scalar under the cursor and returns the place after it.
fn scalar(cursor: &Cursor<'_>, first: u8) -> Result<usize, Stop> {
    match first {
        b'"' => Ok(scalar::string(cursor.bytes, cursor.at)?.end),
        b'-' | b'0'..=b'9' => scalar::number(cursor.bytes, cursor.at),
        b't' => scalar::word(cursor.bytes, cursor.at, b"true"),
        b'f' => scalar::word(cursor.bytes, cursor.at, b"false"),
        b'n' => scalar::word(cursor.bytes, cursor.at, b"null"),
        _ => Err(Stop::Refused),
    }
}

impl Cursor<'_> {
    fn peek(&self) -> Result<u8, Stop> {
        self.bytes.get(self.at).copied().ok_or(Stop::Incomplete)
    }
}
