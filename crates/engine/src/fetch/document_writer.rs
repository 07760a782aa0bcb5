//! Writes stored documents, whole or in part.

use serde_json::{Map, Value};
use serval_format::{Selection, write_selected};

use crate::docset::DocId;
use crate::index::Snapshot;
use crate::request::SearchError;
use crate::vectors::VECTORS;

/// Writes documents with the members that a request wants.
pub(super) struct DocumentWriter<'s> {
    snapshot: &'s Snapshot,
    selection: Selection,
    with_vectors: bool,
    /// Whether a document may hold `_vectors` of its own.
    knows_vectors: bool,
}

impl<'s> DocumentWriter<'s> {
    /// Without `fields`, documents are written whole.
    pub(super) fn new(
        snapshot: &'s Snapshot,
        fields: Option<&[String]>,
        with_vectors: bool,
    ) -> Self {
        Self {
            snapshot,
            selection: fields.map_or(Selection::All, |fields| Selection::Only(fields.to_vec())),
            with_vectors,
            knows_vectors: snapshot.field_id(VECTORS).is_some(),
        }
    }

    /// Appends a document as a JSON object.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn write(&self, id: DocId, out: &mut Vec<u8>) -> Result<(), SearchError> {
        let stored = self.snapshot.document(id).map_err(internal)?;
        if self.selection == Selection::All && !self.knows_vectors {
            out.extend_from_slice(&stored);
            if self.with_vectors {
                self.push_vectors(id, None, out);
            }
            return Ok(());
        }
        let mut document: Map<String, Value> = serde_json::from_slice(&stored).map_err(internal)?;
        let vectors = document.shift_remove(VECTORS);
        write_selected(&document, &self.selection, out);
        if self.with_vectors {
            self.push_vectors(id, vectors, out);
        }
        Ok(())
    }

    /// Adds vectors as the last member of the object that `out` ends with.
    fn push_vectors(&self, id: DocId, stored: Option<Value>, out: &mut Vec<u8>) {
        out.pop();
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        out.extend_from_slice(b"\"_vectors\":");
        self.snapshot.write_vectors(id, stored, out);
        out.push(b'}');
    }
}

fn internal(error: impl std::fmt::Display) -> SearchError {
    SearchError::new("internal", error.to_string())
}
