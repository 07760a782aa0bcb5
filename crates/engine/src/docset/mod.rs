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
//! Operations with a sparse side cost its length (times a logarithm against another sparse set);
//! two dense sides cost one pass over their words.

mod builder;
mod iter;
#[cfg(test)]
mod tests;

pub use builder::DocSetBuilder;
pub use iter::Iter;
use iter::IterRepr;

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
    Sparse(Vec<DocId>),
    Dense(Vec<u64>),
}

impl Default for DocSet {
    fn default() -> Self {
        Self::empty()
    }
}

impl DocSet {
    /// The set without documents.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            repr: Repr::Sparse(Vec::new()),
            len: 0,
        }
    }

    /// All ids from 0 up to, not including, `end`.
    #[must_use]
    pub fn full(end: DocId) -> Self {
        let n = end as usize;
        let mut words = vec![u64::MAX; n.div_ceil(WORD_BITS)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), n % WORD_BITS) {
            *last = (1 << rest) - 1;
        }
        Self {
            repr: Repr::Dense(words),
            len: n,
        }
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
            return Self {
                repr: Repr::Sparse(ids),
                len,
            };
        }
        let mut words = vec![0; span.div_ceil(WORD_BITS)];
        for id in ids {
            words[id as usize / WORD_BITS] |= 1 << (id as usize % WORD_BITS);
        }
        Self {
            repr: Repr::Dense(words),
            len,
        }
    }

    fn from_words(words: Vec<u64>) -> Self {
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        let dense = Self {
            repr: Repr::Dense(words),
            len,
        };
        if len < dense.span() / SPARSE_RATIO || len < 16 {
            let ids = dense.iter().collect();
            return Self {
                repr: Repr::Sparse(ids),
                len,
            };
        }
        dense
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
        let Repr::Sparse(ids) = &self.repr else {
            return self.clone();
        };
        let span = ids.last().map_or(0, |last| *last as usize + 1);
        let mut words = vec![0; span.div_ceil(WORD_BITS)];
        for id in ids {
            words[*id as usize / WORD_BITS] |= 1 << (*id as usize % WORD_BITS);
        }
        Self {
            repr: Repr::Dense(words),
            len: self.len,
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

    /// Documents in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (&self.repr, &other.repr) {
            (Repr::Dense(a), Repr::Dense(b)) => {
                Self::from_words(a.iter().zip(b).map(|(a, b)| a & b).collect())
            }
            (Repr::Sparse(ids), _) if self.len <= other.len || !other.is_sparse() => {
                Self::retained(ids, |id| other.contains(id))
            }
            (_, Repr::Sparse(ids)) => Self::retained(ids, |id| self.contains(id)),
            _ => unreachable!("one side is sparse"),
        }
    }

    /// Documents in either set.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() {
            return self.clone();
        }
        match (&self.repr, &other.repr) {
            (Repr::Sparse(a), Repr::Sparse(b)) => Self::from_sorted(merge_sorted(a, b)),
            (Repr::Dense(a), Repr::Dense(b)) => {
                let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
                let mut words = long.clone();
                for (word, more) in words.iter_mut().zip(short) {
                    *word |= more;
                }
                Self::from_words(words)
            }
            (Repr::Dense(words), Repr::Sparse(ids)) | (Repr::Sparse(ids), Repr::Dense(words)) => {
                let mut words = words.clone();
                let span = ids
                    .last()
                    .map_or(0, |last| *last as usize + 1)
                    .div_ceil(WORD_BITS);
                if span > words.len() {
                    words.resize(span, 0);
                }
                for id in ids {
                    words[*id as usize / WORD_BITS] |= 1 << (*id as usize % WORD_BITS);
                }
                Self::from_words(words)
            }
        }
    }

    /// Documents of this set that are not in `other`.
    #[must_use]
    pub fn and_not(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return self.clone();
        }
        match (&self.repr, &other.repr) {
            (Repr::Sparse(ids), _) => Self::retained(ids, |id| !other.contains(id)),
            (Repr::Dense(a), Repr::Dense(b)) => {
                let mut words = a.clone();
                for (word, less) in words.iter_mut().zip(b) {
                    *word &= !less;
                }
                Self::from_words(words)
            }
            (Repr::Dense(a), Repr::Sparse(ids)) => {
                let mut words = a.clone();
                for id in ids {
                    if let Some(word) = words.get_mut(*id as usize / WORD_BITS) {
                        *word &= !(1 << (*id as usize % WORD_BITS));
                    }
                }
                Self::from_words(words)
            }
        }
    }

    /// Takes the documents of `other` away. A dense set stays dense.
    pub fn remove_all(&mut self, other: &Self) {
        match (&mut self.repr, &other.repr) {
            (Repr::Sparse(ids), _) => {
                ids.retain(|id| !other.contains(*id));
                self.len = ids.len();
            }
            (Repr::Dense(words), Repr::Dense(less)) => {
                for (word, less) in words.iter_mut().zip(less) {
                    self.len -= (*word & less).count_ones() as usize;
                    *word &= !less;
                }
            }
            (Repr::Dense(words), Repr::Sparse(ids)) => {
                for id in ids {
                    let bit = 1 << (*id as usize % WORD_BITS);
                    if let Some(word) = words.get_mut(*id as usize / WORD_BITS) {
                        self.len -= usize::from(*word & bit != 0);
                        *word &= !bit;
                    }
                }
            }
        }
    }

    /// Number of documents in both sets, without building their intersection.
    #[must_use]
    pub fn and_len(&self, other: &Self) -> usize {
        match (&self.repr, &other.repr) {
            (Repr::Dense(a), Repr::Dense(b)) => a
                .iter()
                .zip(b)
                .map(|(a, b)| (a & b).count_ones() as usize)
                .sum(),
            (Repr::Sparse(ids), _) if self.len <= other.len || !other.is_sparse() => {
                ids.iter().filter(|id| other.contains(**id)).count()
            }
            (_, Repr::Sparse(ids)) => ids.iter().filter(|id| self.contains(**id)).count(),
            _ => unreachable!("one side is sparse"),
        }
    }

    /// Whether the sets share a document.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        match (&self.repr, &other.repr) {
            (Repr::Dense(a), Repr::Dense(b)) => a.iter().zip(b).any(|(a, b)| a & b != 0),
            (Repr::Sparse(ids), _) if self.len <= other.len || !other.is_sparse() => {
                ids.iter().any(|id| other.contains(*id))
            }
            (_, Repr::Sparse(ids)) => ids.iter().any(|id| self.contains(*id)),
            _ => unreachable!("one side is sparse"),
        }
    }

    /// Whether every document of this set is in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.len <= other.len && self.and_len(other) == self.len
    }

    const fn is_sparse(&self) -> bool {
        matches!(self.repr, Repr::Sparse(_))
    }

    fn retained(ids: &[DocId], keep: impl Fn(DocId) -> bool) -> Self {
        Self::from_sorted(ids.iter().copied().filter(|id| keep(*id)).collect())
    }
}

impl PartialEq for DocSet {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
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

fn merge_sorted(a: &[DocId], b: &[DocId]) -> Vec<DocId> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        merged.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    merged.extend_from_slice(&a[i..]);
    merged.extend_from_slice(&b[j..]);
    merged
}
