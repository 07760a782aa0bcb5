//! What searches made that later ones want again: sets of documents of frequent words, summaries of
//! documents, words a typo away, cuts of words, documents with a phrase, what filters select; by
//! segment, what was measured of documents, and long documents themselves; and, until the next commit,
//! whole answers and found pages.
//!
//! All but the last four is in terms of numbers of documents and of words, which segments come and go under: so
//! a merge takes nothing away, and a commit only what it touched. Values are mended when they are
//! asked for the next time, by looking at the documents that changed.
//!
//! # Invariants
//! 1. What is recalled for a snapshot is what the snapshot itself would give.
//! 2. All snapshots that share this have the same settings and generation.
//!
//! # Cost
//! A look-up of each word behind a value, and for a touched one a look at each changed document.

mod answers;
mod change;
mod change_log;
mod long_documents;
mod measures;
mod of_moment;
mod pages;
mod phrases;
mod pool;
mod room;
mod sized_cache;

use std::sync::Arc;

use answers::AnswerMemory;
use answers::RepeatedAnswer;
pub(crate) use answers::WrittenAnswer;
pub(super) use change::{Sources, change_between};
pub(crate) use change_log::{Change, ChangeLog, Moment};
use long_documents::LongDocuments;
use measures::MeasureCache;
pub(super) use measures::{RememberedMeasures, is_remembered};
pub(crate) use pages::FoundPage;
use pages::PageMemory;
use phrases::PhraseDocs;
use pool::PoolShare;
pub(super) use pool::SearchPool;
use room::{Holder, Room, held_bytes};
use sized_cache::{HeapSize, SizedCache};

use super::snapshot::Snapshot;
use crate::docset::DocSet;
use crate::query::{Reach, Slot, Summaries, SummariesRequest, TypoWords};

/// Parts of the room, of 64, that each kind has to itself: what most searches want and what takes
/// longest to make has most.
const SUMMARIES_PARTS: usize = 18;
const MEASURES_PARTS: usize = 14;
const SETS_PARTS: usize = 9;
const ANSWERS_PARTS: usize = 6;
const FILTERS_PARTS: usize = 4;
const LONG_DOCUMENTS_PARTS: usize = 6;
const PAGES_PARTS: usize = 2;
const TYPOS_PARTS: usize = 3;
const PHRASES_PARTS: usize = 1;
const SPLITS_PARTS: usize = 1;

/// Parts that long documents take at the most, however much is free: a byte of them saves less time than
/// one of anything else.
const LONG_DOCUMENTS_MOST_PARTS: usize = 16;

/// Looking at a document that changed takes as long as making so many of a value anew. Nothing in
/// tests, which have few.
const MENDED_DOC_COST: usize = if cfg!(test) { 0 } else { 64 };

/// The same for the sets of filters, whose documents are only looked up in columns.
const MENDED_FILTER_COST: usize = if cfg!(test) { 0 } else { 4 };

/// What is kept for the snapshots of one generation.
pub(super) struct Remembered {
    log: ChangeLog,
    room: Room,
    share: PoolShare,
    sets: SizedCache<DocSet>,
    summaries: SizedCache<Summaries>,
    typos: SizedCache<TypoWords>,
    splits: SizedCache<Option<usize>>,
    phrases: SizedCache<PhraseDocs>,
    filters: SizedCache<DocSet>,
    answers: AnswerMemory,
    pages: PageMemory,
    measures: MeasureCache,
    long_documents: LongDocuments,
}

/// What is known of a value at some moment.
enum Recalled<V> {
    /// It is true.
    Same(Arc<V>),
    /// It was true before these documents changed.
    Before(Arc<V>, DocSet),
    Nothing,
}

impl Remembered {
    /// Nothing yet, and room for so many bytes of those that all indexes have.
    pub(super) fn new(bytes: usize, pool: &Arc<SearchPool>) -> Arc<Self> {
        let remembered = Arc::new(Self {
            log: ChangeLog::default(),
            room: Room::new(bytes),
            share: PoolShare::new(pool),
            sets: SizedCache::new(),
            summaries: SizedCache::new(),
            typos: SizedCache::new(),
            splits: SizedCache::new(),
            phrases: SizedCache::new(),
            filters: SizedCache::new(),
            answers: AnswerMemory::new(),
            pages: PageMemory::new(),
            measures: SizedCache::new(),
            long_documents: LongDocuments::new(),
        });
        pool.join(&remembered);
        remembered
    }

    /// Gives more room, or less.
    pub(super) fn resize(&self, bytes: usize) {
        self.room.resize(bytes);
        self.make_room();
    }

    /// Forgets until all is within the room of this index, and that of all indexes.
    fn make_room(&self) {
        let holders = self.holders();
        self.room.make(&holders);
        self.share.holds(held_bytes(&holders));
    }

    /// Forgets so many bytes, or all.
    fn give_way(&self, bytes: usize) {
        let holders = self.holders();
        let left = held_bytes(&holders).saturating_sub(bytes);
        Room::make_within(&holders, left);
        self.share.holds_now(held_bytes(&holders));
    }

    /// All that takes room, with its share.
    fn holders(&self) -> [(&dyn Holder, usize); 10] {
        [
            (&self.summaries, SUMMARIES_PARTS),
            (&self.measures, MEASURES_PARTS),
            (&self.sets, SETS_PARTS),
            (&self.answers, ANSWERS_PARTS),
            (&self.pages, PAGES_PARTS),
            (&self.filters, FILTERS_PARTS),
            (&self.long_documents, LONG_DOCUMENTS_PARTS),
            (&self.typos, TYPOS_PARTS),
            (&self.phrases, PHRASES_PARTS),
            (&self.splits, SPLITS_PARTS),
        ]
    }

    /// Keeps a value that takes no more than the share of its kind.
    fn keep<V: HeapSize>(
        &self,
        (cache, n_parts): (&SizedCache<V>, usize),
        key: &str,
        value: V,
        at: Moment,
    ) -> Arc<V> {
        let kept = cache.keep(key, value, at, self.room.share(n_parts));
        self.make_room();
        kept
    }

    /// Tells what happened up to the moment `now`, before a snapshot of it is searched.
    pub(super) fn changed(&self, now: Moment, change: &Change) {
        self.log.add(now, change);
    }

    fn recall<V: HeapSize>(
        &self,
        cache: &SizedCache<V>,
        key: &str,
        now: Moment,
        is_touched: impl FnOnce(&ChangeLog, Moment) -> bool,
    ) -> Recalled<V> {
        let Some(kept) = cache.known(key) else {
            return Recalled::Nothing;
        };
        if kept.at != now && is_touched(&self.log, kept.at.min(now)) {
            let changed = (kept.at < now).then(|| self.log.docs_between(kept.at, now));
            return match changed.flatten() {
                Some(changed) => Recalled::Before(kept.value, changed),
                None => Recalled::Nothing,
            };
        }
        if kept.at < now {
            cache.still_true(key, &kept, now);
        }
        Recalled::Same(kept.value)
    }
}

/// What is remembered of a snapshot; each function asks `make` or `find` when that is nothing.
impl Snapshot {
    fn remembered(&self) -> (&Remembered, Moment) {
        self.0.remembered.share.is_asked();
        (&self.0.remembered, self.0.moment)
    }

    /// The documents that hold a word or a prefix.
    pub(super) fn remembered_docs(
        &self,
        slot: &Slot,
        make: impl FnOnce() -> DocSet,
    ) -> Arc<DocSet> {
        let (remembered, now) = self.remembered();
        let key = match slot {
            Slot::Word(word) => word.clone(),
            // No word starts with U+0000, so prefixes and words share the cache.
            Slot::Prefix(prefix) => format!("\0{prefix}"),
        };
        let sets = &remembered.sets;
        let recalled =
            remembered.recall(sets, &key, now, |log, since| is_touched(log, slot, since));
        let docs = match recalled {
            Recalled::Same(docs) => return docs,
            Recalled::Before(docs, changed) if changed.len() * MENDED_DOC_COST <= docs.len() => {
                self.mended_docs(slot, &docs, &changed)
            }
            Recalled::Before(..) | Recalled::Nothing => make(),
        };
        remembered.keep((sets, SETS_PARTS), &key, docs, now)
    }

    /// Whether the set of a condition of a filter is remembered, perhaps of an earlier moment.
    pub(crate) fn knows_filter_docs(&self, key: &str) -> bool {
        self.0.remembered.filters.known(key).is_some()
    }

    /// The documents that a condition of a filter selects. `among` says which ones of some are.
    pub(crate) fn remembered_filter_docs(
        &self,
        key: &str,
        make: impl FnOnce() -> DocSet,
        among: impl FnOnce(&DocSet) -> DocSet,
    ) -> Arc<DocSet> {
        let (remembered, now) = self.remembered();
        let filters = &remembered.filters;
        let is_touched = |log: &ChangeLog, since| {
            let changed = log.docs_between(since, Moment::MAX);
            changed.is_none_or(|changed| !changed.is_empty())
        };
        let docs = match remembered.recall(filters, key, now, is_touched) {
            Recalled::Same(docs) => return docs,
            Recalled::Before(docs, changed) if changed.len() * MENDED_FILTER_COST <= docs.len() => {
                docs.and_not(&changed).or(&among(&changed))
            }
            Recalled::Before(..) | Recalled::Nothing => make(),
        };
        remembered.keep((filters, FILTERS_PARTS), key, docs, now)
    }

    fn mended_docs(&self, slot: &Slot, before: &DocSet, changed: &DocSet) -> DocSet {
        let mut matcher = self.matcher(std::slice::from_ref(slot));
        let mut seen = Vec::new();
        let holders = changed.iter().filter(|doc| {
            matcher.occurrences(*doc, Reach::ALL, &mut seen);
            !seen.is_empty()
        });
        let holders: DocSet = holders
            .filter(|doc| self.documents().contains(*doc))
            .collect();
        before.and_not(changed).or(&holders)
    }

    /// What rules ask of the documents of a term.
    pub(crate) fn summaries(&self, request: &SummariesRequest<'_>) -> Option<Arc<Summaries>> {
        let (remembered, now) = self.remembered();
        let kept = &remembered.summaries;
        let is_touched = |log: &ChangeLog, since| {
            let mut slots = request.slots.iter();
            slots.any(|slot| is_touched(log, slot, since))
        };
        let mended = match remembered.recall(kept, request.key, now, is_touched) {
            Recalled::Same(summaries) => return Some(summaries),
            Recalled::Before(summaries, changed)
                if changed.len() * MENDED_DOC_COST <= summaries.n_documents() =>
            {
                (request.mend)(&summaries, &changed)
            }
            Recalled::Before(..) | Recalled::Nothing => None,
        };
        let summaries = match mended {
            Some(mended) => mended,
            None => request.make?()?,
        };
        Some(remembered.keep((kept, SUMMARIES_PARTS), request.key, summaries, now))
    }

    /// Words that are a typo or two away. `matters` says of a word whether it could be one of them.
    pub(crate) fn typos(
        &self,
        key: &str,
        matters: &dyn Fn(&str) -> bool,
        find: &dyn Fn() -> TypoWords,
    ) -> Arc<TypoWords> {
        let (remembered, now) = self.remembered();
        // Where typos are tolerated in some attributes only, it depends on documents which words
        // count.
        let strict = &self.settings().typo_tolerance.disable_on_attributes;
        let is_touched = |log: &ChangeLog, since| {
            !strict.is_empty() || log.is_vocabulary_touched(since, matters)
        };
        match remembered.recall(&remembered.typos, key, now, is_touched) {
            Recalled::Same(words) => words,
            Recalled::Before(..) | Recalled::Nothing => {
                remembered.keep((&remembered.typos, TYPOS_PARTS), key, find(), now)
            }
        }
    }

    /// Where a word is best cut into two, unless that is at the seam.
    pub(crate) fn split(
        &self,
        word: &str,
        seam: Option<usize>,
        find: &dyn Fn() -> Option<usize>,
    ) -> Option<usize> {
        let (remembered, now) = self.remembered();
        let key = match seam.map(|at| word.split_at(at)) {
            None => word,
            // No word holds U+0000.
            Some((left, right)) => &format!("{left}\0{right}"),
        };
        // Only documents that hold both parts of a cut decide over it.
        let is_touched = |log: &ChangeLog, since| {
            let mut cuts = word.char_indices().skip(1).map(|(at, _)| word.split_at(at));
            cuts.any(|(left, right)| {
                log.is_word_touched(left, since) && log.is_word_touched(right, since)
            })
        };
        match remembered.recall(&remembered.splits, key, now, is_touched) {
            Recalled::Same(cut) => *cut,
            Recalled::Before(..) | Recalled::Nothing => {
                *remembered.keep((&remembered.splits, SPLITS_PARTS), key, find(), now)
            }
        }
    }
}

/// Whole answers and pages; what they say of a request must depend on nothing but the snapshot.
impl Snapshot {
    /// The answer to a request, written as this one is, byte by byte.
    pub(crate) fn answer_to(&self, request: &str) -> Option<Arc<RepeatedAnswer>> {
        let (remembered, now) = self.remembered();
        remembered.answers.recall(request, now)
    }

    /// Remembers the answer to a request.
    pub(crate) fn remember_answer(&self, request: &str, answer: &WrittenAnswer) {
        let (remembered, now) = self.remembered();
        let is_full = |bytes| remembered.room.is_full(&remembered.holders(), bytes);
        remembered.answers.keep(request, now, answer, is_full);
        remembered.make_room();
    }

    /// The page that a request found.
    pub(crate) fn page_of(&self, request: &str) -> Option<Arc<FoundPage>> {
        let (remembered, now) = self.remembered();
        remembered.pages.recall(request, now)
    }

    /// Remembers the page that a request found, if it is much shorter than its answer.
    pub(crate) fn remember_page(&self, request: &str, page: FoundPage, answer: &WrittenAnswer) {
        let (remembered, now) = self.remembered();
        let is_kept = remembered
            .pages
            .keep_page(request, now, page, answer.json.len());
        if is_kept {
            remembered.make_room();
        }
    }
}

fn is_touched(log: &ChangeLog, slot: &Slot, since: Moment) -> bool {
    match slot {
        Slot::Word(word) => log.is_word_touched(word, since),
        Slot::Prefix(prefix) => log.is_prefix_touched(prefix, since),
    }
}
