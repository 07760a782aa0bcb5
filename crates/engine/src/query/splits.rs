//! The best way to read one query word as two words that stand next to each other.

use super::corpus::{Corpus, Slot};
use super::phrase_match::has_pair;
use crate::docset::DocSet;

/// Cuts `word` where the two parts are neighbours in most documents; the leftmost cut wins a tie.
/// `None` if no cut gives neighbours. With `by_attribute` words of one attribute are neighbours.
///
/// Parts that share few documents are skipped as soon as they cannot win any more.
pub(super) fn best_split(
    corpus: &dyn Corpus,
    word: &str,
    by_attribute: bool,
) -> Option<(String, String)> {
    let mut cuts: Vec<(usize, DocSet)> = word
        .char_indices()
        .skip(1)
        .filter_map(|(at, _)| {
            let (left, right) = word.split_at(at);
            if !corpus.has_word(left) || !corpus.has_word(right) {
                return None;
            }
            let both = corpus.word_docs(left).and(&corpus.word_docs(right));
            (!both.is_empty()).then_some((at, both))
        })
        .collect();
    cuts.sort_by_key(|(at, both)| (std::cmp::Reverse(both.len()), *at));
    let mut best: Option<(usize, usize)> = None;
    for (at, both) in &cuts {
        if best.is_some_and(|(_, frequency)| both.len() < frequency) {
            break;
        }
        let parts = [&word[..*at], &word[*at..]];
        let frequency = adjacent_docs(corpus, parts, both, by_attribute);
        let wins = match best {
            None => frequency > 0,
            Some((cut, most)) => frequency > most || frequency == most && *at < cut,
        };
        if wins {
            best = Some((*at, frequency));
        }
    }
    best.map(|(at, _)| (word[..at].to_owned(), word[at..].to_owned()))
}

fn adjacent_docs(
    corpus: &dyn Corpus,
    parts: [&str; 2],
    both: &DocSet,
    by_attribute: bool,
) -> usize {
    let slots = parts.map(|part| Slot::Word(part.to_owned()));
    let mut scanner = corpus.scanner(&slots);
    let mut occurrences = Vec::new();
    both.iter()
        .filter(|doc| {
            scanner.occurrences(*doc, &mut occurrences);
            has_pair(&occurrences, 0, 1, 1, by_attribute)
        })
        .count()
}
