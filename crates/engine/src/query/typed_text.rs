//! Whether an attribute of a document is what was typed, or starts with it.
//!
//! Each word must stand, in some attribute, where it stands in the query; then an attribute that holds
//! them all decides. Both looks are independent, as in the reference engine.

use super::matching::FieldMask;
use crate::docset::DocId;

/// Words as they were typed.
#[derive(Clone, Debug)]
pub struct TypedText {
    /// Each with the [`super::bucketed`] position at which it should stand.
    pub words: Vec<(String, u16)>,
    /// The number of words of an attribute that is the text; `None` if none counts as such.
    pub length: Option<u32>,
    /// The attributes that decide.
    pub deciding: FieldMask,
}

/// What the attributes of a document have of a text, the most of it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedMatch {
    /// One is the text.
    Whole,
    /// One starts with it.
    Start,
    /// Neither.
    Nothing,
}

/// Looks for one [`TypedText`] in documents.
pub trait TypedTextReader {
    /// Says that the document will be asked for soon.
    fn expect(&self, doc: DocId);
    /// What the document has of the text.
    fn look_at(&mut self, doc: DocId) -> TypedMatch;
}
