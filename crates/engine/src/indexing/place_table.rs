//! Which row of a plan belongs to an external id: a hash table that knows hashes and rows only.
//!
//! Slots are probed one after the other and are full for four fifths at most, so that one look at
//! a slot and its neighbours answers nearly every question.
//!
//! # Invariants
//! 1. There is always an empty slot, at which a search ends.
//! 2. A table that would exceed its limit lies in a file without a name, which is read and written
//!    and not mapped: looks at random places would map sixteen pages each.
//!
//! # Cost
//! 7.5 bytes a row when their number is known before, up to 11 when it is not. In a file, a system
//! call for each look and one for each row that is added.

use std::fs::File;
use std::io;
use std::path::Path;

/// Bytes of a slot: the row and one more, 0 for none, then a part of the hash.
const SLOT_LEN: usize = 6;
/// Slots that are looked at together.
const WINDOW: usize = 16;
/// This part of the slots may be full.
const LOAD: (usize, usize) = (4, 5);

/// Rows by the hashes of their external ids.
#[derive(Default)]
pub(super) struct PlaceTable {
    slots: Slots,
    n_slots: usize,
    len: usize,
}

enum Slots {
    Held(Vec<u8>),
    Filed(File),
}

impl Default for Slots {
    fn default() -> Self {
        Self::Held(Vec::new())
    }
}

impl PlaceTable {
    /// A table for so many rows; in a file in `folder` when it would exceed `limit` bytes.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub(super) fn with_room(n_rows: usize, folder: &Path, limit: usize) -> io::Result<Self> {
        let n_slots = (n_rows.max(WINDOW) * LOAD.1).div_ceil(LOAD.0) + 1;
        let n_bytes = n_slots * SLOT_LEN;
        let slots = if n_bytes <= limit {
            Slots::Held(vec![0; n_bytes])
        } else {
            let file = tempfile::tempfile_in(folder)?;
            file.set_len(n_bytes as u64)?;
            Slots::Filed(file)
        };
        Ok(Self {
            slots,
            n_slots,
            len: 0,
        })
    }

    /// Number of rows.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// How many rows there may be.
    pub(super) const fn capacity(&self) -> usize {
        self.n_slots.saturating_sub(1) * LOAD.0 / LOAD.1
    }

    /// The first row with a hash that `is_it` accepts.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn find(
        &self,
        hash: u64,
        mut is_it: impl FnMut(u32) -> bool,
    ) -> io::Result<Option<u32>> {
        let tag = tag_of(hash);
        let mut found = None;
        self.probe(hash, |_, slot| {
            let row = row_of(slot);
            if row.is_some_and(|row| slot[4..] == tag && is_it(row)) {
                found = row;
            }
            row.is_none() || found.is_some()
        })?;
        Ok(found)
    }

    /// Adds a row, for which there must be room.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(super) fn insert(&mut self, hash: u64, row: u32) -> io::Result<()> {
        if self.len >= self.capacity() {
            return Err(io::Error::other("the table of a plan is full"));
        }
        let mut free = 0;
        self.probe(hash, |index, slot| {
            free = index * SLOT_LEN;
            row_of(slot).is_none()
        })?;
        let mut slot = [0; SLOT_LEN];
        slot[..4].copy_from_slice(&(row + 1).to_le_bytes());
        slot[4..].copy_from_slice(&tag_of(hash));
        match &mut self.slots {
            Slots::Held(bytes) => bytes[free..free + SLOT_LEN].copy_from_slice(&slot),
            Slots::Filed(file) => write_at(file, &slot, free as u64)?,
        }
        self.len += 1;
        Ok(())
    }

    /// Shows slots from the one a hash belongs to until `is_done` says so.
    fn probe(&self, hash: u64, mut is_done: impl FnMut(usize, &[u8]) -> bool) -> io::Result<()> {
        let mut buffer = [0; WINDOW * SLOT_LEN];
        let mut index = ((u128::from(hash) * self.n_slots as u128) >> 64) as usize;
        // A table without slots has nothing to show; others have an empty slot.
        if self.n_slots == 0 {
            return Ok(());
        }
        loop {
            let n = WINDOW.min(self.n_slots - index);
            let place = index * SLOT_LEN..(index + n) * SLOT_LEN;
            let slots = match &self.slots {
                Slots::Held(bytes) => &bytes[place],
                Slots::Filed(file) => {
                    let slots = &mut buffer[..n * SLOT_LEN];
                    read_at(file, slots, place.start as u64)?;
                    slots
                }
            };
            for slot in slots.chunks_exact(SLOT_LEN) {
                if is_done(index, slot) {
                    return Ok(());
                }
                index += 1;
            }
            if index == self.n_slots {
                index = 0;
            }
        }
    }
}

fn row_of(slot: &[u8]) -> Option<u32> {
    let row = slot[..4].try_into().map_or(0, u32::from_le_bytes);
    row.checked_sub(1)
}

/// The lowest bits: the highest ones choose the slot.
const fn tag_of(hash: u64) -> [u8; 2] {
    (hash as u16).to_le_bytes()
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Rows are found by their hashes as in a map, also when many share a slot or a hash, the
        /// table is as full as it may be, and whether it lies in memory or in a file.
        #[test]
        fn rows_are_found_as_in_a_map(
            hashes in proptest::collection::vec((0..8_u64, 0..6_u64), 0..300),
            is_filed in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let limit = if is_filed { 0 } else { usize::MAX };
            let room = hashes.len();
            let mut table = PlaceTable::with_room(room, folder.path(), limit).expect("a table");
            prop_assert_eq!(matches!(table.slots, Slots::Filed(_)), is_filed);
            prop_assert!(table.capacity() >= room);
            let hash_of = |(high, low): (u64, u64)| u64::MAX - u64::MAX / 8 * high - low;
            let mut expected: HashMap<u64, Vec<u32>> = HashMap::new();
            for (row, hash) in (0..).zip(&hashes) {
                table.insert(hash_of(*hash), row).expect("room");
                expected.entry(hash_of(*hash)).or_default().push(row);
            }
            prop_assert_eq!(table.len(), room);
            for high in 0..8 {
                for low in 0..7 {
                    let hash = hash_of((high, low));
                    let rows = expected.get(&hash).map(Vec::as_slice).unwrap_or_default();
                    for row in rows {
                        let found = table.find(hash, |other| other == *row).expect("a look");
                        prop_assert_eq!(found, Some(*row));
                    }
                    let found = table.find(hash, |_| false).expect("a look");
                    prop_assert_eq!(found, None);
                }
            }
        }
    }

    #[test]
    fn a_full_table_refuses_a_row_instead_of_searching_for_ever() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut table = PlaceTable::with_room(0, folder.path(), usize::MAX).expect("a table");
        let n_rows = table.capacity() as u32;
        for row in 0..n_rows {
            table.insert(u64::MAX, row).expect("room");
        }
        assert!(table.insert(u64::MAX, n_rows).is_err());
        let found = table.find(u64::MAX - 1, |_| true);
        assert_eq!(found.expect("a look"), None);
    }
}
