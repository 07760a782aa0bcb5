//! What a search needs of an index beyond the words: documents, and what filters select.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::docset::{DocId, DocSet};
use crate::index::DocumentBytes;
use crate::query::{Corpus, QueryConfig};
use crate::request::FilterFeatures;
use crate::vectors::VectorSet;

use super::{ForeignIndexes, SearchError};

/// One consistent view of an index, as searches see it.
pub trait SearchSource: Corpus {
    /// Settings prepared for queries.
    fn query_config(&self) -> &QueryConfig;
    /// Name of the primary key, once there is one.
    fn primary_key(&self) -> Option<&str>;
    /// The stored JSON object, its top-level members in the order of their field ids.
    ///
    /// # Errors
    /// The document cannot be read or was damaged.
    fn document(&self, doc: DocId) -> Result<DocumentBytes, SearchError>;
    /// Appends the same to `out`.
    ///
    /// # Errors
    /// The document cannot be read or was damaged.
    fn append_document(&self, doc: DocId, out: &mut Vec<u8>) -> Result<(), SearchError>;
    /// The document with this external id.
    ///
    /// # Errors
    /// The ids cannot be read or were damaged.
    fn find(&self, external_id: &str) -> Result<Option<DocId>, SearchError>;
    /// The vectors of an embedder; `None` if no document has one.
    fn vectors(&self, embedder: &str) -> Option<Arc<VectorSet>>;
    /// Appends what an answer shows as `_vectors` of a document: `stored` is the document's own.
    fn write_vectors(&self, doc: DocId, stored: Option<Value>, out: &mut Vec<u8>);
    /// Whether any document ever had a value under that dotted name.
    fn knows_attribute(&self, attribute: &str) -> bool;
    /// Documents that share a value of the attribute with `doc`, itself included.
    fn same_value(&self, attribute: &str, doc: DocId) -> DocSet;
    /// The values of an attribute of a document as texts: documents of any indexes share a value
    /// when they share a text.
    fn comparable_values(&self, attribute: &str, doc: DocId) -> Vec<String>;
    /// The other indexes whose documents stand for the values of foreign keys, as far as the
    /// sender may search them; `None` if the keys stay what they are.
    fn foreign(&self) -> Option<&ForeignIndexes> {
        None
    }
    /// Documents that a filter selects.
    ///
    /// # Errors
    /// An attribute or operator that the settings do not allow, or values out of range.
    fn filter_docs(
        &self,
        filter: &serval_filter::Filter,
        features: &FilterFeatures,
    ) -> Result<DocSet, SearchError>;
    /// What a filter lets pass: a set at once, or later among other documents.
    ///
    /// # Errors
    /// Those of [`SearchSource::filter_docs`].
    fn allowed<'s>(
        &'s self,
        filter: serval_filter::Filter,
        features: &'s FilterFeatures,
    ) -> Result<Allowed<'s>, SearchError> {
        self.filter_docs(&filter, features).map(Allowed::Docs)
    }
    /// `facetDistribution` and `facetStats` of the candidates, as JSON objects.
    ///
    /// # Errors
    /// A facet that the settings do not allow.
    fn facets(&self, facets: &[String], candidates: &DocSet) -> Result<Facets, SearchError>;
}

/// What a filter lets pass.
pub enum Allowed<'s> {
    /// These documents.
    Docs(DocSet),
    /// Of some documents those that this tells.
    Among(Box<dyn Fn(&DocSet) -> DocSet + 's>),
}

impl Allowed<'_> {
    /// Those of the documents that pass.
    #[must_use]
    pub fn among(&self, docs: &DocSet) -> DocSet {
        match self {
            Self::Docs(allowed) => allowed.and(docs),
            Self::Among(among) => among(docs),
        }
    }
}

/// Counts and extremes of facets, written as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// `facetDistribution`.
    pub distribution: Vec<u8>,
    /// `facetStats`.
    pub stats: Vec<u8>,
}

/// The members of a stored document.
///
/// # Errors
/// It was damaged.
pub(crate) fn members_of(document: &[u8]) -> Result<Map<String, Value>, SearchError> {
    serde_json::from_slice(document).map_err(|error| {
        SearchError::new(
            "internal",
            format!("a stored document is no JSON object: {error}"),
        )
    })
}
