//! Whether a whole attribute is the query, or starts with it.

use super::nodes::Class;
use super::paths::Path;
use super::rules::{Measure, NaiveBucket, bucket};
use crate::ranking::{MatchType, ScoreDetail};

impl Measure<'_> {
    /// Exact attributes, then those that start with the query, then the rest.
    pub(super) fn exact_attribute(&self, docs: &[usize], paths: &[Path]) -> Vec<NaiveBucket> {
        let wanted = self.exact_words(paths);
        let kind_of = |doc: usize| match &wanted {
            Some((words, length)) => self.kind(doc, words, *length),
            None => MatchType::NoExactMatch,
        };
        [
            MatchType::ExactMatch,
            MatchType::MatchesStart,
            MatchType::NoExactMatch,
        ]
        .into_iter()
        .map(|kind| NaiveBucket {
            docs: docs
                .iter()
                .copied()
                .filter(|doc| kind_of(*doc) == kind)
                .collect(),
            paths: paths.to_vec(),
            detail: ScoreDetail::ExactAttribute(kind),
        })
        .filter(|bucket| !bucket.docs.is_empty())
        .collect()
    }

    /// The words that can match as typed with their query positions, and the length of it all.
    /// `None` if they do not start with the first term or leave a gap.
    fn exact_words(&self, paths: &[Path]) -> Option<(Vec<(String, u32)>, usize)> {
        let (mut words, mut length) = (Vec::new(), 0);
        let mut seen = Vec::new();
        for step in paths.iter().flatten() {
            let node = &self.graph.nodes[step.node];
            let exact = node.ways.iter().find(|way| way.class == Class::Exact);
            let Some(exact) = exact.filter(|_| node.n == 1) else {
                continue;
            };
            if !step.classes.contains(&Class::Exact) || seen.contains(&node.start) {
                continue;
            }
            seen.push(node.start);
            length += (node.last - node.first + 1) as usize;
            let placed = exact.words.iter().enumerate();
            words.extend(
                placed.filter_map(|(at, word)| Some((word.clone()?, node.first + at as u32))),
            );
        }
        seen.sort_unstable();
        let is_gapless = seen.iter().enumerate().all(|(at, start)| at == *start);
        (is_gapless && !seen.is_empty()).then_some((words, length))
    }

    fn kind(&self, doc: usize, words: &[(String, u32)], length: usize) -> MatchType {
        let in_place = words.iter().all(|(word, position)| {
            let spots = self.lens.spots(doc, word);
            spots
                .iter()
                .any(|spot| bucket(spot.position) == bucket(*position))
        });
        if !in_place {
            return MatchType::NoExactMatch;
        }
        let attributes = self.lens.index.documents[doc].words.iter();
        let whole: Vec<usize> = attributes
            .filter(|(name, _)| self.lens.is_searched(name))
            .filter(|(_, seen)| words.iter().all(|(w, _)| seen.iter().any(|(_, s)| s == w)))
            .map(|(_, seen)| seen.len())
            .collect();
        if whole.is_empty() {
            MatchType::NoExactMatch
        } else if whole.iter().any(|n| *n == length && *n <= 30) {
            MatchType::ExactMatch
        } else {
            MatchType::MatchesStart
        }
    }
}
