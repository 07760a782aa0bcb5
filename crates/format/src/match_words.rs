//! What counts as a match: the words that a query stands for, as the engine derived them.

use std::ops::Range;

use rustc_hash::FxHashMap;
use serval_text::WordStarts;

/// Words that match a query, all in normalised form. Made once per query.
///
/// `ids` are the positions of the query words that a match stands for; cropping uses them to tell
/// how much of the query a window covers and in which order. At each token sequences are tried
/// first, then whole words, then prefixes; within a kind, the one added first wins.
#[derive(Debug, Clone, Default)]
pub struct MatchWords {
    vocabulary: FxHashMap<Box<str>, Known>,
    n_words: u32,
    sequences: Vec<Sequence>,
    prefixes: FxHashMap<Box<str>, Prefix>,
    /// Byte lengths of the prefixes, ascending, each once.
    prefix_lens: Vec<usize>,
    /// How known words and prefixes begin; most tokens stop here.
    starts: WordStarts,
}

/// A word of the vocabulary: its number in sequences, and what it matches alone.
#[derive(Debug, Clone)]
struct Known {
    number: u32,
    alone: Option<Range<u16>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Sequence {
    pub(crate) words: Box<[u32]>,
    pub(crate) ids: Range<u16>,
}

#[derive(Debug, Clone)]
struct Prefix {
    rank: usize,
    marked_bytes: usize,
    ids: Range<u16>,
}

/// What the vocabulary says about one token.
#[derive(Debug, Clone, Default)]
pub(crate) struct TokenMatch {
    /// Number of the token's word, for sequences.
    pub(crate) number: Option<u32>,
    /// The match of the token alone: the ids, and how many normalised bytes to mark.
    pub(crate) alone: Option<(Range<u16>, usize)>,
}

impl MatchWords {
    /// True when nothing can match: placeholder and purely semantic searches.
    pub fn is_empty(&self) -> bool {
        self.vocabulary.is_empty() && self.prefixes.is_empty()
    }

    /// About how many bytes it takes on the heap.
    pub fn heap_bytes(&self) -> usize {
        let words = self.vocabulary.keys().map(|word| word.len());
        let prefixes = self.prefixes.keys().map(|word| word.len());
        let numbers = self
            .sequences
            .iter()
            .map(|sequence| size_of_val(&*sequence.words));
        words.chain(prefixes).chain(numbers).sum::<usize>()
            + self.vocabulary.capacity() * size_of::<(Box<str>, Known)>()
            + self.prefixes.capacity() * size_of::<(Box<str>, Prefix)>()
            + self.sequences.capacity() * size_of::<Sequence>()
            + self.prefix_lens.capacity() * size_of::<usize>()
    }

    /// A word that matches whole tokens: a query word, a typo of one, a prefix derivation that
    /// should be marked in full.
    pub fn add_word(&mut self, word: &str, ids: Range<u16>) {
        if word.is_empty() {
            return;
        }
        self.know(word).alone.get_or_insert(ids);
    }

    /// A word that matches every token starting with it; its first `marked_chars` characters (at
    /// most all of it) are marked.
    ///
    /// For the last word of a query: the word itself, its typos and its cached prefix, each with
    /// the number of characters that were typed.
    pub fn add_prefix(&mut self, word: &str, marked_chars: usize, ids: Range<u16>) {
        if word.is_empty() || marked_chars == 0 {
            return;
        }
        let marked_bytes = word
            .char_indices()
            .nth(marked_chars)
            .map_or(word.len(), |(index, _)| index);
        let rank = self.prefixes.len();
        self.prefixes.entry(word.into()).or_insert(Prefix {
            rank,
            marked_bytes,
            ids,
        });
        if let Err(place) = self.prefix_lens.binary_search(&word.len()) {
            self.prefix_lens.insert(place, word.len());
        }
        self.starts.add_prefix(word);
    }

    /// Words that match as consecutive tokens, separators between them left aside: a phrase, a
    /// split word, a synonym. One word matches whole tokens before [`MatchWords::add_word`] does.
    ///
    /// A phrase with a stop word in it should not be added: it is not marked.
    pub fn add_sequence<'w>(&mut self, words: impl IntoIterator<Item = &'w str>, ids: Range<u16>) {
        let words: Box<[u32]> = words
            .into_iter()
            .map(|word| self.know(word).number)
            .collect();
        if !words.is_empty() {
            self.sequences.push(Sequence { words, ids });
        }
    }

    pub(crate) fn has_sequences(&self) -> bool {
        !self.sequences.is_empty()
    }

    /// Sequences that begin with a word, in order of precedence.
    pub(crate) fn sequences_from(&self, number: u32) -> impl Iterator<Item = &Sequence> {
        self.sequences
            .iter()
            .filter(move |sequence| sequence.words[0] == number)
    }

    /// What is known of a token; `None` for most.
    #[inline]
    pub(crate) fn look_up(&self, text: &str) -> Option<TokenMatch> {
        match self.starts.may_hold(text) {
            true => self.look_up_whole(text),
            false => None,
        }
    }

    /// How the words begin that can match.
    pub(crate) const fn starts(&self) -> &WordStarts {
        &self.starts
    }

    fn look_up_whole(&self, text: &str) -> Option<TokenMatch> {
        let known = self.vocabulary.get(text);
        let alone = known
            .and_then(|known| known.alone.clone())
            .map(|ids| (ids, usize::MAX))
            .or_else(|| self.best_prefix(text));
        let number = known.map(|known| known.number);
        (number.is_some() || alone.is_some()).then_some(TokenMatch { number, alone })
    }

    fn best_prefix(&self, text: &str) -> Option<(Range<u16>, usize)> {
        self.prefix_lens
            .iter()
            .take_while(|&&len| len <= text.len())
            .filter_map(|&len| text.get(..len).and_then(|start| self.prefixes.get(start)))
            .min_by_key(|prefix| prefix.rank)
            .map(|prefix| (prefix.ids.clone(), prefix.marked_bytes))
    }

    fn know(&mut self, word: &str) -> &mut Known {
        self.starts.add_word(word);
        let number = self.n_words;
        self.n_words += 1;
        self.vocabulary.entry(word.into()).or_insert(Known {
            number,
            alone: None,
        })
    }
}
