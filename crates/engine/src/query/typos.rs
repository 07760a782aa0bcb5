//! Words of the index that are one or two typos away from a query word.
//!
//! A typo is an insertion, a deletion, a substitution or a swap of neighbours. A word that starts
//! with another character than the query word counts as two typos, and only if it is at most one
//! away otherwise. For a prefix, the distance is that of the start of the word at which the typed
//! word is near enough and no shorter part of it is nearer, as in the reference engine.
//!
//! # Cost
//! Automata walk the dictionary: the wide one only among words with the same first character.

use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder};

use super::corpus::Corpus;

/// Words kept at one typo, the first ones in byte order.
const MAX_ONE_TYPO: usize = 150;
/// Words kept at two typos, the first ones in byte order.
const MAX_TWO_TYPOS: usize = 50;

/// Words kept of those that start with a prefix, the first ones in byte order.
const MAX_LONGER_WORDS: usize = 1000;

/// Words by number of typos.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TypoWords {
    /// At one typo.
    pub one: Vec<String>,
    /// At two typos.
    pub two: Vec<String>,
}

impl TypoWords {
    /// Bytes held on the heap, for cache budgets.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let words = self.one.iter().chain(&self.two);
        words
            .map(|word| size_of::<String>() + word.capacity())
            .sum()
    }
}

/// The words within `max_typos` (at most 2) of `word`, as [`typo_words`] finds them; the corpus may
/// remember. `accept` must say the same of a word whenever it is asked about the same corpus.
pub(super) fn remembered_typo_words(
    corpus: &dyn Corpus,
    word: &str,
    is_prefix: bool,
    max_typos: u8,
    accept: &dyn Fn(&str) -> bool,
) -> Arc<TypoWords> {
    if max_typos == 0 {
        return Arc::default();
    }
    let key = format!("{max_typos}{}{word}", if is_prefix { '*' } else { '=' });
    let find = || typo_words(corpus, word, is_prefix, max_typos, accept);
    let wide: OnceCell<DFA> = OnceCell::new();
    let matters = |candidate: &str| {
        let wide = wide.get_or_init(|| automaton(word, is_prefix, max_typos));
        distance(wide, candidate) <= max_typos
    };
    corpus.remembered_typos(&key, &matters, &find)
}

/// Finds the words within `max_typos` (at most 2) of `word`. `accept` leaves words out.
pub(super) fn typo_words(
    corpus: &dyn Corpus,
    word: &str,
    is_prefix: bool,
    max_typos: u8,
    accept: &dyn Fn(&str) -> bool,
) -> TypoWords {
    let mut found = TypoWords::default();
    let Some(first) = word.chars().next() else {
        return found;
    };
    if max_typos == 0 {
        return found;
    }
    let start = first.to_string();
    let end = successor(first).map(String::from);
    let wide = automaton(word, is_prefix, max_typos);
    if max_typos == 1 {
        corpus.words_matching(&wide, &start, end.as_deref(), &mut |candidate| {
            if distance(&wide, candidate) == 1 && accept(candidate) {
                found.one.push(candidate.to_owned());
            }
            stop_if(found.one.len() >= MAX_ONE_TYPO)
        });
        return found;
    }
    let narrow = automaton(word, is_prefix, 1);
    let other_first = |found: &mut TypoWords, from: &str, to: Option<&str>| {
        corpus.words_matching(&narrow, from, to, &mut |candidate| {
            if found.two.len() < MAX_TWO_TYPOS && accept(candidate) {
                found.two.push(candidate.to_owned());
            }
            stop_if(found.two.len() >= MAX_TWO_TYPOS)
        });
    };
    other_first(&mut found, "", Some(&start));
    corpus.words_matching(&wide, &start, end.as_deref(), &mut |candidate| {
        match distance(&wide, candidate) {
            1 if found.one.len() < MAX_ONE_TYPO && accept(candidate) => {
                found.one.push(candidate.to_owned());
            }
            2 if found.two.len() < MAX_TWO_TYPOS && accept(candidate) => {
                found.two.push(candidate.to_owned());
            }
            _ => {}
        }
        stop_if(found.one.len() >= MAX_ONE_TYPO && found.two.len() >= MAX_TWO_TYPOS)
    });
    if let Some(end) = &end {
        other_first(&mut found, end, None);
    }
    found
}

/// The first words in byte order that start with `prefix`. `accept` leaves words out.
pub(super) fn longer_words(
    corpus: &dyn Corpus,
    prefix: &str,
    accept: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    let automaton = automaton(prefix, true, 1);
    corpus.words_matching(&automaton, prefix, None, &mut |word| {
        let starts_so = word.starts_with(prefix);
        if starts_so && accept(word) {
            found.push(word.to_owned());
        }
        // In byte order, the words with a prefix follow one another.
        stop_if(!starts_so || found.len() >= MAX_LONGER_WORDS)
    });
    found
}

/// Words of the index that start with `prefix`, such that every other one starts with one of them;
/// the prefix alone where there are very many.
pub fn shortest_words_with(corpus: &dyn Corpus, prefix: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut n_words = 0;
    let automaton = automaton(prefix, true, 1);
    corpus.words_matching(&automaton, prefix, None, &mut |word| {
        let starts_so = word.starts_with(prefix);
        n_words += usize::from(starts_so);
        let is_covered = (found.last()).is_some_and(|last| word.starts_with(last.as_str()));
        if starts_so && !is_covered {
            found.push(word.to_owned());
        }
        stop_if(!starts_so || n_words >= MAX_LONGER_WORDS)
    });
    match n_words < MAX_LONGER_WORDS {
        true => found,
        false => vec![prefix.to_owned()],
    }
}

const fn stop_if(done: bool) -> ControlFlow<()> {
    if done {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

fn distance(automaton: &DFA, candidate: &str) -> u8 {
    match automaton.eval(candidate) {
        Distance::Exact(distance) => distance,
        Distance::AtLeast(_) => u8::MAX,
    }
}

/// The smallest character after `c`, `None` after the last one.
fn successor(c: char) -> Option<char> {
    (u32::from(c) + 1..=u32::from(char::MAX)).find_map(char::from_u32)
}

/// The tables are built once; an automaton for one word is then cheap.
fn automaton(word: &str, is_prefix: bool, max_typos: u8) -> DFA {
    static BUILDERS: [OnceLock<LevenshteinAutomatonBuilder>; 2] =
        [OnceLock::new(), OnceLock::new()];
    let max_typos = max_typos.clamp(1, 2);
    let builder = BUILDERS[usize::from(max_typos) - 1]
        .get_or_init(|| LevenshteinAutomatonBuilder::new(max_typos, true));
    if is_prefix {
        builder.build_prefix_dfa(word)
    } else {
        builder.build_dfa(word)
    }
}
