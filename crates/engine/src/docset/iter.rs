//! Walks the ids of a set.

use std::iter::FusedIterator;

use super::{DocId, WORD_BITS};

/// Ascending ids of a [`super::DocSet`].
#[derive(Clone)]
pub struct Iter<'a>(pub(super) IterRepr<'a>);

#[derive(Clone)]
pub(super) enum IterRepr<'a> {
    Sparse(std::slice::Iter<'a, DocId>),
    Dense {
        words: &'a [u64],
        index: usize,
        current: u64,
    },
}

impl Iterator for Iter<'_> {
    type Item = DocId;

    fn next(&mut self) -> Option<DocId> {
        match &mut self.0 {
            IterRepr::Sparse(ids) => ids.next().copied(),
            IterRepr::Dense {
                words,
                index,
                current,
            } => {
                while *current == 0 {
                    *index += 1;
                    *current = *words.get(*index)?;
                }
                let bit = current.trailing_zeros();
                *current &= *current - 1;
                Some((*index * WORD_BITS) as DocId + bit)
            }
        }
    }
}

impl FusedIterator for Iter<'_> {}

/// How far ahead documents are told of: what is done with so many of them takes as long as memory
/// does to give the bytes of one.
const AHEAD: usize = 12;

/// Documents, each with one that comes some documents later: for readers that ask for bytes of
/// documents before they need them.
pub fn with_later(
    docs: impl Iterator<Item = DocId> + Clone,
) -> impl Iterator<Item = (DocId, Option<DocId>)> {
    let later = docs.clone().skip(AHEAD).map(Some);
    docs.zip(later.chain(std::iter::repeat(None)))
}
