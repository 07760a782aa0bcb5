//! From the hits of the queries to the page.
//!
//! A query finds as many hits as the page and everything before it need. A hit with several values can
//! be the end of several hits of another query, and then these are too few: what comes behind them
//! would not be found, or on another page. Then the queries are run for more.

use std::cmp::Ordering;

use super::distinct::{SeenValues, first_distinct};
use super::execute::{FederatedSearch, Found};
use super::merge::{Entry, Placed, merge};
use super::request::FederationError;
use crate::rules::{Slot, slots};

impl<'s> FederatedSearch<'s> {
    /// Finds the hits of the page and answers with them.
    pub(super) fn run(&'s self) -> Result<Vec<u8>, FederationError> {
        let (offset, limit) = self.request.federation.window().range(usize::MAX);
        let end = offset.saturating_add(limit);
        let mut reach = end;
        loop {
            let mut found = self.find(reach)?;
            let lists = std::mem::take(&mut found.lists);
            let merged = || self.first_ranked(lists, &found.pins, end);
            let (ranked, n_repeats) = self.timings.time("merge results", merged);
            if self.falls_short(&ranked, end, &found) {
                reach = reach.saturating_mul(2);
                continue;
            }
            let pins = std::mem::take(&mut found.pins);
            let (page, slots) = page(ranked, pins, offset, limit);
            let n_counted = if self.counts_values() { 0 } else { n_repeats };
            return self.answer(found, (page, &slots), n_counted);
        }
    }

    /// The best hits, and how many were left out because a pinned or a better one has their value.
    fn first_ranked(
        &self,
        lists: Vec<Vec<Entry>>,
        pins: &[Entry],
        end: usize,
    ) -> (Vec<Entry>, usize) {
        let Some(attribute) = self.request.federation.distinct.as_deref() else {
            return (merge(lists).take(end).collect(), 0);
        };
        let values = |entry: &Entry| self.distinct_values(entry, attribute);
        let pinned = SeenValues::of(pins.iter().map(values));
        first_distinct(pinned, merge(lists), end, values)
    }

    /// Whether hits that a query did not look for would come before the last one of these.
    fn falls_short(&self, ranked: &[Entry], end: usize, found: &Found<'_>) -> bool {
        let is_short = ranked.len() < end;
        self.request.federation.distinct.is_some()
            && found.cut.iter().any(|last| {
                let worst = ranked.last();
                is_short || worst.is_some_and(|worst| last.order(worst) == Ordering::Greater)
            })
    }
}

/// The hits of a page among ranked and pinned ones, and what stands at its places.
fn page(
    ranked: Vec<Entry>,
    pins: Vec<Entry>,
    offset: usize,
    limit: usize,
) -> (Vec<Entry>, Vec<Slot>) {
    let positions: Vec<usize> = pins.iter().filter_map(Entry::pinned_position).collect();
    let slots = slots(&positions, ranked.len(), offset, limit);
    let mut pins = pins.into_iter().map(Some).collect::<Vec<_>>();
    let mut ranked = ranked.into_iter().map(Some).collect::<Vec<_>>();
    let page = slots.iter().filter_map(|slot| match *slot {
        Slot::Pin(at) => pins[at].take(),
        Slot::Ranked(at) => ranked[at].take(),
    });
    (page.collect(), slots)
}
