//! Cuts a set into consecutive parts without copying it.

use super::iter::{Iter, IterRepr};
use super::{DocSet, Repr};

/// Consecutive parts of a set, ascending.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'s> {
    set: &'s DocSet,
    /// Ids of a sparse set, or words of a dense one, in each part.
    step: usize,
    n_parts: usize,
}

impl DocSet {
    /// Parts of `n` ids each; where ids lie close, of `n` on average and whole words.
    pub(crate) fn parts(&self, n: usize) -> Parts<'_> {
        let n = n.max(1);
        let (step, size) = match &self.repr {
            Repr::Sparse(ids) => (n, ids.len()),
            Repr::Dense(words) => {
                let per_id = words.len() as f64 / self.len.max(1) as f64;
                ((n as f64 * per_id) as usize, words.len())
            }
        };
        let step = step.max(1);
        Parts {
            set: self,
            step,
            n_parts: size.div_ceil(step),
        }
    }
}

impl<'s> Parts<'s> {
    /// How many there are.
    pub(crate) const fn len(&self) -> usize {
        self.n_parts
    }

    /// The ids of one of them; it may have none.
    pub(crate) fn get(&self, number: usize) -> Iter<'s> {
        let start = number * self.step;
        match &self.set.repr {
            Repr::Sparse(ids) => {
                let end = ids.len().min(start + self.step);
                Iter(IterRepr::Sparse(ids[start.min(end)..end].iter()))
            }
            Repr::Dense(words) => {
                let words = &words[..words.len().min(start + self.step)];
                Iter(IterRepr::Dense {
                    words,
                    index: start,
                    current: words.get(start).copied().unwrap_or(0),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::docset::{DocId, WORD_BITS};

    proptest! {
        /// Sets of a few ids far apart and of many that lie close alike.
        #[test]
        fn the_parts_of_a_set_are_the_set(
            ids in proptest::collection::btree_set(0_u32..3000, 0..400),
            spread in 1_u32..200,
            n in 0_usize..50,
        ) {
            let set: DocSet = ids.into_iter().map(|id| id * spread / 20).collect();
            let parts = set.parts(n);
            let of_parts: Vec<DocId> = (0..parts.len()).flat_map(|at| parts.get(at)).collect();
            prop_assert_eq!(of_parts, set.iter().collect::<Vec<_>>());
            let words = WORD_BITS * (1 + n);
            prop_assert!((0..parts.len()).all(|at| parts.get(at).count() <= n.max(1) + words));
            prop_assert_eq!(parts.get(parts.len()).next(), None);
        }
    }
}
