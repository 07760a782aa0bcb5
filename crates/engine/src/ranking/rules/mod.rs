//! The ranking rules.

mod attribute_rank;
mod exact_attribute;
mod exact_look;
mod exact_words;
mod geo_sort;
mod proximity;
mod sort;
mod typo;
mod vector;
mod word_position;
mod words;

pub(super) use attribute_rank::AttributeRankRule;
pub(super) use exact_attribute::ExactAttributeRule;
pub(super) use exact_words::ExactWordsRule;
pub(super) use geo_sort::GeoSortRule;
pub(super) use proximity::ProximityRule;
pub(super) use sort::SortRule;
pub(super) use typo::TypoRule;
pub use vector::VectorRule;
pub(super) use word_position::WordPositionRule;
pub(super) use words::WordsRule;
