//! Checks files of segments against the checksum that tantivy writes behind each of them, our own
//! files of a segment included.
//!
//! ```text
//! content, JSON with `crc`, u32 length of that JSON, u32 magic
//! ```
//!
//! # Cost
//! Reads the whole file in pieces: for checks that are asked for, not for opening.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use tantivy::directory::footer::Footer;

const PIECE_LEN: usize = 1 << 20;
/// Length and magic.
const END_LEN: u64 = 8;
const MAGIC: u32 = 1337;
/// Longest footer that is believed.
const MAX_FOOTER_LEN: u64 = 50_000;

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// Reads a file of a segment and compares its checksum.
///
/// # Errors
/// `InvalidData` when the file does not hold what was written, or what the system said.
pub(crate) fn verify(path: &Path) -> io::Result<()> {
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    let end_at = len
        .checked_sub(END_LEN)
        .ok_or_else(|| damaged("it is too short"))?;
    file.seek(SeekFrom::Start(end_at))?;
    let (footer_len, magic) = (u64::from(read_u32(&mut file)?), read_u32(&mut file)?);
    let content_len = end_at.checked_sub(footer_len);
    let (Some(content_len), MAGIC, ..=MAX_FOOTER_LEN) = (content_len, magic, footer_len) else {
        return Err(damaged("it does not end with its checksum"));
    };
    file.seek(SeekFrom::Start(content_len))?;
    let mut written = vec![0; footer_len as usize];
    file.read_exact(&mut written)?;
    let footer: Footer = serde_json::from_slice(&written)?;
    // Whatever else the end says, it must be what tantivy would write.
    if serde_json::to_vec(&footer)? != written || footer.is_compatible().is_err() {
        return Err(damaged("it does not end with its checksum"));
    }
    file.seek(SeekFrom::Start(0))?;
    if checksum(&mut file.take(content_len))? != footer.crc {
        return Err(damaged("its content does not have its checksum"));
    }
    Ok(())
}

fn read_u32(file: &mut File) -> io::Result<u32> {
    let mut bytes = [0; 4];
    file.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn checksum(content: &mut impl Read) -> io::Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    let mut piece = vec![0; PIECE_LEN];
    loop {
        match content.read(&mut piece)? {
            0 => return Ok(hasher.finalize()),
            n => hasher.update(&piece[..n]),
        }
    }
}
