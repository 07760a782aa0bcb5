//! Sets against each other.
//!
//! # Invariants
//! A result that holds what an operand holds shares it, where that is seen on the way.

use std::sync::Arc;

use super::{DocId, DocSet, Repr, WORD_BITS, sorted_ids};

impl DocSet {
    /// Whether both sets are known to be the same without looking at what they hold.
    pub(super) fn shares(&self, other: &Self) -> bool {
        match (&self.repr, &other.repr) {
            (Repr::Sparse(a), Repr::Sparse(b)) => Arc::ptr_eq(a, b),
            (Repr::Dense(a), Repr::Dense(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Documents in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        if self.shares(other) || self.is_empty() {
            return self.clone();
        }
        let both = match (&self.repr, &other.repr) {
            (Repr::Dense(a), Repr::Dense(b)) => {
                Self::from_words(a.iter().zip(b.iter()).map(|(a, b)| a & b).collect())
            }
            (Repr::Sparse(a), Repr::Sparse(b)) if a == b => return self.clone(),
            (Repr::Sparse(a), Repr::Sparse(b)) => Self::from_sorted(sorted_ids::both(a, b)),
            (Repr::Sparse(ids), _) => Self::retained(ids, |id| other.contains(id)),
            (_, Repr::Sparse(ids)) => Self::retained(ids, |id| self.contains(id)),
        };
        both.or_the_same(&[self, other])
    }

    /// Documents in either set.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() || self.shares(other) {
            return self.clone();
        }
        match (&self.repr, &other.repr) {
            (Repr::Sparse(a), Repr::Sparse(b)) => Self::from_sorted(sorted_ids::either(a, b)),
            (Repr::Dense(a), Repr::Dense(b)) => {
                let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
                let mut words = long.to_vec();
                for (word, more) in words.iter_mut().zip(short.iter()) {
                    *word |= more;
                }
                Self::from_words(words)
            }
            (Repr::Dense(words), Repr::Sparse(ids)) | (Repr::Sparse(ids), Repr::Dense(words)) => {
                let mut words = words.to_vec();
                let span = ids
                    .last()
                    .map_or(0, |last| *last as usize + 1)
                    .div_ceil(WORD_BITS);
                if span > words.len() {
                    words.resize(span, 0);
                }
                for id in ids.iter() {
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
        if self.shares(other) {
            return Self::empty();
        }
        let left = match (&self.repr, &other.repr) {
            (Repr::Sparse(a), Repr::Sparse(b)) if a == b => return Self::empty(),
            (Repr::Sparse(a), Repr::Sparse(b)) => Self::from_sorted(sorted_ids::without(a, b)),
            (Repr::Sparse(ids), _) => Self::retained(ids, |id| !other.contains(id)),
            (Repr::Dense(a), Repr::Dense(b)) => {
                let mut words = a.to_vec();
                for (word, less) in words.iter_mut().zip(b.iter()) {
                    *word &= !less;
                }
                Self::from_words(words)
            }
            (Repr::Dense(a), Repr::Sparse(ids)) => {
                let mut words = a.to_vec();
                for id in ids.iter() {
                    if let Some(word) = words.get_mut(*id as usize / WORD_BITS) {
                        *word &= !(1 << (*id as usize % WORD_BITS));
                    }
                }
                Self::from_words(words)
            }
        };
        left.or_the_same(&[self])
    }

    /// Takes the documents of `other` away. A dense set stays dense.
    pub fn remove_all(&mut self, other: &Self) {
        match (&mut self.repr, &other.repr) {
            (Repr::Sparse(ids), Repr::Sparse(less)) => {
                *ids = Arc::new(sorted_ids::without(ids, less));
                self.len = ids.len();
            }
            (Repr::Sparse(ids), _) => {
                Arc::make_mut(ids).retain(|id| !other.contains(*id));
                self.len = ids.len();
            }
            (Repr::Dense(words), Repr::Dense(less)) => {
                for (word, less) in Arc::make_mut(words).iter_mut().zip(less.iter()) {
                    self.len -= (*word & less).count_ones() as usize;
                    *word &= !less;
                }
            }
            (Repr::Dense(words), Repr::Sparse(ids)) => {
                let words = Arc::make_mut(words);
                for id in ids.iter() {
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
        if self.shares(other) {
            return self.len;
        }
        match (&self.repr, &other.repr) {
            (Repr::Dense(a), Repr::Dense(b)) => a
                .iter()
                .zip(b.iter())
                .map(|(a, b)| (a & b).count_ones() as usize)
                .sum(),
            (Repr::Sparse(a), Repr::Sparse(b)) => sorted_ids::n_both(a, b),
            (Repr::Sparse(ids), _) => ids.iter().filter(|id| other.contains(**id)).count(),
            (_, Repr::Sparse(ids)) => ids.iter().filter(|id| self.contains(**id)).count(),
        }
    }

    /// Whether the sets share a document.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        match (&self.repr, &other.repr) {
            (Repr::Dense(a), Repr::Dense(b)) => a.iter().zip(b.iter()).any(|(a, b)| a & b != 0),
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

    /// This set, or the one of `wholes`, of which it is a part, that holds no more.
    fn or_the_same(self, wholes: &[&Self]) -> Self {
        let whole = wholes.iter().find(|whole| whole.len == self.len);
        whole.map_or(self, |whole| (*whole).clone())
    }
}
