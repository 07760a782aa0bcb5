//! Sorts documents by attributes and distances, as far as a page needs it.
//!
//! The order is that of `sort` in a search: numbers before strings before documents without a
//! value, and ties in ascending number of the document.
//!
//! # Cost
//! The first criterion sorts all documents; each further one only the ties that reach into the
//! page.

use std::cmp::Ordering;
use std::ops::Range;

use crate::docset::{DocId, DocSet};
use crate::geometry::distance;
use crate::index::{AttributeView, Snapshot, SortValue};
use crate::ranking::SortCriterion;
use crate::request::{SearchError, not_sortable, parse_sort};
use crate::settings::Direction;

const REFUSED: &str = "invalid_document_sort";
/// Metres within which documents tie.
const TIE_METRES: f64 = 1.0;
/// Documents that tie by distance at the most.
const MAX_TIED: usize = 1000;

/// What documents are sorted by.
pub(super) enum SortKey {
    Values(AttributeView, Direction),
    Distance((f64, f64), Direction),
}

/// Reads `sort`. Attributes without values anywhere, and repeated ones, leave nothing.
///
/// # Errors
/// An entry is malformed, or its attribute is not sortable.
pub(super) fn sort_keys(
    snapshot: &Snapshot,
    entries: &[String],
) -> Result<Vec<SortKey>, SearchError> {
    let settings = snapshot.settings();
    let mut seen: Vec<u16> = Vec::new();
    let mut keys = Vec::new();
    let criteria: Vec<SortCriterion> = entries
        .iter()
        .map(|entry| parse_sort(entry))
        .collect::<Result<_, _>>()
        .map_err(|error| SearchError {
            code: REFUSED,
            ..error
        })?;
    for criterion in criteria {
        let name = match &criterion {
            SortCriterion::Attribute(name, _) => name,
            SortCriterion::GeoPoint(..) => "_geo",
        };
        if !settings.is_sortable(name) {
            return Err(SearchError::new(REFUSED, not_sortable(settings, name)));
        }
        match criterion {
            SortCriterion::GeoPoint(lat, lng, direction) => {
                keys.push(SortKey::Distance((lat, lng), direction));
            }
            SortCriterion::Attribute(name, direction) => {
                let field = snapshot
                    .field_id(&name)
                    .filter(|field| !seen.contains(field));
                if let Some(view) = field.and_then(|field| snapshot.attribute(field)) {
                    seen.push(view.field());
                    keys.push(SortKey::Values(view, direction));
                }
            }
        }
    }
    Ok(keys)
}

/// The documents in the window of the sorted list.
pub(super) fn first_sorted(
    snapshot: &Snapshot,
    docs: &DocSet,
    keys: &[SortKey],
    window: Range<usize>,
) -> Vec<DocId> {
    let mut ids: Vec<DocId> = docs.iter().collect();
    let mut open = vec![(0..ids.len(), 0)];
    while let Some((range, level)) = open.pop() {
        let Some(key) = keys.get(level) else { continue };
        let ties = key.sort(snapshot, &mut ids[range.clone()]);
        let mut start = range.start;
        for length in ties {
            let end = start + length;
            if length > 1 && start < window.end && end > window.start {
                open.push((start..end, level + 1));
            }
            start = end;
        }
    }
    ids[window].to_vec()
}

impl SortKey {
    /// Sorts ascending ids; gives the lengths of the runs that tie, in order.
    fn sort(&self, snapshot: &Snapshot, ids: &mut [DocId]) -> Vec<usize> {
        match self {
            Self::Values(view, direction) => {
                let is_descending = *direction == Direction::Desc;
                let mut keyed: Vec<_> = ids
                    .iter()
                    .map(|id| (view.sort_value(*id, is_descending), *id))
                    .collect();
                keyed.sort_by(|a, b| compare(a.0, b.0, is_descending));
                place(ids, &keyed);
                keyed.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).collect()
            }
            Self::Distance(target, direction) => {
                let metres = |id: DocId| {
                    snapshot
                        .geo(id)
                        .map(|[lat, lng]| distance(*target, (lat, lng)))
                };
                let mut keyed: Vec<_> = ids
                    .iter()
                    .map(|id| (metres(*id).map(SortValue::Number), *id))
                    .collect();
                keyed.sort_by(|a, b| compare(a.0, b.0, *direction == Direction::Desc));
                let ties = distance_ties(&keyed);
                let mut start = 0;
                for length in &ties {
                    keyed[start..start + length].sort_by_key(|(_, id)| *id);
                    start += length;
                }
                place(ids, &keyed);
                ties
            }
        }
    }
}

type Keyed<'v> = (Option<SortValue<'v>>, DocId);

fn place(ids: &mut [DocId], keyed: &[Keyed<'_>]) {
    for (id, (_, sorted)) in ids.iter_mut().zip(keyed) {
        *id = *sorted;
    }
}

fn compare(a: Option<SortValue<'_>>, b: Option<SortValue<'_>>, is_descending: bool) -> Ordering {
    use SortValue::{Number, String};
    let directed = |order: Ordering| {
        if is_descending {
            order.reverse()
        } else {
            order
        }
    };
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(Number(a)), Some(Number(b))) => directed(a.total_cmp(&b)),
        (Some(String(a)), Some(String(b))) => directed(a.cmp(b)),
        (Some(Number(_)), Some(String(_))) => Ordering::Less,
        (Some(String(_)), Some(Number(_))) => Ordering::Greater,
    }
}

/// Runs of documents within a metre of the first of the run; those without a place are one run.
fn distance_ties(keyed: &[Keyed<'_>]) -> Vec<usize> {
    let mut ties = Vec::new();
    let mut rest = keyed;
    while let Some((first, _)) = rest.first() {
        let length = match first {
            Some(SortValue::Number(first)) => {
                let is_near = |key: &Keyed<'_>| matches!(key.0, Some(SortValue::Number(m)) if (m - first).abs() <= TIE_METRES);
                rest.iter()
                    .take(MAX_TIED)
                    .take_while(|key| is_near(key))
                    .count()
            }
            _ => rest.len(),
        };
        let length = length.max(1);
        ties.push(length);
        rest = &rest[length..];
    }
    ties
}
