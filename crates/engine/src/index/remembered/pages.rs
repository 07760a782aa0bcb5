//! The pages that searches found, for those who send the same request again when the answer itself is not
//! remembered: because it is long, or because there was no room.
//!
//! A page is a tenth or less of its answer. What is left to do is to read its documents and to write
//! them as the request wants them.

use std::ops::Range;
use std::sync::Arc;

use serval_format::MatchWords;
use uuid::Uuid;

use super::answers::{MAX_REQUEST_BYTES, WrittenAnswer};
use super::change_log::Moment;
use super::of_moment::OfMoment;
use super::sized_cache::HeapSize;
use crate::docset::DocId;

/// A page that is not so many times smaller than its answer is not kept; all are in tests, which have small
/// ones.
const TIMES_SMALLER: usize = if cfg!(test) { 0 } else { 4 };

/// What a search found: all of its answer but the documents.
#[derive(Debug)]
pub(crate) struct FoundPage {
    hits: Box<[DocId]>,
    words: Arc<MatchWords>,
    /// What follows the hits, in which these places differ each time.
    tail: Box<[u8]>,
    took: Range<usize>,
    request_uid: Range<usize>,
}

impl FoundPage {
    /// The page of an answer: its hits, and the words that are marked in them.
    pub(crate) fn new(
        answer: &WrittenAnswer,
        hits: impl IntoIterator<Item = DocId>,
        words: Arc<MatchWords>,
    ) -> Self {
        let in_tail = |range: &Range<usize>| range.start - answer.tail..range.end - answer.tail;
        Self {
            hits: hits.into_iter().collect(),
            words,
            tail: answer.json[answer.tail..].into(),
            took: in_tail(&answer.took),
            request_uid: in_tail(&answer.request_uid),
        }
    }

    /// The hits, the best first.
    pub(crate) const fn hits(&self) -> &[DocId] {
        &self.hits
    }

    /// What is marked in them.
    pub(crate) const fn words(&self) -> &Arc<MatchWords> {
        &self.words
    }

    /// The answer whose hits are written in `json`, and which took so many milliseconds.
    pub(crate) fn finish(&self, mut json: Vec<u8>, millis: u128) -> WrittenAnswer {
        let tail = json.len();
        json.extend_from_slice(&self.tail[..self.took.start]);
        let took = json.len();
        json.extend_from_slice(millis.to_string().as_bytes());
        let took = took..json.len();
        json.extend_from_slice(&self.tail[self.took.end..]);
        let end = json.len() - (self.tail.len() - self.request_uid.end);
        let request_uid = end - self.request_uid.len()..end;
        let number = Uuid::now_v7().hyphenated();
        number.encode_lower(&mut json[request_uid.clone()]);
        WrittenAnswer {
            json,
            tail,
            took,
            request_uid,
        }
    }
}

impl HeapSize for FoundPage {
    fn heap_size(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.hits) + self.tail.len() + self.words.heap_bytes()
    }
}

/// The pages of one moment.
pub(super) type PageMemory = OfMoment<FoundPage>;

impl PageMemory {
    /// Keeps the page that a request found, unless its answer of so many bytes is hardly longer.
    pub(super) fn keep_page(
        &self,
        request: &str,
        now: Moment,
        page: FoundPage,
        answer_bytes: usize,
    ) -> bool {
        let bytes = Self::entry_bytes(request, page.heap_size());
        let is_kept = request.len() <= MAX_REQUEST_BYTES && bytes * TIMES_SMALLER <= answer_bytes;
        if is_kept {
            self.keep(request, now, page);
        }
        is_kept
    }
}
