//! The rules as they are given and as searches use them, and which of them apply to a search.

use rustc_hash::FxHashSet;
use serde::Deserialize;
use serde_json::{Map, Value};
use serval_filter::Filter;
use serval_text::{Locale, TokenKind, Tokenizer, TokenizerOptions};

use super::implication::{Constraint, FilterFuel};
use super::pinned::PinnedDoc;
use crate::docset::{DocId, DocSet};
use crate::query::read_part;
use crate::request::{FilterFeatures, SearchError, SearchRequest, SearchSource};
use crate::settings::IndexSettings;

/// How much of the rules a search looks at; what is beyond is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Budgets {
    /// Different words of a query that count.
    pub counted_words: usize,
    /// Active rules.
    pub active_rules: usize,
    /// Documents pinned.
    pub pin_actions: usize,
    /// Comparisons of words.
    pub word_fuel: usize,
    /// Comparisons with conditions of a filter.
    pub filter_fuel: usize,
    /// Alternatives of a filter.
    pub filter_or_fuel: usize,
    /// Conditions of a filter that must all hold.
    pub filter_and_fuel: usize,
    /// Depth of a filter.
    pub filter_depth_fuel: usize,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            counted_words: 10,
            active_rules: 1000,
            pin_actions: 100,
            word_fuel: 4096,
            filter_fuel: 4096,
            filter_or_fuel: 100,
            filter_and_fuel: 100,
            filter_depth_fuel: 25,
        }
    }
}

/// The active rules in the order of their age, as they cross from the interface.
#[derive(Clone, Debug, Deserialize)]
pub struct RuleSet {
    rules: Vec<GivenRule>,
    #[serde(default)]
    budgets: Budgets,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct GivenRule {
    /// Lower ones come first, rules without one last.
    precedence: Option<u64>,
    /// Milliseconds since 1970, both included.
    start: Option<f64>,
    end: Option<f64>,
    /// Whether the query must be empty, or must not be.
    is_empty: Option<bool>,
    /// Words that the query must have.
    words: Option<String>,
    /// Values that the filter must ask for, by attribute.
    values: Map<String, Value>,
    pins: Vec<Pin>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pin {
    /// Any index when absent.
    #[serde(default)]
    index_uid: Option<String>,
    id: String,
    position: u32,
}

#[derive(Debug)]
struct Rule {
    given: GivenRule,
    words: Vec<String>,
    constraints: Vec<Constraint>,
}

impl Rule {
    /// Its words as a tokenizer cuts them.
    fn cut_by(&self, tokenizer: &Tokenizer) -> Vec<String> {
        let text = self.given.words.as_deref().unwrap_or_default();
        words_of(tokenizer, text, &[], usize::MAX)
    }
}

/// Whether words are cut by more than the default separators, or by fewer.
fn has_own_cuts(settings: &IndexSettings) -> bool {
    !settings.separator_tokens.is_empty()
        || !settings.non_separator_tokens.is_empty()
        || !settings.dictionary.is_empty()
}

/// Rules made ready for searches.
#[derive(Debug)]
pub struct SearchRules {
    rules: Vec<Rule>,
    budgets: Budgets,
}

impl SearchRules {
    /// The rules in the order in which they are looked at.
    #[must_use]
    pub fn new(set: RuleSet) -> Self {
        let RuleSet { mut rules, budgets } = set;
        rules.sort_by_key(|rule| rule.precedence.map_or((1, 0), |precedence| (0, precedence)));
        rules.truncate(budgets.active_rules);
        let tokenizer = Tokenizer::new(&TokenizerOptions::default());
        let made = rules.into_iter().map(|given| Rule {
            words: words_of(
                &tokenizer,
                given.words.as_deref().unwrap_or(""),
                &[],
                usize::MAX,
            ),
            constraints: Constraint::all(&given.values),
            given,
        });
        Self {
            rules: made.collect(),
            budgets,
        }
    }
}

/// The different words of a text in their order, at most so many.
fn words_of(tokenizer: &Tokenizer, text: &str, locales: &[Locale], most: usize) -> Vec<String> {
    let mut seen = FxHashSet::default();
    let mut words = Vec::new();
    tokenizer.tokenize(text, locales, |token| {
        let is_word = matches!(token.kind, TokenKind::Word | TokenKind::StopWord);
        if is_word && words.len() < most && seen.insert(token.text.to_string()) {
            words.push(token.text.to_string());
        }
    });
    words
}

/// Rules at the time of a search.
#[derive(Clone, Copy, Debug)]
pub struct AppliedRules<'r> {
    /// The rules.
    pub rules: &'r SearchRules,
    /// Milliseconds since 1970.
    pub now_ms: f64,
}

impl AppliedRules<'_> {
    /// The documents that the rules pin in a search, in the order of the rules. Those that its
    /// filter leaves out are as if they were not there, for the budget of pins, too.
    ///
    /// # Errors
    /// The ids of the index cannot be read.
    pub(super) fn pins(
        &self,
        source: &dyn SearchSource,
        index_uid: &str,
        request: &SearchRequest,
        filter: Option<&Filter>,
    ) -> Result<Vec<PinnedDoc>, SearchError> {
        let mut conditions = Conditions::new(self, source, request, filter);
        let mut passing = Passing::new(source, filter, &request.features);
        let mut seen = FxHashSet::default();
        let mut pins = Vec::new();
        for (number, rule) in self.rules.rules.iter().enumerate() {
            if !conditions.hold(rule) {
                continue;
            }
            for (at, pin) in rule.given.pins.iter().enumerate() {
                if pins.len() >= self.rules.budgets.pin_actions {
                    return Ok(pins);
                }
                let is_here = pin.index_uid.as_deref().is_none_or(|uid| uid == index_uid);
                if !is_here {
                    continue;
                }
                let Some(doc) = source.find(&pin.id)? else {
                    continue;
                };
                if passing.has(doc) && seen.insert(doc) {
                    pins.push(PinnedDoc {
                        doc,
                        position: pin.position as usize,
                        order: (number, at),
                    });
                }
            }
        }
        Ok(pins)
    }
}

/// The documents that pass a filter, evaluated when the first is asked for.
struct Passing<'p> {
    source: &'p dyn SearchSource,
    filter: Option<&'p Filter>,
    features: &'p FilterFeatures,
    docs: Option<DocSet>,
}

impl<'p> Passing<'p> {
    fn new(
        source: &'p dyn SearchSource,
        filter: Option<&'p Filter>,
        features: &'p FilterFeatures,
    ) -> Self {
        Self {
            source,
            filter,
            features,
            docs: None,
        }
    }

    /// Whether a document passes: none does if the filter is refused, as the search will be.
    fn has(&mut self, doc: DocId) -> bool {
        let (source, features) = (self.source, self.features);
        self.filter.is_none_or(|filter| {
            let evaluate = || source.filter_docs(&filter.canonical(), features);
            let docs = self
                .docs
                .get_or_insert_with(|| evaluate().unwrap_or_default());
            docs.contains(doc)
        })
    }
}

/// What a search gives to the conditions of rules, and how much may still be looked at.
struct Conditions<'c> {
    now_ms: f64,
    text: &'c str,
    words: Option<FxHashSet<String>>,
    source: &'c dyn SearchSource,
    /// The index cuts words otherwise than most, and the words of rules must be cut as those of its
    /// queries are.
    has_own_cuts: bool,
    filter: Option<&'c Filter>,
    budgets: Budgets,
    word_fuel: usize,
    filter_fuel: usize,
}

impl<'c> Conditions<'c> {
    fn new(
        applied: &AppliedRules<'_>,
        source: &'c dyn SearchSource,
        request: &'c SearchRequest,
        filter: Option<&'c Filter>,
    ) -> Self {
        let budgets = applied.rules.budgets;
        Self {
            now_ms: applied.now_ms,
            text: request.q.as_deref().unwrap_or("").trim(),
            words: None,
            source,
            has_own_cuts: has_own_cuts(source.settings()),
            filter,
            budgets,
            word_fuel: budgets.word_fuel,
            filter_fuel: budgets.filter_fuel,
        }
    }

    fn hold(&mut self, rule: &Rule) -> bool {
        let GivenRule {
            start,
            end,
            is_empty,
            ..
        } = rule.given;
        start.is_none_or(|start| start <= self.now_ms)
            && end.is_none_or(|end| self.now_ms <= end)
            && is_empty.is_none_or(|is_empty| is_empty == self.text.is_empty())
            && self.has_words(rule)
            && self.implies(rule)
    }

    fn has_words(&mut self, rule: &Rule) -> bool {
        let tokenizer = &self.source.query_config().tokenizer;
        let own_words = self.has_own_cuts.then(|| rule.cut_by(tokenizer));
        let wanted = own_words.as_ref().unwrap_or(&rule.words);
        if wanted.is_empty() {
            return true;
        }
        let Some(left) = self.word_fuel.checked_sub(wanted.len()) else {
            return false;
        };
        self.word_fuel = left;
        let most = self.budgets.counted_words;
        let text = self.text;
        let words = self.words.get_or_insert_with(|| {
            let words = words_of(tokenizer, read_part(text), &[], most);
            words.into_iter().collect()
        });
        wanted.iter().all(|word| words.contains(word))
    }

    fn implies(&mut self, rule: &Rule) -> bool {
        rule.constraints.iter().all(|constraint| {
            let mut fuel = FilterFuel {
                conditions: &mut self.filter_fuel,
                or: self.budgets.filter_or_fuel,
                and: self.budgets.filter_and_fuel,
                depth: self.budgets.filter_depth_fuel,
            };
            self.filter
                .is_some_and(|filter| constraint.is_implied_by(filter, &mut fuel))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::search::{IndexView, QueryConfigs};
    use crate::testing::TestIndex;

    /// Whether a rule for a word pins something in a search.
    fn applies(settings: Value, word: &str, query: &str) -> bool {
        let index = TestIndex::new(settings, &[json!({"id": 1})]);
        let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
        let rule = json!({"words": word, "pins": [{"id": "1", "position": 0}]});
        let set = serde_json::from_value(json!({"rules": [rule]})).expect("a set of rules");
        let rules = AppliedRules {
            rules: &SearchRules::new(set),
            now_ms: 0.0,
        };
        let request = serde_json::from_value(json!({"q": query})).expect("a request");
        let pins = rules.pins(&view, "films", &request, None);
        !pins.expect("ids can be read").is_empty()
    }

    #[test]
    fn the_words_of_a_rule_are_cut_as_the_index_cuts_queries() {
        assert!(applies(json!({}), "C#", "sharp c# night"));
        let settings = json!({"nonSeparatorTokens": ["#"]});
        assert!(applies(settings.clone(), "C#", "sharp c# night"));
        assert!(!applies(settings.clone(), "C#", "sharp c night"));
        assert!(!applies(settings, "#", "sharp c night"));
    }

    #[test]
    fn words_behind_what_is_read_of_a_query_do_not_count() {
        let query = format!("{}night", " ".repeat(1 << 20));
        assert!(applies(json!({}), "night", &query));
        let query = format!("x{}night", " ".repeat(1 << 20));
        assert!(!applies(json!({}), "night", &query));
    }
}
