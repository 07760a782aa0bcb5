//! Finds the documents that a filter selects.
//!
//! # Invariants
//! 1. Attributes are checked against the settings before anything is evaluated, in the order of
//!    the text.
//! 2. `AND` stops at the first empty intersection: what follows is then not evaluated, and its
//!    faults are not reported.
//! 3. A filterable attribute that no document ever had selects nothing, with `!=` too; `NOT`
//!    around it selects everything.
//!
//! 4. Each `_foreign` is replaced by the ids it stands for before anything is evaluated.
//!
//! # Cost
//! Recursion follows parentheses and `NOT`, whose depth the parser bounds; chains are loops. Each
//! condition costs the documents it selects, `CONTAINS` the distinct strings of its attribute.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use serval_filter::{Filter, FilterError, Operator, VectorScope, Word};

use super::refusal::{missing_feature, not_filterable, operator_not_allowed};
use super::{condition, geo_filter};
use crate::docset::{DocSet, DocSetBuilder};
use crate::document::FieldId;
use crate::index::{AttributeView, Snapshot, ValueRanges};
use crate::request::{
    Allowed, FilterFeatures, ForeignIndexes, SHARD, SearchError, check_features, is_filterable,
};
use crate::vectors::{Embedder, VECTORS};

/// The documents that `filter` selects. Refusals bear `code`, the one that belongs to the route,
/// and ask for the index to be named; messages quote the text the filter was made from. `foreign`
/// has the other indexes that it may ask about; without it, it may ask about none.
///
/// # Errors
/// An operator whose feature is off, an attribute or operator that the settings do not allow, or
/// coordinates out of range.
pub fn filter_docs(
    snapshot: &Snapshot,
    foreign: Option<&ForeignIndexes>,
    filter: &Filter,
    features: &FilterFeatures,
    code: &'static str,
) -> Result<DocSet, SearchError> {
    let evaluator = Evaluator::checked(snapshot, foreign, filter, features, code)?;
    let filter = evaluator.own(filter)?;
    evaluator.docs(&filter)
}

/// What `filter` lets pass, with the refusals of [`filter_docs`]: the documents, or a question to
/// ask once fewer documents are left.
///
/// # Errors
/// Those of [`filter_docs`].
pub fn allowed<'s>(
    snapshot: &'s Snapshot,
    foreign: Option<&'s ForeignIndexes>,
    filter: Filter,
    features: &'s FilterFeatures,
    code: &'static str,
) -> Result<Allowed<'s>, SearchError> {
    let evaluator = Evaluator::checked(snapshot, foreign, &filter, features, code)?;
    let filter = Box::new(match evaluator.own(&filter)? {
        Cow::Owned(own) => own,
        Cow::Borrowed(_) => filter,
    });
    if !evaluator.should_wait(&filter) {
        return evaluator.docs(&filter).map(Allowed::Docs);
    }
    let among = move |docs: &DocSet| evaluator.among(&filter, docs);
    Ok(Allowed::Among(Box::new(among)))
}

/// Evaluates the nodes of one filter.
pub(super) struct Evaluator<'s> {
    /// The index.
    pub(super) snapshot: &'s Snapshot,
    /// The other indexes that the filter may ask about; `None` if it may ask about none.
    pub(super) foreign: Option<&'s ForeignIndexes>,
    pub(super) features: &'s FilterFeatures,
    /// The code that refusals bear.
    pub(super) code: &'static str,
    /// Attributes already opened: long chains often stay on one.
    attributes: RefCell<FxHashMap<FieldId, OpenedView>>,
    /// Values that operators name, by the place of the operator: the filter stays where it is for
    /// as long as this lives.
    ranges: RefCell<FxHashMap<*const Operator, Rc<ValueRanges>>>,
}

/// The values of an attribute, if documents have any.
pub(super) type OpenedView = Option<Rc<AttributeView>>;

impl<'s> Evaluator<'s> {
    /// An evaluator for one filter, whose features and attributes are allowed.
    fn checked(
        snapshot: &'s Snapshot,
        foreign: Option<&'s ForeignIndexes>,
        filter: &Filter,
        features: &'s FilterFeatures,
        code: &'static str,
    ) -> Result<Self, SearchError> {
        check_features(filter, features)?;
        let evaluator = Self {
            snapshot,
            foreign,
            features,
            code,
            attributes: RefCell::default(),
            ranges: RefCell::default(),
        };
        for attribute in filter.attributes() {
            evaluator.check_filterable(attribute)?;
        }
        Ok(evaluator)
    }

    /// The filter as one of this index alone.
    fn own<'f>(&self, filter: &'f Filter) -> Result<Cow<'f, Filter>, SearchError> {
        // A filter that needs a feature which is off has been refused.
        if !self.features.foreign || filter.foreign_keyword().is_none() {
            return Ok(Cow::Borrowed(filter));
        }
        self.with_ids(filter).map(Cow::Owned)
    }

    /// All documents that the filter selects.
    fn docs(&self, filter: &Filter) -> Result<DocSet, SearchError> {
        match self.is_certain(filter) {
            true => Ok(self.among(filter, self.snapshot.documents())),
            false => self.evaluate(filter),
        }
    }

    /// The values that an operator of the filter names; `None` when these are not in order.
    pub(super) fn ranges(
        &self,
        view: &AttributeView,
        operator: &Operator,
    ) -> Option<Rc<ValueRanges>> {
        let place = std::ptr::from_ref(operator);
        if let Some(ranges) = self.ranges.borrow().get(&place) {
            return Some(Rc::clone(ranges));
        }
        let ranges = Rc::new(condition::ranges(view, operator)?);
        self.ranges.borrow_mut().insert(place, Rc::clone(&ranges));
        Some(ranges)
    }

    fn check_filterable(&self, attribute: &Word) -> Result<(), SearchError> {
        let settings = self.snapshot.settings();
        let name = attribute.text();
        let rule = settings.filterable_rule(name);
        if name == VECTORS
            || name == SHARD
            || rule.is_some_and(|(_, features)| is_filterable(features.filter))
        {
            return Ok(());
        }
        Err(self.refused(attribute, &not_filterable(settings, name)))
    }

    fn evaluate(&self, filter: &Filter) -> Result<DocSet, SearchError> {
        match filter {
            Filter::Or(parts) => self.any(parts),
            Filter::And(parts) => self.all(parts),
            Filter::Not(inner) => Ok(self.complement(&self.evaluate(inner)?)),
            Filter::Condition {
                attribute,
                operator,
            } => self.condition(attribute, operator),
            Filter::GeoRadius {
                center,
                radius,
                resolution,
            } => geo_filter::radius(self, center, radius, resolution.as_ref()),
            Filter::GeoBoundingBox {
                top_right,
                bottom_left,
            } => geo_filter::bounding_box(self, top_right, bottom_left),
            Filter::GeoPolygon { points } => geo_filter::polygon(self, points),
            Filter::Vectors {
                embedder, scope, ..
            } => self.vectors(embedder.as_ref(), scope),
            // Its ids took its place.
            Filter::Foreign { .. } => Ok(DocSet::empty()),
        }
    }

    fn any(&self, parts: &[Filter]) -> Result<DocSet, SearchError> {
        let mut docs = DocSetBuilder::new(self.snapshot.universe_len());
        for part in parts {
            docs.insert_all(&self.evaluate(part)?);
        }
        Ok(docs.finish())
    }

    fn all(&self, parts: &[Filter]) -> Result<DocSet, SearchError> {
        let mut docs: Option<DocSet> = None;
        for part in parts {
            let found = self.evaluate(part)?;
            let both = docs.map_or_else(|| found.clone(), |docs| docs.and(&found));
            if both.is_empty() {
                return Ok(both);
            }
            docs = Some(both);
        }
        Ok(docs.unwrap_or_default())
    }

    /// All documents but these.
    pub(super) fn complement(&self, docs: &DocSet) -> DocSet {
        self.snapshot.documents().and_not(docs)
    }

    fn condition(&self, attribute: &Word, operator: &Operator) -> Result<DocSet, SearchError> {
        let name = attribute.text();
        if name == SHARD {
            return self.shard(attribute, operator);
        }
        let settings = self.snapshot.settings();
        let Some(field) = self.snapshot.field_id(name).filter(|_| name != VECTORS) else {
            return Ok(DocSet::empty());
        };
        if let Some((rule, features)) = settings.filterable_rule(name)
            && let Some(missing) = missing_feature(operator, features.filter)
        {
            let message = operator_not_allowed(name, operator, missing, features.filter, rule);
            return Err(SearchError::of_index(self.code, message));
        }
        let view = self.attribute(field);
        Ok(condition::evaluate(self, view.as_deref(), operator))
    }

    /// All documents or none: those of a server belong to each shard that names it.
    fn shard(&self, attribute: &Word, operator: &Operator) -> Result<DocSet, SearchError> {
        let is_here = match operator {
            Operator::Equal(name) => self.has_shard(name)?,
            Operator::NotEqual(name) => !self.has_shard(name)?,
            Operator::In(names) => {
                let each: Result<Vec<bool>, _> =
                    names.iter().map(|name| self.has_shard(name)).collect();
                each?.contains(&true)
            }
            Operator::Exists => self.features.shards.values().any(|is_here| *is_here),
            _ => {
                let name = operator.name();
                let message = format!("Operator `{name}` is not allowed for `{SHARD}`.");
                return Err(self.refused(attribute, &message));
            }
        };
        Ok(match is_here {
            true => self.snapshot.documents().clone(),
            false => DocSet::empty(),
        })
    }

    fn has_shard(&self, name: &Word) -> Result<bool, SearchError> {
        let known = self.features.shards.get(name.text()).copied();
        known.ok_or_else(|| {
            let message = format!("Shard `{}` does not exist", name.text());
            self.refused(name, &message)
        })
    }

    pub(super) fn attribute(&self, field: FieldId) -> OpenedView {
        let mut opened = self.attributes.borrow_mut();
        let view = opened
            .entry(field)
            .or_insert_with(|| self.snapshot.attribute(field).map(Rc::new));
        view.clone()
    }

    /// Documents that have vectors of any embedder, or of one under a condition.
    fn vectors(&self, embedder: Option<&Word>, scope: &VectorScope) -> Result<DocSet, SearchError> {
        let Some(embedder) = embedder else {
            return Ok(self.snapshot.vectors().embedded());
        };
        let embedders = &self.snapshot.settings().embedders;
        if !embedders.contains_key(embedder.text()) {
            let known: Vec<String> = embedders.keys().map(|name| format!("`{name}`")).collect();
            let rest = if known.is_empty() {
                "This index does not have any configured embedders.".to_owned()
            } else {
                format!("Available embedders are: {}.", known.join(", "))
            };
            let name = embedder.text();
            let message = format!("The embedder `{name}` does not exist. {rest}");
            return Err(self.refused(embedder, &message));
        }
        if let VectorScope::Fragment(fragment) = scope {
            let message = format!(
                "The fragment `{}` does not exist on embedder `{}`. This embedder does not have \
                 any configured fragments.",
                fragment.text(),
                embedder.text()
            );
            return Err(self.refused(fragment, &message));
        }
        let Some(set) = self.snapshot.vectors().get(embedder.text()) else {
            return Ok(DocSet::empty());
        };
        let has_fragments = || {
            let embedder = Embedder::of(self.snapshot.settings(), embedder.text());
            embedder.is_some_and(|embedder| !embedder.fragments().is_empty())
        };
        Ok(match scope {
            VectorScope::UserProvided => set.provided().clone(),
            VectorScope::Regenerate => set.embedded().and(set.regenerated()),
            VectorScope::DocumentTemplate if has_fragments() => DocSet::empty(),
            VectorScope::DocumentTemplate => set.embedded().and_not(set.provided()),
            VectorScope::Any | VectorScope::Fragment(_) => set.embedded().clone(),
        })
    }

    /// A refusal that points at a word.
    pub(super) fn refused(&self, word: &Word, message: &str) -> SearchError {
        SearchError::of_index(self.code, word.with_context(message))
    }

    /// A word as a finite number.
    pub(super) fn number(&self, word: &Word) -> Result<f64, SearchError> {
        let refused = |error: FilterError| SearchError::of_index(self.code, error.to_string());
        word.finite_number().map_err(refused)
    }
}
