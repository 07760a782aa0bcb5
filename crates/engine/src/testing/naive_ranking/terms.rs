//! Cuts a query into terms and exclusions.

use serval_text::{SeparatorKind, TokenKind};

use super::documents::NaiveIndex;
use crate::settings::PrefixSearch;

/// A word or a phrase of the query.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// The word, or those of the phrase; `None` for a stop word.
    pub words: Vec<Option<String>>,
    pub is_phrase: bool,
    pub is_prefix: bool,
    /// Query position of the first word that is no hole.
    pub first: u32,
    /// Query position of the last word.
    pub last: u32,
}

/// What is looked for, and what may not be there.
#[derive(Default)]
pub(super) struct Terms {
    pub wanted: Vec<Term>,
    pub excluded: Vec<Vec<Option<String>>>,
}

#[derive(Default)]
struct OpenPhrase {
    words: Vec<(u32, Option<String>)>,
    is_excluded: bool,
}

impl Terms {
    pub(super) fn of(index: &NaiveIndex, query: &str) -> Self {
        let tokens = index.tokenizer.tokens(query, &[]);
        let has_prefix = index.settings.prefix_search != PrefixSearch::Disabled;
        let mut terms = Self::default();
        let mut open: Option<OpenPhrase> = None;
        let mut is_negated = false;
        // The position that the next word takes.
        let mut next = 0;
        let mut after_space = true;
        for (at, token) in tokens.iter().take(1000).enumerate() {
            if terms.wanted.len() >= 10 {
                return terms;
            }
            let was_negated = std::mem::take(&mut is_negated);
            match token.kind {
                TokenKind::Separator(kind) => {
                    let is_hard = kind == SeparatorKind::Hard;
                    next += if is_hard { 7 } else { 0 };
                    let is_quote = token.text == "\"";
                    if let Some(phrase) = open.take_if(|_| is_hard || is_quote) {
                        let is_excluded = phrase.is_excluded;
                        terms.close(phrase);
                        open = is_hard.then(|| OpenPhrase {
                            words: Vec::new(),
                            is_excluded,
                        });
                    } else if is_quote {
                        open = Some(OpenPhrase {
                            words: Vec::new(),
                            is_excluded: was_negated,
                        });
                    }
                    is_negated = open.is_none() && token.text == "-" && after_space;
                }
                kind => {
                    let position = next;
                    next += 1;
                    let is_stop = kind == TokenKind::StopWord;
                    let is_final = at + 1 == tokens.len();
                    let text = token.text.to_string();
                    if let Some(phrase) = &mut open {
                        phrase.words.push((position, (!is_stop).then_some(text)));
                    } else if was_negated {
                        terms.excluded.push(vec![Some(text)]);
                    } else if is_final || !is_stop {
                        terms.wanted.push(Term {
                            words: vec![Some(text)],
                            is_phrase: false,
                            is_prefix: is_final && has_prefix,
                            first: position,
                            last: position,
                        });
                    }
                }
            }
            after_space = token.text.ends_with(char::is_whitespace);
        }
        if let Some(phrase) = open {
            terms.close(phrase);
        }
        terms
    }

    fn close(&mut self, phrase: OpenPhrase) {
        let Some((first, _)) = phrase.words.iter().find(|(_, word)| word.is_some()) else {
            return;
        };
        let first = *first;
        let last = phrase.words.last().map_or(first, |(position, _)| *position);
        let words = phrase.words.into_iter().map(|(_, word)| word).collect();
        if phrase.is_excluded {
            self.excluded.push(words);
        } else {
            self.wanted.push(Term {
                words,
                is_phrase: true,
                is_prefix: false,
                first,
                last,
            });
        }
    }
}
