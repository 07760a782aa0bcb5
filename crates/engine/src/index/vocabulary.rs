//! The words of a segment as the automaton in which its dictionary keeps them, walked side by side with
//! one that says which words are wanted.
//!
//! # Cost
//! A look at each byte that can follow a wanted beginning. A beginning with which no wanted word starts
//! is left where it stands; tantivy's own walk reads on to what follows it before it looks.

use std::io;

use levenshtein_automata::{DFA, Distance, SINK_STATE};
use tantivy::directory::{CompositeFile, OwnedBytes};
use tantivy::index::{Segment, SegmentComponent};
use tantivy_fst::raw::{Fst, Node};

use crate::storage::schema::Fields;

/// Behind the automaton: the values of the words, how long these are, and two numbers that say what
/// kind of a dictionary it is.
const LENGTH_LEN: usize = 8;
const KIND_LEN: usize = 8;

/// The words of a segment.
pub(super) struct Vocabulary(Option<Fst<OwnedBytes>>);

impl Vocabulary {
    /// Opens the dictionary of the words of a segment, which tantivy has opened already.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub(super) fn open(segment: &Segment) -> tantivy::Result<Self> {
        let terms = CompositeFile::open(&segment.open_read(SegmentComponent::Terms)?)?;
        let Some(file) = terms.open_read(Fields::new().words) else {
            return Ok(Self(None));
        };
        let corrupt = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
        let bytes = file.read_bytes()?;
        let len = bytes.len().checked_sub(KIND_LEN + LENGTH_LEN);
        let values_len = len.and_then(|len| bytes[len..].first_chunk::<LENGTH_LEN>());
        let values_len = values_len.map(|len| u64::from_le_bytes(*len) as usize);
        let len = len
            .zip(values_len)
            .and_then(|(len, values)| len.checked_sub(values));
        let len = len.ok_or_else(|| corrupt("a dictionary is cut short"))?;
        let fst = Fst::new(bytes.slice(0..len));
        let fst = fst.map_err(|_| corrupt("a dictionary is damaged"))?;
        Ok(Self(Some(fst)))
    }

    /// The words that the automaton accepts, in byte order, from `from` up to, not including, `to`;
    /// `None` leaves the end open.
    pub(super) fn walk<'a>(
        &'a self,
        automaton: &'a DFA,
        from: &'a [u8],
        to: Option<&'a [u8]>,
    ) -> Walk<'a> {
        let root = self.0.as_ref().map(|fst| Level {
            node: fst.root(),
            next: 0,
            state: automaton.initial_state(),
        });
        Walk {
            fst: self.0.as_ref(),
            automaton,
            from,
            to,
            word: Vec::new(),
            levels: root.into_iter().collect(),
        }
    }
}

/// A place among the wanted words of a segment.
pub(super) struct Walk<'a> {
    fst: Option<&'a Fst<OwnedBytes>>,
    automaton: &'a DFA,
    from: &'a [u8],
    to: Option<&'a [u8]>,
    word: Vec<u8>,
    /// The root, and a level for each byte of the word.
    levels: Vec<Level<'a>>,
}

struct Level<'a> {
    node: Node<'a>,
    /// The byte behind it that is looked at next.
    next: usize,
    state: u32,
}

impl Walk<'_> {
    /// The word of the last step.
    pub(super) fn word(&self) -> &[u8] {
        &self.word
    }

    /// Goes to the next word; false when there is none.
    pub(super) fn advance(&mut self) -> bool {
        let Some(fst) = self.fst else { return false };
        while let Some(level) = self.levels.last_mut() {
            if level.next == level.node.len() {
                self.levels.pop();
                self.word.pop();
                continue;
            }
            let step = level.node.transition(level.next);
            level.next += 1;
            let state = self.automaton.transition(level.state, step.inp);
            if state == SINK_STATE {
                continue;
            }
            self.word.push(step.inp);
            let word = &self.word[..];
            if self.to.is_some_and(|to| word >= to) {
                self.levels.clear();
                return false;
            }
            let is_before = word < self.from;
            if is_before && !self.from.starts_with(word) {
                self.word.pop();
                continue;
            }
            let node = fst.node(step.addr);
            let is_wanted = !is_before
                && node.is_final()
                && matches!(self.automaton.distance(state), Distance::Exact(_));
            self.levels.push(Level {
                node,
                next: 0,
                state,
            });
            if is_wanted {
                return true;
            }
        }
        false
    }
}
