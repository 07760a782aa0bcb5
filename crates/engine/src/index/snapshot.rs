//! A consistent view of an index: what one commit contained, for as long as it is held.
//!
//! # Invariants
//! 1. Everything read through a snapshot belongs to the same commit.
//! 2. Deleted documents never show.
//!
//! # Cost
//! A clone is one counter. A snapshot after a small commit shares all unchanged segments and map
//! pages with the one before.

use std::sync::Arc;

use tantivy::directory::{Directory, META_LOCK};

use super::IndexError;
use super::doc_map::DocMap;
use super::index_meta::IndexMeta;
use super::segment_view::SegmentView;
use super::sized_cache::SizedCache;
use super::split_cache::SplitCache;
use crate::docset::{DocId, DocSet, DocSetBuilder};
use crate::document::FieldId;
use crate::query::{Summaries, TypoWords};
use crate::settings::IndexSettings;
use crate::storage::document_codec::DocumentCodec;
use crate::storage::generation::Generation;
use crate::vectors::IndexVectors;

/// One part of so many of the cache is for summaries.
const SUMMARIES_SHARE: usize = 2;
/// And one part of so many for words that are a typo or two away.
const TYPOS_SHARE: usize = 16;
/// Documents of this many bytes of words are short: a reader of a part reads most of them.
const SHORT_ROW_BYTES: u64 = 96;

/// A consistent view of an index.
#[derive(Clone)]
pub struct Snapshot(pub(super) Arc<View>);

pub(super) struct View {
    pub(super) meta: Arc<IndexMeta>,
    /// Segments by slot; a slot keeps its number while its segment lives.
    pub(super) slots: Vec<Option<Arc<SegmentView>>>,
    pub(super) map: DocMap,
    pub(super) documents: DocSet,
    pub(super) cache: SizedCache<DocSet>,
    summaries: SizedCache<Summaries>,
    splits: SplitCache,
    typos: SizedCache<TypoWords>,
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
        cache_bytes: usize,
    ) -> Result<Self, IndexError> {
        let index = generation.index();
        let version = generation.version();
        let lock = index
            .directory()
            .acquire_lock(&META_LOCK)
            .map_err(tantivy::TantivyError::from)?;
        let commit = index.load_metas()?;
        let segments: Vec<_> = commit
            .segments
            .into_iter()
            .map(|meta| index.segment(meta))
            .collect();
        let older = older.filter(|older| Arc::ptr_eq(&older.0.generation, generation));
        let mut slots: Vec<Option<Arc<SegmentView>>> = Vec::new();
        if let Some(older) = older {
            slots.resize(older.0.slots.len(), None);
        }
        let mut fresh = Vec::new();
        for segment in segments {
            let place = older.and_then(|older| older.slot_of(segment.id()));
            match place {
                Some((slot, view)) if view.delete_opstamp() == segment.meta().delete_opstamp() => {
                    slots[slot] = Some(Arc::clone(view));
                }
                Some((slot, view)) => {
                    slots[slot] = Some(Arc::new(SegmentView::open(segment, Some(view))?));
                }
                None => fresh.push(Arc::new(SegmentView::open(segment, None)?)),
            }
        }
        drop(lock);
        let meta = read_meta(commit.payload.as_deref(), older)?;
        generation.load_dictionaries(meta.n_dictionaries)?;
        let older_vectors = older.map(Self::vectors);
        let vectors = IndexVectors::open(generation.path(), &meta.vectors, older_vectors)?;
        let (map, documents) = match older {
            Some(older) => update_map(older, &mut slots, fresh),
            None => build_map(&mut slots, fresh),
        };
        Ok(Self(Arc::new(View {
            meta,
            slots,
            map,
            documents,
            cache: SizedCache::new(
                cache_bytes - cache_bytes / SUMMARIES_SHARE - cache_bytes / TYPOS_SHARE,
            ),
            summaries: SizedCache::new(cache_bytes / SUMMARIES_SHARE),
            splits: SplitCache::new(),
            typos: SizedCache::new(cache_bytes / TYPOS_SHARE),
            codec: generation.codec(),
            vectors,
            version,
            generation: Arc::clone(generation),
        })))
    }

    fn slot_of(&self, id: tantivy::index::SegmentId) -> Option<(usize, &Arc<SegmentView>)> {
        self.0.slots.iter().enumerate().find_map(|(slot, view)| {
            view.as_ref()
                .filter(|view| view.id() == id)
                .map(|v| (slot, v))
        })
    }

    /// Where a word is best cut into two; asks `find` once.
    pub(crate) fn split(&self, word: &str, find: &dyn Fn() -> Option<usize>) -> Option<usize> {
        self.0.splits.get(word, find)
    }

    /// Words that are a typo or two away; asks `find` when they are not kept.
    pub(crate) fn typos(&self, key: &str, find: &dyn Fn() -> TypoWords) -> Arc<TypoWords> {
        self.0.typos.get(key, find)
    }

    /// What rules ask of the documents of a term; asks `make`, if it is given, when it is not kept.
    pub(crate) fn summaries(
        &self,
        key: &str,
        make: Option<&dyn Fn() -> Option<Summaries>>,
    ) -> Option<Arc<Summaries>> {
        let kept = &self.0.summaries;
        kept.known(key).or_else(|| Some(kept.keep(key, make?()?)))
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

    /// One more than the largest number of a document: the universe for set builders.
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
    #[must_use]
    pub fn find(&self, external_id: &str) -> Option<DocId> {
        self.segments()
            .find_map(|segment| segment.find(external_id).ok().flatten())
            .map(|(_, id)| id)
    }

    /// The JSON of a document, compact, keys in order of field number.
    ///
    /// # Errors
    /// When the document does not live or cannot be read.
    pub fn document(&self, id: DocId) -> Result<Vec<u8>, IndexError> {
        let (segment, local) = self
            .locate(id)
            .ok_or_else(|| IndexError::Corrupt(format!("document {id} does not exist")))?;
        self.stored_document(segment, local)
    }

    /// The JSON of a document of a segment.
    pub(crate) fn stored_document(
        &self,
        segment: &SegmentView,
        local: tantivy::DocId,
    ) -> Result<Vec<u8>, IndexError> {
        Ok(self.0.codec.decode(&segment.stored(local)?)?)
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
    Ok(Arc::new(meta))
}

/// Puts fresh segments into slots and all documents into a new map.
fn build_map(
    slots: &mut Vec<Option<Arc<SegmentView>>>,
    fresh: Vec<Arc<SegmentView>>,
) -> (DocMap, DocSet) {
    place_fresh(slots, fresh);
    let mut map = DocMap::default();
    let universe: usize = slots
        .iter()
        .flatten()
        .map(|view| view.max_doc() as usize)
        .sum();
    let mut documents = DocSetBuilder::new(universe);
    for (slot, segment) in slots.iter().enumerate() {
        if let Some(segment) = segment {
            segment.for_each_living(|local, id| {
                map.set(id, slot as u32, local);
                documents.insert(id);
            });
        }
    }
    (map, documents.finish())
}

/// Changes a copy of the older map where documents died, came or moved.
fn update_map(
    older: &Snapshot,
    slots: &mut Vec<Option<Arc<SegmentView>>>,
    fresh: Vec<Arc<SegmentView>>,
) -> (DocMap, DocSet) {
    let mut map = older.0.map.clone();
    let mut gone = Vec::new();
    for (slot, before) in older.0.slots.iter().enumerate() {
        let Some(before) = before else { continue };
        match &slots[slot] {
            Some(after) if Arc::ptr_eq(before, after) => {}
            Some(after) => before.for_each_living(|local, id| {
                if after.living(local).is_none() {
                    gone.push(id);
                }
            }),
            None => before.for_each_living(|_, id| gone.push(id)),
        }
    }
    gone.iter().for_each(|id| map.remove(*id));
    let mut come = Vec::new();
    for slot in place_fresh(slots, fresh) {
        if let Some(segment) = &slots[slot] {
            segment.for_each_living(|local, id| {
                map.set(id, slot as u32, local);
                come.push(id);
            });
        }
    }
    let documents = older.documents().and_not(&gone.into_iter().collect());
    (map, documents.or(&come.into_iter().collect()))
}

/// Gives each fresh segment a free slot and tells which ones.
fn place_fresh(
    slots: &mut Vec<Option<Arc<SegmentView>>>,
    fresh: Vec<Arc<SegmentView>>,
) -> Vec<usize> {
    let place = |segment: Arc<SegmentView>| {
        let slot = slots
            .iter()
            .position(Option::is_none)
            .unwrap_or(slots.len());
        if slot == slots.len() {
            slots.push(None);
        }
        slots[slot] = Some(segment);
        slot
    };
    fresh.into_iter().map(place).collect()
}
