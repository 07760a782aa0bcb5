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
    /// Stable internal number.
    pub(crate) doc_id: DocId,
    /// Its texts.
    pub(crate) texts: Texts,
    /// Words in order, for the forward index.
    pub(crate) forward: ForwardRow,
    /// Values of faceted attributes.
    pub(crate) attributes: AttributeRow,
    /// Its share of what may wait to be written.
    pub(crate) share: Option<Share>,
}

/// The texts of a document in one piece of memory: what one thread allocates and another frees takes
/// both longer than what stays with one.
#[derive(Debug)]
pub(crate) struct Texts {
    all: Box<str>,
    id_end: usize,
    words_end: usize,
}

impl Texts {
    /// The value of the primary key as text, the distinct normalised words, separated by `\0`, and the
    /// JSON of the document.
    pub(crate) fn new(external_id: &str, words: &str, document: &str) -> Self {
        Self {
            all: [external_id, words, document].concat().into(),
            id_end: external_id.len(),
            words_end: external_id.len() + words.len(),
        }
    }

    /// The value of the primary key as text.
    pub(crate) fn external_id(&self) -> &str {
        &self.all[..self.id_end]
    }

    /// Distinct normalised words, separated by `\0`.
    pub(crate) fn words(&self) -> &str {
        &self.all[self.id_end..self.words_end]
    }

    /// Its JSON, for the blocks of [`super::document_plugin`].
    pub(crate) fn document(&self) -> &str {
        &self.all[self.words_end..]
    }
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
            + self.texts.all.len()
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
            (fields.id, IndexedValue::Text(self.texts.external_id())),
            (fields.words, IndexedValue::Text(self.texts.words())),
            (fields.seq, IndexedValue::Number(u64::from(self.doc_id))),
        ]
        .into_iter()
    }
}
