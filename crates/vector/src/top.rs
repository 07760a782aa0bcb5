//! The best documents seen so far.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::shape::DocId;

/// A document and how similar it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// The document.
    pub doc: DocId,
    /// From 0, opposite, to 1, same direction: that of its most similar vector.
    pub similarity: f32,
}

/// The `k` documents of the highest similarities, each with its best; among equals the lowest document.
pub(crate) struct Top {
    k: usize,
    /// Keys of [`key`], worst first.
    order: BTreeSet<u64>,
    best: FxHashMap<DocId, f32>,
}

impl Top {
    pub(crate) fn new(k: usize) -> Self {
        Self {
            k,
            order: BTreeSet::new(),
            best: FxHashMap::default(),
        }
    }

    /// How many documents are wanted.
    pub(crate) fn k(&self) -> usize {
        self.k
    }

    /// A row of a document has this similarity.
    pub(crate) fn offer(&mut self, doc: DocId, similarity: f32) {
        if self.k == 0 || similarity < self.bar() {
            return;
        }
        match self.best.get(&doc) {
            Some(known) if *known >= similarity => return,
            Some(known) => {
                self.order.remove(&key(*known, doc));
            }
            None => (),
        }
        self.best.insert(doc, similarity);
        self.order.insert(key(similarity, doc));
        if self.order.len() > self.k
            && let Some(worst) = self.order.pop_first()
        {
            self.best.remove(&doc_of(worst));
        }
    }

    /// The similarity below which a row changes nothing.
    pub(crate) fn bar(&self) -> f32 {
        match self.order.first() {
            Some(worst) if self.order.len() >= self.k => similarity_of(*worst),
            _ => f32::NEG_INFINITY,
        }
    }

    /// Whether as many documents as wanted are there.
    pub(crate) fn is_full(&self) -> bool {
        self.order.len() >= self.k
    }

    /// The documents, best first.
    pub(crate) fn into_neighbors(self) -> Vec<Neighbor> {
        let neighbor = |key: u64| Neighbor {
            doc: doc_of(key),
            similarity: similarity_of(key),
        };
        self.order.into_iter().rev().map(neighbor).collect()
    }
}

/// A number that orders like similarity (0 or more), then lower documents above higher ones.
fn key(similarity: f32, doc: DocId) -> u64 {
    u64::from(similarity.to_bits()) << 32 | u64::from(!doc)
}

fn doc_of(key: u64) -> DocId {
    !(key as u32)
}

fn similarity_of(key: u64) -> f32 {
    f32::from_bits((key >> 32) as u32)
}
