//! A keyword or placeholder search: parse, match, rank.

use std::rc::Rc;
use std::sync::Arc;

use serval_format::MatchWords;
use serval_text::Locale;

use super::match_words::match_words;
use crate::docset::{DocId, DocSet};
use crate::query::{
    Corpus, FieldMask, Form, Matching, ParsedQuery, Phrase, QueryConfig, QueryGraph, Removal, Slot,
    parse_query, read_part,
};
use crate::ranking::{
    Deadline, DocWords, MeasuredSets, Page, RankContext, Ranking, SortCriterion, Timings,
    VectorRule, build_rules, build_vector_rules, rank,
};
use crate::request::Allowed;

/// What to search for and how much of the result is wanted.
pub struct KeywordSearch<'s> {
    /// The query as typed.
    pub text: &'s str,
    /// Languages the query may be in; empty for any.
    pub locales: &'s [Locale],
    /// Which words may be dropped.
    pub removal: Removal,
    /// What the filter lets pass; `None` for all.
    pub filter: Option<&'s Allowed<'s>>,
    /// Attributes searched; `None` for all.
    pub searched: FieldMask,
    /// The `sort` of the search.
    pub sort: &'s [SortCriterion],
    /// Documents to skip.
    pub offset: usize,
    /// Documents to return.
    pub limit: usize,
    /// Whether verdicts are wanted.
    pub with_scores: bool,
    /// Least global score.
    pub threshold: Option<f64>,
    /// When sorting is given up.
    pub deadline: &'s Deadline,
    /// Where the time goes.
    pub timings: &'s Timings,
    /// Documents that share a distinct value with one.
    pub same_value: Option<&'s dyn Fn(DocId) -> DocSet>,
}

/// The placed documents and what matched them.
pub struct KeywordOutcome<'c> {
    /// The page.
    pub ranking: Ranking,
    /// Words and phrases of the query.
    pub matching: Matching<'c>,
    /// Nodes of the query; empty for a placeholder search.
    pub graph: QueryGraph,
}

impl KeywordOutcome<'_> {
    /// What is marked in the hits.
    pub(crate) fn match_words(&self) -> Arc<MatchWords> {
        Arc::new(match_words(&self.matching, &self.graph))
    }
}

impl KeywordSearch<'_> {
    /// Runs the search.
    #[must_use]
    pub fn run<'c>(&self, corpus: &'c dyn Corpus, config: &QueryConfig) -> KeywordOutcome<'c> {
        self.run_by(corpus, config, None)
    }

    /// Runs the search by vectors: the text does not count, filter, sort and page do.
    #[must_use]
    pub fn run_by_vectors<'c>(
        &self,
        corpus: &'c dyn Corpus,
        config: &QueryConfig,
        vectors: &VectorRule,
    ) -> KeywordOutcome<'c> {
        let n_wanted = self.offset.saturating_add(self.limit);
        let vectors = VectorRule {
            n_wanted,
            ..vectors.clone()
        };
        self.run_by(corpus, config, Some(vectors))
    }

    fn run_by<'c>(
        &self,
        corpus: &'c dyn Corpus,
        config: &QueryConfig,
        vectors: Option<VectorRule>,
    ) -> KeywordOutcome<'c> {
        let text = if vectors.is_some() { "" } else { self.text };
        let parsed = self.timings.time("tokenize query", || {
            let tokens = config.tokenizer.tokens(read_part(text), self.locales);
            parse_query(&tokens, config.prefix_search)
        });
        let mut matching = Matching::new(corpus, self.searched.clone());
        let ranking_step = match (&vectors, parsed.terms.is_empty()) {
            (Some(_), _) => "semantic ranking",
            (None, true) => "placeholder ranking",
            (None, false) => "keyword ranking",
        };
        let (graph, excluded) = self.timings.time("evaluate query", || {
            let graph = QueryGraph::new(&mut matching, config, &parsed.terms, self.removal);
            (graph, excluded(&mut matching, &parsed))
        });
        let has_query = !parsed.terms.is_empty();
        // What waits is asked about what the query leaves.
        let (base, waiting) = match self.filter {
            None => (corpus.documents().and_not(&excluded), None),
            Some(Allowed::Docs(allowed)) => (allowed.and_not(&excluded), None),
            Some(waiting @ Allowed::Among(_)) => {
                let base = corpus.documents().and_not(&excluded);
                match has_query {
                    true => (base, Some(waiting)),
                    false => (self.pass(waiting, &base), None),
                }
            }
        };
        let paths = if has_query {
            Rc::new(graph.full_paths())
        } else {
            Rc::new(Vec::new())
        };
        let universe = if has_query {
            let universe = || graph.universe(&matching, &base);
            let universe = self.timings.time("evaluate query", universe);
            match waiting {
                Some(filter) => self.pass(filter, &universe),
                None => universe,
            }
        } else {
            base
        };
        let drops_words = self.removal != Removal::Nothing;
        let settings = corpus.settings();
        let rules = match vectors {
            Some(vectors) => build_vector_rules(settings, self.sort, vectors),
            None => build_rules(settings, self.sort, has_query, drops_words),
        };
        let page = Page {
            offset: self.offset,
            limit: self.limit,
            with_scores: self.with_scores,
            threshold: self.threshold,
            same_value: self.same_value,
        };
        let context = RankContext {
            matching: &matching,
            graph: &graph,
            words: DocWords::new(universe.len()),
            measured: MeasuredSets::default(),
            deadline: self.deadline,
            timings: self.timings,
        };
        let ranking = self.timings.time(ranking_step, || {
            rank(&context, &rules, &universe, &paths, &page)
        });
        KeywordOutcome {
            ranking,
            matching,
            graph,
        }
    }
}

impl KeywordSearch<'_> {
    /// Those of the documents that pass a filter.
    fn pass(&self, filter: &Allowed<'_>, docs: &DocSet) -> DocSet {
        self.timings.time("evaluate filter", || filter.among(docs))
    }
}

/// Documents that hold an excluded word or phrase.
fn excluded(matching: &mut Matching<'_>, parsed: &ParsedQuery) -> DocSet {
    let mut excluded = DocSet::empty();
    for word in &parsed.negative_words {
        let slot = matching.slot(Slot::Word(word.clone()));
        excluded = excluded.or(&matching.form_docs(Form::Word(slot), false));
    }
    for phrase in &parsed.negative_phrases {
        let phrase = matching.phrase(Phrase {
            words: phrase.words.clone(),
        });
        excluded = excluded.or(&matching.form_docs(Form::Phrase(phrase), false));
    }
    excluded
}
