//! How many documents have each top-level field, while documents come and go.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::document::raw_document::RawDocument;
use crate::index::IndexError;
use crate::vectors::VECTORS;

/// How the number of documents that have each top-level field changes.
#[derive(Default)]
pub(super) struct FieldCounts {
    changes: FxHashMap<String, i64>,
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
        for (name, _) in &document.entries {
            if name == VECTORS {
                continue;
            }
            match self.changes.get_mut(&**name) {
                Some(count) => *count += change,
                None => {
                    self.changes.insert(name.to_string(), change);
                }
            }
        }
    }

    /// Takes over the changes that another thread counted.
    pub(super) fn add(&mut self, other: &Self) {
        for (name, change) in &other.changes {
            *self.changes.entry(name.clone()).or_default() += change;
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
