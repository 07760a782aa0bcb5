//! The common part of rules that read documents: costs, buckets by cost, and the interpretations
//! that each bucket used.

use std::collections::BTreeMap;
use std::collections::btree_map::IntoIter;
use std::rc::Rc;

use super::reader::{Reader, distinct_steps};
use super::{Bucket, Buckets, RankContext, ScoreDetail};
use crate::docset::{DocId, DocSet};
use crate::query::{Paths, Step};

/// How a rule measures one document along one path.
pub(super) trait PathCost {
    /// The cost of the document that `reader` has read, along the steps given as places in the
    /// reader; `None` if the document cannot be read that way.
    fn cost(&self, reader: &Reader<'_>, path: &[(usize, Step)]) -> Option<u32>;
    /// The verdict for a cost.
    fn detail(&self, cost: u32) -> ScoreDetail;
}

/// Documents of one bucket with the path each used.
type Measured = Vec<(DocId, u32)>;

/// Buckets by ascending cost.
pub(super) struct CostBuckets<R> {
    rule: R,
    paths: Paths,
    by_cost: IntoIter<u32, Measured>,
}

impl<R: PathCost> CostBuckets<R> {
    /// Reads every document of `universe` once; a document counts with its cheapest path, the
    /// first one of several.
    pub(super) fn new(
        context: &RankContext<'_>,
        universe: &DocSet,
        paths: &Paths,
        rule: R,
    ) -> Self {
        let mut reader = Reader::new(context, distinct_steps(paths));
        let places: Vec<Vec<(usize, Step)>> = paths
            .iter()
            .map(|path| {
                path.iter()
                    .filter_map(|s| Some((reader.index_of(s)?, *s)))
                    .collect()
            })
            .collect();
        let members: Option<Vec<DocSet>> = (paths.len() > 1).then(|| {
            paths
                .iter()
                .map(|path| context.path_docs(path, universe))
                .collect()
        });
        let mut by_cost: BTreeMap<u32, Measured> = BTreeMap::new();
        for doc in universe {
            reader.read(doc);
            let mut best: Option<(u32, u32)> = None;
            for (at, path) in places.iter().enumerate() {
                if members
                    .as_ref()
                    .is_some_and(|members| !members[at].contains(doc))
                {
                    continue;
                }
                if let Some(cost) = rule.cost(&reader, path)
                    && best.is_none_or(|(least, _)| cost < least)
                {
                    best = Some((cost, at as u32));
                }
            }
            if let Some((cost, path)) = best {
                by_cost.entry(cost).or_default().push((doc, path));
            }
        }
        Self {
            rule,
            paths: paths.clone(),
            by_cost: by_cost.into_iter(),
        }
    }
}

impl<R: PathCost> Buckets for CostBuckets<R> {
    fn next_bucket(&mut self) -> Option<Bucket> {
        let (cost, measured) = self.by_cost.next()?;
        let paths = used_paths(&self.paths, measured.iter().map(|(_, path)| *path as usize));
        let docs = DocSet::from_sorted(measured.into_iter().map(|(doc, _)| doc).collect());
        Some(Bucket {
            docs,
            paths,
            detail: self.rule.detail(cost),
        })
    }
}

/// The paths with these places, in their order.
pub(super) fn used_paths(paths: &Paths, used: impl Iterator<Item = usize>) -> Paths {
    if paths.len() <= 1 {
        return paths.clone();
    }
    let mut is_used = vec![false; paths.len()];
    used.for_each(|at| is_used[at] = true);
    if is_used.iter().all(|used| *used) {
        return paths.clone();
    }
    Rc::new(
        paths
            .iter()
            .zip(is_used)
            .filter(|(_, used)| *used)
            .map(|(p, _)| p.clone())
            .collect(),
    )
}

/// One bucket with everything, for a rule that has nothing to tell apart.
pub(super) struct OneBucket(Option<Bucket>);

impl OneBucket {
    /// The bucket that comes and then nothing; none if there are no documents.
    pub(super) fn new(docs: &DocSet, paths: Paths, detail: ScoreDetail) -> Self {
        Self((!docs.is_empty()).then(|| Bucket {
            docs: docs.clone(),
            paths,
            detail,
        }))
    }
}

impl Buckets for OneBucket {
    fn next_bucket(&mut self) -> Option<Bucket> {
        self.0.take()
    }
}

/// Keeps the paths that some document needs when all paths cost the same.
pub(super) fn needed_paths(context: &RankContext<'_>, universe: &DocSet, paths: &Paths) -> Paths {
    if paths.len() <= 1 {
        return paths.clone();
    }
    let mut left = universe.clone();
    let mut used = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        let docs = context.path_docs(path, &left);
        if !docs.is_empty() {
            used.push(at);
            left = left.and_not(&docs);
        }
    }
    used_paths(paths, used.into_iter())
}
