//! What a user may configure on an index, and what each change costs.
//!
//! [`IndexSettings`] is always complete: a value that was never set holds its default. A change
//! arrives as a partial JSON object ([`IndexSettings::apply`]) and yields new settings together
//! with the [`ReindexScope`] it needs; the old settings stay untouched, so that a change which
//! fails later leaves no trace.

mod apply;
mod attribute_pattern;
mod chat;
mod embedder_rules;
mod embedders;
mod index_settings;
mod ranking_rules;
mod scope;
mod without_words;

pub use apply::SettingsError;
pub use attribute_pattern::{AttributePattern, covers};
pub use chat::{ChatHybrid, ChatSearchParameters, ChatSettings};
pub(crate) use embedders::{
    DEFAULT_MAX_BYTES, DEFAULT_OPEN_AI_MODEL, DEFAULT_SOURCE, DEFAULT_TEMPLATE,
};
pub use index_settings::{
    FacetOrder, FacetingSettings, FilterFeatures, FilterableAttribute, FilterableFeatures,
    FilterableRule, IndexSettings, LocalizedAttributes, MinWordSizeForTypos, PaginationSettings,
    PrefixSearch, ProximityPrecision, TypoTolerance,
};
pub use ranking_rules::{Direction, RankingRuleSetting};
pub use scope::ReindexScope;
