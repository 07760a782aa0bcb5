//! Whether the words of a phrase stand together in a document.
//!
//! Every window of up to three consecutive places is checked on its own: each pair of words in it
//! must occur in order, in one attribute, no farther apart than in the phrase. Pairs need not come
//! from the same occurrence, and a hole removes the pairs it takes part in; both follow the
//! reference engine, whose users see the same documents.

use super::corpus::{Corpus, Occurrence, Slot};
use super::measure::{MeasurePlan, MeasuredPair, MeasuredTerm, Measurer};
use crate::docset::{DocId, DocSet, with_later};
use crate::parallel::in_parts;

/// Places looked at together.
const WINDOW: usize = 3;

/// Looks for a phrase in documents whose occurrences need not be listed.
pub(super) struct PhraseFinder {
    measurer: Box<dyn Measurer>,
    measures: Vec<u16>,
    first_cost: usize,
    /// The most that each pair may cost.
    most: Vec<u16>,
}

impl PhraseFinder {
    /// For a phrase given as places in `words`, `None` for holes. `None` if the corpus does not measure.
    pub(super) fn new(corpus: &dyn Corpus, words: &[Slot], phrase: &[Option<u16>]) -> Option<Self> {
        let mut pairs: Vec<MeasuredPair> = Vec::new();
        for places in phrase.windows(phrase.len().min(WINDOW)) {
            for (i, first) in places.iter().enumerate() {
                for (j, second) in places.iter().enumerate().skip(i + 1) {
                    let (Some(first), Some(second)) = (*first, *second) else {
                        continue;
                    };
                    let pair = MeasuredPair {
                        first: usize::from(first),
                        second: usize::from(second),
                        enough: (j - i - 1) as u16,
                    };
                    if !pairs.contains(&pair) {
                        pairs.push(pair);
                    }
                }
            }
        }
        let one_way = |word: &Slot| MeasuredTerm {
            one_way: vec![word.clone()],
            ..MeasuredTerm::default()
        };
        let plan = MeasurePlan {
            terms: words.iter().map(one_way).collect(),
            pairs,
            weights: None,
            // Which documents have a phrase is remembered, so that its measures need not be.
            n_docs: 0,
        };
        let most = plan.pairs.iter().map(|pair| pair.enough).collect();
        let (width, first_cost) = (plan.width(), plan.pair_at(0));
        Some(Self {
            measurer: corpus.measurer(plan)?,
            measures: vec![0; width],
            first_cost,
            most,
        })
    }

    /// Says that a document will be asked about soon.
    pub(super) fn expect(&self, doc: DocId) {
        self.measurer.expect(doc);
    }

    /// Whether a document that holds all words has the phrase.
    pub(super) fn is_in(&mut self, doc: DocId) -> bool {
        self.measurer.measure(doc, &mut self.measures);
        let mut costs = self.measures[self.first_cost..].iter().zip(&self.most);
        costs.all(|(cost, most)| cost <= most)
    }
}

/// Those of the documents that have a phrase, given as places in `words`; `None` if the corpus does
/// not measure.
pub(super) fn measured_phrase(
    corpus: &dyn Corpus,
    (words, phrase): (&[Slot], &[Option<u16>]),
    docs: &DocSet,
) -> Option<DocSet> {
    let found = in_parts(docs, &|| false, |parts| {
        let mut finder = PhraseFinder::new(corpus, words, phrase)?;
        let mut found = Vec::new();
        for part in parts {
            for (doc, later) in with_later(part.docs) {
                later.for_each(|later| finder.expect(later));
                if finder.is_in(doc) {
                    found.push(doc);
                }
            }
        }
        Some(found)
    })?;
    let found = found.into_iter().collect::<Option<Vec<Vec<DocId>>>>()?;
    Some(found.into_iter().flatten().collect())
}

/// Whether the occurrences of a document satisfy the phrase given as slots, `None` for holes.
pub(super) fn has_phrase(
    occurrences: &[Occurrence],
    phrase: &[Option<u16>],
    by_attribute: bool,
) -> bool {
    let window = phrase.len().min(WINDOW);
    phrase.windows(window).all(|places| {
        (0..places.len()).all(|i| {
            let Some(first) = places[i] else { return true };
            (i + 1..places.len()).all(|j| {
                let Some(second) = places[j] else { return true };
                let reach = if by_attribute {
                    u16::MAX
                } else {
                    (j - i) as u16
                };
                has_pair(occurrences, first, second, reach, by_attribute)
            })
        })
    })
}

/// Whether `second` follows `first` in one attribute within `reach` positions; with
/// `by_attribute` any order and distance will do, and one occurrence stands for both.
pub(super) fn has_pair(
    occurrences: &[Occurrence],
    first: u16,
    second: u16,
    reach: u16,
    by_attribute: bool,
) -> bool {
    if by_attribute {
        return occurrences.iter().filter(|a| a.slot == first).any(|a| {
            occurrences
                .iter()
                .any(|b| b.slot == second && b.field == a.field)
        });
    }
    occurrences
        .iter()
        .enumerate()
        .filter(|(_, b)| b.slot == second)
        .any(|(at, b)| {
            occurrences[..at]
                .iter()
                .rev()
                .take_while(|a| a.field == b.field && b.position - a.position <= reach)
                .any(|a| a.slot == first && a.position < b.position)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One attribute; letters are slots, spaces are positions without a word.
    fn document(text: &str) -> Vec<Occurrence> {
        text.bytes()
            .enumerate()
            .filter(|(_, byte)| *byte != b' ')
            .map(|(at, byte)| Occurrence {
                slot: u16::from(byte),
                field: 0,
                position: at as u16,
            })
            .collect()
    }

    fn phrase(text: &str) -> Vec<Option<u16>> {
        text.bytes()
            .map(|byte| (byte != b'_').then_some(u16::from(byte)))
            .collect()
    }

    #[test]
    fn neighbours_must_be_adjacent_and_in_order() {
        assert!(has_phrase(&document("xabx"), &phrase("ab"), false));
        assert!(!has_phrase(&document("a b"), &phrase("ab"), false));
        assert!(!has_phrase(&document("ba"), &phrase("ab"), false));
        assert!(has_phrase(&document("a baab"), &phrase("ab"), false));
    }

    #[test]
    fn pairs_of_a_window_may_come_from_different_places() {
        assert!(has_phrase(
            &document("ab        bc        axc"),
            &phrase("abc"),
            false
        ));
        assert!(!has_phrase(&document("abxbc"), &phrase("abc"), false));
    }

    #[test]
    fn two_holes_leave_nothing_to_check() {
        assert!(has_phrase(&document("ba"), &phrase("a__b"), false));
        assert!(!has_phrase(&document("b a"), &phrase("a_b"), false));
        assert!(has_phrase(&document("axb"), &phrase("a_b"), false));
    }

    #[test]
    fn a_repeated_word_needs_two_occurrences() {
        assert!(has_phrase(&document("aa"), &phrase("aa"), false));
        assert!(!has_phrase(&document("a a"), &phrase("aa"), false));
    }
}
