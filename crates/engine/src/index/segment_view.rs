//! One segment as a snapshot sees it: tantivy's readers, our files, and its documents' numbers.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tantivy::columnar::Cardinality;
use tantivy::directory::OwnedBytes;
use tantivy::index::{
    InvertedIndexReader, Segment, SegmentComponent, SegmentId, SegmentMeta, SegmentReader,
};
use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId as LocalId, Opstamp};

use super::doc_map::DocMap;
use super::error::{damaged, of_dictionary};
use super::geo_tree::GeoTree;
use super::vocabulary::Vocabulary;
use crate::docset::DocId;
use crate::storage::attribute_file::AttributeReader;
use crate::storage::attribute_plugin;
use crate::storage::column_reader::ColumnReader;
use crate::storage::document_plugin;
use crate::storage::document_reader::DocumentReader;
use crate::storage::forward_plugin;
use crate::storage::forward_reader::ForwardReader;
use crate::storage::schema::{Fields, SEQ};
use crate::storage::{FieldId, forward_row};

/// Numbers of documents that are unpacked together when a segment is opened.
const NUMBERS_AT_ONCE: usize = 1024;

/// Bytes before the bits in a file of deletions: the number of documents.
const ALIVE_HEAD: usize = 4;

/// A segment with its deletions at one commit.
pub(crate) struct SegmentView {
    /// Keeps the files from being collected.
    segment: Segment,
    pub(super) reader: SegmentReader,
    /// As on disk: four bytes, and a bit for each document that lives.
    alive: Option<OwnedBytes>,
    pub(super) doc_ids: Arc<[DocId]>,
    documents: DocumentReader,
    words: Arc<InvertedIndexReader>,
    vocabulary: Arc<Vocabulary>,
    external_ids: Arc<InvertedIndexReader>,
    forward: ForwardReader,
    attributes: AttributeReader,
    /// Made when it is first asked for.
    geo_tree: Arc<OnceLock<GeoTree>>,
}

impl SegmentView {
    /// Opens a segment, taking over what does not change from `older`, the same segment before.
    pub(crate) fn open(segment: Segment, older: Option<&Self>) -> tantivy::Result<Self> {
        let reader = SegmentReader::open(&segment)?;
        let fields = Fields::new();
        let alive = match reader.has_deletes() {
            true => Some(segment.open_read(SegmentComponent::Delete)?.read_bytes()?),
            false => None,
        };
        if let Some(older) = older {
            return Ok(Self {
                doc_ids: Arc::clone(&older.doc_ids),
                words: Arc::clone(&older.words),
                vocabulary: Arc::clone(&older.vocabulary),
                external_ids: Arc::clone(&older.external_ids),
                documents: older.documents.clone(),
                forward: older.forward.clone(),
                attributes: older.attributes.clone(),
                geo_tree: Arc::clone(&older.geo_tree),
                segment,
                reader,
                alive,
            });
        }
        check_numbers(&segment)?;
        let doc_ids = doc_numbers(&reader)?;
        let documents = DocumentReader::open(&segment.open_read(document_plugin::component())?)?;
        let forward = ForwardReader::open(&segment.open_read(forward_plugin::component())?)?;
        let attributes = AttributeReader::open(&segment.open_read(attribute_plugin::component())?)?;
        let words = reader.inverted_index(fields.words).map_err(of_dictionary)?;
        if forward.n_docs() != reader.max_doc()
            || forward.n_terms() as usize != words.terms().num_terms()
        {
            return Err(damaged("a forward index does not belong to its segment"));
        }
        let external_ids = reader.inverted_index(fields.id).map_err(of_dictionary)?;
        if external_ids.terms().num_terms() == 0 && reader.max_doc() > 0 {
            return Err(damaged("a segment has documents and no ids"));
        }
        if attributes.n_docs() != reader.max_doc() {
            return Err(damaged("columns do not belong to their segment"));
        }
        if documents.n_docs() != reader.max_doc() {
            return Err(damaged(
                "a file of documents does not belong to its segment",
            ));
        }
        Ok(Self {
            doc_ids: doc_ids.into(),
            words,
            vocabulary: Arc::new(Vocabulary::open(&segment)?),
            external_ids,
            forward,
            attributes,
            geo_tree: Arc::default(),
            documents,
            segment,
            reader,
            alive,
        })
    }

    /// Identity of the segment over commits.
    pub(crate) fn id(&self) -> SegmentId {
        self.segment.id()
    }

    /// What a commit says of the segment.
    pub(crate) fn meta(&self) -> SegmentMeta {
        self.segment.meta().clone()
    }

    /// Name of its files, without their endings.
    pub(crate) fn file_name(&self) -> String {
        self.segment.id().uuid_string()
    }

    /// Name of the file of its deletions, when there are some.
    pub(crate) fn deletions_path(&self) -> Option<PathBuf> {
        let has_some = self.segment.meta().has_deletes();
        has_some.then(|| self.segment.relative_path(SegmentComponent::Delete))
    }

    /// Changes with the segment's deletions.
    pub(crate) fn delete_opstamp(&self) -> Option<Opstamp> {
        self.segment.meta().delete_opstamp()
    }

    /// Number of documents, dead ones included.
    pub(crate) fn max_doc(&self) -> u32 {
        self.reader.max_doc()
    }

    /// Whether some documents are deleted.
    pub(crate) fn has_dead_documents(&self) -> bool {
        self.reader.has_deletes()
    }

    /// The document's number, if it lives.
    #[inline]
    pub(crate) fn living(&self, local: LocalId) -> Option<DocId> {
        // First, because a damaged file may name a document that the bits do not have.
        let id = *self.doc_ids.get(local as usize)?;
        match self.reader.alive_bitset() {
            Some(alive) if !alive.is_alive(local) => None,
            _ => Some(id),
        }
    }

    /// Puts every living document where the segment is.
    pub(crate) fn place_living(&self, slot: u32, map: &mut DocMap) {
        let end = self
            .doc_ids
            .iter()
            .max()
            .map_or(0, |last| last.saturating_add(1));
        let of = |local: LocalId| Some((*self.doc_ids.get(local as usize)?, local));
        match self.reader.alive_bitset() {
            None => map.set_each(slot, end, self.doc_ids.iter().copied().zip(0..)),
            Some(alive) => map.set_each(slot, end, alive.iter_alive().filter_map(of)),
        }
    }

    /// Calls `each` for every living document with its local number.
    pub(crate) fn for_each_living(&self, mut each: impl FnMut(LocalId, DocId)) {
        match self.reader.alive_bitset() {
            None => {
                self.doc_ids
                    .iter()
                    .enumerate()
                    .for_each(|(local, id)| each(local as LocalId, *id));
            }
            Some(alive) => alive.iter_alive().for_each(|local| {
                if let Some(id) = self.doc_ids.get(local as usize) {
                    each(local, *id);
                }
            }),
        }
    }

    /// Calls `each` for every document that lived in `before`, the same segment at an earlier
    /// commit, and does not any more.
    pub(crate) fn for_each_death_since(&self, before: &Self, mut each: impl FnMut(DocId)) {
        let Some(now) = &self.alive else { return };
        let mut earlier = before.alive.as_deref().map(alive_words);
        for (nth, now) in alive_words(now).enumerate() {
            let lived = match &mut earlier {
                Some(earlier) => earlier.next().unwrap_or(0),
                None => u64::MAX,
            };
            let mut died = lived & !now;
            while died != 0 {
                let local = 64 * nth + died.trailing_zeros() as usize;
                died &= died - 1;
                // None for bits behind the last document.
                self.doc_ids.get(local).into_iter().for_each(|id| each(*id));
            }
        }
    }

    /// Calls `each` for every deleted document.
    pub(crate) fn for_each_dead(&self, each: impl FnMut(LocalId)) {
        if let Some(alive) = self.reader.alive_bitset() {
            (0..self.max_doc())
                .filter(|local| !alive.is_alive(*local))
                .for_each(each);
        }
    }

    /// The words index.
    pub(crate) fn words(&self) -> &InvertedIndexReader {
        &self.words
    }

    /// The words index as an automaton.
    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Words of each document in order.
    pub(crate) const fn forward(&self) -> &ForwardReader {
        &self.forward
    }

    /// The column of a field.
    pub(crate) fn column(&self, field: FieldId) -> Option<&Arc<ColumnReader>> {
        self.attributes.column(field)
    }

    /// All columns and coordinates.
    pub(crate) const fn attributes(&self) -> &AttributeReader {
        &self.attributes
    }

    /// Documents with coordinates in boxes.
    pub(super) fn geo_tree(&self) -> &GeoTree {
        self.geo_tree.get_or_init(|| GeoTree::new(&self.attributes))
    }

    /// Whether it is still to be made.
    pub(super) fn is_without_geo_tree(&self) -> bool {
        self.geo_tree.get().is_none()
    }

    /// Looks a document up by its external id.
    ///
    /// # Errors
    /// The id is there, but no document of the segment is named for it.
    pub(crate) fn find(&self, external_id: &str) -> std::io::Result<Option<(LocalId, DocId)>> {
        let Some(info) = self.external_ids.terms().get(external_id)? else {
            return Ok(None);
        };
        let (mut found, mut n_named, mut is_known) = (None, 0, true);
        for_each_posting(&self.external_ids, &info, |local| {
            n_named += 1;
            is_known &= local < self.max_doc();
            if found.is_none() {
                found = self.living(local).map(|id| (local, id));
            }
        })?;
        if n_named > 0 && is_known {
            return Ok(found);
        }
        let text = format!("the id `{external_id}` names a document that is not there");
        Err(std::io::Error::new(std::io::ErrorKind::InvalidData, text))
    }

    /// The documents as they are stored.
    pub(crate) const fn documents(&self) -> &DocumentReader {
        &self.documents
    }

    /// Whether a living document holds the word.
    pub(crate) fn lives(&self, info: &TermInfo) -> std::io::Result<bool> {
        if !self.reader.has_deletes() || info.doc_freq > self.reader.num_deleted_docs() {
            return Ok(true);
        }
        let mut lives = false;
        for_each_posting(&self.words, info, |local| {
            lives |= self.living(local).is_some()
        })?;
        Ok(lives)
    }

    /// The ordinals of the words that start with `prefix`.
    pub(crate) fn prefix_ordinals(&self, prefix: &str) -> std::io::Result<Range<u32>> {
        let terms = self.words.terms();
        let first_from = |bound: &[u8]| -> std::io::Result<u32> {
            let mut stream = terms.range().ge(bound).into_stream()?;
            Ok(if stream.advance() {
                stream.term_ord() as u32
            } else {
                terms.num_terms() as u32
            })
        };
        let start = first_from(prefix.as_bytes())?;
        let end = match after_prefix(prefix.as_bytes()) {
            Some(bound) => first_from(&bound)?,
            None => terms.num_terms() as u32,
        };
        Ok(start..end)
    }
}

/// Compares the checksum of the numbers of the documents, which are all read anyway: memory is
/// reserved up to the largest.
fn check_numbers(segment: &Segment) -> tantivy::Result<()> {
    let path = segment.relative_path(SegmentComponent::FastFields);
    if segment.index().directory().validate_checksum(&path)? {
        return Ok(());
    }
    Err(damaged(
        "the numbers of its documents do not have their checksum",
    ))
}

/// The numbers of a segment's documents.
fn doc_numbers(reader: &SegmentReader) -> tantivy::Result<Vec<DocId>> {
    let column = reader.fast_fields().u64(SEQ)?;
    let missing = || damaged("a document has no number");
    if column.get_cardinality() != Cardinality::Full || column.num_docs() != reader.max_doc() {
        return Err(missing());
    }
    let n_docs = reader.max_doc() as usize;
    let mut doc_ids = Vec::with_capacity(n_docs);
    let mut numbers = [0_u64; NUMBERS_AT_ONCE];
    while doc_ids.len() < n_docs {
        let part = &mut numbers[..NUMBERS_AT_ONCE.min(n_docs - doc_ids.len())];
        column.values.get_range(doc_ids.len() as u64, part);
        for number in part {
            doc_ids.push(DocId::try_from(*number).map_err(|_| missing())?);
        }
    }
    Ok(doc_ids)
}

/// The bits of the documents that live, 64 at a time.
fn alive_words(file: &[u8]) -> impl Iterator<Item = u64> {
    let (words, _) = file.get(ALIVE_HEAD..).unwrap_or_default().as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word))
}

/// The smallest byte string after everything that starts with `prefix`; `None` when there is none.
pub(crate) fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut bound = prefix[..=last].to_vec();
    bound[last] += 1;
    Some(bound)
}

fn for_each_posting(
    index: &InvertedIndexReader,
    info: &TermInfo,
    mut each: impl FnMut(LocalId),
) -> std::io::Result<()> {
    let mut postings: BlockSegmentPostings =
        index.read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
    loop {
        let docs = postings.docs();
        if docs.is_empty() {
            return Ok(());
        }
        docs.iter().for_each(|local| each(*local));
        postings.advance();
    }
}

/// The symbol that counts as one position but holds no word, for readers of rows.
pub(crate) const JUMP_LENGTH: u32 = forward_row::JUMP_LENGTH;
