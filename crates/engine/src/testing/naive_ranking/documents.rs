//! Documents as plain maps: the words of each attribute with their positions, and the values as
//! they were given.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use serval_text::{SeparatorKind, TokenKind, Tokenizer};

use crate::query::QueryConfig;
use crate::settings::IndexSettings;

/// Distance across a hard separator, and between two values of one attribute.
const HARD_GAP: u32 = 8;

/// A document and the words in it.
pub(super) struct NaiveDocument {
    /// Position and text of the words, by attribute.
    pub words: BTreeMap<String, Vec<(u32, String)>>,
    /// As given.
    pub source: Value,
}

/// All documents of an index; a document id is a place in the list.
pub(crate) struct NaiveIndex {
    pub(super) settings: IndexSettings,
    pub(super) documents: Vec<NaiveDocument>,
    pub(super) dictionary: BTreeSet<String>,
    pub(super) tokenizer: Tokenizer,
}

impl NaiveIndex {
    pub(crate) fn new(settings: &IndexSettings, documents: &[Value]) -> Self {
        let tokenizer = QueryConfig::new(settings).tokenizer;
        let documents: Vec<NaiveDocument> = documents
            .iter()
            .map(|source| {
                let mut reading = Reading {
                    settings,
                    tokenizer: &tokenizer,
                    words: BTreeMap::new(),
                    last: BTreeMap::new(),
                };
                for (name, value) in source.as_object().expect("a document is an object") {
                    reading.value(name, value);
                }
                NaiveDocument {
                    words: reading.words,
                    source: source.clone(),
                }
            })
            .collect();
        let words = documents
            .iter()
            .flat_map(|document| document.words.values().flatten());
        let dictionary = words.map(|(_, word)| word.clone()).collect();
        Self {
            settings: settings.clone(),
            documents,
            dictionary,
            tokenizer,
        }
    }

    /// Whether typos are tolerated in a word of an attribute.
    pub(super) fn is_tolerant(&self, attribute: &str, word: &str) -> bool {
        let typo = &self.settings.typo_tolerance;
        let is_listed = typo
            .disable_on_attributes
            .iter()
            .any(|parent| is_under(parent, attribute));
        !(is_listed || typo.disable_on_numbers && is_number(word))
    }

    /// Whether typos are tolerated in the word in any document.
    pub(super) fn is_ever_tolerant(&self, word: &str) -> bool {
        self.documents
            .iter()
            .flat_map(|document| &document.words)
            .any(|(attribute, words)| {
                self.is_tolerant(attribute, word) && words.iter().any(|(_, other)| other == word)
            })
    }

    /// Rank of an attribute; `None` if it is not searched.
    pub(super) fn weight(&self, attribute: &str) -> Option<u32> {
        weight(&self.settings, attribute)
    }

    /// All values of an attribute of a document, lists opened.
    pub(super) fn values(&self, doc: usize, attribute: &str) -> Vec<Value> {
        let mut values = vec![self.documents[doc].source.clone()];
        for part in attribute.split('.') {
            values = opened(values)
                .into_iter()
                .filter_map(|value| value.get(part).cloned())
                .collect();
        }
        opened(values)
    }
}

fn opened(values: Vec<Value>) -> Vec<Value> {
    values
        .into_iter()
        .flat_map(|value| match value {
            Value::Array(items) => opened(items),
            other => vec![other],
        })
        .collect()
}

/// Whether a word is made of digits and signs only.
pub(super) fn is_number(word: &str) -> bool {
    word.chars()
        .all(|c| c.is_numeric() || c.is_ascii_punctuation())
}

fn is_under(parent: &str, attribute: &str) -> bool {
    attribute == parent || attribute.starts_with(&format!("{parent}."))
}

fn weight(settings: &IndexSettings, attribute: &str) -> Option<u32> {
    let names = &settings.searchable_attributes;
    if names.iter().any(|name| name == "*") {
        return Some(0);
    }
    let at = names.iter().position(|name| is_under(name, attribute))?;
    Some(at as u32)
}

struct Reading<'r> {
    settings: &'r IndexSettings,
    tokenizer: &'r Tokenizer,
    words: BTreeMap<String, Vec<(u32, String)>>,
    /// Position of the last word, by attribute visited.
    last: BTreeMap<String, u32>,
}

impl Reading<'_> {
    fn value(&mut self, name: &str, value: &Value) {
        match value {
            Value::Object(members) => {
                for (member, value) in members {
                    let name = format!("{name}.{member}");
                    if matches!(value, Value::Array(_) | Value::Object(_)) {
                        self.visit(&name);
                    }
                    self.value(&name, value);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.value(name, item)),
            Value::Null => {
                self.visit(name);
            }
            Value::String(text) => self.text(name, text),
            other => self.text(name, &other.to_string()),
        }
    }

    fn visit(&mut self, name: &str) -> u32 {
        let last = self.last.get(name).map_or(0, |last| last + HARD_GAP);
        self.last.insert(name.to_owned(), last);
        last
    }

    fn text(&mut self, name: &str, text: &str) {
        let mut position = self.visit(name);
        if weight(self.settings, name).is_none() {
            return;
        }
        let (mut is_first, mut after_hard) = (true, false);
        for token in self.tokenizer.tokens(text, &[]) {
            if let TokenKind::Separator(kind) = token.kind {
                after_hard |= kind == SeparatorKind::Hard;
                continue;
            }
            if !is_first {
                position += if after_hard { HARD_GAP } else { 1 };
            }
            (is_first, after_hard) = (false, false);
            if token.kind == TokenKind::Word {
                let words = self.words.entry(name.to_owned()).or_default();
                words.push((position, token.text.to_string()));
                self.last.insert(name.to_owned(), position);
            }
        }
    }
}
