//! The vocabulary of a snapshot and the documents behind words, merged over segments.
//!
//! Words whose documents are all deleted stay in dictionaries until a merge; they are passed over
//! everywhere.

use std::ops::ControlFlow;
use std::sync::Arc;

use levenshtein_automata::{DFA, Distance};
use tantivy::postings::TermInfo;
use tantivy::termdict::TermStreamer;

use super::segment_view::{SegmentView, after_prefix};
use super::snapshot::Snapshot;
use super::vocabulary::Walk;
use super::word_docs::ManyWordDocs;
use crate::docset::{DocSet, DocSetBuilder};
use crate::query::Slot;

impl Snapshot {
    /// Whether a living document holds the word.
    #[must_use]
    pub fn contains_word(&self, word: &str) -> bool {
        self.segments().any(|segment| {
            let info = segment.words().terms().get(word).ok().flatten();
            info.is_some_and(|info| segment.lives(&info).unwrap_or(false))
        })
    }

    /// The living documents that hold the word. Large sets are kept within the cache's budget.
    #[must_use]
    pub fn word_docs(&self, word: &str) -> Arc<DocSet> {
        self.remembered_docs(&Slot::Word(word.to_owned()), || {
            let mut docs = DocSetBuilder::new(self.universe_len());
            for segment in self.segments() {
                if let Ok(Some(info)) = segment.words().terms().get(word) {
                    let _ = segment.word_docs().add_to(&mut docs, &info);
                }
            }
            docs.finish()
        })
    }

    /// The living documents that hold a word which starts with `prefix`.
    #[must_use]
    pub fn prefix_docs(&self, prefix: &str) -> Arc<DocSet> {
        self.remembered_docs(&Slot::Prefix(prefix.to_owned()), || {
            let mut docs = DocSetBuilder::new(self.universe_len());
            for segment in self.segments() {
                let mut of_words = ManyWordDocs::new(segment);
                let _ = for_each_term(segment, prefix, |info| {
                    let _ = of_words.add(&mut docs, info);
                });
                of_words.finish(&mut docs);
            }
            docs.finish()
        })
    }

    /// Up to `limit` words that start with `prefix`, in byte order.
    #[must_use]
    pub fn words_with_prefix(&self, prefix: &str, limit: usize) -> Vec<String> {
        let mut words = Vec::new();
        if limit == 0 {
            return words;
        }
        let end = after_prefix(prefix.as_bytes());
        self.words_between(prefix.as_bytes(), end.as_deref(), &mut |word| {
            words.push(word.to_owned());
            if words.len() < limit {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        words
    }

    /// Whether at least `n` words start with `prefix`.
    #[must_use]
    pub fn prefix_count_at_least(&self, prefix: &str, n: usize) -> bool {
        let mut count = 0;
        if n == 0 {
            return true;
        }
        let end = after_prefix(prefix.as_bytes());
        self.words_between(prefix.as_bytes(), end.as_deref(), &mut |_| {
            count += 1;
            if count < n {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        count >= n
    }

    /// Calls `each` for the words from `from` up to, not including, `to` that the automaton
    /// accepts, with their distance, in byte order, each once. `to` = `None` leaves the end open.
    pub fn words_matching(
        &self,
        automaton: &DFA,
        from: &[u8],
        to: Option<&[u8]>,
        each: &mut dyn FnMut(&str, Distance) -> ControlFlow<()>,
    ) {
        let cursors = self.segments().map(|segment| Wanted {
            segment,
            walk: segment.vocabulary().walk(automaton, from, to),
        });
        merge(cursors, &mut |word| {
            each(word, automaton.eval(word.as_bytes()))
        });
    }

    /// Calls `each` for the words from `from` up to, not including, `to`, in byte order, each once.
    /// `to` = `None` leaves the end open.
    fn words_between(
        &self,
        from: &[u8],
        to: Option<&[u8]>,
        each: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) {
        let cursors = self.segments().filter_map(|segment| {
            let mut range = segment.words().terms().range().ge(from);
            if let Some(to) = to {
                range = range.lt(to);
            }
            let stream = range.into_stream().ok()?;
            Some(Listed { segment, stream })
        });
        merge(cursors, each);
    }
}

/// A place in one segment's dictionary.
trait Cursor {
    fn word(&self) -> &[u8];
    /// Goes to the next word that lives; false when there is none.
    fn advance(&mut self) -> bool;
}

/// Walks dictionaries side by side.
fn merge<C: Cursor>(
    cursors: impl Iterator<Item = C>,
    each: &mut dyn FnMut(&str) -> ControlFlow<()>,
) {
    let mut cursors: Vec<C> = cursors
        .filter_map(|mut cursor| cursor.advance().then_some(cursor))
        .collect();
    let mut word: Vec<u8> = Vec::new();
    while let Some(least) = cursors.iter().map(|cursor| cursor.word()).min() {
        word.clear();
        word.extend_from_slice(least);
        let mut index = 0;
        while index < cursors.len() {
            if cursors[index].word() == word && !cursors[index].advance() {
                cursors.swap_remove(index);
            } else {
                index += 1;
            }
        }
        let Ok(text) = std::str::from_utf8(&word) else {
            continue;
        };
        if each(text).is_break() {
            return;
        }
    }
}

/// All words one after the other.
struct Listed<'a> {
    segment: &'a SegmentView,
    stream: TermStreamer<'a>,
}

impl Cursor for Listed<'_> {
    fn word(&self) -> &[u8] {
        self.stream.key()
    }

    fn advance(&mut self) -> bool {
        while self.stream.advance() {
            if self.segment.lives(self.stream.value()).unwrap_or(false) {
                return true;
            }
        }
        false
    }
}

/// Words that an automaton accepts.
struct Wanted<'a> {
    segment: &'a SegmentView,
    walk: Walk<'a>,
}

impl Cursor for Wanted<'_> {
    fn word(&self) -> &[u8] {
        self.walk.word()
    }

    fn advance(&mut self) -> bool {
        while self.walk.advance() {
            if !self.segment.has_dead_documents() {
                return true;
            }
            let info = self.segment.words().terms().get(self.walk.word());
            let info = info.ok().flatten();
            if info.is_some_and(|info| self.segment.lives(&info).unwrap_or(false)) {
                return true;
            }
        }
        false
    }
}

fn for_each_term(
    segment: &SegmentView,
    prefix: &str,
    mut each: impl FnMut(&TermInfo),
) -> std::io::Result<()> {
    let mut range = segment.words().terms().range().ge(prefix);
    if let Some(end) = after_prefix(prefix.as_bytes()) {
        range = range.lt(end);
    }
    let mut words = range.into_stream()?;
    while words.advance() {
        each(words.value());
    }
    Ok(())
}
