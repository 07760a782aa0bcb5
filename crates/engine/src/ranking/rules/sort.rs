//! `sort` entries and custom rules: documents in the order of an attribute's values.
//!
//! Numbers come before texts in both directions, documents without a value last. A document with
//! several values counts with the best one in that direction.
//!
//! # Cost
//! A heap over the documents, popped as far as the page needs: never a full sort.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use serde_json::{Number, Value};

use crate::docset::{DocId, DocSet};
use crate::query::{Paths, SortColumn, SortValue};
use crate::ranking::by_document::OneBucket;
use crate::ranking::{Bucket, Buckets, RankContext, RankingRule, ScoreDetail};
use crate::settings::Direction;

/// Sorts by one attribute.
pub(in crate::ranking) struct SortRule {
    /// Dotted name.
    pub(in crate::ranking) attribute: String,
    /// Which end first.
    pub(in crate::ranking) direction: Direction,
}

impl RankingRule for SortRule {
    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let corpus = context.matching.corpus;
        let shown = corpus
            .settings()
            .is_displayed(&self.attribute)
            .then(|| self.attribute.clone());
        let direction = self.direction;
        let detail = move |value: Value| ScoreDetail::Sort {
            attribute: shown.clone(),
            direction,
            value,
        };
        let Some(column) = corpus.sort_column(&self.attribute) else {
            return Box::new(OneBucket::new(universe, paths.clone(), detail(Value::Null)));
        };
        Box::new(SortBuckets::new(
            column,
            direction,
            universe,
            paths.clone(),
            Box::new(detail),
        ))
    }
}

/// A value made owned and ordered so that the best comes out of the heap first.
struct Keyed {
    key: Key,
    doc: DocId,
    direction: Direction,
}

#[derive(Clone, PartialEq)]
enum Key {
    Number(f64),
    Text(String),
    Missing,
}

impl Key {
    fn compare(&self, other: &Self, direction: Direction) -> Ordering {
        let directed = |ordering: Ordering| match direction {
            Direction::Asc => ordering,
            Direction::Desc => ordering.reverse(),
        };
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => directed(a.total_cmp(b)),
            (Self::Text(a), Self::Text(b)) => directed(a.cmp(b)),
            _ => self.kind().cmp(&other.kind()),
        }
    }

    const fn kind(&self) -> u8 {
        match self {
            Self::Number(_) => 0,
            Self::Text(_) => 1,
            Self::Missing => 2,
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Number(number) => json_number(*number),
            Self::Text(text) => Value::String(text.clone()),
            Self::Missing => Value::Null,
        }
    }
}

/// Whole numbers are shown without a fraction.
fn json_number(number: f64) -> Value {
    const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= MAX_WHOLE {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

impl Ord for Keyed {
    /// Reversed: the heap gives its largest element first.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .key
            .compare(&self.key, self.direction)
            .then_with(|| other.doc.cmp(&self.doc))
    }
}

impl PartialOrd for Keyed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Keyed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Keyed {}

struct SortBuckets<'r> {
    heap: BinaryHeap<Keyed>,
    direction: Direction,
    paths: Paths,
    detail: Box<dyn Fn(Value) -> ScoreDetail + 'r>,
}

impl<'r> SortBuckets<'r> {
    fn new(
        column: Box<dyn SortColumn + 'r>,
        direction: Direction,
        universe: &DocSet,
        paths: Paths,
        detail: Box<dyn Fn(Value) -> ScoreDetail + 'r>,
    ) -> Self {
        let keyed = |doc| {
            let key = match column.value(doc, direction) {
                SortValue::Number(number) => Key::Number(number),
                SortValue::Text(text) => Key::Text(text.into_owned()),
                SortValue::Missing => Key::Missing,
            };
            Keyed {
                key,
                doc,
                direction,
            }
        };
        let heap = universe.iter().map(keyed).collect::<Vec<_>>().into();
        Self {
            heap,
            direction,
            paths,
            detail,
        }
    }
}

impl Buckets for SortBuckets<'_> {
    fn next_bucket(&mut self) -> Option<Bucket> {
        let first = self.heap.pop()?;
        let mut docs = vec![first.doc];
        while let Some(next) = self.heap.peek() {
            if next.key.compare(&first.key, self.direction) != Ordering::Equal {
                break;
            }
            docs.extend(self.heap.pop().map(|keyed| keyed.doc));
        }
        let detail = (self.detail)(first.key.to_json());
        Some(Bucket {
            docs: DocSet::from_sorted(docs),
            paths: self.paths.clone(),
            detail,
        })
    }
}
