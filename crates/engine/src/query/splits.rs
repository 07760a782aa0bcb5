//! The best way to read one query word as two words that stand next to each other.

use std::cmp::Reverse;

use super::corpus::{Corpus, Occurrence, Scanner, Slot};
use super::phrase_match::{PhraseFinder, has_pair};
use crate::docset::{DocId, DocSet, with_later};
use crate::parallel::{MANY_DOCS, in_parts};

/// Documents of a cut that are read at first before it is looked again which cut leads, and from then
/// on as many as were read; few in tests, which have few.
const STRIDE: usize = if cfg!(test) { 1 } else { 64 };

/// Cuts `word` where the two parts are neighbours in most documents; the leftmost cut wins a tie.
/// `None` if no cut gives neighbours, or the best one is at the `seam`, a place in bytes where two
/// words of the query were joined: that would give them back. With `by_attribute` words of one
/// attribute are neighbours.
///
/// # Cost
/// Documents that hold both parts of a cut are read only as long as another cut can still win: a
/// cut without a rival is decided by its first pair of neighbours, and those at the seam are read only
/// where another cut gives neighbours. The corpus may remember.
pub(super) fn best_split(
    corpus: &dyn Corpus,
    word: &str,
    seam: Option<usize>,
    by_attribute: bool,
) -> Option<(String, String)> {
    let at = corpus.remembered_split(word, seam, &|| find(corpus, word, seam, by_attribute))?;
    Some((word[..at].to_owned(), word[at..].to_owned()))
}

fn find(corpus: &dyn Corpus, word: &str, seam: Option<usize>, by_attribute: bool) -> Option<usize> {
    let cut = |at| Cut::new(corpus, word, at, by_attribute);
    let places = word.char_indices().skip(1).map(|(at, _)| at);
    let mut cuts: Vec<Cut<'_>> = places
        .filter(|at| Some(*at) != seam)
        .filter_map(cut)
        .collect();
    if cuts.is_empty() {
        return None;
    }
    let mut at_seam = seam.and_then(cut);
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
        let enough = rival.unwrap_or(0).max(1);
        let is_best = leader.found >= enough;
        let Some(at_seam) = &mut at_seam else {
            if is_best {
                return Some(leader.at);
            }
            leader.read(enough);
            continue;
        };
        let is_seam_left = at_seam.at < leader.at;
        let enough_for_seam = leader.most() + usize::from(!is_seam_left);
        if at_seam.found >= enough_for_seam {
            return None;
        }
        if is_best && leader.found >= at_seam.most() + usize::from(is_seam_left) {
            return Some(leader.at);
        }
        // The shorter way to know more.
        let is_leader_shorter = leader.n_unread() <= at_seam.n_unread() || at_seam.n_unread() == 0;
        if !is_best {
            leader.read(enough);
        } else if leader.n_unread() > 0 && is_leader_shorter {
            leader.read(usize::MAX);
        } else {
            at_seam.read(enough_for_seam);
        }
    }
}

/// One way to cut the word.
struct Cut<'c> {
    corpus: &'c dyn Corpus,
    parts: [Slot; 2],
    by_attribute: bool,
    /// Where, in bytes.
    at: usize,
    reader: Reader<'c>,
    /// Documents with both parts.
    docs: DocSet,
    /// How many of them were read, and the first one that may not have been.
    n_read: usize,
    unread: DocId,
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
        let parts = [left, right].map(|part| Slot::Word(part.to_owned()));
        Some(Self {
            corpus,
            reader: Reader::new(corpus, &parts, by_attribute),
            parts,
            by_attribute,
            at,
            docs: both,
            n_read: 0,
            unread: 0,
            found: 0,
        })
    }

    /// Documents that have not been read.
    const fn n_unread(&self) -> usize {
        self.docs.len() - self.n_read
    }

    /// The most documents with neighbours that there can be.
    const fn most(&self) -> usize {
        self.found + self.n_unread()
    }

    /// Reads some more documents, those of a short walk only until `enough` with neighbours are found.
    fn read(&mut self, enough: usize) {
        let n = self.n_read.max(STRIDE).min(self.n_unread());
        let docs = self.docs.iter_from(self.unread).take(n);
        if n >= MANY_DOCS {
            let docs: Vec<DocId> = docs.collect();
            self.n_read += n;
            self.unread = docs.last().map_or(self.unread, |last| last + 1);
            self.found += self.found_of_many(&DocSet::from_sorted(docs));
            return;
        }
        for (doc, later) in with_later(docs) {
            if self.found >= enough {
                return;
            }
            later.for_each(|later| self.reader.expect(later));
            self.found += usize::from(self.reader.has_neighbours(doc));
            self.n_read += 1;
            self.unread = doc + 1;
        }
    }

    /// The number of documents with neighbours, which several threads read.
    fn found_of_many(&self, docs: &DocSet) -> usize {
        let (corpus, parts, by_attribute) = (self.corpus, &self.parts, self.by_attribute);
        let found = in_parts(docs, &|| false, |walk| {
            let mut reader = Reader::new(corpus, parts, by_attribute);
            let mut found = 0;
            for part in walk {
                for (doc, later) in with_later(part.docs) {
                    later.for_each(|later| reader.expect(later));
                    found += usize::from(reader.has_neighbours(doc));
                }
            }
            found
        });
        found.into_iter().flatten().sum()
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
    fn new(corpus: &'c dyn Corpus, parts: &[Slot; 2], by_attribute: bool) -> Self {
        let finder = (!by_attribute)
            .then(|| PhraseFinder::new(corpus, parts, &[Some(0), Some(1)]))
            .flatten();
        finder.map_or_else(
            || Self::Scanner {
                scanner: corpus.scanner(parts),
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
