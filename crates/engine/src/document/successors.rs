//! Which name comes after which: documents of an index mostly have the same names in the same order, so
//! that a name is found by comparing it with one other instead of by its hash.

/// Stands for no number.
const NONE: u32 = u32::MAX;

/// What followed each number when it was met the last time.
#[derive(Debug, Default)]
pub(crate) struct Successors {
    /// By the number before, one more than that; 0 stands for the start.
    after: Vec<u32>,
    last: usize,
}

impl Successors {
    /// Goes back to the start.
    pub(crate) const fn restart(&mut self) {
        self.last = 0;
    }

    /// The number of the next name: the likely one, if there is one and `is` says so, or what `find`
    /// finds.
    pub(crate) fn next(
        &mut self,
        is: impl FnOnce(usize) -> bool,
        find: impl FnOnce() -> Option<usize>,
    ) -> Option<usize> {
        let after = self.after.get(self.last).copied();
        let likely = after.filter(|after| *after != NONE);
        let number = match likely.map(|likely| likely as usize) {
            Some(likely) if is(likely) => likely,
            _ => {
                let number = find()?;
                if self.after.len() <= self.last {
                    self.after.resize(self.last + 1, NONE);
                }
                self.after[self.last] = number as u32;
                number
            }
        };
        self.last = number + 1;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever came before, each name has its number; what comes in the same order again is not
        /// looked for.
        #[test]
        fn names_have_their_numbers(
            documents in proptest::collection::vec(proptest::collection::vec(0..8_usize, 0..6), 0..6),
        ) {
            let mut successors = Successors::default();
            for document in &documents {
                let unknown = |name: &usize| (*name < 6).then_some(*name);
                for n_looked in [document.len(), 0] {
                    let mut looked = 0;
                    successors.restart();
                    for name in document {
                        let is = |likely: usize| {
                            assert!(likely < 6, "only what was found is likely");
                            likely == *name
                        };
                        let found = successors.next(is, || {
                            looked += 1;
                            unknown(name)
                        });
                        prop_assert_eq!(found, unknown(name));
                    }
                    let distinct: std::collections::BTreeSet<_> = document.iter().collect();
                    if distinct.len() == document.len() && document.iter().all(|name| *name < 6) {
                        prop_assert!(looked <= n_looked);
                    }
                }
            }
        }
    }
}
