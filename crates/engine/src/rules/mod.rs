//! Dynamic search rules: documents that are pinned to a position of the hits when a search meets
//! conditions.
//!
//! Rules are read once, when they change; a search looks at them once, before it ranks. A pinned
//! document passes the filter of the search, whatever its words; it is left out of the ranking, and
//! put at its position when a page is made.
//!
//! # Invariants
//! A document is pinned once, by the first rule that pins it: rules go by precedence, then by age.
//!
//! # Cost
//! Bounded by [`Budgets`], whatever the rules and the filter of a search. Without rules: nothing.

mod implication;
mod pinned;
mod placement;
mod rule_set;

pub(crate) use pinned::{Pinned, PinnedDoc};
pub(crate) use placement::{Slot, pinned_places, slots};
pub use rule_set::{AppliedRules, Budgets, RuleSet, SearchRules};
