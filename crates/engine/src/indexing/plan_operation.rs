//! Additions, deletions and primary keys on their way into the plan.

use std::sync::Arc;

use serde_json::Value;

use super::batch_session::{BatchSession, Failure};
use super::checked_addition::CheckedAddition;
use super::document_source;
use super::indexing_rules::kept_places;
use super::payload_bytes::PayloadBytes;
use crate::batch::{AdditionMethod, Payload};
use crate::document::{DocumentError, PrimaryKey};
use crate::index::BatchStep;

impl BatchSession<'_> {
    /// Checks every document of an addition, then plans all of them; the number of different ones.
    pub(super) fn plan_addition(
        &mut self,
        number: usize,
        declared: Option<&str>,
        payload: &Payload,
        (method, skip_creation): (AdditionMethod, bool),
    ) -> Result<u64, Failure> {
        let bytes = PayloadBytes::open(payload)?;
        let control = self.index.control();
        control.enter(BatchStep::ComputingChanges, 0);
        let places = kept_places(&self.meta.settings);
        let payload = self.payloads.len() as u32;
        let known = self.meta.primary_key.as_deref();
        let folder = self.snapshot.generation().path();
        let place = (payload, folder);
        let addition = CheckedAddition::check(&bytes, place, known, declared, (places, control))?;
        if let Some(key) = &addition.primary_key {
            self.set_primary_key(key.name());
        }
        let control = self.index.control();
        let mut n_different = 0;
        self.plan.reserve(addition.documents.len())?;
        for (id, location) in addition.documents.iter() {
            control.check()?;
            let Some(location) = location else { continue };
            let is_first = self
                .plan
                .add(&self.snapshot, id, location, method, skip_creation)?;
            n_different += u64::from(is_first);
        }
        self.payloads.push(bytes);
        self.payload_operations.push(number);
        Ok(n_different)
    }

    pub(super) fn plan_deletion_by_filter(&mut self, filter: &Value) -> Result<u64, Failure> {
        if !self.plan.is_empty() {
            self.commit()?;
        }
        let documents = (self.evaluate)(&self.snapshot, filter)?;
        let control = self.index.control();
        control.enter(BatchStep::DeletingDocuments, documents.len() as u64);
        let key = PrimaryKey::new(self.meta.primary_key.as_deref().unwrap_or_default());
        let mut n_deleted = 0;
        for id in &documents {
            let json = self.snapshot.document(id)?;
            let document = document_source::parse(document_source::text_of(&json)?)?;
            let external_id = key.external_id(&document)?;
            n_deleted += u64::from(self.plan.delete(&self.snapshot, &external_id)?);
            control.advance()?;
        }
        Ok(n_deleted)
    }

    pub(super) fn declare_primary_key(&mut self, name: &str) -> Result<(), Failure> {
        match self.meta.primary_key.as_deref() {
            Some(current) if current == name => return Ok(()),
            Some(current) if self.plan.n_living() > 0 => {
                return Err(DocumentError::PrimaryKeyExists(current.to_owned()).into());
            }
            _ => {}
        }
        self.meta.primary_key = None;
        self.set_primary_key(name);
        Ok(())
    }

    fn set_primary_key(&mut self, name: &str) {
        if self.meta.primary_key.is_none() {
            self.meta.primary_key = Some(name.to_owned());
            if self.meta.fields.is_empty() {
                Arc::make_mut(&mut self.meta.fields).insert(name);
            }
        }
    }
}
