//! Walks the ids of a set.

use std::iter::{FusedIterator, Take};

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

/// Documents that are told of at once: what it takes to find their bytes is waited for side by side.
const TOGETHER: usize = 12;
/// How far ahead the next ones are told of: what is done with so many documents takes as long as memory
/// does to give the bytes of one.
const AHEAD: usize = 12;

/// Documents, each with those that it is time to tell of, which come some documents later: for readers
/// that ask for bytes of documents before they need them. Each document but the first few is told of once.
pub fn with_later<I: Iterator<Item = DocId> + Clone>(docs: I) -> WithLater<I> {
    let mut later = docs.clone();
    later.nth(AHEAD - 1);
    WithLater {
        docs,
        later,
        n_told: 0,
    }
}

/// See [`with_later`].
#[derive(Clone)]
pub struct WithLater<I> {
    docs: I,
    /// Those that were not told of.
    later: I,
    /// How many more documents come before the next are told of.
    n_told: usize,
}

impl<I: Iterator<Item = DocId> + Clone> Iterator for WithLater<I> {
    type Item = (DocId, Later<I>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let doc = self.docs.next()?;
        if self.n_told > 0 {
            self.n_told -= 1;
            return Some((doc, Later(None)));
        }
        self.n_told = TOGETHER - 1;
        let later = self.later.clone().take(TOGETHER);
        self.later.nth(TOGETHER - 1);
        Some((doc, Later(Some(later))))
    }
}

/// Documents that it is time to tell of; seldom any.
pub struct Later<I>(Option<Take<I>>);

impl<I: Iterator<Item = DocId>> Iterator for Later<I> {
    type Item = DocId;

    #[inline]
    fn next(&mut self) -> Option<DocId> {
        self.0.as_mut()?.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_of_once_and_some_documents_before_they_come() {
        for n in [0, 1, 11, 12, 13, 24, 25, 26, 100] {
            let mut told = Vec::new();
            let mut n_seen = 0;
            for (doc, later) in with_later(0..n) {
                assert_eq!(doc, n_seen);
                n_seen += 1;
                for later in later {
                    assert!(later >= doc + AHEAD as DocId);
                    told.push(later);
                }
            }
            assert_eq!(n_seen, n);
            assert!(told.into_iter().eq(AHEAD as DocId..n));
        }
    }
}
