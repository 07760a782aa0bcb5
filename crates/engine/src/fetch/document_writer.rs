//! Writes stored documents, whole or in part.

use serde_json::{Map, Value};
use serval_format::{Selection, write_selected};

use crate::docset::DocId;
use crate::index::Snapshot;
use crate::search::SearchError;

/// Name of the member that holds vectors.
const VECTORS: &str = "_vectors";

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
                push_vectors(&Map::new(), out);
            }
            return Ok(());
        }
        let mut document: Map<String, Value> = serde_json::from_slice(&stored).map_err(internal)?;
        let vectors = document.shift_remove(VECTORS);
        write_selected(&document, &self.selection, out);
        if self.with_vectors {
            match vectors {
                Some(Value::Object(vectors)) => push_vectors(&vectors, out),
                _ => push_vectors(&Map::new(), out),
            }
        }
        Ok(())
    }
}

/// Adds vectors as the last member of the object that `out` ends with.
fn push_vectors(vectors: &Map<String, Value>, out: &mut Vec<u8>) {
    out.pop();
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.extend_from_slice(b"\"_vectors\":");
    serde_json::to_writer(&mut *out, vectors).expect("invariant: a JSON value always serialises");
    out.push(b'}');
}

fn internal(error: impl std::fmt::Display) -> SearchError {
    SearchError::new("internal", error.to_string())
}
