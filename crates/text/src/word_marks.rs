//! Where words begin in a flat text, 64 bytes at a time.
//!
//! Whether a byte belongs to a word is a bit from a table, and words begin where the bits change:
//! no step depends on how long a word is, which a processor cannot guess.

use crate::latin_cut::{LatinCut, MARK_CUT, MARK_SPECIAL, is_separator};

/// Bytes that are looked at together.
const BLOCK: usize = 64;

/// The state of a walk over a text.
pub(crate) struct WordMarks<'t> {
    text: &'t str,
    latin: &'t LatinCut,
    /// Where the next block begins.
    at: usize,
    /// Whether the byte before it belongs to no word.
    was_cut: u64,
    /// Bytes of the next block that belong to a character of the last one, which is no part of a
    /// word.
    carried: u64,
}

impl<'t> WordMarks<'t> {
    pub(crate) const fn new(text: &'t str, latin: &'t LatinCut) -> Self {
        Self {
            text,
            latin,
            at: 0,
            was_cut: 1,
            carried: 0,
        }
    }

    /// Where the next block begins, and a bit for each byte of it with which a word begins, or a
    /// character that is cut off though it is no separator: it is a word then.
    pub(crate) fn next_block(&mut self) -> Option<(usize, u64)> {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.is_empty() {
            return None;
        }
        let block = &rest[..rest.len().min(BLOCK)];
        let (mut cuts, is_special) = match <&[u8; BLOCK]>::try_from(block) {
            Ok(block) => self.cuts_of(block),
            Err(_) => self.cuts_of(block),
        };
        cuts |= self.carried;
        self.carried = 0;
        let alone = match is_special {
            true => self.look_closely(block, &mut cuts),
            false => 0,
        };
        let inside = u64::MAX >> (BLOCK - block.len());
        let starts = (!cuts & (cuts << 1 | self.was_cut) | alone) & inside;
        self.was_cut = cuts >> (BLOCK - 1);
        let at = self.at;
        self.at += block.len();
        Some((at, starts))
    }

    /// The bytes of ASCII that are cut, and whether some must be looked at.
    #[inline(always)]
    fn cuts_of(&self, block: &[u8]) -> (u64, bool) {
        let (mut cuts, mut all) = (0, 0);
        for (place, byte) in block.iter().enumerate() {
            let mark = self.latin.marks[usize::from(*byte)];
            cuts |= u64::from(mark & MARK_CUT) << place;
            all |= mark;
        }
        (cuts, all & MARK_SPECIAL != 0)
    }

    /// Adds the characters beyond ASCII that are cut; gives what is cut and no separator.
    fn look_closely(&mut self, block: &[u8], cuts: &mut u64) -> u64 {
        let mut alone = 0;
        for (place, byte) in block.iter().enumerate() {
            if byte.is_ascii() {
                let mark = self.latin.marks[usize::from(*byte)];
                alone |= u64::from(mark & MARK_SPECIAL != 0) << place;
                continue;
            }
            let at = self.at + place;
            if !self.text.is_char_boundary(at) {
                continue;
            }
            let Some(c) = self.text[at..].chars().next() else {
                continue;
            };
            if let Some(kind) = self.latin.wide_kind(c) {
                let bytes = ((1_u128 << c.len_utf8()) - 1) << place;
                *cuts |= bytes as u64;
                self.carried |= (bytes >> BLOCK) as u64;
                alone |= u64::from(!is_separator(kind)) << place;
            }
        }
        alone
    }
}
