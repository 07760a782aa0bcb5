//! The interpretations of a query, and which terms may be dropped.

use super::matching::Lens;
use super::nodes::{Class, Node};
use crate::query::Removal;

/// A node and the classes that are still allowed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub node: usize,
    pub classes: Vec<Class>,
}

/// One interpretation.
pub(super) type Path = Vec<Step>;

/// The terms of a query with the order of their removal.
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    pub n_terms: usize,
    /// By node: when it is dropped; `None` for phrases.
    group: Vec<Option<usize>>,
    /// The last group that may be dropped; 0 if none.
    last_group: usize,
}

impl Graph {
    pub(super) fn new(lens: &Lens<'_>, nodes: Vec<Node>, n_terms: usize, removal: Removal) -> Self {
        let by_term: Vec<usize> = match removal {
            Removal::Nothing => vec![1; n_terms],
            Removal::Last => (0..n_terms).map(|term| n_terms - term).collect(),
            Removal::Frequency => frequency_groups(lens, &nodes, n_terms),
        };
        let group: Vec<Option<usize>> = nodes
            .iter()
            .map(|node| {
                let terms = node.start..node.start + node.n;
                terms
                    .map(|term| by_term[term])
                    .max()
                    .filter(|_| !node.is_phrase)
            })
            .collect();
        let has_phrase = nodes.iter().any(|node| node.is_phrase);
        let mut groups: Vec<usize> = group.iter().flatten().copied().collect();
        groups.sort_unstable();
        groups.dedup();
        if !has_phrase {
            groups.pop();
        }
        let last_group = match removal {
            Removal::Nothing => 0,
            _ => groups.last().copied().unwrap_or(0),
        };
        Self {
            nodes,
            n_terms,
            group,
            last_group,
        }
    }

    fn may_drop(&self, node: usize) -> bool {
        self.group[node].is_some_and(|group| group <= self.last_group)
    }

    /// Every interpretation with the number of terms dropped, in visiting order.
    pub(super) fn paths(&self, with_drops: bool) -> Vec<(u32, Path)> {
        let mut found = Vec::new();
        self.visit(0, 0, 0, &mut Vec::new(), with_drops, &mut found);
        found
    }

    /// At every node that may come next: drop it, then keep it. A dropped node bars the nodes
    /// behind it that ought to have been dropped before it.
    fn visit(
        &self,
        term: usize,
        dropped: u32,
        barred: usize,
        path: &mut Path,
        with_drops: bool,
        found: &mut Vec<(u32, Path)>,
    ) {
        if term == self.n_terms {
            if !path.is_empty() && !found.iter().any(|(_, other)| other == path) {
                found.push((dropped, path.clone()));
            }
            return;
        }
        for (at, node) in self
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, n)| n.start == term)
        {
            let after = term + node.n;
            if with_drops && self.may_drop(at) {
                let barred = barred.max(self.group[at].unwrap_or(0));
                self.visit(
                    after,
                    dropped + node.n as u32,
                    barred,
                    path,
                    with_drops,
                    found,
                );
            }
            if self.group[at].is_none_or(|group| group >= barred) {
                path.push(Step {
                    node: at,
                    classes: Class::ALL.to_vec(),
                });
                self.visit(after, dropped, barred, path, with_drops, found);
                path.pop();
            }
        }
    }

    /// The most terms that can be dropped.
    pub(super) fn most_dropped(&self) -> u32 {
        let single = self
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.n == 1);
        single.filter(|(at, _)| self.may_drop(*at)).count() as u32
    }

    /// Whether a document matches when everything that may be dropped is.
    pub(super) fn is_in_universe(&self, lens: &Lens<'_>, doc: usize) -> bool {
        self.reaches_end(lens, doc, 0)
    }

    fn reaches_end(&self, lens: &Lens<'_>, doc: usize, term: usize) -> bool {
        term == self.n_terms
            || self
                .nodes
                .iter()
                .enumerate()
                .filter(|(_, node)| node.start == term)
                .any(|(at, node)| {
                    (self.may_drop(at) || lens.has_node(doc, node, &Class::ALL))
                        && self.reaches_end(lens, doc, term + node.n)
                })
    }
}

fn frequency_groups(lens: &Lens<'_>, nodes: &[Node], n_terms: usize) -> Vec<usize> {
    let frequency = |term: usize| {
        let covers = |node: &&Node| (node.start..node.start + node.n).contains(&term);
        let found = (0..lens.index.documents.len())
            .filter(|doc| {
                nodes
                    .iter()
                    .filter(covers)
                    .any(|node| lens.has_node(*doc, node, &Class::ALL))
            })
            .count();
        if found == 0 { usize::MAX } else { found }
    };
    let frequencies: Vec<usize> = (0..n_terms).map(frequency).collect();
    let higher = |own: usize| {
        let mut higher: Vec<usize> = frequencies.iter().copied().filter(|f| *f > own).collect();
        higher.sort_unstable();
        higher.dedup();
        higher.len() + 1
    };
    frequencies.iter().map(|own| higher(*own)).collect()
}
