//! The synonyms of an index, normalised for look-up by query words.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use serval_text::{TokenKind, Tokenizer};

/// Values used for a one-word key.
const MAX_VALUES: usize = 50;
/// Words of all values used for a one-word key.
const MAX_WORDS: usize = 100;
/// Longest key, in bytes of its words.
const MAX_KEY_BYTES: usize = 500;

/// Word sequences by the word sequence they may stand for; one way.
#[derive(Debug, Default)]
pub(super) struct Synonyms {
    by_key: FxHashMap<Vec<String>, Vec<Vec<String>>>,
}

impl Synonyms {
    /// Normalises the setting with the tokenizer of the index; stop words are dropped, keys that
    /// become equal are merged.
    #[must_use]
    pub(super) fn new(setting: &Map<String, Value>, tokenizer: &Tokenizer) -> Self {
        let words = |text: &str| -> Vec<String> {
            tokenizer
                .tokens(text, &[])
                .into_iter()
                .filter(|token| token.kind == TokenKind::Word && !token.text.is_empty())
                .map(|token| token.text.into_owned())
                .collect()
        };
        let mut by_key: FxHashMap<Vec<String>, Vec<Vec<String>>> = FxHashMap::default();
        for (key, values) in setting {
            let key = words(key);
            if key.is_empty() || key.iter().map(String::len).sum::<usize>() > MAX_KEY_BYTES {
                continue;
            }
            let values = values
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            by_key
                .entry(key)
                .or_default()
                .extend(values.map(words).filter(|v| !v.is_empty()));
        }
        for values in by_key.values_mut() {
            values.sort();
            values.dedup();
        }
        Self { by_key }
    }

    /// What may stand for these query words.
    #[must_use]
    pub(super) fn of(&self, words: &[&str]) -> Vec<&[String]> {
        if self.by_key.is_empty() {
            return Vec::new();
        }
        let key: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let values = self
            .by_key
            .get(&key)
            .into_iter()
            .flatten()
            .map(Vec::as_slice);
        if words.len() > 1 {
            return values.collect();
        }
        let mut n_words = 0;
        values
            .take(MAX_VALUES)
            .filter(|value| {
                let fits = n_words + value.len() <= MAX_WORDS;
                if fits {
                    n_words += value.len();
                }
                fits
            })
            .collect()
    }
}
