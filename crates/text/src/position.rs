//! Word positions inside one value of a field.
//!
//! # Invariants
//! 1. Positions of one counter never decrease; a word after a hard separator stands at least
//!    [`HARD_GAP`] further than the word before it.
//! 2. Stop words and words too long to index take a position but are not reported.

use crate::token::{MAX_WORD_BYTES, SeparatorKind, Token, TokenKind};

/// Distance between words across a hard separator, and between two values of one field.
pub const HARD_GAP: u32 = 8;
/// Positions from this one on are not indexed.
pub const MAX_POSITIONS: u32 = 1 << 16;

/// Counts word positions over the tokens of one value; feed it every token in order.
#[derive(Debug, Clone)]
pub struct PositionCounter {
    offset: u32,
    before: Before,
    last_indexed: Option<u32>,
    start: u32,
}

/// What stands before the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Only separators so far; they count for nothing.
    Start,
    /// The value began with an empty token: no word yet, but separators count from here.
    NoWord,
    Near,
    Hard,
}

impl PositionCounter {
    /// A counter whose first word stands at `start`: 0 for the first value of a field, then what
    /// [`PositionCounter::next_start`] says.
    pub fn new(start: u32) -> Self {
        Self {
            offset: start,
            before: Before::Start,
            last_indexed: None,
            start,
        }
    }

    /// Takes the next token; gives its position if it is a word to be indexed.
    ///
    /// `None` for separators, stop words, empty words, words over [`MAX_WORD_BYTES`] and
    /// everything from [`MAX_POSITIONS`] on.
    pub fn advance(&mut self, token: &Token<'_>) -> Option<u32> {
        match token.kind {
            TokenKind::Separator(kind) => {
                self.cross(kind);
                None
            }
            TokenKind::Word | TokenKind::StopWord if token.text.is_empty() => {
                if self.before == Before::Start {
                    self.before = Before::NoWord;
                }
                None
            }
            TokenKind::Word => {
                self.step();
                self.indexed(token)
            }
            TokenKind::StopWord => {
                self.step();
                None
            }
        }
    }

    /// Position of the last word that was reported.
    pub fn last_indexed(&self) -> Option<u32> {
        self.last_indexed
    }

    /// Where the next value of the same field starts.
    pub fn next_start(&self) -> u32 {
        self.last_indexed
            .unwrap_or(self.start)
            .saturating_add(HARD_GAP)
    }

    fn cross(&mut self, kind: SeparatorKind) {
        self.before = match (self.before, kind) {
            (Before::Start, _) => Before::Start,
            (_, SeparatorKind::Hard) | (Before::Hard, _) => Before::Hard,
            (_, SeparatorKind::Soft) => Before::Near,
        };
    }

    fn step(&mut self) {
        let gap = match self.before {
            Before::Start | Before::NoWord => 0,
            Before::Near => 1,
            Before::Hard => HARD_GAP,
        };
        self.offset = self.offset.saturating_add(gap);
        self.before = Before::Near;
    }

    fn indexed(&mut self, token: &Token<'_>) -> Option<u32> {
        let word = token.indexed_text();
        if self.offset >= MAX_POSITIONS || word.is_empty() || word.len() > MAX_WORD_BYTES {
            return None;
        }
        self.last_indexed = Some(self.offset);
        Some(self.offset)
    }
}
