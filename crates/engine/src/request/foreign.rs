//! The other indexes that foreign keys lead to, as far as the sender may search them.
//!
//! # Invariants
//! 1. A document that the sender may not see is as if it were not there: neither its values nor
//!    its identifier come out of here.
//! 2. Each index is read as of one commit for the whole of a request.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use serval_format::{Selection, write_selected};

use super::{SearchError, members_of};
use crate::docset::{DocId, DocSet};
use crate::document::PrimaryKey;
use crate::document::raw_document::RawDocument;
use crate::index::{IndexError, Snapshot};
use crate::vectors::VECTORS;

/// The indexes by uid. One that is absent has no documents to show.
pub type ForeignIndexes = BTreeMap<String, ForeignIndex>;

/// What a request says of another index that it may look into.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ForeignPlace {
    /// The folder that the index is open in.
    pub folder: String,
    /// Filter of what the sender may see; `None` for everything.
    #[serde(default)]
    pub filter: Option<Value>,
}

/// An index that foreign keys lead to.
pub struct ForeignIndex {
    snapshot: Snapshot,
    /// Documents that the sender may see; `None` for all.
    shown: Option<DocSet>,
    displayed: Selection,
}

impl ForeignIndex {
    /// An index of which these documents may be seen, or all.
    #[must_use]
    pub fn new(snapshot: Snapshot, shown: Option<DocSet>) -> Self {
        let displayed = Selection::of(&snapshot.settings().displayed_attributes);
        Self {
            snapshot,
            shown,
            displayed,
        }
    }

    /// The index.
    pub(crate) const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Those of the documents that may be seen.
    pub(crate) fn shown_of(&self, docs: DocSet) -> DocSet {
        match &self.shown {
            Some(shown) => docs.and(shown),
            None => docs,
        }
    }

    /// The external id of a document.
    ///
    /// # Errors
    /// The document cannot be read.
    pub(crate) fn external_id(&self, doc: DocId) -> Result<String, SearchError> {
        let bytes = self.snapshot.document_bytes(doc)?;
        let name = self.snapshot.meta().primary_key.as_deref();
        let id = std::str::from_utf8(&bytes).ok().and_then(|text| {
            let document = RawDocument::parse(text).ok()?;
            let id = PrimaryKey::new(name?).external_id(&document).ok()?;
            Some(id.into_owned())
        });
        id.ok_or_else(|| SearchError::new("internal", "a stored document has no id"))
    }

    /// What may be shown of the document with an external id, if there is one.
    ///
    /// # Errors
    /// The ids or the document cannot be read.
    pub(crate) fn document(
        &self,
        external_id: &str,
    ) -> Result<Option<Map<String, Value>>, SearchError> {
        let found = self.snapshot.find(external_id).map_err(IndexError::from)?;
        let is_shown = |doc: &DocId| self.shown.as_ref().is_none_or(|shown| shown.contains(*doc));
        let Some(doc) = found.filter(is_shown) else {
            return Ok(None);
        };
        let bytes = self.snapshot.shown_document(doc)?;
        let mut document = members_of(&bytes)?;
        document.shift_remove(VECTORS);
        if self.displayed == Selection::All {
            return Ok(Some(document));
        }
        let mut displayed = Vec::new();
        write_selected(&document, &self.displayed, &mut displayed);
        members_of(&displayed).map(Some)
    }
}
