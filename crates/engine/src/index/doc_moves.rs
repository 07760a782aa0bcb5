//! From the segments of one snapshot to those of the next: where documents lie now, and which of
//! them only moved.
//!
//! # Cost
//! A commit costs its own documents and a bit for each document of a segment in which some died; a
//! merge costs its documents.

use std::sync::Arc;

use super::doc_map::DocMap;
use super::remembered::Sources;
use super::segment_view::SegmentView;
use super::snapshot::Snapshot;
use crate::docset::{DocId, DocSet, DocSetBuilder};

/// A segment that the snapshot before does not have.
pub(super) struct Fresh {
    pub(super) view: Arc<SegmentView>,
    /// Whether it is merged from segments of the snapshot before, and so has nothing new.
    pub(super) is_moved: bool,
}

/// Where documents lie, and what is new about it.
pub(super) struct Moves {
    pub(super) map: DocMap,
    pub(super) documents: DocSet,
    pub(super) sources: Sources,
}

/// Segments by slot.
pub(super) type Slots = Vec<Option<Arc<SegmentView>>>;

/// Puts fresh segments into slots and all documents into a new map.
pub(super) fn build_map(slots: &mut Slots, fresh: Vec<Fresh>) -> (DocMap, DocSet) {
    for fresh in fresh {
        place(slots, fresh.view);
    }
    let mut map = DocMap::default();
    let segments = slots.iter().flatten();
    let universe: usize = segments.map(|view| view.max_doc() as usize).sum();
    let mut documents = DocSetBuilder::new(universe);
    for (slot, segment) in slots.iter().enumerate() {
        if let Some(segment) = segment {
            segment.place_living(slot as u32, &mut map);
            segment.for_each_living(|_, id| documents.insert(id));
        }
    }
    (map, documents.finish())
}

/// Changes a copy of the older map where documents died, came or moved.
pub(super) fn update_map(older: &Snapshot, slots: &mut Slots, fresh: Vec<Fresh>) -> Moves {
    let mut map = older.0.map.clone();
    let (mut died, mut left) = (Vec::new(), Vec::new());
    for (slot, before) in older.0.slots.iter().enumerate() {
        let Some(before) = before else { continue };
        match &slots[slot] {
            Some(after) if Arc::ptr_eq(before, after) => {}
            Some(after) => after.for_each_death_since(before, |id| died.push(id)),
            None => before.for_each_living(|_, id| left.push(id)),
        }
    }
    died.iter().chain(&left).for_each(|id| map.remove(*id));
    let (mut written, mut came, mut arrived) = (Vec::new(), Vec::new(), Vec::new());
    for Fresh { view, is_moved } in fresh {
        let slot = place(slots, Arc::clone(&view));
        let docs = if is_moved {
            &mut arrived
        } else {
            written.push(slot);
            &mut came
        };
        view.for_each_living(|local, id| {
            map.set(id, slot as u32, local);
            docs.push(id);
        });
    }
    let [died, left, came, arrived] = [died, left, came, arrived].map(set_of);
    let documents = older.documents().and_not(&died).and_not(&left);
    // Whoever left a segment and arrived in another has only moved.
    let lost = left.and_not(&arrived).or(&arrived.and_not(&left));
    Moves {
        map,
        documents: documents.or(&came).or(&arrived),
        sources: Sources {
            changed: died.or(&came).or(&lost),
            written,
        },
    }
}

fn set_of(ids: Vec<DocId>) -> DocSet {
    ids.into_iter().collect()
}

/// Gives a segment a free slot.
fn place(slots: &mut Slots, segment: Arc<SegmentView>) -> usize {
    let free = slots.iter().position(Option::is_none);
    let slot = free.unwrap_or(slots.len());
    if slot == slots.len() {
        slots.push(None);
    }
    slots[slot] = Some(segment);
    slot
}
