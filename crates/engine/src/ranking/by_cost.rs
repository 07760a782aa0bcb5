//! Documents by what they cost, cheapest first.
//!
//! # Cost
//! Most costs are small: those are places in a list. The others are looked up.

use std::collections::BTreeMap;

use crate::docset::DocId;

/// Costs below this one have a place of their own.
const N_LOW: usize = 256;

/// Documents of one bucket with the path each used; no paths if there is only one.
#[derive(Clone, Default)]
pub(super) struct Measured {
    pub(super) docs: Vec<DocId>,
    pub(super) paths: Vec<u32>,
}

/// Documents by ascending cost.
#[derive(Default)]
pub(super) struct ByCost {
    low: Vec<Measured>,
    high: BTreeMap<u32, Measured>,
}

impl ByCost {
    /// The documents with a cost, to add one to.
    #[inline]
    pub(super) fn of(&mut self, cost: u32) -> &mut Measured {
        let at = cost as usize;
        if at >= N_LOW {
            return self.high.entry(cost).or_default();
        }
        if at >= self.low.len() {
            self.low.resize_with(at + 1, Measured::default);
        }
        &mut self.low[at]
    }

    /// The least cost of a document.
    pub(super) fn least(&self) -> Option<u32> {
        let low = self.low.iter().position(|of| !of.docs.is_empty());
        let high = || self.high.first_key_value().map(|(cost, _)| *cost);
        low.map(|cost| cost as u32).or_else(high)
    }

    /// Takes the documents with the least cost.
    pub(super) fn pop_least(&mut self) -> Option<(u32, Measured)> {
        let cost = self.least()?;
        match self.low.get_mut(cost as usize) {
            Some(of) => Some((cost, std::mem::take(of))),
            None => self.high.pop_first(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_come_by_ascending_cost_however_they_were_put() {
        let costs = [300, 3, 0, 255, 256, 3, 1000, 0];
        let mut by_cost = ByCost::default();
        for (doc, cost) in costs.into_iter().enumerate() {
            by_cost.of(cost).docs.push(doc as DocId);
        }
        let mut seen = Vec::new();
        while let Some((cost, measured)) = by_cost.pop_least() {
            assert_ne!(by_cost.least(), Some(cost));
            seen.push((cost, measured.docs));
        }
        let expected = [
            (0, vec![2, 7]),
            (3, vec![1, 5]),
            (255, vec![3]),
            (256, vec![4]),
            (300, vec![0]),
            (1000, vec![6]),
        ];
        assert_eq!(seen, expected);
        assert_eq!(by_cost.least(), None);
    }
}
