//! The interpretations of a query: which terms are read alone, which together, which are dropped.
//!
//! A *path* covers the kept terms from left to right, each by a word of its own or by an n-gram of
//! two or three. Paths are listed in the order of a depth-first walk in which, at each term, the
//! options come as: drop it, keep it alone, join it with the next, join it with the next two. That
//! order decides which interpretation a document is counted for when it satisfies several.

use std::rc::Rc;

use super::derive::{QueryConfig, ngram_node, term_node};
use super::matching::Matching;
use super::node::{Classes, Node, NodeIdx};
use super::parse::LocatedTerm;
use crate::docset::{DocSet, DocSetBuilder};

/// Most terms joined to one n-gram.
const MAX_NGRAM: usize = 3;

/// A node on a path, with the classes still allowed there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The node.
    pub node: NodeIdx,
    /// Classes a document may use.
    pub classes: Classes,
}

/// One interpretation.
pub type Path = Vec<Step>;
/// Interpretations in visiting order.
pub type Paths = Rc<Vec<Path>>;

/// Which terms may be dropped, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// From the end; the first term stays.
    Last,
    /// The most frequent first; the rarest stay.
    Frequency,
    /// None.
    Nothing,
}

/// Nodes of a query and the order in which terms may be dropped.
pub struct QueryGraph {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// `by_start[i][n - 1]` joins `n` terms from the i-th on.
    by_start: Vec<[Option<NodeIdx>; MAX_NGRAM]>,
    /// By term: when it is dropped, 1 first; `None` for phrases.
    rank: Vec<Option<usize>>,
    /// The last rank that may be dropped.
    last_dropped: usize,
    n_phrase_words: u32,
}

/// A path together with the number of terms it drops.
pub struct ReducedPath {
    /// Dropped terms.
    pub cost: u32,
    /// What is kept.
    pub path: Path,
}

impl QueryGraph {
    /// Builds nodes and derivations for the terms of a query.
    pub fn new(
        matching: &mut Matching<'_>,
        config: &QueryConfig,
        terms: &[LocatedTerm],
        removal: Removal,
    ) -> Self {
        let mut nodes = Vec::new();
        let mut by_start = vec![[None; MAX_NGRAM]; terms.len()];
        for end in 0..terms.len() {
            for n in 1..=MAX_NGRAM.min(end + 1) {
                let start = end + 1 - n;
                let node = if n == 1 {
                    Some(term_node(matching, config, &terms[end], end as u8))
                } else {
                    ngram_node(matching, config, &terms[start..=end], start as u8)
                };
                if let Some(node) = node {
                    by_start[start][n - 1] = Some(nodes.len() as NodeIdx);
                    nodes.push(node);
                }
            }
        }
        let n_phrase_words = terms.iter().map(LocatedTerm::n_phrase_words).sum();
        let mut graph = Self {
            nodes,
            by_start,
            rank: Vec::new(),
            last_dropped: 0,
            n_phrase_words,
        };
        graph.rank_terms(matching, terms, removal);
        graph
    }

    /// The node at that place.
    #[must_use]
    pub fn node(&self, idx: NodeIdx) -> &Node {
        &self.nodes[usize::from(idx)]
    }

    /// Words in the phrases of the query, holes not counted.
    #[must_use]
    pub const fn n_phrase_words(&self) -> u32 {
        self.n_phrase_words
    }

    /// The largest number of terms that may be dropped.
    #[must_use]
    pub fn max_dropped(&self) -> u32 {
        self.rank
            .iter()
            .flatten()
            .filter(|rank| **rank <= self.last_dropped)
            .count() as u32
    }

    fn rank_terms(&mut self, matching: &Matching<'_>, terms: &[LocatedTerm], removal: Removal) {
        let n = terms.len();
        let ranks: Vec<usize> = match removal {
            Removal::Nothing => vec![n; n],
            Removal::Last => (0..n).map(|id| n - id).collect(),
            Removal::Frequency => self.frequency_ranks(matching, n),
        };
        self.rank = terms
            .iter()
            .zip(ranks)
            .map(|(term, rank)| (!term.is_phrase()).then_some(rank))
            .collect();
        if removal == Removal::Nothing {
            return;
        }
        let has_phrase = self.rank.iter().any(Option::is_none);
        let mut used: Vec<usize> = self
            .nodes
            .iter()
            .filter_map(|node| self.node_rank(node))
            .collect();
        used.sort_unstable();
        used.dedup();
        if !has_phrase {
            used.pop();
        }
        self.last_dropped = used.last().copied().unwrap_or(0);
    }

    /// Rank 1 for the most frequent terms; terms of equal frequency share a rank, and a term that
    /// matches nothing counts as the most frequent.
    fn frequency_ranks(&self, matching: &Matching<'_>, n: usize) -> Vec<usize> {
        let mut frequencies: Vec<usize> = Vec::with_capacity(n);
        for id in 0..n {
            let mut builder = DocSetBuilder::new(matching.universe_len());
            for (idx, node) in self.nodes.iter().enumerate() {
                if node.ids.contains(&(id as u8)) {
                    builder.insert_all(&matching.node_docs(idx as NodeIdx, node, Classes::ALL));
                }
            }
            let found = builder.finish().len();
            frequencies.push(if found == 0 { usize::MAX } else { found });
        }
        let mut order = frequencies.clone();
        order.sort_unstable_by(|a, b| b.cmp(a));
        order.dedup();
        let rank = |frequency: &usize| order.iter().position(|other| other == frequency);
        frequencies
            .iter()
            .map(|frequency| rank(frequency).map_or(1, |at| at + 1))
            .collect()
    }

    /// When a node is dropped: with the last of its terms; `None` for phrases.
    fn node_rank(&self, node: &Node) -> Option<usize> {
        if node.is_phrase {
            return None;
        }
        node.ids
            .clone()
            .filter_map(|id| self.rank[usize::from(id)])
            .max()
    }

    /// Paths over all terms, in visiting order.
    #[must_use]
    pub fn full_paths(&self) -> Vec<Path> {
        self.walk(false)
            .into_iter()
            .map(|reduced| reduced.path)
            .collect()
    }

    /// Paths over all terms and over every subset that the removal order allows.
    #[must_use]
    pub fn reduced_paths(&self) -> Vec<ReducedPath> {
        self.walk(true)
    }

    fn walk(&self, may_drop: bool) -> Vec<ReducedPath> {
        let mut walk = Walk {
            graph: self,
            may_drop,
            path: Vec::new(),
            found: Vec::new(),
        };
        walk.from(0, 0, 0);
        walk.found
    }

    /// Documents that hold every step of the path, within `universe`.
    #[must_use]
    pub fn path_docs(&self, matching: &Matching<'_>, path: &[Step], universe: &DocSet) -> DocSet {
        let mut steps = Vec::with_capacity(path.len());
        for step in path {
            let docs = matching.node_docs(step.node, self.node(step.node), step.classes);
            if docs.is_empty() {
                return DocSet::empty();
            }
            steps.push(docs);
        }
        steps.sort_unstable_by_key(|docs| docs.len());
        let Some(rarest) = steps.first() else {
            return universe.clone();
        };
        // All documents that live: most searches start from them.
        let is_all = universe.len() == matching.universe_len();
        let mut docs = if is_all {
            rarest.as_ref().clone()
        } else {
            universe.and(rarest)
        };
        for more in &steps[1..] {
            if docs.is_empty() {
                break;
            }
            docs = docs.and(more);
        }
        docs
    }

    /// Documents of `base` that satisfy the query with all terms dropped that may be.
    ///
    /// A path that holds all nodes of another one adds nothing to it and is passed over.
    #[must_use]
    pub fn universe(&self, matching: &Matching<'_>, base: &DocSet) -> DocSet {
        let mut paths: Vec<Path> = self
            .reduced_paths()
            .into_iter()
            .map(|reduced| reduced.path)
            .collect();
        paths.sort_by_key(Vec::len);
        let mut least: Vec<Path> = Vec::new();
        let mut found = DocSet::empty();
        for path in paths {
            if least
                .iter()
                .any(|other| other.iter().all(|step| path.contains(step)))
            {
                continue;
            }
            found = found.or(&self.path_docs(matching, &path, base));
            least.push(path);
        }
        found
    }
}

struct Walk<'g> {
    graph: &'g QueryGraph,
    may_drop: bool,
    path: Path,
    found: Vec<ReducedPath>,
}

impl Walk<'_> {
    /// Once a term is dropped, later terms that would have been dropped before it may not be kept;
    /// `dropped` is the largest rank dropped so far. Terms before it are not looked at again, as
    /// in the reference engine.
    fn from(&mut self, id: usize, cost: u32, dropped: usize) {
        let graph = self.graph;
        let Some(options) = graph.by_start.get(id) else {
            if !self.path.is_empty() {
                self.found.push(ReducedPath {
                    cost,
                    path: self.path.clone(),
                });
            }
            return;
        };
        if let Some(rank) = graph.rank[id]
            && self.may_drop
            && rank <= graph.last_dropped
        {
            self.from(id + 1, cost + 1, rank.max(dropped));
        }
        for (extra, option) in options.iter().enumerate() {
            let Some(idx) = *option else { continue };
            let rank = graph.node_rank(graph.node(idx)).unwrap_or(usize::MAX);
            if dropped <= rank {
                self.path.push(Step {
                    node: idx,
                    classes: Classes::ALL,
                });
                self.from(id + extra + 1, cost, dropped);
                self.path.pop();
            }
        }
    }
}
