//! The documents of an addition, checked before any of them is planned.

use hashbrown::HashTable;

use super::batch_control::BatchControl;
use super::batch_session::Failure;
use super::document_source;
use super::payload_bytes::PayloadBytes;
use super::write_plan::{Location, hash_id};
use crate::document::places::PlaceFields;
use crate::document::{DocumentError, PrimaryKey};

/// An addition in which every document is fit to be written.
pub(crate) struct CheckedAddition {
    /// The primary key used; `None` without documents and without a declared one.
    pub(crate) primary_key: Option<PrimaryKey>,
    /// All external ids, one after the other.
    ids: String,
    documents: Vec<CheckedDocument>,
    payload: u32,
}

/// Where a document stands in the payload; 16 bytes each, as there may be millions.
struct CheckedDocument {
    start: u64,
    len: u32,
    id_len: u32,
}

impl CheckedAddition {
    /// Reads every document of a payload. `known` is the index's primary key, `declared` the
    /// one the addition names.
    ///
    /// # Errors
    /// The first defect met; the addition is then refused as a whole. Or the batch is to stop.
    pub(crate) fn check(
        bytes: &PayloadBytes,
        payload: u32,
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
        let mut ids = String::new();
        let mut documents = Vec::new();
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
                .map_err(|_| DocumentError::Malformed("a document exceeds 4 GiB".to_owned()))?;
            ids.push_str(&id);
            documents.push(CheckedDocument {
                start: start as u64,
                len,
                id_len: id.len() as u32,
            });
        }
        Ok(Self {
            primary_key,
            ids,
            documents,
            payload,
        })
    }

    /// Number of documents.
    pub(crate) fn len(&self) -> usize {
        self.documents.len()
    }

    /// External ids with the places of the documents, in payload order.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&str, Location)> {
        let mut ids = self.ids.as_str();
        self.documents.iter().map(move |document| {
            let (id, rest) = ids.split_at(document.id_len as usize);
            ids = rest;
            let location = Location {
                payload: self.payload,
                start: document.start,
                len: document.len,
            };
            (id, location)
        })
    }

    /// Number of different external ids.
    pub(crate) fn n_different(&self) -> u64 {
        let mut ids = HashTable::with_capacity(self.documents.len());
        for (id, _) in self.documents() {
            let same = |other: &&str| *other == id;
            ids.entry(hash_id(id), same, |id| hash_id(id)).or_insert(id);
        }
        ids.len() as u64
    }
}
