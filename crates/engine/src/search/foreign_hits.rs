//! Shows documents of other indexes in the place of the foreign keys of hits.
//!
//! # Invariants
//! 1. An id that leads to nothing that may be shown stays as it was.
//! 2. A foreign document that cannot be read is as if it were not there: damage of one index keeps no
//!    other one from answering. Searches of its own index tell.
//! 3. What takes the place of an id is not looked into again: keys of foreign documents stay ids.
//!
//! # Cost
//! Each foreign document is read once for a page, however many of its hits name it.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use crate::request::{ForeignIndex, SearchSource};

/// The foreign keys of the hits of one answer.
pub(super) struct ForeignHits<'s> {
    keys: Vec<ForeignKey<'s>>,
}

/// An attribute, and the documents that its values name.
struct ForeignKey<'s> {
    attribute: &'s str,
    index: &'s ForeignIndex,
    /// Documents that were looked for, by id.
    found: FxHashMap<String, Option<Value>>,
}

impl<'s> ForeignHits<'s> {
    /// The keys of an index that the source follows, as far as answers show their attributes.
    pub(super) fn new(source: &'s dyn SearchSource, shows: impl Fn(&str) -> bool) -> Self {
        let mut keys: Vec<ForeignKey<'s>> = Vec::new();
        if let Some(indexes) = source.foreign() {
            let mut seen: Vec<&str> = Vec::new();
            for (attribute, index_uid) in source.settings().foreign_attributes() {
                // Of several keys on an attribute the first one counts, as in filters.
                if seen.contains(&attribute) {
                    continue;
                }
                seen.push(attribute);
                if let Some(index) = indexes.get(index_uid).filter(|_| shows(attribute)) {
                    keys.push(ForeignKey {
                        attribute,
                        index,
                        found: FxHashMap::default(),
                    });
                }
            }
        }
        Self { keys }
    }

    /// Whether documents stay as they are.
    pub(super) const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The attributes whose values may be replaced.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|key| key.attribute)
    }

    /// Replaces the ids in a document.
    pub(super) fn resolve(&mut self, document: &mut Map<String, Value>) {
        for key in &mut self.keys {
            let attribute = key.attribute;
            key.resolve_in(document, attribute);
        }
    }
}

impl ForeignKey<'_> {
    /// Replaces the ids that stand at a path, dotted or not, of an object.
    fn resolve_in(&mut self, object: &mut Map<String, Value>, path: &str) {
        if let Some(value) = object.get_mut(path) {
            self.resolve_value(value);
        }
        for (dot, _) in path.match_indices('.') {
            let rest = &path[dot + 1..];
            match object.get_mut(&path[..dot]) {
                Some(Value::Object(inner)) => self.resolve_in(inner, rest),
                Some(Value::Array(items)) => {
                    for inner in items.iter_mut().filter_map(Value::as_object_mut) {
                        self.resolve_in(inner, rest);
                    }
                }
                _ => {}
            }
        }
    }

    /// Replaces an id, or each of a list.
    fn resolve_value(&mut self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.resolve_id(item)),
            id => self.resolve_id(id),
        }
    }

    fn resolve_id(&mut self, value: &mut Value) {
        let id = match &*value {
            Value::String(text) => text.clone(),
            Value::Number(number) if number.is_i64() || number.is_u64() => number.to_string(),
            _ => return,
        };
        let index = self.index;
        let found = self.found.entry(id).or_insert_with_key(|id| {
            let document = index.document(id).unwrap_or_default();
            document.map(Value::Object)
        });
        if let Some(document) = found {
            *value = document.clone();
        }
    }
}
