//! Documents as they are stored, one JSON object a line: for dumps and for other instances.
//!
//! # Invariants
//! 1. Lines are in the order of first insertion, so that whoever adds them in this order gets the
//!    same final order among documents that tie.
//! 2. All lines come from one snapshot, however long it takes to write them.
//!
//! # Cost
//! Four bytes of memory per document chosen, and one document at a time.

use std::io::{self, Write};

use serde_json::Value;

use super::document_writer::DocumentWriter;
use super::listing::filtered;
use crate::docset::DocId;
use crate::index::Snapshot;
use crate::request::{FilterFeatures, SearchError};

/// How a written document without vectors ends.
const NO_VECTORS: &[u8] = br#","_vectors":{}}"#;

/// The documents of an index, to be written as lines.
pub struct DocumentLines {
    snapshot: Snapshot,
    ids: Vec<DocId>,
    next: usize,
    /// A line that was read and did not fit.
    waiting: Option<Vec<u8>>,
    /// Whether documents may have vectors that are not part of what is stored of them.
    has_embedders: bool,
}

impl DocumentLines {
    /// All documents, or those that a filter in its JSON form selects; a filter that is none
    /// selects all.
    ///
    /// # Errors
    /// `invalid_document_filter`, when the filter is malformed or not allowed by the settings.
    pub fn new(
        snapshot: Snapshot,
        filter: Option<&Value>,
        features: &FilterFeatures,
    ) -> Result<Self, SearchError> {
        let chosen = filter
            .map(|filter| filtered(&snapshot, filter, features))
            .transpose()?
            .flatten();
        let ids = chosen.as_ref().unwrap_or(snapshot.documents());
        let ids = ids.iter().collect();
        let embedders = &snapshot.settings().embedders;
        Ok(Self {
            has_embedders: !embedders.is_empty(),
            snapshot,
            ids,
            next: 0,
            waiting: None,
        })
    }

    /// How many documents were chosen.
    #[must_use]
    pub const fn n_documents(&self) -> usize {
        self.ids.len()
    }

    /// Writes every line, whatever was written before.
    ///
    /// # Errors
    /// When a document cannot be read or `out` cannot be written.
    pub fn write_all(&self, out: &mut dyn Write) -> io::Result<()> {
        for id in &self.ids {
            out.write_all(&self.line(*id)?)?;
        }
        Ok(())
    }

    /// Writes the next lines, `max_bytes` at the most but at least one line, and returns how many
    /// there were: none once all were written.
    ///
    /// # Errors
    /// As [`Self::write_all`].
    pub fn write_next(&mut self, max_bytes: u64, out: &mut dyn Write) -> io::Result<u64> {
        let (mut n_lines, mut n_bytes) = (0, 0);
        loop {
            let line = match self.waiting.take() {
                Some(line) => line,
                None => match self.ids.get(self.next) {
                    Some(id) => self.line(*id)?,
                    None => return Ok(n_lines),
                },
            };
            n_bytes += line.len() as u64;
            if n_lines > 0 && n_bytes > max_bytes {
                self.waiting = Some(line);
                return Ok(n_lines);
            }
            out.write_all(&line)?;
            self.next += 1;
            n_lines += 1;
        }
    }

    fn line(&self, id: DocId) -> io::Result<Vec<u8>> {
        let mut line = if self.has_embedders {
            self.line_with_vectors(id)?
        } else {
            self.snapshot.document(id).map_err(io::Error::other)?
        };
        line.push(b'\n');
        Ok(line)
    }

    /// The document with its vectors as the last member, unless it has none.
    fn line_with_vectors(&self, id: DocId) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        let writer = DocumentWriter::new(&self.snapshot, None, true);
        writer.write(id, &mut line).map_err(io::Error::other)?;
        if line.ends_with(NO_VECTORS) {
            line.truncate(line.len() - NO_VECTORS.len());
            line.push(b'}');
        }
        Ok(line)
    }
}
