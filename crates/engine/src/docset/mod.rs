//! Sets of [`DocId`]s: the one currency of matching, filtering and ranking.
//!
//! A set is either *sparse* (a sorted vector) or *dense* (a bit per id). Which one it is follows
//! from its size when it was made and never shows through the interface.
//!
//! # Invariants
//! 1. A sparse set is strictly ascending.
//! 2. `len` always equals the number of ids held.
//! 3. A dense set may be shorter than another one: missing words count as zero.
//!
//! # Cost
//! A clone is a counter. Operations with a sparse side cost its length (times a logarithm against a
//! much larger sparse set); two dense sides cost one pass over their words. Sets that share what
//! they hold are known to be equal, and what an operation leaves as it was is shared: an operation
//! on sets that came from one costs nothing.

mod algebra;
mod bits;
mod builder;
mod iter;
mod parts;
mod sorted_ids;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use builder::DocSetBuilder;
use iter::IterRepr;
pub use iter::{Iter, Later, WithLater, with_later};

/// Stable internal number of a document: given at first insertion, kept by updates, reused after
/// a deletion. Ascending ids are the final order among documents that tie on every rule.
pub type DocId = u32;

/// Ids per dense word.
const WORD_BITS: usize = 64;
/// A set stays sparse while it holds at most one id in this many of its span.
const SPARSE_RATIO: usize = 64;

/// An immutable-by-convention set of document ids.
#[derive(Clone, Debug)]
pub struct DocSet {
    repr: Repr,
    len: usize,
}

#[derive(Clone, Debug)]
enum Repr {
    Sparse(Arc<Vec<DocId>>),
    Dense(Arc<Vec<u64>>),
}

impl Default for DocSet {
    fn default() -> Self {
        Self::empty()
    }
}

impl DocSet {
    /// The set without documents.
    #[must_use]
    pub fn empty() -> Self {
        Self::sparse(Vec::new())
    }

    /// All ids from 0 up to, not including, `end`.
    #[must_use]
    pub fn full(end: DocId) -> Self {
        let n = end as usize;
        let mut words = vec![u64::MAX; n.div_ceil(WORD_BITS)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), n % WORD_BITS) {
            *last = (1 << rest) - 1;
        }
        Self::dense_of(words, n)
    }

    /// Takes ids that are already strictly ascending.
    #[must_use]
    pub fn from_sorted(ids: Vec<DocId>) -> Self {
        debug_assert!(
            ids.windows(2).all(|pair| pair[0] < pair[1]),
            "ids must ascend"
        );
        let len = ids.len();
        let span = ids.last().map_or(0, |last| *last as usize + 1);
        if len <= span / SPARSE_RATIO || len < 16 {
            return Self::sparse(ids);
        }
        Self::dense_of(words_of(&ids, span), len)
    }

    fn from_words(words: Vec<u64>) -> Self {
        let len = bits::count(&words);
        let dense = Self::dense_of(words, len);
        if len < dense.span() / SPARSE_RATIO || len < 16 {
            return Self::sparse(dense.iter().collect());
        }
        dense
    }

    fn sparse(ids: Vec<DocId>) -> Self {
        let len = ids.len();
        Self {
            repr: Repr::Sparse(Arc::new(ids)),
            len,
        }
    }

    fn dense_of(words: Vec<u64>, len: usize) -> Self {
        Self {
            repr: Repr::Dense(Arc::new(words)),
            len,
        }
    }

    /// A bit per id, the lowest of a word first; words without an id may be missing at the end.
    pub(crate) fn to_words(&self) -> Vec<u64> {
        match &self.repr {
            Repr::Dense(words) => words.as_ref().clone(),
            Repr::Sparse(ids) => words_of(ids, self.span()),
        }
    }

    fn span(&self) -> usize {
        match &self.repr {
            Repr::Sparse(ids) => ids.last().map_or(0, |last| *last as usize + 1),
            Repr::Dense(words) => words.len() * WORD_BITS,
        }
    }

    /// Number of documents.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no document.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held on the heap, for cache budgets.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        match &self.repr {
            Repr::Sparse(ids) => ids.capacity() * size_of::<DocId>(),
            Repr::Dense(words) => words.capacity() * size_of::<u64>(),
        }
    }

    /// The same set, with a bit for each id up to the last one, so that asking for an id takes one
    /// load however many there are.
    #[must_use]
    pub fn dense(&self) -> Self {
        match self.repr {
            Repr::Dense(_) => self.clone(),
            Repr::Sparse(_) => Self::dense_of(self.to_words(), self.len),
        }
    }

    /// Whether `id` belongs to the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, id: DocId) -> bool {
        match &self.repr {
            Repr::Sparse(ids) => ids.binary_search(&id).is_ok(),
            Repr::Dense(words) => words
                .get(id as usize / WORD_BITS)
                .is_some_and(|word| word >> (id as usize % WORD_BITS) & 1 == 1),
        }
    }

    /// Number of ids below this one.
    #[must_use]
    pub fn rank(&self, id: DocId) -> usize {
        match &self.repr {
            Repr::Sparse(ids) => ids.partition_point(|below| *below < id),
            Repr::Dense(words) => {
                let (at, bit) = (id as usize / WORD_BITS, id as usize % WORD_BITS);
                let below = words.iter().take(at).map(|word| word.count_ones() as usize);
                let rest = words.get(at).map_or(0, |word| word & ((1 << bit) - 1));
                below.sum::<usize>() + rest.count_ones() as usize
            }
        }
    }

    /// The ids of which so many others are below, for ascending numbers.
    #[must_use]
    pub fn at_ranks(&self, ranks: &[u32]) -> Vec<DocId> {
        let words = match &self.repr {
            Repr::Sparse(ids) => {
                let found = ranks.iter().map_while(|rank| ids.get(*rank as usize));
                return found.copied().collect();
            }
            Repr::Dense(words) => words,
        };
        let mut words = words.iter().zip(0_u32..);
        let (mut bits, mut at, mut n_below) = (0_u64, 0, 0);
        let mut found = Vec::with_capacity(ranks.len());
        for rank in ranks {
            while rank - n_below >= bits.count_ones() {
                n_below += bits.count_ones();
                let Some((word, place)) = words.next() else {
                    return found;
                };
                (bits, at) = (*word, place);
            }
            while n_below < *rank {
                bits &= bits - 1;
                n_below += 1;
            }
            found.push(at * WORD_BITS as DocId + bits.trailing_zeros());
        }
        found
    }

    /// The smallest id.
    #[must_use]
    pub fn first(&self) -> Option<DocId> {
        self.iter().next()
    }

    /// Ids in ascending order.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        match &self.repr {
            Repr::Sparse(ids) => Iter(IterRepr::Sparse(ids.iter())),
            Repr::Dense(words) => Iter(IterRepr::Dense {
                words,
                index: 0,
                current: words.first().copied().unwrap_or(0),
            }),
        }
    }

    /// Ids from one on, ascending.
    #[must_use]
    pub fn iter_from(&self, id: DocId) -> Iter<'_> {
        match &self.repr {
            Repr::Sparse(ids) => {
                let first = ids.partition_point(|other| *other < id);
                Iter(IterRepr::Sparse(ids[first..].iter()))
            }
            Repr::Dense(words) => {
                let index = id as usize / WORD_BITS;
                let from = u64::MAX << (id as usize % WORD_BITS);
                Iter(IterRepr::Dense {
                    words,
                    index,
                    current: words.get(index).map_or(0, |word| word & from),
                })
            }
        }
    }
}

impl PartialEq for DocSet {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && (self.shares(other) || self.iter().eq(other.iter()))
    }
}

impl Eq for DocSet {}

impl FromIterator<DocId> for DocSet {
    /// Collects ids in any order, repeats allowed.
    fn from_iter<I: IntoIterator<Item = DocId>>(ids: I) -> Self {
        let mut ids: Vec<DocId> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Self::from_sorted(ids)
    }
}

impl<'a> IntoIterator for &'a DocSet {
    type Item = DocId;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// A bit per id of ascending ids below `span`.
fn words_of(ids: &[DocId], span: usize) -> Vec<u64> {
    let mut words = vec![0; span.div_ceil(WORD_BITS)];
    for id in ids {
        words[*id as usize / WORD_BITS] |= 1 << (*id as usize % WORD_BITS);
    }
    words
}
