//! What a search must find, found the slow way.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::query::Removal;
use crate::request::MatchingStrategy;
use crate::settings::{Direction, IndexSettings};
use crate::testing::naive_facets::{NaiveFilter, naive_counts, read};
use crate::testing::naive_ranking::{NaiveIndex, NaiveSearch, score};

/// What is searched for.
pub struct Question<'q> {
    /// The query.
    pub text: &'q str,
    /// Which words may be dropped.
    pub strategy: MatchingStrategy,
    /// Attributes searched; `None` for all.
    pub searched: Option<Vec<String>>,
    /// Attributes that sort, and whether ascending.
    pub sort: Vec<(String, bool)>,
    /// Least score.
    pub threshold: Option<f64>,
    /// What is left of the documents.
    pub filter: Option<&'q NaiveFilter>,
}

/// The documents of an index in order of their numbers.
pub struct Expectation<'d> {
    documents: &'d [Value],
    names: &'d dyn Fn(&str) -> bool,
    index: NaiveIndex,
}

impl<'d> Expectation<'d> {
    /// Documents under a partial settings object; `names` tells the attributes that a document has,
    /// or had. `None` when the settings are not valid.
    #[must_use]
    pub fn new(
        settings: &Map<String, Value>,
        documents: &'d [Value],
        names: &'d dyn Fn(&str) -> bool,
    ) -> Option<Self> {
        let settings = IndexSettings::default().apply(settings).ok()?.0;
        Some(Self {
            documents,
            names,
            index: NaiveIndex::new(&settings, documents),
        })
    }

    /// All hits, best first, with their scores, and how many documents match.
    #[must_use]
    pub fn hits(&self, question: &Question<'_>) -> (Vec<(usize, f64)>, usize) {
        let direction = |is_ascending| match is_ascending {
            true => Direction::Asc,
            false => Direction::Desc,
        };
        let sort: Vec<(String, Direction)> = question
            .sort
            .iter()
            .map(|(name, is_ascending)| (name.clone(), direction(*is_ascending)))
            .collect();
        let allowed = question.filter.map(|filter| self.filtered(filter));
        let search = NaiveSearch {
            text: question.text,
            removal: Removal::from(question.strategy),
            searched: question.searched.clone(),
            sort: &sort,
            threshold: question.threshold,
            allowed: allowed.as_deref(),
        };
        let ranking = search.run(&self.index);
        let hits = ranking.hits.into_iter();
        let scored = hits.map(|(doc, details)| (doc, score(&details)));
        (scored.collect(), ranking.total)
    }

    /// Documents that a filter leaves.
    fn filtered(&self, filter: &NaiveFilter) -> Vec<usize> {
        (0..self.documents.len())
            .filter(|doc| filter.holds(&self.documents[*doc], self.names))
            .collect()
    }

    /// How many of the documents have each value of an attribute.
    #[must_use]
    pub fn counts(&self, docs: &[usize], name: &str) -> BTreeMap<String, u64> {
        let mut docs: Vec<u32> = docs.iter().map(|doc| *doc as u32).collect();
        docs.sort_unstable();
        naive_counts(self.documents, docs.into_iter(), name)
    }
}

/// Whether two documents have a value of an attribute in common.
#[must_use]
pub fn same_values(one: &Value, other: &Value, name: &str) -> bool {
    read(one, name).meets(&read(other, name))
}
