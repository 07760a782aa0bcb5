//! The best documents by several rules at once.

use std::collections::BTreeMap;

use crate::docset::DocId;

/// The best documents, as far as they were asked for.
pub(super) struct BestGroups {
    /// Documents that the rules do not tell apart, ascending; the best group first.
    pub(super) groups: Vec<Vec<DocId>>,
    /// How many rules were asked.
    pub(super) n_rules: usize,
}

/// The costs of a document by rule after rule as one number.
pub(super) type Key = u128;

/// Rules whose costs are one number.
pub(super) const MAX_RULES: usize = (Key::BITS / u32::BITS) as usize;

/// Gathers the groups that it takes to have so many documents, and all documents of these.
pub(super) struct BestByKey {
    n_wanted: usize,
    n_held: usize,
    groups: BTreeMap<Key, Vec<DocId>>,
    /// Documents with a greater key are not wanted any more.
    worst: Key,
}

impl BestByKey {
    /// For the groups of the best `n_wanted`.
    pub(super) const fn new(n_wanted: usize) -> Self {
        Self {
            n_wanted,
            n_held: 0,
            groups: BTreeMap::new(),
            worst: Key::MAX,
        }
    }

    /// The greatest key that is wanted still.
    pub(super) const fn worst(&self) -> Key {
        self.worst
    }

    /// Adds a document; they come in ascending order.
    pub(super) fn add(&mut self, key: Key, doc: DocId) {
        if key > self.worst {
            return;
        }
        self.groups.entry(key).or_default().push(doc);
        self.n_held += 1;
        while let Some(last) = self.groups.last_entry() {
            if self.n_held - last.get().len() < self.n_wanted {
                if self.n_held >= self.n_wanted {
                    self.worst = *last.key();
                }
                return;
            }
            self.n_held -= last.remove().len();
        }
    }

    /// The groups, best first.
    pub(super) fn into_groups(self) -> Vec<Vec<DocId>> {
        self.groups.into_values().collect()
    }

    /// The groups of the best `n_wanted` of all documents, of each of which one of `parts` was given
    /// some.
    pub(super) fn joined(parts: Vec<Self>, n_wanted: usize) -> Vec<Vec<DocId>> {
        let mut all: BTreeMap<Key, Vec<DocId>> = BTreeMap::new();
        for (key, docs) in parts.into_iter().flat_map(|part| part.groups) {
            all.entry(key).or_default().extend(docs);
        }
        let mut n_held = 0;
        let mut groups = Vec::new();
        for mut docs in all.into_values() {
            if n_held >= n_wanted {
                break;
            }
            n_held += docs.len();
            docs.sort();
            groups.push(docs);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The groups are the first ones of all, and no more than it takes.
        #[test]
        fn the_best_groups_are_the_first_of_all(
            keys in proptest::collection::vec(0_u128..6, 0..60),
            n_wanted in 1_usize..20,
            n_threads in 1_usize..4,
        ) {
            let mut best = BestByKey::new(n_wanted);
            let mut parts = Vec::from_iter((0..n_threads).map(|_| BestByKey::new(n_wanted)));
            let mut all: BTreeMap<Key, Vec<DocId>> = BTreeMap::new();
            for (doc, key) in (0..).zip(keys) {
                best.add(key, doc);
                parts[(doc as usize / 3) % n_threads].add(key, doc);
                all.entry(key).or_default().push(doc);
            }
            let mut expected = Vec::new();
            let mut n_held = 0;
            for group in all.into_values() {
                if n_held >= n_wanted {
                    break;
                }
                n_held += group.len();
                expected.push(group);
            }
            prop_assert_eq!(best.into_groups(), expected.clone());
            prop_assert_eq!(BestByKey::joined(parts, n_wanted), expected);
        }
    }
}
