//! The best way to read one query word as two words that stand next to each other.

use std::cmp::Reverse;

use super::corpus::{Corpus, Occurrence, Scanner, Slot};
use super::phrase_match::{PhraseFinder, has_pair};
use crate::docset::{DocId, DocSet, with_later};

/// Documents read before it is looked again which cut leads; few in tests, which have few.
const STRIDE: usize = if cfg!(test) { 1 } else { 64 };

/// Cuts `word` where the two parts are neighbours in most documents; the leftmost cut wins a tie.
/// `None` if no cut gives neighbours. With `by_attribute` words of one attribute are neighbours.
///
/// # Cost
/// Documents that hold both parts of a cut are read only as long as another cut can still win: a
/// cut without a rival is decided by its first pair of neighbours. The corpus may remember.
pub(super) fn best_split(
    corpus: &dyn Corpus,
    word: &str,
    by_attribute: bool,
) -> Option<(String, String)> {
    let at = corpus.remembered_split(word, &|| find(corpus, word, by_attribute))?;
    Some((word[..at].to_owned(), word[at..].to_owned()))
}

fn find(corpus: &dyn Corpus, word: &str, by_attribute: bool) -> Option<usize> {
    let mut cuts: Vec<Cut<'_>> = word
        .char_indices()
        .skip(1)
        .filter_map(|(at, _)| Cut::new(corpus, word, at, by_attribute))
        .collect();
    loop {
        let leading = (0..cuts.len()).min_by_key(|at| (Reverse(cuts[*at].most()), *at))?;
        let rival = (0..cuts.len())
            .filter(|at| *at != leading)
            .map(|at| cuts[at].most() + usize::from(at < leading))
            .max();
        let leader = &mut cuts[leading];
        if leader.most() == 0 {
            return None;
        }
        if leader.found > 0 && leader.found >= rival.unwrap_or(0) {
            return Some(leader.at);
        }
        leader.read(STRIDE);
    }
}

/// One way to cut the word.
struct Cut<'c> {
    at: usize,
    reader: Reader<'c>,
    /// Documents with both parts that have not been read, in descending order.
    unread: Vec<DocId>,
    /// Documents read in which the parts are neighbours.
    found: usize,
}

impl<'c> Cut<'c> {
    fn new(corpus: &'c dyn Corpus, word: &str, at: usize, by_attribute: bool) -> Option<Self> {
        let (left, right) = word.split_at(at);
        if !corpus.has_word(left) || !corpus.has_word(right) {
            return None;
        }
        let both: DocSet = corpus.word_docs(left).and(&corpus.word_docs(right));
        if both.is_empty() {
            return None;
        }
        let mut unread: Vec<DocId> = both.iter().collect();
        unread.reverse();
        Some(Self {
            at,
            reader: Reader::new(corpus, left, right, by_attribute),
            unread,
            found: 0,
        })
    }

    /// The most documents with neighbours that there can be.
    fn most(&self) -> usize {
        self.found + self.unread.len()
    }

    fn read(&mut self, n_docs: usize) {
        let rest = self.unread.len().saturating_sub(n_docs);
        for (doc, later) in with_later(self.unread[rest..].iter().rev().copied()) {
            later
                .into_iter()
                .for_each(|later| self.reader.expect(later));
            self.found += usize::from(self.reader.has_neighbours(doc));
        }
        self.unread.truncate(rest);
    }
}

/// Reads whether the two parts are neighbours in a document.
enum Reader<'c> {
    Finder(PhraseFinder),
    Scanner {
        scanner: Box<dyn Scanner + 'c>,
        occurrences: Vec<Occurrence>,
        by_attribute: bool,
    },
}

impl<'c> Reader<'c> {
    fn new(corpus: &'c dyn Corpus, left: &str, right: &str, by_attribute: bool) -> Self {
        let parts = [left, right].map(|part| Slot::Word(part.to_owned()));
        let finder = (!by_attribute)
            .then(|| PhraseFinder::new(corpus, &parts, &[Some(0), Some(1)], 0))
            .flatten();
        finder.map_or_else(
            || Self::Scanner {
                scanner: corpus.scanner(&parts),
                occurrences: Vec::new(),
                by_attribute,
            },
            Self::Finder,
        )
    }

    fn expect(&self, doc: DocId) {
        if let Self::Finder(finder) = self {
            finder.expect(doc);
        }
    }

    fn has_neighbours(&mut self, doc: DocId) -> bool {
        match self {
            Self::Finder(finder) => finder.is_in(doc),
            Self::Scanner {
                scanner,
                occurrences,
                by_attribute,
            } => {
                scanner.occurrences(doc, occurrences);
                has_pair(occurrences, 0, 1, 1, *by_attribute)
            }
        }
    }
}
