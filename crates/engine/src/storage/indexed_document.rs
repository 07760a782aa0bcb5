//! A document in the form in which the tantivy writer takes it, without copies of its parts.

use tantivy::TantivyError;
use tantivy::schema::Field;
use tantivy::schema::document::{
    Document, ErasedDocument, ReferenceValue, ReferenceValueLeaf, Value,
};

use super::attribute_row::AttributeRow;
use super::forward_row::{ForwardRow, Symbol};
use super::in_flight::Share;
use super::schema::Fields;
use crate::docset::DocId;

/// Everything the index keeps of one document.
#[derive(Debug)]
pub(crate) struct IndexedDocument {
    /// Value of the primary key as text.
    pub(crate) external_id: Box<str>,
    /// Stable internal number.
    pub(crate) doc_id: DocId,
    /// Distinct normalised words, separated by `\0`.
    pub(crate) words: String,
    /// Its JSON, for the blocks of [`super::document_plugin`].
    pub(crate) document: Vec<u8>,
    /// Words in order, for the forward index.
    pub(crate) forward: ForwardRow,
    /// Values of faceted attributes.
    pub(crate) attributes: AttributeRow,
    /// Its share of what may wait to be written.
    pub(crate) share: Option<Share>,
}

impl IndexedDocument {
    /// The document that tantivy gives to the plugins; all that reach it are of this kind.
    ///
    /// # Errors
    /// When it is another kind of document.
    pub(crate) fn given(document: &dyn ErasedDocument) -> tantivy::Result<&Self> {
        let prepared = document.as_any().downcast_ref::<Box<Self>>();
        let refusal = || TantivyError::InternalError("a document was not prepared".to_owned());
        prepared.map(Box::as_ref).ok_or_else(refusal)
    }

    /// Bytes of memory it takes, roughly.
    pub(crate) fn mem_usage(&self) -> usize {
        size_of::<Self>()
            + self.external_id.len()
            + self.words.capacity()
            + self.document.capacity()
            + self.forward.symbols.capacity() * size_of::<Symbol>()
            + self.forward.fields.capacity() * 8
            + self.attributes.mem_usage()
    }
}

/// One value handed to tantivy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IndexedValue<'a> {
    Text(&'a str),
    Number(u64),
}

impl<'a> Value<'a> for IndexedValue<'a> {
    type ArrayIter = std::iter::Empty<Self>;
    type ObjectIter = std::iter::Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match *self {
            Self::Text(text) => ReferenceValueLeaf::Str(text),
            Self::Number(number) => ReferenceValueLeaf::U64(number),
        })
    }
}

/// Boxed: tantivy's queue has ten thousand places with room for four documents each, which is
/// memory that every open writer takes, documents or not.
impl Document for Box<IndexedDocument> {
    type Value<'a> = IndexedValue<'a>;
    type FieldsValuesIter<'a> = std::array::IntoIter<(Field, IndexedValue<'a>), 3>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let fields = Fields::new();
        [
            (fields.id, IndexedValue::Text(&self.external_id)),
            (fields.words, IndexedValue::Text(&self.words)),
            (fields.seq, IndexedValue::Number(u64::from(self.doc_id))),
        ]
        .into_iter()
    }
}
