//! The end of every file of ours beside a segment: numbers of its kind, then its version and its
//! magic number, four bytes each.

use std::ops::RangeInclusive;

use super::column_reader::u32_at;

/// Where the footer of a file starts, or what is wrong with the file: too short for a footer of
/// `len` bytes, of another kind, or of a version that cannot be read.
pub(super) fn footer_at(
    bytes: &[u8],
    len: usize,
    magic: u32,
    versions: RangeInclusive<u32>,
) -> Result<usize, &'static str> {
    let footer = bytes.len().checked_sub(len).ok_or("it is too short")?;
    if u32_at(bytes, footer + len - 4) != magic {
        return Err("the magic number is missing");
    }
    if !versions.contains(&u32_at(bytes, footer + len - 8)) {
        return Err("its version is not known");
    }
    Ok(footer)
}
