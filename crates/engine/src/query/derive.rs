//! Builds the nodes of a query: for every term and n-gram, all that may stand for it.

use std::collections::HashSet;

use serval_text::{Tokenizer, TokenizerOptions, is_numeric_word, normalize_text};

use super::corpus::{Corpus, Slot};
use super::matching::Matching;
use super::node::{Classes, Derivation, Form, Node};
use super::parse::{LocatedTerm, Phrase, TermText, is_too_long};
use super::splits::best_split;
use super::synonyms::Synonyms;
use super::typos::{longer_words, remembered_typo_words};
use crate::settings::{IndexSettings, MinWordSizeForTypos, PrefixSearch};

/// A prefix of at most this many bytes...
const SHORT_PREFIX_BYTES: usize = 4;
/// ... that starts at least this many words is short in the sense of [`Form::Prefix`].
const SHORT_PREFIX_WORDS: usize = 100;

/// What query parsing takes from the settings, prepared once per settings version.
#[derive(Debug)]
pub struct QueryConfig {
    /// Cuts queries as it cuts documents.
    pub tokenizer: Tokenizer,
    /// Cuts documents for formatting: stop words are words there.
    pub format_tokenizer: Tokenizer,
    /// Whether the last word is a prefix.
    pub prefix_search: bool,
    synonyms: Synonyms,
    typos_enabled: bool,
    typo_sizes: MinWordSizeForTypos,
    strict_words: HashSet<String>,
    strict_numbers: bool,
}

impl QueryConfig {
    /// Prepares settings for queries.
    #[must_use]
    pub fn new(settings: &IndexSettings) -> Self {
        let list = |set: &std::collections::BTreeSet<String>| set.iter().cloned().collect();
        let options = TokenizerOptions {
            stop_words: list(&settings.stop_words),
            separator_tokens: list(&settings.separator_tokens),
            non_separator_tokens: list(&settings.non_separator_tokens),
            dictionary: list(&settings.dictionary),
        };
        let tokenizer = Tokenizer::new(&options);
        let format_tokenizer = if options.stop_words.is_empty() {
            tokenizer.clone()
        } else {
            Tokenizer::new(&TokenizerOptions {
                stop_words: Vec::new(),
                ..options
            })
        };
        let typo = &settings.typo_tolerance;
        Self {
            synonyms: Synonyms::new(&settings.synonyms, &tokenizer),
            tokenizer,
            format_tokenizer,
            prefix_search: settings.prefix_search == PrefixSearch::IndexingTime,
            typos_enabled: typo.enabled,
            typo_sizes: typo.min_word_size_for_typos,
            strict_words: typo
                .disable_on_words
                .iter()
                .map(|word| normalize_text(word))
                .collect(),
            strict_numbers: typo.disable_on_numbers,
        }
    }

    /// Typos allowed in a query word: none, one or two by its length in characters.
    #[must_use]
    pub fn allowed_typos(&self, word: &str) -> u8 {
        let strict = !self.typos_enabled
            || self.strict_words.contains(word)
            || self.strict_numbers && is_numeric_word(word);
        let length = word.chars().count();
        if strict || length < usize::from(self.typo_sizes.one_typo) {
            0
        } else if length < usize::from(self.typo_sizes.two_typos) {
            1
        } else {
            2
        }
    }
}

/// The node of one term.
pub(super) fn term_node(
    matching: &mut Matching<'_>,
    config: &QueryConfig,
    term: &LocatedTerm,
    id: u8,
) -> Node {
    let mut node = Node {
        ids: id..=id,
        first: term.first,
        last: term.last,
        text: String::new(),
        is_phrase: false,
        is_prefix: false,
        max_typos: 0,
        derivations: Vec::new(),
    };
    match &term.text {
        TermText::Phrase(phrase) => {
            node.is_phrase = true;
            let words: Vec<&str> = phrase.placed().map(|(_, word)| word).collect();
            node.text = words.join(" ");
            let form = Form::Phrase(matching.phrase(phrase.clone()));
            node.derivations.push(Derivation {
                class: Classes::EXACT,
                form,
            });
        }
        TermText::Word { text, is_prefix } => {
            node.text.clone_from(text);
            node.is_prefix = *is_prefix;
            node.max_typos = config.allowed_typos(text);
            derive_word(matching, config, &mut node, &[text]);
        }
    }
    node
}

/// The node of two or three neighbouring terms written together; `None` if they do not stand next
/// to each other, one is a phrase, or the result is no possible word.
pub(super) fn ngram_node(
    matching: &mut Matching<'_>,
    config: &QueryConfig,
    terms: &[LocatedTerm],
    first_id: u8,
) -> Option<Node> {
    let mut words = Vec::with_capacity(terms.len());
    let mut ends_with_prefix = false;
    for term in terms {
        let TermText::Word { text, is_prefix } = &term.text else {
            return None;
        };
        words.push(text.as_str());
        ends_with_prefix = *is_prefix;
    }
    if terms
        .windows(2)
        .any(|pair| pair[0].last.checked_add(1) != Some(pair[1].first))
    {
        return None;
    }
    let text = words.concat();
    if is_too_long(&text) {
        return None;
    }
    let extra = terms.len() as u8 - 1;
    let mut node = Node {
        ids: first_id..=first_id + extra,
        first: terms[0].first,
        last: terms[terms.len() - 1].last,
        max_typos: config.allowed_typos(&text).saturating_sub(extra),
        text,
        is_phrase: false,
        is_prefix: ends_with_prefix,
        derivations: Vec::new(),
    };
    derive_word(matching, config, &mut node, &words);
    Some(node)
}

fn derive_word(
    matching: &mut Matching<'_>,
    config: &QueryConfig,
    node: &mut Node,
    components: &[&str],
) {
    if is_too_long(&node.text) {
        return;
    }
    let strict_number = config.strict_numbers && is_numeric_word(&node.text);
    if node.is_ngram() && strict_number {
        derive_longer_words(matching, node);
    } else {
        derive_zero(matching, node);
    }
    derive_synonyms(matching, config, node, components);
    derive_typos(matching, config, node);
    let seam = (components.len() == 2).then(|| components[0].len());
    let split = best_split(matching.corpus, &node.text, seam, matching.by_attribute());
    if let Some((left, right)) = split {
        push_phrase(matching, node, Classes::ONE, &[left, right]);
    }
}

fn derive_zero(matching: &mut Matching<'_>, node: &mut Node) {
    let corpus = matching.corpus;
    if !corpus.word_docs(&node.text).is_empty() {
        let class = if node.is_ngram() {
            Classes::ZERO
        } else {
            Classes::EXACT
        };
        let form = Form::Word(matching.slot(Slot::Word(node.text.clone())));
        node.derivations.push(Derivation { class, form });
    }
    if node.is_prefix && !corpus.prefix_docs(&node.text).is_empty() {
        let slot = matching.slot(Slot::Prefix(node.text.clone()));
        let is_short = is_short_prefix(corpus, &node.text);
        node.derivations.push(Derivation {
            class: Classes::ZERO,
            form: Form::Prefix { slot, is_short },
        });
    }
}

/// Joined numbers stand only for the longer words that are no numbers.
fn derive_longer_words(matching: &mut Matching<'_>, node: &mut Node) {
    if !node.is_prefix {
        return;
    }
    for word in longer_words(matching.corpus, &node.text, &|word| !is_numeric_word(word)) {
        let form = Form::Word(matching.slot(Slot::Word(word)));
        node.derivations.push(Derivation {
            class: Classes::ZERO,
            form,
        });
    }
}

fn is_short_prefix(corpus: &dyn Corpus, prefix: &str) -> bool {
    prefix.len() <= SHORT_PREFIX_BYTES && corpus.has_prefix_words(prefix, SHORT_PREFIX_WORDS)
}

fn derive_synonyms(
    matching: &mut Matching<'_>,
    config: &QueryConfig,
    node: &mut Node,
    components: &[&str],
) {
    for synonym in config.synonyms.of(&[&node.text]) {
        push_phrase(matching, node, Classes::ZERO, synonym);
    }
    if components.len() > 1 {
        for synonym in config.synonyms.of(components) {
            push_phrase(matching, node, Classes::ZERO, synonym);
        }
    }
}

fn push_phrase(matching: &mut Matching<'_>, node: &mut Node, class: Classes, words: &[String]) {
    let words = words.iter().map(|word| Some(word.clone())).collect();
    let form = Form::Phrase(matching.phrase(Phrase { words }));
    node.derivations.push(Derivation { class, form });
}

fn derive_typos(matching: &mut Matching<'_>, config: &QueryConfig, node: &mut Node) {
    let shared = &*matching;
    let accept = |word: &str| {
        !(config.strict_numbers && is_numeric_word(word)) && shared.tolerates_typos_in(word)
    };
    let found = remembered_typo_words(
        matching.corpus,
        &node.text,
        node.is_prefix,
        node.max_typos,
        &accept,
    );
    for (class, words) in [(Classes::ONE, &found.one), (Classes::TWO, &found.two)] {
        for word in words {
            let form = Form::Word(matching.slot(Slot::Word(word.clone())));
            node.derivations.push(Derivation { class, form });
        }
    }
}
