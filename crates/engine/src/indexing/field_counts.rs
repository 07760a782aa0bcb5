//! How many documents have each top-level field, while documents come and go.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::document::raw_document::RawDocument;
use crate::document::successors::Successors;
use crate::index::IndexError;
use crate::vectors::VECTORS;

/// How the number of documents that have each top-level field changes.
#[derive(Default)]
pub(super) struct FieldCounts {
    changes: Vec<(String, i64)>,
    /// Places in `changes`.
    places: FxHashMap<String, usize>,
    successors: Successors,
}

impl FieldCounts {
    /// Counts a stored document as gone.
    ///
    /// # Errors
    /// When it is damaged.
    pub(super) fn forget(&mut self, document: &[u8]) -> Result<(), IndexError> {
        let damaged = |error: &dyn std::fmt::Display| {
            IndexError::Corrupt(format!("a stored document: {error}"))
        };
        let text = std::str::from_utf8(document).map_err(|error| damaged(&error))?;
        let document = RawDocument::parse(text).map_err(|error| damaged(&error))?;
        self.count(&document, -1);
        Ok(())
    }

    /// Counts the fields of a document.
    pub(super) fn count(&mut self, document: &RawDocument<'_>, change: i64) {
        self.successors.restart();
        for (name, _) in document.entries() {
            if name != VECTORS {
                self.change(name, change);
            }
        }
    }

    fn change(&mut self, name: &str, change: i64) {
        let (changes, places) = (&mut self.changes, &self.places);
        let is = |likely: usize| changes.get(likely).is_some_and(|(known, _)| known == name);
        let place = self.successors.next(is, || places.get(name).copied());
        let place = place.unwrap_or_else(|| {
            self.places.insert(name.to_owned(), changes.len());
            changes.push((name.to_owned(), 0));
            changes.len() - 1
        });
        changes[place].1 += change;
    }

    /// Takes over the changes that another thread counted.
    pub(super) fn add(&mut self, other: &Self) {
        for (name, change) in &other.changes {
            self.change(name, *change);
        }
    }

    /// The counts after the changes.
    pub(super) fn applied_to(self, mut counts: BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        for (name, change) in self.changes {
            let count = counts.entry(name).or_default();
            *count = count.saturating_add_signed(change);
        }
        counts.retain(|_, count| *count > 0);
        counts
    }
}
