//! Filters that may wait until other things have left fewer documents to look at.
//!
//! # Invariants
//! 1. Only filters that cannot be refused any more wait: a fault is told before anything is ranked,
//!    and the first one of the text.
//! 2. What a filter lets pass does not depend on when it is asked.
//!
//! # Cost
//! Each condition of what is left costs the documents that are left, or those that it selects.

use serval_filter::{Filter, Operator, Word};

use super::condition;
use super::evaluate_filter::{Evaluator, OpenedView};
use super::refusal::missing_feature;
use crate::docset::{DocSet, DocSetBuilder};
use crate::request::SHARD;
use crate::vectors::VECTORS;

/// Up to so many documents a filter is evaluated at once: ranking is quicker with fewer documents.
const AT_ONCE: usize = if cfg!(test) { 1 } else { 1024 };

impl Evaluator<'_> {
    /// Whether a filter cannot be refused and selects so many documents that it should wait.
    pub(super) fn should_wait(&self, filter: &Filter) -> bool {
        self.is_certain(filter) && self.n_expected(filter) > AT_ONCE
    }

    /// Whether every part is a condition on values that the settings allow.
    pub(super) fn is_certain(&self, filter: &Filter) -> bool {
        match filter {
            Filter::Or(parts) | Filter::And(parts) => {
                parts.iter().all(|part| self.is_certain(part))
            }
            Filter::Not(inner) => self.is_certain(inner),
            Filter::Condition {
                attribute,
                operator,
            } => {
                let name = attribute.text();
                let rule = self.snapshot.settings().filterable_rule(name);
                let is_allowed = rule.is_none_or(|(_, features)| {
                    missing_feature(operator, features.filter).is_none()
                });
                name != SHARD && is_allowed
            }
            _ => false,
        }
    }

    /// About how many documents a filter selects at the most.
    fn n_expected(&self, filter: &Filter) -> usize {
        let n_documents = self.snapshot.documents().len();
        let n_expected = match filter {
            Filter::Or(parts) => parts.iter().map(|part| self.n_expected(part)).sum(),
            Filter::And(parts) => {
                let parts = parts.iter().map(|part| self.n_expected(part));
                parts.min().unwrap_or(n_documents)
            }
            Filter::Condition {
                attribute,
                operator,
            } => match self.view_of(attribute) {
                Some(view) => condition::n_expected(self, view.as_deref(), operator),
                None => Some(0),
            }
            .unwrap_or(n_documents),
            _ => n_documents,
        };
        n_expected.min(n_documents)
    }

    /// Those of the documents that a certain filter selects.
    pub(super) fn among(&self, filter: &Filter, docs: &DocSet) -> DocSet {
        match filter {
            Filter::Or(parts) => {
                let mut found = DocSetBuilder::new(self.snapshot.universe_len());
                for part in parts {
                    found.insert_all(&self.among(part, docs));
                }
                found.finish()
            }
            Filter::And(parts) => self.all_among(parts, docs),
            Filter::Not(inner) => docs.and_not(&self.among(inner, docs)),
            Filter::Condition {
                attribute,
                operator,
            } => self.condition_among(attribute, operator, docs),
            _ => DocSet::empty(),
        }
    }

    /// What all parts select, the part with the fewest documents first.
    fn all_among(&self, parts: &[Filter], docs: &DocSet) -> DocSet {
        let mut parts: Vec<_> = parts.iter().collect();
        parts.sort_by_cached_key(|part| self.n_expected(part));
        let mut left: Option<DocSet> = None;
        for part in parts {
            let found = self.among(part, left.as_ref().unwrap_or(docs));
            if found.is_empty() {
                return found;
            }
            left = Some(found);
        }
        left.unwrap_or_default()
    }

    fn condition_among(&self, attribute: &Word, operator: &Operator, docs: &DocSet) -> DocSet {
        match self.view_of(attribute) {
            // All documents are not looked at one by one.
            Some(view) => {
                let is_all = docs.len() == self.snapshot.documents().len();
                let docs = (!is_all).then_some(docs);
                condition::among(self, view.as_deref(), operator, docs)
            }
            None => DocSet::empty(),
        }
    }

    /// The values of an attribute, if documents have any now; `None` if no document ever had it.
    fn view_of(&self, attribute: &Word) -> Option<OpenedView> {
        let name = attribute.text();
        let field = self.snapshot.field_id(name).filter(|_| name != VECTORS)?;
        Some(self.attribute(field))
    }
}
