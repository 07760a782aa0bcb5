//! Whole answers of searches, for those who send the same request again.
//!
//! Half of what people type others have typed before, letter by letter. An answer depends on the
//! request and the state of the index alone, so that the same bytes are right until the next commit.
//!
//! # Cost
//! To recall: a hash of the request, no look at any file, and one copy of the answer.

use std::hash::BuildHasher;
use std::mem::replace;
use std::ops::Range;
use std::sync::Arc;

use foldhash::quality::RandomState;
use parking_lot::Mutex;
use uuid::Uuid;

use super::change_log::Moment;
use super::of_moment::OfMoment;
use super::room::Holder;
use super::sized_cache::HeapSize;

/// Longer answers are written anew: copying one takes the thread that asks some 50 µs.
const MAX_ANSWER_BYTES: usize = 256 << 10;
/// Requests that are longer, with vectors or long filters, are hardly sent again as they were.
pub(super) const MAX_REQUEST_BYTES: usize = 4 << 10;
/// Requests that are known to have come once, when there is no room for their answers.
const N_ASKED_ONCE: usize = 2048;

/// The JSON of an answer, and where in it stands what differs each time.
#[derive(Debug)]
pub(crate) struct WrittenAnswer {
    pub(crate) json: Vec<u8>,
    /// Where what follows the hits begins.
    pub(crate) tail: usize,
    /// Where the milliseconds stand that it took.
    pub(crate) took: Range<usize>,
    /// Where its own number stands, behind that.
    pub(crate) request_uid: Range<usize>,
}

/// An answer that can be given again: its own number apart, it is the same each time.
#[derive(Debug)]
pub(crate) struct RepeatedAnswer {
    json: Box<[u8]>,
    request_uid: Range<usize>,
}

impl RepeatedAnswer {
    fn new(answer: &WrittenAnswer) -> Self {
        let WrittenAnswer {
            json,
            took,
            request_uid,
            ..
        } = answer;
        let shorter = took.len() - 1;
        let parts = [&json[..took.start], b"0".as_slice(), &json[took.end..]];
        Self {
            json: parts.concat().into_boxed_slice(),
            request_uid: request_uid.start - shorter..request_uid.end - shorter,
        }
    }

    /// The answer with a number of its own; it took no time.
    pub(crate) fn again(&self) -> Vec<u8> {
        let mut json = self.json.to_vec();
        let number = Uuid::now_v7().hyphenated();
        number.encode_lower(&mut json[self.request_uid.clone()]);
        json
    }
}

impl HeapSize for RepeatedAnswer {
    fn heap_size(&self) -> usize {
        self.json.len()
    }
}

/// The answers of one moment.
pub(crate) struct AnswerMemory {
    answers: OfMoment<RepeatedAnswer>,
    hasher: RandomState,
    /// Parts of the hashes of requests; empty until there is no room for an answer.
    asked_once: Mutex<Vec<u32>>,
}

impl AnswerMemory {
    pub(super) fn new() -> Self {
        Self {
            answers: OfMoment::new(),
            hasher: RandomState::default(),
            asked_once: Mutex::new(Vec::new()),
        }
    }

    /// The answer that a request was given at this moment.
    pub(super) fn recall(&self, request: &str, now: Moment) -> Option<Arc<RepeatedAnswer>> {
        self.answers.recall(request, now)
    }

    /// Keeps the answer to a request. While there is room every answer is kept; where `is_full` says
    /// that others would have to go, those of requests that come a second time.
    pub(super) fn keep(
        &self,
        request: &str,
        now: Moment,
        answer: &WrittenAnswer,
        is_full: impl FnOnce(usize) -> bool,
    ) {
        let n_bytes = answer.json.len();
        if request.len() > MAX_REQUEST_BYTES || n_bytes > MAX_ANSWER_BYTES {
            return;
        }
        let bytes = OfMoment::<RepeatedAnswer>::entry_bytes(request, n_bytes);
        if !is_full(bytes) || self.is_asked_again(request) {
            self.answers.keep(request, now, RepeatedAnswer::new(answer));
        }
    }

    /// Whether a request like this came before; it has now.
    fn is_asked_again(&self, request: &str) -> bool {
        let hash = self.hasher.hash_one(request);
        let mut asked_once = self.asked_once.lock();
        asked_once.resize(N_ASKED_ONCE, 0);
        let place = &mut asked_once[hash as usize % N_ASKED_ONCE];
        let mark = (hash >> 32) as u32;
        replace(place, mark) == mark
    }
}

impl Holder for AnswerMemory {
    fn held_bytes(&self) -> usize {
        self.answers.held_bytes()
    }

    fn drop_oldest(&self) -> bool {
        self.answers.drop_oldest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer of about so many bytes.
    fn answer(n_bytes: usize) -> WrittenAnswer {
        let text = "x".repeat(n_bytes);
        let uid = Uuid::nil();
        let json = format!(r#"{{"hits":["{text}"],"took":17,"uid":"{uid}"}}"#);
        let took = json.find("17").expect("it is there");
        let at = json.find("00000000-").expect("it is there");
        WrittenAnswer {
            tail: json.find(r#","took"#).expect("it is there"),
            json: json.into(),
            took: took..took + 2,
            request_uid: at..at + 36,
        }
    }

    #[test]
    fn an_answer_given_again_took_no_time_and_has_another_number() {
        let answer = RepeatedAnswer::new(&answer(3));
        let [first, second] = [answer.again(), answer.again()];
        let [first, second] =
            [first, second].map(|json| String::from_utf8(json).expect("it is text"));
        assert!(first.starts_with(r#"{"hits":["xxx"],"took":0,"uid":""#));
        assert_eq!(first.len(), second.len());
        assert_ne!(first, second);
        assert!(!first.contains("00000000-0000-"));
    }

    fn keep(memory: &AnswerMemory, request: &str, now: Moment, n_bytes: usize, is_full: bool) {
        memory.keep(request, now, &answer(n_bytes), |_| is_full);
    }

    #[test]
    fn without_room_the_answers_to_requests_that_come_twice_are_kept() {
        let memory = AnswerMemory::new();
        keep(&memory, "first", 1, 10, false);
        keep(&memory, "second", 1, 10, true);
        assert!(memory.recall("first", 1).is_some());
        assert!(memory.recall("second", 1).is_none());
        keep(&memory, "second", 1, 10, true);
        assert!(memory.recall("second", 1).is_some());
        // What was asked before a commit is asked again after it.
        keep(&memory, "third", 1, 10, true);
        keep(&memory, "third", 2, 10, true);
        assert!(memory.recall("third", 2).is_some());
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        let memory = AnswerMemory::new();
        keep(&memory, "large", 1, MAX_ANSWER_BYTES, false);
        assert!(memory.recall("large", 1).is_none());
        let request = "r".repeat(MAX_REQUEST_BYTES + 1);
        keep(&memory, &request, 1, 1, false);
        assert!(memory.recall(&request, 1).is_none());
    }
}
