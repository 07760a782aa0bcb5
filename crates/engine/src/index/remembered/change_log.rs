//! Which documents and words the last commits touched.
//!
//! A moment is a number that grows with every snapshot of a generation. What was true of an index
//! at one moment is true at a later one as far as nothing was touched in between.
//!
//! # Invariants
//! 1. Whatever changed after `from` is known: which documents, and, after `words_from`, which words
//!    they held before or hold now.
//! 2. Never says that something was not touched unless that is known.
//!
//! # Cost
//! At most [`MAX_DOCS`] documents and [`MAX_WORDS`] words; the oldest are forgotten first.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;

use parking_lot::RwLock;

use crate::docset::{DocId, DocSet};

/// Documents that are known to have changed.
pub(crate) const MAX_DOCS: usize = 8192;
/// Words that are known to have been touched.
const MAX_WORDS: usize = 16_384;
/// Words that are known to have come or gone; what depends on them looks at each.
const MAX_VOCABULARY: usize = 1024;
/// Touched words that are looked at for one prefix.
const MAX_LOOKS: usize = 256;

/// A number for each snapshot of a generation, ascending.
pub(crate) type Moment = u64;

/// What one commit changed.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// Documents that came, went or have other content.
    pub(crate) docs: DocSet,
    /// Their words; `None` when these are too many to tell.
    pub(crate) words: Option<TouchedWords>,
}

/// The words of documents before or after a change.
#[derive(Debug, Default)]
pub(crate) struct TouchedWords {
    /// All of them.
    pub(crate) all: Vec<Box<str>>,
    /// At least those that no document held before, and those that none holds any more.
    pub(crate) vocabulary: Vec<Box<str>>,
}

/// What the last commits changed.
#[derive(Default)]
pub(crate) struct ChangeLog(RwLock<Log>);

#[derive(Default)]
struct Log {
    /// Documents that changed up to this moment are not known.
    from: Moment,
    docs: VecDeque<(Moment, DocId)>,
    /// Words that were touched up to this moment are not known.
    words_from: Moment,
    /// When each word was touched last.
    words: BTreeMap<Box<str>, Moment>,
    /// Words that came or went up to this moment are not known.
    vocabulary_from: Moment,
    vocabulary: VecDeque<(Moment, Box<str>)>,
}

impl ChangeLog {
    /// Adds what happened since the moment before `now`.
    pub(crate) fn add(&self, now: Moment, change: &Change) {
        let mut log = self.0.write();
        if change.docs.len() > MAX_DOCS {
            log.docs.clear();
            log.from = now;
        } else {
            log.docs.extend(change.docs.iter().map(|doc| (now, doc)));
        }
        while log.docs.len() > MAX_DOCS {
            let oldest = log.docs.pop_front();
            log.from = oldest.map_or(now, |(moment, _)| moment);
        }
        match &change.words {
            Some(words) => log.add_words(now, words),
            None => {
                log.words.clear();
                log.vocabulary.clear();
                (log.words_from, log.vocabulary_from) = (now, now);
            }
        }
    }

    /// The documents that changed after `since` and up to `until`, if they are known.
    pub(crate) fn docs_between(&self, since: Moment, until: Moment) -> Option<DocSet> {
        let log = self.0.read();
        let changed = log.docs.iter().rev();
        let changed = changed.take_while(|(moment, _)| *moment > since);
        (since >= log.from).then(|| {
            changed
                .filter(|(moment, _)| *moment <= until)
                .map(|(_, doc)| *doc)
                .collect()
        })
    }

    /// Whether a document that changed after `since` may hold the word or have held it.
    pub(crate) fn is_word_touched(&self, word: &str, since: Moment) -> bool {
        let log = self.0.read();
        since < log.words_from || log.words.get(word).is_some_and(|moment| *moment > since)
    }

    /// Whether a document that changed after `since` may hold a word that starts so, or have held
    /// one.
    pub(crate) fn is_prefix_touched(&self, prefix: &str, since: Moment) -> bool {
        let log = self.0.read();
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let mut words = log.words.range::<str, _>(from);
        since < log.words_from
            || words
                .by_ref()
                .take(MAX_LOOKS)
                .take_while(|(word, _)| word.starts_with(prefix))
                .any(|(_, moment)| *moment > since)
            || words
                .next()
                .is_some_and(|(word, _)| word.starts_with(prefix))
    }

    /// Whether a word that `matters` may have come or gone after `since`.
    pub(crate) fn is_vocabulary_touched(
        &self,
        since: Moment,
        mut matters: impl FnMut(&str) -> bool,
    ) -> bool {
        let log = self.0.read();
        let words = log.vocabulary.iter().rev();
        let mut words = words.take_while(|(moment, _)| *moment > since);
        since < log.vocabulary_from || words.any(|(_, word)| matters(word))
    }
}

impl Log {
    fn add_words(&mut self, now: Moment, touched: &TouchedWords) {
        for word in &touched.all {
            self.words.insert(word.clone(), now);
        }
        while self.words.len() > MAX_WORDS {
            let middle = self.words_from + (now - self.words_from).div_ceil(2);
            self.words.retain(|_, moment| *moment > middle);
            self.words_from = middle;
        }
        let vocabulary = touched.vocabulary.iter();
        self.vocabulary
            .extend(vocabulary.map(|word| (now, word.clone())));
        while self.vocabulary.len() > MAX_VOCABULARY {
            let oldest = self.vocabulary.pop_front();
            self.vocabulary_from = oldest.map_or(now, |(moment, _)| moment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(docs: &[DocId], words: &[&str]) -> Change {
        let list = || words.iter().map(|word| Box::from(*word)).collect();
        Change {
            docs: docs.iter().copied().collect(),
            words: Some(TouchedWords {
                all: list(),
                vocabulary: list(),
            }),
        }
    }

    #[test]
    fn a_word_is_touched_after_every_moment_before_its_last_change() {
        let log = ChangeLog::default();
        log.add(1, &change(&[4], &["alpha", "beta"]));
        log.add(2, &change(&[5, 6], &["beta"]));
        assert!(log.is_word_touched("alpha", 0));
        assert!(!log.is_word_touched("alpha", 1));
        assert!(log.is_word_touched("beta", 1));
        assert!(!log.is_word_touched("gamma", 0));
        assert!(log.is_prefix_touched("be", 1));
        assert!(!log.is_prefix_touched("al", 1));
        let since = |since, until| log.docs_between(since, until).expect("known");
        assert_eq!(since(0, 2).iter().collect::<Vec<_>>(), [4, 5, 6]);
        assert_eq!(since(1, 2).iter().collect::<Vec<_>>(), [5, 6]);
        assert_eq!(since(0, 1).iter().collect::<Vec<_>>(), [4]);
    }

    #[test]
    fn what_was_forgotten_counts_as_touched() {
        let log = ChangeLog::default();
        for moment in 1..=40 {
            let words: Vec<String> = (0..1000).map(|n| format!("w{moment}x{n}")).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let docs: Vec<DocId> = (0..1000).map(|n| moment as DocId * 1000 + n).collect();
            log.add(moment, &change(&docs, &words));
        }
        assert!(log.is_word_touched("absent", 0));
        assert!(log.is_prefix_touched("absent", 0));
        assert!(log.is_vocabulary_touched(0, |_| false));
        assert!(log.docs_between(0, 40).is_none());
        assert!(!log.is_word_touched("absent", 39));
        assert!(log.is_word_touched("w40x7", 39));
        assert!(!log.is_vocabulary_touched(39, |word| word == "absent"));
        assert_eq!(log.docs_between(39, 40).expect("known").len(), 1000);
        log.add(41, &Change::default());
        assert!(log.is_word_touched("absent", 40));
        assert!(!log.is_word_touched("absent", 41));
    }

    #[test]
    fn a_prefix_of_very_many_touched_words_counts_as_touched() {
        let log = ChangeLog::default();
        let words: Vec<String> = (0..2 * MAX_LOOKS).map(|n| format!("a{n}")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        log.add(1, &change(&[1], &words));
        assert!(log.is_prefix_touched("a", 1));
        assert!(!log.is_prefix_touched("b", 1));
    }
}
