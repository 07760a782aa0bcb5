//! Numbers the dotted attribute names of an index in order of first sight, parents included.
//!
//! # Invariants
//! 1. A name keeps its number for the life of the index.
//! 2. Numbers are dense and start at 0.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::FieldId;
use super::error::MAX_FIELDS;

/// Names and their numbers, both ways.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Box<str>>", into = "Vec<Box<str>>")]
pub struct FieldIds {
    names: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, FieldId>,
}

impl From<Vec<Box<str>>> for FieldIds {
    fn from(names: Vec<Box<str>>) -> Self {
        let ids = names
            .iter()
            .enumerate()
            .map(|(id, name)| (name.clone(), id as FieldId))
            .collect();
        Self { names, ids }
    }
}

impl From<FieldIds> for Vec<Box<str>> {
    fn from(fields: FieldIds) -> Self {
        fields.names
    }
}

impl FieldIds {
    /// The number of a name, if it was ever seen.
    #[must_use]
    pub fn id(&self, name: &str) -> Option<FieldId> {
        self.ids.get(name).copied()
    }

    /// The name with this number; empty when there is none.
    #[must_use]
    pub fn name(&self, id: FieldId) -> &str {
        self.names.get(usize::from(id)).map_or("", |name| name)
    }

    /// Number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no name was seen yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Names with their numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (FieldId, &str)> {
        self.names
            .iter()
            .enumerate()
            .map(|(id, name)| (id as FieldId, &**name))
    }

    /// The number of a name, a new one if needed; `None` when all numbers are taken.
    pub fn insert(&mut self, name: &str) -> Option<FieldId> {
        if let Some(id) = self.id(name) {
            return Some(id);
        }
        if self.names.len() >= MAX_FIELDS {
            return None;
        }
        let id = self.names.len() as FieldId;
        self.names.push(name.into());
        self.ids.insert(name.into(), id);
        Some(id)
    }
}
