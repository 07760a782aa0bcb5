//! Conditions on the documents of other indexes: `_foreign(attribute, filter)`.
//!
//! # Invariants
//! 1. What is evaluated of a filter holds no `_foreign`: each became `attribute IN [ids]` before,
//!    so that it costs, waits and is remembered like any other condition.
//! 2. An index that the sender may not search selects nothing, and its settings refuse nothing.
//!
//! # Cost
//! The inner filter, and reading the documents that it selects, a hundred at the most.

use serde_json::Value;
use serval_filter::{Filter, Operator, Word};

use super::evaluate_filter::{Evaluator, filter_docs};
use crate::docset::DocSet;
use crate::index::Snapshot;
use crate::request::{FilterFeatures, ForeignIndex, SearchError, parsed_filter};

/// Documents of another index that a filter may stand for.
const MAX_FOREIGN_DOCS: usize = 100;

/// Another index for a sender who may see what `shown` selects of it, a filter in its JSON form. One
/// that cannot be evaluated there shows nothing.
#[must_use]
pub fn foreign_index(
    snapshot: Snapshot,
    shown: Option<&Value>,
    features: &FilterFeatures,
) -> ForeignIndex {
    let shown = shown.map(|filter| {
        let selected = parsed_filter(Some(filter), features).and_then(|filter| {
            filter
                .map(|filter| filter_docs(&snapshot, None, &filter, features, ""))
                .transpose()
        });
        match selected {
            Ok(Some(docs)) => docs,
            Ok(None) => snapshot.documents().clone(),
            Err(_) => DocSet::empty(),
        }
    });
    ForeignIndex::new(snapshot, shown)
}

impl Evaluator<'_> {
    /// The filter with the ids that each `_foreign` stands for.
    ///
    /// # Errors
    /// An attribute that is no foreign key, an inner filter that is refused or selects too much.
    pub(super) fn with_ids(&self, filter: &Filter) -> Result<Filter, SearchError> {
        let each = |parts: &[Filter]| -> Result<Vec<Filter>, SearchError> {
            parts.iter().map(|part| self.with_ids(part)).collect()
        };
        Ok(match filter {
            Filter::Or(parts) => Filter::Or(each(parts)?),
            Filter::And(parts) => Filter::And(each(parts)?),
            Filter::Not(inner) => Filter::Not(Box::new(self.with_ids(inner)?)),
            Filter::Foreign {
                keyword,
                attribute,
                filter,
            } => Filter::Condition {
                attribute: attribute.clone(),
                operator: Operator::In(self.foreign_ids(keyword, attribute, filter)?),
            },
            other => other.clone(),
        })
    }

    /// The ids of the documents that the inner filter of a `_foreign` selects.
    fn foreign_ids(
        &self,
        keyword: &Word,
        attribute: &Word,
        filter: &Filter,
    ) -> Result<Vec<Word>, SearchError> {
        let Some(indexes) = self.foreign else {
            let message = "Filter condition `_foreign` is not supported for this endpoint.";
            return Err(SearchError::new(self.code, keyword.with_context(message)));
        };
        let index_uid = self.foreign_uid(keyword, attribute)?;
        if let Some(inner) = filter.foreign_keyword() {
            return Err(self.refused(inner, "Nested foreign filters are not supported"));
        }
        let Some(index) = indexes.get(index_uid) else {
            return Ok(Vec::new());
        };
        let selected = filter_docs(index.snapshot(), None, filter, self.features, self.code)
            .map_err(|error| about(index_uid, error))?;
        let docs = index.shown_of(selected);
        if docs.len() > MAX_FOREIGN_DOCS {
            let message = format!(
                "Foreign filter is retrieving too many documents, foreign filters can't retrieve \
                 more than {MAX_FOREIGN_DOCS} documents per index"
            );
            return Err(self.refused(keyword, &message));
        }
        docs.iter()
            .map(|doc| Ok(index.external_id(doc)?.as_str().into()))
            .collect()
    }

    /// The index whose ids an attribute holds.
    fn foreign_uid(&self, keyword: &Word, attribute: &Word) -> Result<&str, SearchError> {
        let settings = self.snapshot.settings();
        if settings.foreign_keys.is_empty() {
            return Err(self.refused(keyword, "Index does not have foreign keys"));
        }
        let name = attribute.text();
        let mut keys = settings.foreign_attributes();
        let key = keys.find(|(attribute, _)| *attribute == name);
        key.map(|(_, index_uid)| index_uid)
            .ok_or_else(|| self.refused(attribute, &format!("Field `{name}` is not a foreign key")))
    }
}

/// A refusal by another index, saying which one.
fn about(index_uid: &str, error: SearchError) -> SearchError {
    if !error.names_index {
        return error;
    }
    let message = format!("Index `{index_uid}`: {}", error.message);
    SearchError::new(error.code, message)
}
