//! Blocks of 512 bytes that stand before the content of each entry.
//!
//! Written in GNU form; read in the forms in use: GNU, POSIX (ustar and pax) and the old one.

use crate::error::ExtractError;

/// Headers are one block, contents are padded to blocks.
pub(crate) const BLOCK: usize = 512;

pub(crate) type Block = [u8; BLOCK];

const NAME: std::ops::Range<usize> = 0..100;
const MODE: std::ops::Range<usize> = 100..108;
const OWNERS: [std::ops::Range<usize>; 2] = [108..116, 116..124];
const SIZE: std::ops::Range<usize> = 124..136;
const MODIFIED: std::ops::Range<usize> = 136..148;
const CHECKSUM: std::ops::Range<usize> = 148..156;
const KIND: usize = 156;
const MAGIC: std::ops::Range<usize> = 257..265;
const PREFIX: std::ops::Range<usize> = 345..500;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Folder,
    /// Its content is the path of the entry that follows.
    LongPath,
    /// Its content is a list of attributes of the entry that follows.
    Attributes,
    /// As above, for all entries.
    GlobalAttributes,
    /// Links, devices and what else there is.
    Other,
}

/// One header as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EntryHeader {
    pub(crate) path: Vec<u8>,
    pub(crate) size: u64,
    pub(crate) kind: EntryKind,
}

/// Bytes that fill the last block of a content.
pub(crate) const fn padding(size: u64) -> usize {
    let rest = (size % BLOCK as u64) as usize;
    if rest == 0 { 0 } else { BLOCK - rest }
}

/// The header of a file, with another one and its content before it when the path is long.
/// `modified` is in seconds since 1970.
pub(crate) fn file_header(path: &str, size: u64, modified: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BLOCK);
    if path.len() > NAME.len() {
        let length = path.len() as u64 + 1;
        bytes.extend_from_slice(&block("././@LongLink", length, 0, b'L'));
        bytes.extend_from_slice(path.as_bytes());
        bytes.push(0);
        bytes.resize(bytes.len() + padding(length), 0);
    }
    bytes.extend_from_slice(&block(path, size, modified, b'0'));
    bytes
}

fn block(path: &str, size: u64, modified: u64, kind: u8) -> Block {
    let mut block = [0; BLOCK];
    let name = &path.as_bytes()[..path.len().min(NAME.len())];
    block[..name.len()].copy_from_slice(name);
    write_octal(&mut block[MODE], 0o644);
    for owner in OWNERS {
        write_octal(&mut block[owner], 0);
    }
    write_number(&mut block[SIZE], size);
    write_number(&mut block[MODIFIED], modified);
    block[KIND] = kind;
    block[MAGIC].copy_from_slice(b"ustar  \0");
    let sum = checksum(&block);
    write_octal(&mut block[CHECKSUM.start..CHECKSUM.end - 1], sum);
    block[CHECKSUM.end - 1] = b' ';
    block
}

/// Octal digits, and a NUL.
fn write_octal(field: &mut [u8], value: u64) {
    let digits = format!("{value:0width$o}\0", width = field.len() - 1);
    field.copy_from_slice(digits.as_bytes());
}

/// Octal where it fits, else the bytes of the number after a mark.
fn write_number(field: &mut [u8], value: u64) {
    let n_digits = field.len() as u32 - 1;
    if value < 1 << (3 * n_digits) {
        return write_octal(field, value);
    }
    field[0] = 0x80;
    let start = field.len() - 8;
    field[start..].copy_from_slice(&value.to_be_bytes());
}

/// The sum of all bytes, those of the sum itself counted as spaces.
fn checksum(block: &Block) -> u64 {
    let counted = |(at, byte): (usize, &u8)| {
        if CHECKSUM.contains(&at) {
            u64::from(b' ')
        } else {
            u64::from(*byte)
        }
    };
    block.iter().enumerate().map(counted).sum()
}

impl EntryHeader {
    /// Reads a header; `None` for the empty block that ends an archive.
    ///
    /// # Errors
    /// When it is no header.
    pub(crate) fn read(block: &Block) -> Result<Option<Self>, ExtractError> {
        if block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        if read_number(&block[CHECKSUM]) != Some(checksum(block)) {
            return Err(ExtractError::damaged("an entry has no valid header"));
        }
        let size = read_number(&block[SIZE])
            .ok_or_else(|| ExtractError::damaged("an entry has no valid size"))?;
        Ok(Some(Self {
            path: read_path(block),
            size,
            kind: kind_of(block[KIND]),
        }))
    }
}

const fn kind_of(byte: u8) -> EntryKind {
    match byte {
        b'0' | b'7' | 0 => EntryKind::File,
        b'5' => EntryKind::Folder,
        b'L' => EntryKind::LongPath,
        b'x' => EntryKind::Attributes,
        b'g' => EntryKind::GlobalAttributes,
        _ => EntryKind::Other,
    }
}

fn read_path(block: &Block) -> Vec<u8> {
    let name = until_nul(&block[NAME]);
    let prefix = until_nul(&block[PREFIX]);
    if &block[MAGIC.start..MAGIC.start + 6] != b"ustar\0" || prefix.is_empty() {
        return name.to_vec();
    }
    [prefix, b"/", name].concat()
}

pub(crate) fn until_nul(field: &[u8]) -> &[u8] {
    let end = field
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(field.len());
    &field[..end]
}

/// Octal text between spaces and NULs, or bytes after a mark. `None` when it is neither or does
/// not fit.
fn read_number(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 != 0 {
        let (high, low) = field.split_at(field.len() - 8);
        // A field of eight bytes has no room for a mark and a number.
        let (mark, rest) = high.split_first()?;
        let is_small = *mark == 0x80 && rest.iter().all(|byte| *byte == 0);
        return is_small.then(|| u64::from_be_bytes(low.try_into().unwrap_or_default()));
    }
    let digits = until_nul(field);
    let text = std::str::from_utf8(digits).ok()?.trim_matches(' ');
    if text.is_empty() {
        return Some(0);
    }
    u64::from_str_radix(text, 8)
        .ok()
        .filter(|_| !text.starts_with('+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(bytes: &[u8]) -> EntryHeader {
        let block: Block = bytes[bytes.len() - BLOCK..].try_into().expect("a block");
        EntryHeader::read(&block)
            .expect("valid")
            .expect("not the end")
    }

    #[test]
    fn headers_are_read_as_they_were_written() {
        for size in [0, 1, 511, 512, (1 << 33) - 1, 1 << 33, u64::MAX] {
            let header = read_back(&file_header("a/b", size, 1_700_000_000));
            assert_eq!(header.path, b"a/b");
            assert_eq!(header.size, size);
            assert_eq!(header.kind, EntryKind::File);
        }
    }

    #[test]
    fn a_long_path_stands_in_an_entry_of_its_own() {
        let path = "x".repeat(300);
        let bytes = file_header(&path, 7, 0);
        assert_eq!(bytes.len(), 3 * BLOCK);
        let first: Block = bytes[..BLOCK].try_into().expect("a block");
        let first = EntryHeader::read(&first).expect("valid").expect("no end");
        assert_eq!((first.kind, first.size), (EntryKind::LongPath, 301));
        assert_eq!(until_nul(&bytes[BLOCK..2 * BLOCK]), path.as_bytes());
    }

    #[test]
    fn a_field_too_short_for_bytes_after_a_mark_is_refused() {
        let mut block: Block = file_header("a", 1, 2).try_into().expect("a block");
        block[CHECKSUM].fill(0xe9);
        assert!(EntryHeader::read(&block).is_err());
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let bytes = file_header("a", 1, 2);
        for at in 0..BLOCK {
            let mut block: Block = bytes[..].try_into().expect("a block");
            block[at] = block[at].wrapping_add(1);
            let read = EntryHeader::read(&block);
            assert!(read.is_err() || CHECKSUM.contains(&at), "{at}");
        }
    }
}
