//! The text a planned write will store: a payload's line, or several merged.

use std::cell::Cell;

use super::payload_bytes::{PayloadBytes, RELEASE_BYTES};
use super::write_plan::{Content, Location};
use crate::document::DocumentError;
use crate::document::raw_document::RawDocument;
use crate::index::{IndexError, Snapshot};

/// Texts of a batch's payloads, by number.
pub(crate) struct DocumentSource<'a> {
    pub(crate) payloads: &'a [PayloadBytes],
    pub(crate) snapshot: &'a Snapshot,
    /// Bytes read since the memory of payloads was given back.
    n_read: Cell<usize>,
}

impl<'a> DocumentSource<'a> {
    /// Texts of a batch over the documents of a snapshot.
    pub(crate) const fn new(payloads: &'a [PayloadBytes], snapshot: &'a Snapshot) -> Self {
        Self {
            payloads,
            snapshot,
            n_read: Cell::new(0),
        }
    }

    /// The text at a place.
    pub(crate) fn text(&self, location: Location) -> Result<&'a str, DocumentError> {
        self.n_read.set(self.n_read.get() + location.len as usize);
        if self.n_read.get() > RELEASE_BYTES {
            self.release();
        }
        let start = location.start as usize;
        let bytes = self
            .payloads
            .get(location.payload as usize)
            .and_then(|payload| payload.as_slice().get(start..start + location.len as usize))
            .unwrap_or_default();
        text_of(bytes)
    }

    /// Gives the memory of payloads back.
    pub(crate) fn release(&self) {
        self.n_read.set(0);
        self.payloads.iter().for_each(PayloadBytes::release);
    }

    /// The committed document under an update, as text that outlives the merge.
    pub(crate) fn stored_under(&self, content: &Content) -> Result<Option<String>, IndexError> {
        let Content::Merged(merged) = content else {
            return Ok(None);
        };
        let Some(id) = merged.over_stored else {
            return Ok(None);
        };
        let bytes = self.snapshot.document(id)?;
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| IndexError::Corrupt(format!("document {id} is not UTF-8")))
    }

    /// The document to write, or `None` if it is deleted. `stored` comes from
    /// [`Self::stored_under`].
    pub(crate) fn document<'d>(
        &self,
        content: &Content,
        stored: Option<&'d str>,
    ) -> Result<Option<RawDocument<'d>>, DocumentError>
    where
        'a: 'd,
    {
        match content {
            Content::Deleted => Ok(None),
            Content::Text(location) => parse(self.text(*location)?).map(Some),
            Content::Merged(merged) => {
                let mut document = match stored {
                    Some(text) => parse(text)?,
                    None => RawDocument::default(),
                };
                for location in &merged.texts {
                    document.merge(parse(self.text(*location)?)?);
                }
                Ok(Some(document))
            }
        }
    }
}

/// Bytes as text.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, DocumentError> {
    std::str::from_utf8(bytes).map_err(|error| DocumentError::Malformed(error.to_string()))
}

/// Reads one document.
pub(crate) fn parse(text: &str) -> Result<RawDocument<'_>, DocumentError> {
    RawDocument::parse(text).map_err(|error| DocumentError::Malformed(error.to_string()))
}
