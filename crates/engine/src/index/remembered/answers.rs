//! Whole answers of searches, for those who send the same request again.
//!
//! Half of what people type others have typed before, letter by letter. An answer depends on the
//! request and the state of the index alone, so that the same bytes are right until the next commit.
//!
//! # Invariants
//! 1. What is recalled was answered to the same request, compared byte by byte, at the same moment.
//! 2. Requests, answers and their places take at most the budget.
//! 3. Answers of an older moment never replace those of a newer one.
//!
//! # Cost
//! To recall: a hash of the request, no look at any file, and one copy of the answer.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use foldhash::quality::RandomState;
use lru::LruCache;
use parking_lot::Mutex;
use uuid::Uuid;

use super::change_log::Moment;

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
    budget: usize,
    hasher: RandomState,
    held: Mutex<Held>,
}

struct Held {
    at: Moment,
    answers: LruCache<Box<str>, Arc<RepeatedAnswer>>,
    bytes: usize,
    /// Parts of the hashes of requests; empty until there is no room for an answer.
    asked_once: Vec<u32>,
}

impl AnswerMemory {
    /// Room for so many bytes.
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            budget,
            hasher: RandomState::default(),
            held: Mutex::new(Held {
                at: 0,
                answers: LruCache::unbounded(),
                bytes: 0,
                asked_once: Vec::new(),
            }),
        }
    }

    /// The answer that a request was given at this moment.
    pub(crate) fn recall(&self, request: &str, now: Moment) -> Option<Arc<RepeatedAnswer>> {
        let mut held = self.held.lock();
        if held.at != now {
            return None;
        }
        held.answers.get(request).cloned()
    }

    /// Keeps the answer to a request. While there is room every answer is kept; later on those of
    /// requests that come a second time, in place of those that nobody asked for the longest.
    pub(crate) fn keep(&self, request: &str, now: Moment, answer: RepeatedAnswer) {
        let bytes = size_of(request, &answer);
        if request.len() > MAX_REQUEST_BYTES
            || answer.json.len() > MAX_ANSWER_BYTES
            || bytes > self.budget
        {
            return;
        }
        let mut guard = self.held.lock();
        let held = &mut *guard;
        if held.at > now {
            return;
        }
        if held.at < now {
            held.at = now;
            held.answers.clear();
            held.bytes = 0;
        }
        if held.bytes + bytes > self.budget && !held.is_asked_again(self.hasher.hash_one(request)) {
            return;
        }
        let replaced = held.answers.put(request.into(), Arc::new(answer));
        held.bytes += bytes;
        if let Some(replaced) = replaced {
            held.bytes -= size_of(request, &replaced);
        }
        while held.bytes > self.budget {
            match held.answers.pop_lru() {
                Some((request, answer)) => held.bytes -= size_of(&request, &answer),
                None => break,
            }
        }
    }
}

impl Held {
    /// Whether a request with this hash came before; it has now.
    fn is_asked_again(&mut self, hash: u64) -> bool {
        self.asked_once.resize(N_ASKED_ONCE, 0);
        let place = &mut self.asked_once[hash as usize % N_ASKED_ONCE];
        let mark = (hash >> 32) as u32;
        std::mem::replace(place, mark) == mark
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

    fn n_kept(memory: &AnswerMemory, requests: &[String], now: Moment) -> usize {
        let is_kept = |request: &&String| memory.recall(request, now).is_some();
        requests.iter().filter(is_kept).count()
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

    #[test]
    fn answers_are_of_one_moment() {
        let memory = AnswerMemory::new(1 << 20);
        memory.keep("a", 4, answer(10));
        assert!(memory.recall("a", 4).is_some());
        assert!(memory.recall("a", 3).is_none());
        assert!(memory.recall("a", 5).is_none());
        memory.keep("b", 5, answer(10));
        assert!(memory.recall("a", 5).is_none());
        memory.keep("a", 4, answer(10));
        assert!(memory.recall("a", 4).is_none());
        assert!(memory.recall("b", 5).is_some());
    }

    #[test]
    fn the_budget_holds_and_a_full_memory_takes_what_comes_twice() {
        let memory = AnswerMemory::new(100_000);
        let requests: Vec<String> = (0..200).map(|n| format!("request {n}")).collect();
        for request in &requests {
            memory.keep(request, 1, answer(1_000));
        }
        let n_first = n_kept(&memory, &requests, 1);
        assert!((50..100).contains(&n_first), "{n_first}");
        assert!(memory.recall(&requests[199], 1).is_none());
        memory.keep(&requests[199], 1, answer(1_000));
        assert!(memory.recall(&requests[199], 1).is_some());
        for round in 0..500 {
            let request = &requests[round * 7 % 200];
            memory.keep(request, 1, answer(100 + 37 * round % 9_000));
            let held = memory.held.lock();
            let sizes = held.answers.iter().map(|(key, kept)| size_of(key, kept));
            assert_eq!(sizes.sum::<usize>(), held.bytes);
            assert!(held.bytes <= 100_000);
        }
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        let memory = AnswerMemory::new(16 << 20);
        memory.keep("large", 1, answer(MAX_ANSWER_BYTES));
        assert!(memory.recall("large", 1).is_none());
        let request = "r".repeat(MAX_REQUEST_BYTES + 1);
        memory.keep(&request, 1, answer(1));
        assert!(memory.recall(&request, 1).is_none());
        let none = AnswerMemory::new(0);
        none.keep("a", 1, answer(1));
        assert!(none.recall("a", 1).is_none());
    }
}
