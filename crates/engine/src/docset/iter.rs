//! Walks the ids of a set.

use std::iter::FusedIterator;

use super::{DocId, WORD_BITS};

/// Ascending ids of a [`super::DocSet`].
pub struct Iter<'a>(pub(super) IterRepr<'a>);

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
