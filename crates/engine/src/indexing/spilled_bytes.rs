//! Bytes that grow in memory while they are few and in a file once they are many.
//!
//! # Invariants
//! 1. What was written is read back unchanged, wherever it lies.
//! 2. The file has no name, so that no crash leaves it behind. Its bytes are written before they
//!    are mapped: a full disk is an error when it grows, never a fault when it is touched.
//!
//! # Cost
//! Up to [`HELD_BYTES`] of memory, then about [`RELEASE_BYTES`] of mapped pages, which the system
//! may take back at any time.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use memmap2::MmapMut;

/// Bytes kept in memory before a file is made.
const HELD_BYTES: usize = 2 << 20;
/// Bytes touched after which the pages of the file are given back.
const RELEASE_BYTES: usize = 8 << 20;
/// What one look at a place far from the last one maps.
const PAGE_BYTES: usize = 4 << 10;
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// Bytes that grow at the end and can be changed anywhere.
pub(crate) struct SpilledBytes {
    folder: PathBuf,
    held: Vec<u8>,
    spilled: Option<(File, MmapMut)>,
    len: usize,
    touched: AtomicUsize,
}

impl SpilledBytes {
    /// No bytes; a file, when there is to be one, is made in `folder`.
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            held: Vec::new(),
            spilled: None,
            len: 0,
            touched: AtomicUsize::new(0),
        }
    }

    /// Number of bytes.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Appends bytes and says where they begin.
    ///
    /// # Errors
    /// When there is no room for them on disk.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let start = self.len;
        let end = start + bytes.len();
        if self.spilled.is_none() && end <= HELD_BYTES {
            self.held.extend_from_slice(bytes);
        } else {
            let map = self.grown(end)?;
            map[start..end].copy_from_slice(bytes);
            self.touch(bytes.len());
        }
        self.len = end;
        Ok(start)
    }

    /// Replaces bytes that are there.
    pub(crate) fn replace(&mut self, start: usize, bytes: &[u8]) {
        let place = match &mut self.spilled {
            Some((_, map)) => &mut map[..],
            None => &mut self.held[..],
        };
        place[start..start + bytes.len()].copy_from_slice(bytes);
        self.touch(PAGE_BYTES);
    }

    /// Bytes read after those before them, or near.
    pub(crate) fn next(&self, start: usize, len: usize) -> &[u8] {
        self.touch(len);
        self.slice(start, len)
    }

    /// Bytes read anywhere.
    pub(crate) fn get(&self, start: usize, len: usize) -> &[u8] {
        self.touch(PAGE_BYTES);
        self.slice(start, len)
    }

    fn slice(&self, start: usize, len: usize) -> &[u8] {
        let bytes = match &self.spilled {
            Some((_, map)) => &map[..self.len],
            None => &self.held[..],
        };
        &bytes[start..start + len]
    }

    /// Forgets all bytes.
    pub(crate) fn clear(&mut self) {
        self.held = Vec::new();
        self.spilled = None;
        self.len = 0;
    }

    /// The mapping, with room up to `end`; in steps, so that it is seldom made again.
    fn grown(&mut self, end: usize) -> io::Result<&mut MmapMut> {
        let has_room = self
            .spilled
            .as_ref()
            .is_some_and(|(_, map)| end <= map.len());
        if !has_room {
            let (mut file, room) = match self.spilled.take() {
                Some((file, map)) => (file, map.len()),
                None => {
                    let mut file = tempfile::tempfile_in(&self.folder)?;
                    file.write_all(&std::mem::take(&mut self.held))?;
                    (file, self.len)
                }
            };
            let mut missing = end.max(room + room / 2) - room;
            while missing > 0 {
                let n = missing.min(ZEROS.len());
                file.write_all(&ZEROS[..n])?;
                missing -= n;
            }
            // SAFETY: the file has no name and this is its only mapping; all its bytes are written.
            let map = unsafe { MmapMut::map_mut(&file)? };
            self.spilled = Some((file, map));
        }
        match &mut self.spilled {
            Some((_, map)) => Ok(map),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Counts what was touched, and gives pages back when that is much.
    fn touch(&self, n_bytes: usize) {
        if self.spilled.is_none() {
            return;
        }
        if self.touched.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes >= RELEASE_BYTES {
            self.release();
        }
    }

    /// Gives the pages of the file back.
    pub(crate) fn release(&self) {
        self.touched.store(0, Ordering::Relaxed);
        #[cfg(unix)]
        if let Some((_, map)) = &self.spilled {
            // SAFETY: a shared mapping of a file: pages that are dropped come back with the bytes
            // that were written to them. That it fails costs memory only.
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was pushed and replaced is read back, before and after the bytes move to a file.
    #[test]
    fn bytes_are_read_back_from_memory_and_from_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut bytes = SpilledBytes::new(folder.path());
        let mut expected: Vec<u8> = Vec::new();
        for number in 0..(3 * HELD_BYTES / 1000) as u64 {
            let chunk: Vec<u8> = (0..1000).map(|index| (number * 31 + index) as u8).collect();
            assert_eq!(bytes.push(&chunk).expect("room"), expected.len());
            expected.extend_from_slice(&chunk);
            let at = (number as usize * 7919) % expected.len().saturating_sub(8).max(1);
            bytes.replace(at, &number.to_le_bytes());
            expected[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        assert!(bytes.spilled.is_some(), "so many bytes lie in a file");
        assert_eq!(bytes.len(), expected.len());
        assert_eq!(bytes.get(0, expected.len()), expected);
        assert_eq!(bytes.next(12_345, 999), &expected[12_345..13_344]);
        bytes.clear();
        assert_eq!(bytes.push(b"again").expect("room"), 0);
        assert_eq!(bytes.get(0, 5), b"again");
    }
}
