//! What rules ask of one document about the words of a query, all in one reading.
//!
//! For each term: the best weight of an attribute that has one of its words, and how far the
//! nearest of them stands from a wanted position. For each pair of terms: how near they come to
//! each other. So a document is read once for all rules, and no occurrence is listed.

use super::corpus::{FieldId, Slot};
use crate::docset::DocId;

/// The cost of words that are not near each other.
pub const FAR: u16 = 3;
/// Weight and distance of a term that the document does not hold.
pub const NOWHERE: u16 = u16::MAX;

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct MeasurePlan {
    /// The terms.
    pub terms: Vec<MeasuredTerm>,
    /// Pairs of terms that should be near each other.
    pub pairs: Vec<MeasuredPair>,
    /// Weights of attributes by field id, [`NOWHERE`] for those without one; `None` if weights and
    /// distances are not wanted.
    pub weights: Option<Vec<u16>>,
    /// About how many documents will be measured: whether it pays to remember their measures.
    pub n_docs: usize,
}

/// Words and prefixes that count as one.
#[derive(Clone, Debug, Default)]
pub struct MeasuredTerm {
    /// Near a word before and behind them.
    pub slots: Vec<Slot>,
    /// Near only behind the term before them and before the one behind them, never backwards.
    pub one_way: Vec<Slot>,
    /// The position that distances are counted from.
    pub wanted: u16,
}

/// Two terms, the second of which should stand directly behind the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredPair {
    /// Number of the first term.
    pub first: usize,
    /// Number of the second term.
    pub second: usize,
    /// The document need not be read on once the cost is this or less.
    pub enough: u16,
}

impl MeasurePlan {
    /// Numbers measured of a document: weight and distance of each term, cost of each pair.
    #[must_use]
    pub const fn width(&self) -> usize {
        2 * self.terms.len() + self.pairs.len()
    }

    /// The weight of an attribute, [`NOWHERE`] if it has none; `None` if weights are not wanted.
    #[must_use]
    pub fn weight_of(&self, field: FieldId) -> Option<u16> {
        let weights = self.weights.as_ref()?;
        Some(weights.get(usize::from(field)).copied().unwrap_or(NOWHERE))
    }

    /// Where the cost of a pair stands among the measures.
    #[must_use]
    pub const fn pair_at(&self, pair: usize) -> usize {
        2 * self.terms.len() + pair
    }
}

/// Reads documents for one [`MeasurePlan`].
pub trait Measurer {
    /// Says that the document will be measured soon.
    fn expect(&self, doc: DocId) {
        let _ = doc;
    }
    /// Replaces `out`, which is [`MeasurePlan::width`] long, by the measures of a document:
    ///
    /// - at `2 t`, the least weight of an attribute with a word of term `t`, or [`NOWHERE`];
    /// - at `2 t + 1`, the least distance of a [`super::bucketed`] position from the wanted one,
    ///   or [`NOWHERE`];
    /// - behind them, the cost of each pair: 0 for neighbours in order, 1 for one word between or
    ///   neighbours the other way round, 2 for another word between, [`FAR`] otherwise. A cost
    ///   that is enough may be more than the least.
    fn measure(&mut self, doc: DocId, out: &mut [u16]);
}
