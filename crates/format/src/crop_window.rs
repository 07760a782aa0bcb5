//! Grows a window of words around the best matches of a text.

use std::ops::Range;

use serval_text::{FlatText, SeparatorKind};

use crate::best_interval::best_interval;
use crate::find_matches::{Looked, Match, Piece};

/// Byte range of the text to keep: `crop` words, around the best matches or from the beginning.
/// `flat` is what looking through the text gave.
pub(crate) fn crop_window(
    looked: &mut Looked,
    flat: Option<&FlatText<'_>>,
    matches: &[Match],
    crop: usize,
) -> Range<usize> {
    // One more than can be taken, so that it is known what lies before and behind the window.
    let n_around = crop.saturating_add(1);
    if matches.is_empty() {
        return grow(looked.pieces_around(flat, 0..0, n_around), 0, 0, crop);
    }
    let (first, last) = best_interval(matches, crop);
    let (first, last) = (&matches[first], &matches[last]);
    let pieces = looked.pieces_around(flat, first.byte_start..last.byte_end, n_around);
    let start = pieces.partition_point(|piece| piece.byte_start < first.byte_start);
    let n_words = last.words.1 - first.words.0 + 1;
    if n_words > crop {
        return shrink(pieces, start, crop);
    }
    let end = pieces.partition_point(|piece| piece.byte_start < last.byte_end);
    grow(pieces, start, end, crop - n_words)
}

/// The first `n_words` words from token `start`: a sequence longer than the crop loses its end.
fn shrink(pieces: &[Piece], start: usize, n_words: usize) -> Range<usize> {
    let last = (start..pieces.len())
        .filter(|&index| pieces[index].separator.is_none())
        .nth(n_words.saturating_sub(1))
        .unwrap_or(start);
    pieces[start].byte_start..pieces[last].byte_end
}

/// Adds `budget` words to the window of tokens `start..end`, on both sides in turn.
///
/// A word is preferred to a separator and a soft separator to a hard one, so that the window
/// stays inside a sentence as long as it can.
fn grow(pieces: &[Piece], start: usize, end: usize, budget: usize) -> Range<usize> {
    let mut window = Window {
        pieces,
        start,
        end,
        budget,
    };
    while window.budget > 0 {
        match (window.before(), window.after()) {
            (None, None) => break,
            (Some(_), None) => window.take_left(),
            (None, Some(_)) => window.take_right(),
            (Some(left), Some(right)) => window.step(left.separator, right.separator),
        }
    }
    let byte_start = window.before().map_or(0, |piece| piece.byte_end);
    let text_end = pieces.last().map_or(0, |piece| piece.byte_end);
    byte_start..window.after().map_or(text_end, |piece| piece.byte_start)
}

struct Window<'p> {
    pieces: &'p [Piece],
    start: usize,
    end: usize,
    budget: usize,
}

impl<'p> Window<'p> {
    fn before(&self) -> Option<&'p Piece> {
        self.start.checked_sub(1).map(|index| &self.pieces[index])
    }

    fn after(&self) -> Option<&'p Piece> {
        self.pieces.get(self.end)
    }

    fn take_left(&mut self) {
        self.start -= 1;
        self.pay(self.start);
    }

    fn take_right(&mut self) {
        self.pay(self.end);
        self.end += 1;
    }

    fn pay(&mut self, token: usize) {
        self.budget -= usize::from(self.pieces[token].separator.is_none());
    }

    fn step(&mut self, left: Option<SeparatorKind>, right: Option<SeparatorKind>) {
        match (left, right) {
            (None, None) => {
                self.take_left();
                if self.budget > 0 {
                    self.take_right();
                }
            }
            (None, Some(_)) => self.take_left(),
            (Some(_), None) => self.take_right(),
            (Some(left), Some(right)) if left == right => {
                self.take_left();
                // The last word will come from the left: no separator may dangle on the right.
                if self.budget > 1 {
                    self.take_right();
                }
            }
            (Some(SeparatorKind::Hard), Some(_)) => self.take_right(),
            (Some(SeparatorKind::Soft), Some(_)) => self.take_left(),
        }
    }
}
