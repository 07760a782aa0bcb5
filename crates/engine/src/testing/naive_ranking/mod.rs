//! The whole ranking of every document, computed the slow way from the description of the rules:
//! every interpretation is listed, every document measured along each, nothing is skipped.
//!
//! It shares no code with the query and ranking modules, only the types of their results, so that
//! a mistake in one of them shows as a difference.

#[cfg(test)]
mod case;
mod documents;
mod exact_attribute;
mod matching;
mod nodes;
mod paths;
#[cfg(test)]
mod properties;
mod rules;
mod sort;
mod terms;

pub(crate) use self::documents::NaiveIndex;
use self::matching::Lens;
use self::paths::{Graph, Path};
use self::rules::{GraphRule, Measure, NaiveBucket};
use self::terms::Terms;
use crate::query::Removal;
use crate::ranking::ScoreDetail;
use crate::settings::{Direction, IndexSettings, RankingRuleSetting};

/// What to rank for.
pub(crate) struct NaiveSearch<'s> {
    pub(crate) text: &'s str,
    pub(crate) removal: Removal,
    /// Names of the attributes searched; `None` for all.
    pub(crate) searched: Option<Vec<String>>,
    pub(crate) sort: &'s [(String, Direction)],
    /// Least global score.
    pub(crate) threshold: Option<f64>,
    /// Documents that a filter leaves; `None` for all.
    pub(crate) allowed: Option<&'s [usize]>,
}

/// Every document found, best first, and how many match at all.
pub(crate) struct NaiveRanking {
    pub(crate) hits: Vec<(usize, Vec<ScoreDetail>)>,
    pub(crate) total: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Rule {
    Graph(GraphRule),
    ExactAttribute,
    Sort(String, Direction),
}

impl NaiveSearch<'_> {
    pub(crate) fn run(&self, index: &NaiveIndex) -> NaiveRanking {
        let lens = &Lens {
            index,
            searched: self.searched.clone(),
        };
        let terms = Terms::of(index, self.text);
        let nodes = nodes::nodes(index, &terms.wanted);
        let graph = &Graph::new(lens, nodes, terms.wanted.len(), self.removal);
        let is_excluded = |doc: usize| {
            terms
                .excluded
                .iter()
                .any(|words| lens.has_phrase(doc, words))
        };
        let has_query = !terms.wanted.is_empty();
        let is_allowed = |doc: &usize| self.allowed.is_none_or(|allowed| allowed.contains(doc));
        let universe: Vec<usize> = (0..index.documents.len())
            .filter(is_allowed)
            .filter(|doc| !is_excluded(*doc))
            .filter(|doc| !has_query || graph.is_in_universe(lens, *doc))
            .collect();
        let rules = self.rules(&index.settings, has_query);
        let paths: Vec<Path> = graph
            .paths(false)
            .into_iter()
            .map(|(_, path)| path)
            .collect();
        let mut walk = Walk {
            measure: Measure { lens, graph },
            rules,
            threshold: self.threshold,
            hits: Vec::new(),
            below: 0,
        };
        walk.open(0, &universe, &paths, &[]);
        NaiveRanking {
            hits: walk.hits,
            total: universe.len() - walk.below,
        }
    }

    fn rules(&self, settings: &IndexSettings, has_query: bool) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        let mut add = |rule: Rule| {
            let is_known = rules.iter().any(|other| match (&rule, other) {
                (Rule::Sort(a, _), Rule::Sort(b, _)) => a == b,
                (a, b) => a == b,
            });
            let needs_query = !matches!(rule, Rule::Sort(..));
            if !is_known && (has_query || !needs_query) {
                rules.push(rule);
            }
        };
        for setting in &settings.ranking_rules {
            let is_query_rule = !matches!(
                setting,
                RankingRuleSetting::Sort | RankingRuleSetting::Custom(..)
            );
            if is_query_rule && self.removal != Removal::Nothing {
                add(Rule::Graph(GraphRule::Words));
            }
            match setting {
                RankingRuleSetting::Words => {}
                RankingRuleSetting::Typo => add(Rule::Graph(GraphRule::Typo)),
                RankingRuleSetting::Proximity => add(Rule::Graph(GraphRule::Proximity)),
                RankingRuleSetting::Attribute => {
                    add(Rule::Graph(GraphRule::AttributeRank));
                    add(Rule::Graph(GraphRule::WordPosition));
                }
                RankingRuleSetting::AttributeRank => add(Rule::Graph(GraphRule::AttributeRank)),
                RankingRuleSetting::WordPosition => add(Rule::Graph(GraphRule::WordPosition)),
                RankingRuleSetting::Exactness => {
                    add(Rule::ExactAttribute);
                    add(Rule::Graph(GraphRule::ExactWords));
                }
                RankingRuleSetting::Sort => {
                    self.sort
                        .iter()
                        .for_each(|(name, way)| add(Rule::Sort(name.clone(), *way)));
                }
                RankingRuleSetting::Custom(name, way) => add(Rule::Sort(name.clone(), *way)),
            }
        }
        rules
    }
}

struct Walk<'w> {
    measure: Measure<'w>,
    rules: Vec<Rule>,
    threshold: Option<f64>,
    hits: Vec<(usize, Vec<ScoreDetail>)>,
    /// Documents left out for their score.
    below: usize,
}

impl Walk<'_> {
    fn open(&mut self, at: usize, docs: &[usize], paths: &[Path], details: &[ScoreDetail]) {
        let Some(rule) = self.rules.get(at).cloned() else {
            self.hits
                .extend(docs.iter().map(|doc| (*doc, details.to_vec())));
            return;
        };
        let mut left = docs.len();
        for NaiveBucket {
            docs,
            paths,
            detail,
        } in self.buckets(&rule, docs, paths)
        {
            let details = [details, &[detail]].concat();
            if self.threshold.is_some_and(|least| score(&details) < least) {
                self.below += left;
                return;
            }
            left -= docs.len();
            self.open(at + 1, &docs, &paths, &details);
        }
    }

    fn buckets(&self, rule: &Rule, docs: &[usize], paths: &[Path]) -> Vec<NaiveBucket> {
        match rule {
            Rule::Graph(rule) => self.measure.buckets(*rule, docs, paths),
            Rule::ExactAttribute => self.measure.exact_attribute(docs, paths),
            Rule::Sort(name, way) => {
                sort::buckets(self.measure.lens.index, name, *way, docs, paths)
            }
        }
    }
}

/// Folds the verdicts into one number from 0 to 1.
pub(crate) fn score(details: &[ScoreDetail]) -> f64 {
    let (mut r, mut m) = (1_u128, 1_u128);
    for detail in details {
        let (rank, max) = match detail {
            ScoreDetail::Words(rank)
            | ScoreDetail::Proximity(rank)
            | ScoreDetail::AttributeRank(rank)
            | ScoreDetail::WordPosition(rank) => (rank.rank, rank.max),
            ScoreDetail::Typo { count, max } => (max + 1 - count, max + 1),
            ScoreDetail::ExactAttribute(kind) => {
                let kinds = [
                    crate::ranking::MatchType::NoExactMatch,
                    crate::ranking::MatchType::MatchesStart,
                ];
                (
                    kinds
                        .iter()
                        .position(|other| other == kind)
                        .map_or(3, |at| at as u32 + 1),
                    3,
                )
            }
            ScoreDetail::ExactWords { matching, max } => (matching + 1, max + 1),
            ScoreDetail::Sort { .. }
            | ScoreDetail::GeoSort { .. }
            | ScoreDetail::Vector { .. }
            | ScoreDetail::Pin { .. }
            | ScoreDetail::Skipped => {
                continue;
            }
        };
        r = r.saturating_sub(1) * u128::from(max) + u128::from(rank);
        m *= u128::from(max);
    }
    r as f64 / m as f64
}
