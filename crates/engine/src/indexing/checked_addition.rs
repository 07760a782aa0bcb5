//! The documents of an addition, checked before any of them is planned.

use std::path::Path;

use super::batch_session::Failure;
use super::document_source;
use super::named_texts::NamedTexts;
use super::payload_bytes::PayloadBytes;
use crate::document::places::PlaceFields;
use crate::document::{DocumentError, PrimaryKey};
use crate::index::BatchControl;

/// An addition in which every document is fit to be written.
pub(crate) struct CheckedAddition {
    /// The primary key used; `None` without documents and without a declared one.
    pub(crate) primary_key: Option<PrimaryKey>,
    /// Its documents, in payload order.
    pub(crate) documents: NamedTexts,
}

impl CheckedAddition {
    /// Reads every document of a payload. `known` is the index's primary key, `declared` the
    /// one the addition names. What is known of many documents is kept in a file in `folder`.
    ///
    /// # Errors
    /// The first defect met; the addition is then refused as a whole. Or the batch is to stop.
    pub(crate) fn check(
        bytes: &PayloadBytes,
        (payload, folder): (u32, &Path),
        known: Option<&str>,
        declared: Option<&str>,
        (places, control): (PlaceFields, &BatchControl),
    ) -> Result<Self, Failure> {
        let mut primary_key = match (known, declared) {
            (Some(known), Some(other)) if known != other => {
                return Err(DocumentError::PrimaryKeyExists(known.to_owned()).into());
            }
            (Some(name), _) | (None, Some(name)) => Some(PrimaryKey::new(name)),
            (None, None) => None,
        };
        let mut documents = NamedTexts::new(folder, payload);
        for (start, line) in bytes.lines() {
            control.check()?;
            let document = document_source::parse(document_source::text_of(line)?)?;
            let key = match &mut primary_key {
                Some(key) => key,
                none => none.insert(PrimaryKey::infer(&document)?),
            };
            let id = key.external_id(&document)?;
            places.check(&document, &id)?;
            let len = u32::try_from(line.len())
                .ok()
                .filter(|len| *len < u32::MAX)
                .ok_or_else(|| DocumentError::Malformed("a document exceeds 4 GiB".to_owned()))?;
            documents.push(&id, Some((start as u64, len)))?;
        }
        Ok(Self {
            primary_key,
            documents,
        })
    }
}
