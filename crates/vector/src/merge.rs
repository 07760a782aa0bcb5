//! Puts files together, so that a search reads few of them, without rows that no longer count.
//!
//! # Which
//! Files are of tiers by their living rows, each tier four times as large as the one below. Four
//! files in a row, up to the newest, of a tier or lower ones become one; and a file of which a
//! third is dead is written anew. So a row is written again about once for each tier, and of no
//! tier are there many files.
//!
//! # Who
//! [`Update::finish`](crate::Update::finish) merges what is small by itself. Larger merges are left
//! to the owner of the index, who may run them while updates go on: [`VectorIndex::next_merge`],
//! [`Merge::run`] on any thread, [`VectorIndex::with_merged`].

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::VectorError;
use crate::cells::Partition;
use crate::file_writer::{RowSource, write_file};
use crate::index::VectorIndex;
use crate::part::Part;
use crate::shape::{DocId, VectorShape};
use crate::touched::Touched;
use crate::update::{drop_useless, sync_directory};
use crate::vector_file::VectorFile;

/// Files of a tier that become one.
const FAN_IN: usize = 4;
/// Rows of the lowest tier.
const LOWEST_TIER: u32 = 64;
/// Bytes of rows up to which a merge is small.
const SMALL_BYTES: u64 = 8 << 20;

/// Files of an index that should become one.
#[derive(Debug)]
pub struct Merge {
    shape: VectorShape,
    parts: Vec<Part>,
    /// Whether older files remain, of which the new one must say which rows do not count.
    has_older: bool,
}

/// The file that a merge made, and which files it is for.
#[derive(Debug)]
pub struct Merged {
    file: VectorFile,
    parts: Vec<Part>,
}

impl VectorIndex {
    /// The next merge that makes searches faster, if any. Until nothing is left:
    ///
    /// ```no_run
    /// # use std::sync::atomic::AtomicBool;
    /// # fn merge(mut index: serval_vector::VectorIndex, directory: &std::path::Path)
    /// #     -> Result<serval_vector::VectorIndex, serval_vector::VectorError> {
    /// while let Some(merge) = index.next_merge() {
    ///     let merged = merge.run(directory, &AtomicBool::new(false))?;
    ///     index = index.with_merged(merged).expect("nothing else changed the index");
    /// }
    /// # Ok(index) }
    /// ```
    pub fn next_merge(&self) -> Option<Merge> {
        let (parts, row_bytes) = (self.parts(), self.shape().row_bytes());
        let run = newest_run(parts, row_bytes, u64::MAX).or_else(|| mostly_dead(parts))?;
        Some(self.merge_of(run))
    }

    /// Does the merges that take a few milliseconds.
    pub(crate) fn merge_small(mut self, directory: &Path) -> Result<Self, VectorError> {
        let row_bytes = self.shape().row_bytes();
        while let Some(run) = newest_run(self.parts(), row_bytes, SMALL_BYTES) {
            let merged = self.merge_of(run).run(directory, &AtomicBool::new(false))?;
            match self.with_merged(merged) {
                Some(next) => self = next,
                None => break,
            }
        }
        Ok(self)
    }

    fn merge_of(&self, (start, end): (usize, usize)) -> Merge {
        Merge {
            shape: self.shape(),
            parts: self.parts()[start..end].to_vec(),
            has_older: start > 0,
        }
    }

    /// This index with the merged file in place of those it was made of; nothing when they are not
    /// all in it any more, and then the merged file is one that no manifest names. Documents that
    /// changed while the merge ran stay changed.
    pub fn with_merged(&self, merged: Merged) -> Option<Self> {
        let first = merged.parts.first()?;
        let mut parts = self.parts().to_vec();
        let start = parts.iter().position(|part| part.is_same_file(first))?;
        let end = start + merged.parts.len();
        let replaced = parts.get(start..end)?;
        let same = |(a, b): (&Part, &Part)| a.is_same_file(b);
        if !replaced.iter().zip(&merged.parts).all(same) {
            return None;
        }
        let mut part = Part::new(merged.file);
        for newer in &parts[end..] {
            part.kill(newer.file().kills().iter().copied(), |_| ());
        }
        parts.splice(start..end, [part]);
        drop_useless(&mut parts);
        Some(Self::of(self.shape(), parts))
    }
}

/// The newest parts, if there are enough of one tier; those up to the highest such tier whose rows
/// take no more than `max_bytes`.
fn newest_run(parts: &[Part], row_bytes: usize, max_bytes: u64) -> Option<(usize, usize)> {
    let highest = parts.iter().map(tier).max()?;
    (0..=highest).rev().find_map(|tier_of_run| {
        let run = parts
            .iter()
            .rev()
            .take_while(|part| tier(part) <= tier_of_run);
        let n = run.clone().count();
        let of_tier = run.clone().filter(|part| tier(part) == tier_of_run).count();
        // With more than three files for each tier, one of the tiers has four.
        let is_long = n > (FAN_IN - 1) * (tier_of_run as usize + 1);
        let bytes: u64 = run
            .map(|part| u64::from(part.n_rows()) * row_bytes as u64)
            .sum();
        let is_due = (of_tier >= FAN_IN || is_long) && bytes <= max_bytes;
        is_due.then_some((parts.len() - n, parts.len()))
    })
}

fn tier(part: &Part) -> u32 {
    (part.n_rows().max(LOWEST_TIER) / LOWEST_TIER).ilog(FAN_IN as u32)
}

/// A part of which a third is dead.
fn mostly_dead(parts: &[Part]) -> Option<(usize, usize)> {
    let wasteful = |part: &Part| part.n_dead() > part.n_rows() / 2 && part.n_dead() >= LOWEST_TIER;
    let at = parts.iter().position(wasteful)?;
    Some((at, at + 1))
}

impl Merged {
    /// Name of the file that was made.
    pub fn file_name(&self) -> &str {
        &self.file.entry().name
    }
}

impl Merge {
    /// Writes and syncs the merged file. Searches and updates may go on meanwhile.
    ///
    /// # Errors
    /// When the file cannot be written, or [`VectorError::Stopped`] soon after `stop` was set;
    /// the files that it was to replace are still good.
    pub fn run(self, directory: &Path, stop: &AtomicBool) -> Result<Merged, VectorError> {
        let Self {
            shape,
            parts,
            has_older,
        } = self;
        let kills = match has_older {
            true => kills_of(&parts),
            false => Vec::new(),
        };
        let rows = LivingRows::of(shape, &parts, stop)?;
        let entry = write_file(directory, &rows, &kills, &Partition::of(&rows)?)?;
        sync_directory(directory)?;
        let file = VectorFile::open(directory, &entry, shape)?;
        Ok(Merged { file, parts })
    }
}

fn kills_of(parts: &[Part]) -> Vec<DocId> {
    let kills = parts
        .iter()
        .flat_map(|part| part.file().kills().iter().copied());
    let mut kills: Vec<DocId> = kills.collect();
    kills.sort_unstable();
    kills.dedup();
    kills
}

/// The rows of parts that count.
struct LivingRows<'a> {
    shape: VectorShape,
    parts: &'a [Part],
    /// Part and row of each.
    rows: Vec<(u32, u32)>,
    stop: &'a AtomicBool,
    touched: Touched,
}

impl<'a> LivingRows<'a> {
    fn of(
        shape: VectorShape,
        parts: &'a [Part],
        stop: &'a AtomicBool,
    ) -> Result<Self, VectorError> {
        let rows_of = |(at, part): (u32, &'a Part)| {
            let rows = part.documents().flat_map(|(_, pairs)| pairs);
            rows.map(move |pair| (at, pair[1]))
        };
        let rows: Vec<(u32, u32)> = (0..).zip(parts).flat_map(rows_of).collect();
        if rows.len() >= u32::MAX as usize {
            return Err(VectorError::TooManyVectors);
        }
        Ok(Self {
            shape,
            parts,
            rows,
            stop,
            touched: Touched::default(),
        })
    }

    fn file_of(&self, row: u32) -> (&VectorFile, u32) {
        let (part, row) = self.rows[row as usize];
        (self.parts[part as usize].file(), row)
    }
}

impl RowSource for LivingRows<'_> {
    fn shape(&self) -> VectorShape {
        self.shape
    }

    fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    fn doc(&self, row: u32) -> DocId {
        let (file, row) = self.file_of(row);
        file.docs()[row as usize]
    }

    fn row(&self, row: u32) -> &[u8] {
        if self.touched.add(self.shape.row_bytes()) {
            self.parts.iter().for_each(|part| part.file().release());
        }
        let (file, row) = self.file_of(row);
        file.row(row)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
