//! A consistent view of an index: what one commit contained, for as long as it is held.
//!
//! # Invariants
//! 1. Everything read through a snapshot belongs to the same commit.
//! 2. Deleted documents never show.
//!
//! # Cost
//! A clone is one counter. A snapshot after a small commit shares all unchanged segments and map
//! pages with the one before, and what searches remember.

use std::sync::Arc;

use tantivy::directory::{Directory, META_LOCK};
use tantivy::index::{SegmentId, SegmentMeta};

use super::doc_map::DocMap;
use super::doc_moves::{Fresh, Moves, Slots, build_map, update_map};
use super::index_meta::IndexMeta;
use super::remembered::{Moment, Remembered, change_between};
use super::segment_view::SegmentView;
use super::{IndexError, SearchBudget};
use crate::docset::{DocId, DocSet};
use crate::document::FieldId;
use crate::settings::IndexSettings;
use crate::storage::document_codec::DocumentCodec;
use crate::storage::document_reader::DocumentBytes;
use crate::storage::generation::Generation;
use crate::vectors::IndexVectors;

/// Documents of this many bytes of words are short: a reader of a part reads most of them.
const SHORT_ROW_BYTES: u64 = 96;

/// A consistent view of an index.
#[derive(Clone)]
pub struct Snapshot(pub(super) Arc<View>);

pub(super) struct View {
    pub(super) meta: Arc<IndexMeta>,
    /// Segments by slot; a slot keeps its number while its segment lives.
    pub(super) slots: Slots,
    pub(super) map: DocMap,
    pub(super) documents: DocSet,
    pub(super) remembered: Arc<Remembered>,
    pub(super) moment: Moment,
    codec: Arc<DocumentCodec>,
    vectors: IndexVectors,
    version: u64,
    /// Last: files go after everything that maps them.
    generation: Arc<Generation>,
}

impl Snapshot {
    /// Reads the last commit of a generation, sharing what it can with an older snapshot of it.
    pub(crate) fn load(
        generation: &Arc<Generation>,
        older: Option<&Self>,
        budget: &SearchBudget,
    ) -> Result<Self, IndexError> {
        let index = generation.index();
        let version = generation.version();
        let lock = index
            .directory()
            .acquire_lock(&META_LOCK)
            .map_err(tantivy::TantivyError::from)?;
        let commit = index.load_metas()?;
        let older = older.filter(|older| Arc::ptr_eq(&older.0.generation, generation));
        let (mut slots, fresh) = open_segments(index, commit.segments, older)?;
        drop(lock);
        let meta = read_meta(commit.payload.as_deref(), older)?;
        generation.load_dictionaries(meta.n_dictionaries)?;
        let older_vectors = older.map(Self::vectors);
        let vectors = IndexVectors::open(generation.path(), &meta.vectors, older_vectors)?;
        let (map, documents, sources) = match older {
            Some(older) => {
                let Moves {
                    map,
                    documents,
                    sources,
                } = update_map(older, &mut slots, fresh);
                (map, documents, Some((older, sources)))
            }
            None => {
                let (map, documents) = build_map(&mut slots, fresh);
                (map, documents, None)
            }
        };
        // What rules say of documents holds as long as the settings do.
        let sources =
            sources.filter(|(older, _)| Arc::ptr_eq(&older.0.meta.settings, &meta.settings));
        let room = budget.memory.bytes(documents.len());
        let remembered = match &sources {
            Some((older, _)) => Arc::clone(&older.0.remembered),
            None => Remembered::new(room, &budget.pool),
        };
        remembered.resize(room);
        let segments = slots.iter().flatten();
        remembered.reads_with(segments.map(|view| view.documents().number()).collect());
        let snapshot = Self(Arc::new(View {
            meta,
            slots,
            map,
            documents,
            remembered,
            moment: sources.as_ref().map_or(0, |(older, _)| older.0.moment + 1),
            codec: generation.codec(),
            vectors,
            version,
            generation: Arc::clone(generation),
        }));
        if let Some((older, sources)) = sources {
            let change = change_between(older, &snapshot, sources);
            snapshot.0.remembered.changed(snapshot.0.moment, &change);
        }
        let origins = generation.merge_origins();
        origins.forget(|id| snapshot.slot_of(id).is_some());
        Ok(snapshot)
    }

    /// Whether a segment was merged from segments of this snapshot and no others.
    fn has_all_of(&self, merged: SegmentId) -> bool {
        let origins = self.0.generation.merge_origins();
        origins.is_of(merged, |id| self.slot_of(id).is_some())
    }

    fn slot_of(&self, id: SegmentId) -> Option<(usize, &Arc<SegmentView>)> {
        self.0.slots.iter().enumerate().find_map(|(slot, view)| {
            view.as_ref()
                .filter(|view| view.id() == id)
                .map(|v| (slot, v))
        })
    }

    /// Whether documents hold few words on average.
    pub(crate) fn has_short_documents(&self) -> bool {
        let rows = self.segments().map(|segment| segment.forward().rows_len());
        let n_docs = self.segments().map(|segment| u64::from(segment.max_doc()));
        rows.sum::<u64>() <= SHORT_ROW_BYTES * n_docs.sum::<u64>()
    }

    /// Whether a later commit or merge has happened in the same generation.
    pub(crate) fn is_stale(&self) -> bool {
        self.0.version != self.0.generation.version()
    }

    /// Whether this snapshot reads segments that a later one does not.
    pub(super) fn has_segments_beside(&self, later: &Self) -> bool {
        let mut segments = self.segments();
        segments.any(|segment| later.slot_of(segment.id()).is_none())
    }

    /// Whether nobody else has this snapshot any more.
    pub(super) fn is_last_handle(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// The generation the snapshot reads.
    pub(crate) fn generation(&self) -> &Arc<Generation> {
        &self.0.generation
    }

    /// The segments in use.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &Arc<SegmentView>> {
        self.0.slots.iter().flatten()
    }

    /// Number of segments, for statistics.
    #[must_use]
    pub fn n_segments(&self) -> usize {
        self.segments().count()
    }

    /// Whether a merge would make the index smaller.
    pub(crate) fn has_dead_documents(&self) -> bool {
        self.segments().any(|segment| segment.has_dead_documents())
    }

    /// What the index knows about itself.
    #[must_use]
    pub fn meta(&self) -> &IndexMeta {
        &self.0.meta
    }

    /// The vectors of all embedders.
    pub(crate) fn vectors(&self) -> &IndexVectors {
        &self.0.vectors
    }

    /// Number of vectors of all embedders, and of the documents that have one.
    #[must_use]
    pub fn embedding_counts(&self) -> (u64, u64) {
        let vectors = self.vectors();
        (vectors.n_vectors(), vectors.embedded().len() as u64)
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &IndexSettings {
        &self.0.meta.settings
    }

    /// The living documents.
    #[must_use]
    pub fn documents(&self) -> &DocSet {
        &self.0.documents
    }

    /// Number of documents, dead ones included, for the builders of sets. An id may be larger: those of
    /// dead documents go with a merge, and the others keep theirs.
    #[must_use]
    pub fn universe_len(&self) -> usize {
        self.0
            .slots
            .iter()
            .flatten()
            .map(|segment| segment.max_doc() as usize)
            .sum()
    }

    /// The number of an attribute name.
    #[must_use]
    pub fn field_id(&self, name: &str) -> Option<FieldId> {
        self.0.meta.fields.id(name)
    }

    /// The attribute name with this number; empty when there is none.
    #[must_use]
    pub fn field_name(&self, field: FieldId) -> &str {
        self.0.meta.fields.name(field)
    }

    /// Number of attribute names.
    #[must_use]
    pub fn n_fields(&self) -> usize {
        self.0.meta.fields.len()
    }

    /// The document with this external id.
    ///
    /// # Errors
    /// When the ids of a segment cannot be read: the document may be there all the same.
    pub fn find(&self, external_id: &str) -> std::io::Result<Option<DocId>> {
        for segment in self.segments() {
            if let Some((_, id)) = segment.find(external_id)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// The JSON of a document, compact, keys in order of field number.
    ///
    /// # Errors
    /// When the document does not live or cannot be read.
    pub fn document(&self, id: DocId) -> Result<Vec<u8>, IndexError> {
        Ok(self.document_bytes(id)?.to_vec())
    }

    /// The same where it was decompressed.
    pub(crate) fn document_bytes(&self, id: DocId) -> Result<DocumentBytes, IndexError> {
        let (segment, local) = self.place_of(id)?;
        self.stored_document(segment, local)
    }

    /// The same for a search, as later ones may show the document again.
    pub(crate) fn shown_document(&self, id: DocId) -> Result<DocumentBytes, IndexError> {
        let (segment, local) = self.place_of(id)?;
        let memory = &*self.0.remembered;
        let document = segment.documents().repeated(local, &self.0.codec, memory);
        Ok(document?)
    }

    /// Appends the JSON of a document that a search shows to `out`.
    pub(crate) fn append_document(&self, id: DocId, out: &mut Vec<u8>) -> Result<(), IndexError> {
        let (segment, local) = self.place_of(id)?;
        let documents = segment.documents();
        Ok(documents.append(local, &self.0.codec, &*self.0.remembered, out)?)
    }

    fn place_of(&self, id: DocId) -> Result<(&SegmentView, tantivy::DocId), IndexError> {
        self.locate(id)
            .ok_or_else(|| IndexError::Corrupt(format!("document {id} does not exist")))
    }

    /// The JSON of a document of a segment.
    pub(crate) fn stored_document(
        &self,
        segment: &SegmentView,
        local: tantivy::DocId,
    ) -> Result<DocumentBytes, IndexError> {
        Ok(segment.documents().document(local, &self.0.codec)?)
    }

    /// Says that the row of a document will be read soon.
    #[inline]
    pub(super) fn expect_row(&self, id: DocId) {
        if let Some((slot, local)) = self.0.map.get(id)
            && let Some(Some(segment)) = self.0.slots.get(slot as usize)
        {
            segment.forward().expect(local);
        }
    }

    /// The segment of a living document and its number there.
    #[inline]
    pub(super) fn locate(&self, id: DocId) -> Option<(&SegmentView, tantivy::DocId)> {
        let (slot, local) = self.0.map.get(id)?;
        self.0
            .slots
            .get(slot as usize)?
            .as_deref()
            .map(|segment| (segment, local))
    }
}

/// The segments of a commit: those that `older` has in their slots, and the others.
fn open_segments(
    index: &tantivy::Index,
    segments: Vec<SegmentMeta>,
    older: Option<&Snapshot>,
) -> tantivy::Result<(Slots, Vec<Fresh>)> {
    let mut slots = Slots::new();
    slots.resize(older.map_or(0, |older| older.0.slots.len()), None);
    let mut fresh = Vec::new();
    for segment in segments {
        let segment = index.segment(segment);
        let place = older.and_then(|older| older.slot_of(segment.id()));
        match place {
            Some((slot, view)) if view.delete_opstamp() == segment.meta().delete_opstamp() => {
                slots[slot] = Some(Arc::clone(view));
            }
            Some((slot, view)) => {
                slots[slot] = Some(Arc::new(SegmentView::open(segment, Some(view))?));
            }
            None => fresh.push(Fresh {
                is_moved: older.is_some_and(|older| older.has_all_of(segment.id())),
                view: Arc::new(SegmentView::open(segment, None)?),
            }),
        }
    }
    Ok((slots, fresh))
}

fn read_meta(
    payload: Option<&str>,
    older: Option<&Snapshot>,
) -> Result<Arc<IndexMeta>, IndexError> {
    let payload = payload.ok_or_else(|| IndexError::Corrupt("a commit has no payload".into()))?;
    let mut meta: IndexMeta = serde_json::from_str(payload)
        .map_err(|error| IndexError::Corrupt(format!("a commit's payload: {error}")))?;
    meta.check_version()?;
    if let Some(older) = older.filter(|older| older.0.meta.fields == meta.fields) {
        meta.fields = Arc::clone(&older.0.meta.fields);
    }
    if let Some(older) = older.filter(|older| older.0.meta.settings == meta.settings) {
        meta.settings = Arc::clone(&older.0.meta.settings);
    }
    Ok(Arc::new(meta))
}
