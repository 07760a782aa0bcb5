//! Whole answers of searches, for those who send the same request again.
//!
//! Half of what people type others have typed before, letter by letter. An answer depends on the
//! request and the state of the index alone, so that the same bytes are right until the next commit.
//!
//! # Invariants
//! 1. What is recalled was answered to the same request, compared byte by byte, at the same moment.
//! 2. Answers of an older moment never replace those of a newer one.
//!
//! # Cost
//! To recall: a hash of the request, no look at any file, and one copy of the answer.

use std::hash::BuildHasher;
use std::mem::replace;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::quality::RandomState;
use lru::LruCache;
use parking_lot::Mutex;
use uuid::Uuid;

use super::change_log::Moment;
use super::room::Holder;

/// Longer answers are written anew: copying one takes the thread that asks some 50 µs.
const MAX_ANSWER_BYTES: usize = 256 << 10;
/// Requests that are longer, with vectors or long filters, are hardly sent again as they were.
const MAX_REQUEST_BYTES: usize = 4 << 10;
/// What an answer takes with its key and its place, beside their bytes.
const ENTRY_BYTES: usize = 192;
/// Requests that are known to have come once, when there is no room for their answers.
const N_ASKED_ONCE: usize = 2048;

/// An answer that can be given again: its own number apart, it is the same each time.
#[derive(Debug)]
pub(crate) struct RepeatedAnswer {
    json: Box<[u8]>,
    request_uid: Range<usize>,
}

impl RepeatedAnswer {
    /// The answer `json`, which took the time that is written at `took`, in milliseconds, and has its
    /// own number at `request_uid`, behind that.
    pub(crate) fn new(json: &[u8], took: Range<usize>, request_uid: Range<usize>) -> Self {
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

/// The answers of one moment.
pub(crate) struct AnswerMemory {
    hasher: RandomState,
    held: Mutex<Held>,
    /// What the answers take; changed under the lock alone.
    bytes: AtomicUsize,
}

struct Held {
    at: Moment,
    answers: LruCache<Box<str>, Arc<RepeatedAnswer>>,
    /// Parts of the hashes of requests; empty until there is no room for an answer.
    asked_once: Vec<u32>,
}

impl AnswerMemory {
    pub(super) fn new() -> Self {
        Self {
            hasher: RandomState::default(),
            held: Mutex::new(Held {
                at: 0,
                answers: LruCache::unbounded(),
                asked_once: Vec::new(),
            }),
            bytes: AtomicUsize::new(0),
        }
    }

    /// The answer that a request was given at this moment.
    pub(super) fn recall(&self, request: &str, now: Moment) -> Option<Arc<RepeatedAnswer>> {
        let mut held = self.held.lock();
        if held.at != now {
            return None;
        }
        held.answers.get(request).cloned()
    }

    /// Keeps the answer to a request. While there is room every answer is kept; where `is_full` says
    /// that others would have to go, those of requests that come a second time.
    pub(super) fn keep(
        &self,
        request: &str,
        now: Moment,
        answer: RepeatedAnswer,
        is_full: impl FnOnce(usize) -> bool,
    ) {
        if request.len() > MAX_REQUEST_BYTES || answer.json.len() > MAX_ANSWER_BYTES {
            return;
        }
        let bytes = size_of(request, &answer);
        // Thousands of answers go when the lock is free again: the event loop waits for it.
        let mut outdated = None;
        let mut held = self.held.lock();
        if held.at > now {
            return;
        }
        if held.at < now {
            held.at = now;
            outdated = Some(replace(&mut held.answers, LruCache::unbounded()));
            self.bytes.store(0, Ordering::Relaxed);
        }
        if is_full(bytes) && !held.is_asked_again(self.hasher.hash_one(request)) {
            return;
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if let Some(replaced) = held.answers.put(request.into(), Arc::new(answer)) {
            let bytes = size_of(request, &replaced);
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
        drop(held);
        drop(outdated);
    }
}

impl Holder for AnswerMemory {
    fn held_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn drop_oldest(&self) -> bool {
        let mut held = self.held.lock();
        let Some((request, answer)) = held.answers.pop_lru() else {
            return false;
        };
        let bytes = size_of(&request, &answer);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        true
    }
}

impl Held {
    /// Whether a request with this hash came before; it has now.
    fn is_asked_again(&mut self, hash: u64) -> bool {
        self.asked_once.resize(N_ASKED_ONCE, 0);
        let place = &mut self.asked_once[hash as usize % N_ASKED_ONCE];
        let mark = (hash >> 32) as u32;
        replace(place, mark) == mark
    }
}

fn size_of(request: &str, answer: &RepeatedAnswer) -> usize {
    request.len() + answer.json.len() + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer of about so many bytes.
    fn answer(n_bytes: usize) -> RepeatedAnswer {
        let text = "x".repeat(n_bytes);
        let uid = Uuid::nil();
        let json = format!(r#"{{"hits":["{text}"],"took":17,"uid":"{uid}"}}"#);
        let took = json.find("17").expect("it is there");
        let at = json.find("00000000-").expect("it is there");
        RepeatedAnswer::new(json.as_bytes(), took..took + 2, at..at + 36)
    }

    #[test]
    fn an_answer_given_again_took_no_time_and_has_another_number() {
        let answer = answer(3);
        let [first, second] = [answer.again(), answer.again()];
        let [first, second] =
            [first, second].map(|json| String::from_utf8(json).expect("it is text"));
        assert!(first.starts_with(r#"{"hits":["xxx"],"took":0,"uid":""#));
        assert_eq!(first.len(), second.len());
        assert_ne!(first, second);
        assert!(!first.contains("00000000-0000-"));
    }

    fn keep(memory: &AnswerMemory, request: &str, now: Moment, n_bytes: usize, is_full: bool) {
        memory.keep(request, now, answer(n_bytes), |_| is_full);
    }

    #[test]
    fn answers_are_of_one_moment() {
        let memory = AnswerMemory::new();
        keep(&memory, "a", 4, 10, false);
        assert!(memory.recall("a", 4).is_some());
        assert!(memory.recall("a", 3).is_none());
        assert!(memory.recall("a", 5).is_none());
        keep(&memory, "b", 5, 10, false);
        assert!(memory.recall("a", 5).is_none());
        keep(&memory, "a", 4, 10, false);
        assert!(memory.recall("a", 4).is_none());
        assert!(memory.recall("b", 5).is_some());
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
    fn the_bytes_held_are_those_of_the_answers() {
        let memory = AnswerMemory::new();
        for round in 0..500_usize {
            let request = format!("request {}", round % 40);
            keep(
                &memory,
                &request,
                round as u64 / 200,
                37 * round % 900,
                false,
            );
            if round % 3 == 0 {
                memory.drop_oldest();
            }
            let held = memory.held.lock();
            let sizes = held.answers.iter().map(|(key, kept)| size_of(key, kept));
            assert_eq!(sizes.sum::<usize>(), memory.held_bytes());
        }
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
