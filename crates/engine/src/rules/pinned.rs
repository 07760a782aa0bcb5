//! The documents that are pinned in one search, and their way onto its page.

use super::placement::{Slot, slots};
use super::rule_set::AppliedRules;
use crate::docset::{DocId, DocSet};
use crate::ranking::{RankedHit, Ranking, ScoreDetail};
use crate::request::{
    PageWindow, SearchError, SearchRequest, SearchSource, distinct_attribute, parsed_filter,
};

/// A document and the position that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PinnedDoc {
    pub(crate) doc: DocId,
    pub(crate) position: usize,
    /// The place of its rule among all, and of the pin among those of the rule.
    pub(crate) order: (usize, usize),
}

impl PinnedDoc {
    /// What it is placed by among other pins.
    pub(crate) const fn place(&self) -> (usize, (usize, usize)) {
        (self.position, self.order)
    }

    /// The document as a hit.
    pub(crate) fn hit(self) -> RankedHit {
        let position = self.position;
        RankedHit {
            doc: self.doc,
            details: vec![ScoreDetail::Pin { position }],
        }
    }
}

/// The pinned documents of a search, and what they keep out of its ranking.
#[derive(Debug)]
pub(crate) struct Pinned {
    /// By position; at one position in the order of the rules.
    pub(crate) pins: Vec<PinnedDoc>,
    left_out: DocSet,
}

impl Pinned {
    /// What the rules pin in a search. A search that will be refused pins nothing.
    ///
    /// # Errors
    /// The ids of the index cannot be read.
    pub(crate) fn new(
        rules: Option<&AppliedRules<'_>>,
        source: &dyn SearchSource,
        index_uid: &str,
        request: &SearchRequest,
    ) -> Result<Self, SearchError> {
        let Some(rules) = rules else {
            return Ok(Self::of(Vec::new(), source, request));
        };
        let pins = match parsed_filter(request.filter.as_ref(), &request.features) {
            Ok(filter) => rules.pins(source, index_uid, request, filter.as_ref())?,
            Err(_) => Vec::new(),
        };
        Ok(Self::of(pins, source, request))
    }

    /// These pins, each of another document.
    pub(crate) fn of(
        mut pins: Vec<PinnedDoc>,
        source: &dyn SearchSource,
        request: &SearchRequest,
    ) -> Self {
        pins.sort_by_key(PinnedDoc::place);
        let mut left_out: DocSet = docs(&pins);
        if !pins.is_empty()
            && let Ok(Some(attribute)) = distinct_attribute(source, request.distinct.as_deref())
        {
            for pin in &pins {
                left_out = left_out.or(&source.same_value(&attribute, pin.doc));
            }
        }
        Self { pins, left_out }
    }

    /// Documents that must not be ranked, if there are any.
    pub(crate) fn left_out(&self) -> Option<&DocSet> {
        (!self.pins.is_empty()).then_some(&self.left_out)
    }

    /// Documents that count beside the ranked ones.
    pub(crate) fn docs(&self) -> DocSet {
        docs(&self.pins)
    }

    /// The ranked hits that a page may need: pins may take the place of some before it.
    pub(crate) fn ranked_page(&self, page: PageWindow) -> PageWindow {
        let n_pins = self.pins.len();
        PageWindow {
            offset: page.offset.saturating_sub(n_pins),
            limit: match page.limit {
                0 => 0,
                limit => limit.saturating_add(n_pins.min(page.offset)),
            },
        }
    }

    /// Makes the page of hits out of those that [`Self::ranked_page`] asked for, and counts the
    /// pins as candidates. Gives what stands at each place.
    pub(crate) fn place(&self, ranking: &mut Ranking, page: PageWindow) -> Vec<Slot> {
        if self.pins.is_empty() {
            return Vec::new();
        }
        let ranked = self.ranked_page(page);
        let n_found = ranking.hits.len();
        let n_ranked = if n_found >= ranked.limit {
            usize::MAX
        } else if n_found > 0 {
            ranked.offset + n_found
        } else {
            ranked.offset.min(ranking.candidates.len())
        };
        let positions: Vec<usize> = self.pins.iter().map(|pin| pin.position).collect();
        let page = slots(&positions, n_ranked, page.offset, page.limit);
        let hit = |slot: &Slot| match *slot {
            Slot::Pin(number) => Some(self.pins[number].hit()),
            Slot::Ranked(number) => ranking.hits.get(number - ranked.offset).cloned(),
        };
        ranking.hits = page.iter().filter_map(hit).collect();
        ranking.candidates = ranking.candidates.or(&self.docs());
        page
    }
}

fn docs(pins: &[PinnedDoc]) -> DocSet {
    pins.iter().map(|pin| pin.doc).collect()
}
