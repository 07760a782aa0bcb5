//! Terms and n-grams with every word or phrase that can stand for them.

use std::collections::BTreeSet;

use serde_json::Value;
use serval_text::TokenKind;

use super::documents::{NaiveIndex, is_number};
use super::matching::{Words, pair_distance};
use super::terms::Term;
use crate::settings::ProximityPrecision;

/// By how much a way differs from what was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Not at all.
    Exact,
    /// A longer word or a synonym.
    Zero,
    /// One typo.
    One,
    /// Two typos.
    Two,
}

impl Class {
    pub(super) const ALL: [Self; 4] = [Self::Exact, Self::Zero, Self::One, Self::Two];

    /// What the typo rule counts for it.
    pub(super) const fn typos(self) -> u32 {
        match self {
            Self::Exact | Self::Zero => 0,
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// One way to match a node.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub class: Class,
    /// One word, or the places of a phrase.
    pub words: Words,
    /// A quoted phrase, a split or a synonym.
    pub is_phrase: bool,
    /// Not where typos are not tolerated.
    pub tolerant_only: bool,
}

/// A term, or two or three joined.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub start: usize,
    pub n: usize,
    pub first: u32,
    pub last: u32,
    pub is_phrase: bool,
    pub allowed_typos: u32,
    pub ways: Vec<Way>,
}

/// The nodes of all terms, in order of the last term and then of length.
pub(super) fn nodes(index: &NaiveIndex, terms: &[Term]) -> Vec<Node> {
    let mut nodes = Vec::new();
    for end in 1..=terms.len() {
        for n in 1..=end.min(3) {
            let joined = &terms[end - n..end];
            let is_possible = n == 1
                || joined.iter().all(|term| !term.is_phrase)
                    && joined
                        .windows(2)
                        .all(|pair| pair[0].last + 1 == pair[1].first);
            if is_possible {
                nodes.push(node(index, joined, end - n));
            }
        }
    }
    nodes
}

fn node(index: &NaiveIndex, terms: &[Term], start: usize) -> Node {
    let (first, last) = (terms[0].first, terms[terms.len() - 1].last);
    let mut node = Node {
        start,
        n: terms.len(),
        first,
        last,
        is_phrase: terms[0].is_phrase,
        allowed_typos: 0,
        ways: Vec::new(),
    };
    if node.is_phrase {
        let words = terms[0].words.clone();
        node.ways.push(Way {
            class: Class::Exact,
            words,
            is_phrase: true,
            tolerant_only: false,
        });
        return node;
    }
    let parts: Vec<String> = terms
        .iter()
        .filter_map(|term| term.words[0].clone())
        .collect();
    let text = parts.concat();
    let is_prefix = terms.last().is_some_and(|term| term.is_prefix);
    node.allowed_typos = allowed_typos(index, &text).saturating_sub(node.n as u32 - 1);
    let (is_ngram, allowed) = (node.n > 1, node.allowed_typos);
    for word in &index.dictionary {
        let mut way = |class| {
            let tolerant_only = is_ngram || class > Class::Zero;
            let words = vec![Some(word.clone())];
            node.ways.push(Way {
                class,
                words,
                is_phrase: false,
                tolerant_only,
            });
        };
        if *word == text && !is_ngram {
            way(Class::Exact);
        }
        if *word == text || is_prefix && word.starts_with(&text) {
            way(Class::Zero);
            continue;
        }
        if !index.is_ever_tolerant(word) {
            continue;
        }
        match typos(&text, word, is_prefix, allowed) {
            1 if allowed >= 1 => way(Class::One),
            2 if allowed >= 2 => way(Class::Two),
            _ => {}
        }
    }
    let mut phrases: Vec<(Class, Vec<String>)> = Vec::new();
    phrases.extend(
        synonyms(index, &parts)
            .into_iter()
            .map(|words| (Class::Zero, words)),
    );
    if is_ngram {
        let of_text = synonyms(index, std::slice::from_ref(&text));
        phrases.extend(of_text.into_iter().map(|words| (Class::Zero, words)));
    }
    phrases.extend(
        split(index, &text)
            .filter(|halves| *halves != parts)
            .map(|h| (Class::One, h)),
    );
    for (class, words) in phrases {
        let words = words.into_iter().map(Some).collect();
        node.ways.push(Way {
            class,
            words,
            is_phrase: true,
            tolerant_only: false,
        });
    }
    node
}

fn allowed_typos(index: &NaiveIndex, word: &str) -> u32 {
    let typo = &index.settings.typo_tolerance;
    let length = word.chars().count();
    let mut strict_words = typo.disable_on_words.iter();
    if !typo.enabled
        || strict_words.any(|strict| serval_text::normalize_text(strict) == word)
        || typo.disable_on_numbers && is_number(word)
        || length < usize::from(typo.min_word_size_for_typos.one_typo)
    {
        0
    } else if length < usize::from(typo.min_word_size_for_typos.two_typos) {
        1
    } else {
        2
    }
}

/// Typos between a typed word and one of the index: the distance if they start alike, else two at
/// a distance of one. At least 3 if they are farther apart.
fn typos(typed: &str, word: &str, is_prefix: bool, allowed: u32) -> u32 {
    let (typed, word): (Vec<char>, Vec<char>) = (typed.chars().collect(), word.chars().collect());
    let is_alike = typed.first() == word.first();
    let most = if is_alike { allowed } else { 1 };
    let distance = if is_prefix {
        prefix_distance(&typed, &word, most)
    } else {
        distances(&typed, &word)[typed.len()][word.len()]
    };
    match (is_alike, distance) {
        (true, distance) => distance,
        (false, 0 | 1) => 2,
        (false, _) => 3,
    }
}

/// The distance to the start of a word. The start ends where the typed word is near enough and no
/// shorter part of it is nearer; without such a place it is the whole word.
fn prefix_distance(typed: &[char], word: &[char], most: u32) -> u32 {
    let distances = distances(typed, word);
    let whole = |end: usize| distances[typed.len()][end];
    let is_settled = |end: &usize| {
        whole(*end) <= most && (0..typed.len()).all(|part| distances[part][*end] >= whole(*end))
    };
    whole((0..=word.len()).find(is_settled).unwrap_or(word.len()))
}

/// Optimal string alignment of every start of `a` with every start of `b`: insertion, deletion,
/// substitution and swap of neighbours.
fn distances(a: &[char], b: &[char]) -> Vec<Vec<u32>> {
    let mut table = vec![vec![0_u32; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                (i + j) as u32
            } else {
                let replaced = table[i - 1][j - 1] + u32::from(a[i - 1] != b[j - 1]);
                let mut least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(table[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    table
}

fn synonyms(index: &NaiveIndex, words: &[String]) -> BTreeSet<Vec<String>> {
    let words_of = |text: &str| -> Vec<String> {
        let tokens = index.tokenizer.tokens(text, &[]);
        let kept = tokens
            .into_iter()
            .filter(|token| token.kind == TokenKind::Word);
        kept.map(|token| token.text.to_string()).collect()
    };
    let entries = index.settings.synonyms.iter();
    entries
        .filter(|(key, _)| words_of(key) == words)
        .flat_map(|(_, values)| values.as_array().into_iter().flatten())
        .filter_map(Value::as_str)
        .map(words_of)
        .filter(|words| !words.is_empty())
        .collect()
}

/// The two halves of a word that are neighbours in most documents.
fn split(index: &NaiveIndex, text: &str) -> impl Iterator<Item = Vec<String>> {
    let by_attribute = index.settings.proximity_precision == ProximityPrecision::ByAttribute;
    let mut best: Option<(usize, Vec<String>)> = None;
    for (at, _) in text.char_indices().skip(1) {
        let (left, right) = text.split_at(at);
        let documents = index.documents.iter();
        let frequency = documents
            .filter(|document| {
                pair_distance(document, left, right, by_attribute).is_some_and(|d| d <= 1)
            })
            .count();
        if frequency > best.as_ref().map_or(0, |(most, _)| *most) {
            best = Some((frequency, vec![left.to_owned(), right.to_owned()]));
        }
    }
    best.map(|(_, halves)| halves).into_iter()
}
