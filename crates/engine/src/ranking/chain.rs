//! Turns the `rankingRules` setting and the `sort` of a search into a chain of rules.

use crate::settings::{Direction, IndexSettings, RankingRuleSetting};

use super::RankingRule;
use super::rules::{
    AttributeRankRule, ExactAttributeRule, ExactWordsRule, GeoSortRule, ProximityRule, SortRule,
    TypoRule, VectorRule, WordPositionRule, WordsRule,
};

/// One entry of the `sort` of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum SortCriterion {
    /// By the values of an attribute.
    Attribute(String, Direction),
    /// By the distance from a latitude and longitude in degrees.
    GeoPoint(f64, f64, Direction),
}

/// The chain for one search. `has_query` is false for a placeholder search, which keeps only the
/// rules that sort by values; `drops_words` says whether the matching strategy ever drops a word.
#[must_use]
pub fn build_rules(
    settings: &IndexSettings,
    sort: &[SortCriterion],
    has_query: bool,
    drops_words: bool,
) -> Vec<Box<dyn RankingRule>> {
    let mut chain = Chain {
        rules: Vec::new(),
        seen: Vec::new(),
        sorted: Vec::new(),
        drops_words,
    };
    for rule in &settings.ranking_rules {
        match rule {
            RankingRuleSetting::Sort => chain.sort(sort),
            RankingRuleSetting::Custom(name, direction) => chain.by_attribute(name, *direction),
            _ if !has_query => {}
            RankingRuleSetting::Attribute => {
                chain.query_rule(&RankingRuleSetting::AttributeRank);
                chain.query_rule(&RankingRuleSetting::WordPosition);
            }
            rule => chain.query_rule(rule),
        }
    }
    chain.rules
}

/// The chain for a search by vectors: the first rule about words gives its place to the one about
/// vectors, the others go.
#[must_use]
pub fn build_vector_rules(
    settings: &IndexSettings,
    sort: &[SortCriterion],
    vectors: VectorRule,
) -> Vec<Box<dyn RankingRule>> {
    let mut chain = Chain {
        rules: Vec::new(),
        seen: Vec::new(),
        sorted: Vec::new(),
        drops_words: false,
    };
    let mut vectors = Some(vectors);
    for rule in &settings.ranking_rules {
        match rule {
            RankingRuleSetting::Sort => chain.sort(sort),
            RankingRuleSetting::Custom(name, direction) => chain.by_attribute(name, *direction),
            _ => {
                if let Some(vectors) = vectors.take() {
                    chain.rules.push(Box::new(vectors));
                }
            }
        }
    }
    chain.rules
}

struct Chain {
    rules: Vec<Box<dyn RankingRule>>,
    seen: Vec<RankingRuleSetting>,
    /// Attributes already sorted by, whatever the direction.
    sorted: Vec<String>,
    drops_words: bool,
}

impl Chain {
    /// Adds a rule once; `words` comes before the first one that needs it.
    fn query_rule(&mut self, rule: &RankingRuleSetting) {
        if *rule != RankingRuleSetting::Words {
            self.query_rule(&RankingRuleSetting::Words);
        }
        if self.seen.contains(rule) {
            return;
        }
        self.seen.push(rule.clone());
        match rule {
            RankingRuleSetting::Words if self.drops_words => self.rules.push(Box::new(WordsRule)),
            RankingRuleSetting::Typo => self.rules.push(Box::new(TypoRule)),
            RankingRuleSetting::Proximity => self.rules.push(Box::new(ProximityRule)),
            RankingRuleSetting::AttributeRank => self.rules.push(Box::new(AttributeRankRule)),
            RankingRuleSetting::WordPosition => self.rules.push(Box::new(WordPositionRule)),
            RankingRuleSetting::Exactness => {
                self.rules.push(Box::new(ExactAttributeRule));
                self.rules.push(Box::new(ExactWordsRule));
            }
            _ => {}
        }
    }

    fn sort(&mut self, sort: &[SortCriterion]) {
        if self.seen.contains(&RankingRuleSetting::Sort) {
            return;
        }
        self.seen.push(RankingRuleSetting::Sort);
        for criterion in sort {
            match criterion {
                SortCriterion::Attribute(name, direction) => self.by_attribute(name, *direction),
                SortCriterion::GeoPoint(lat, lng, direction) => {
                    let rule = GeoSortRule {
                        target: (*lat, *lng),
                        direction: *direction,
                    };
                    self.rules.push(Box::new(rule));
                }
            }
        }
    }

    fn by_attribute(&mut self, name: &str, direction: Direction) {
        if self.sorted.iter().any(|other| other == name) {
            return;
        }
        self.sorted.push(name.to_owned());
        self.rules.push(Box::new(SortRule {
            attribute: name.to_owned(),
            direction,
        }));
    }
}
