//! The common part of rules that read documents: costs, buckets by cost, and the interpretations
//! that each bucket used.
//!
//! Documents are read a part at a time. The first words of an attribute, or the most important
//! attribute, often show that a document belongs to the best bucket, and a page is often full
//! before the others are read any further.

use std::rc::Rc;

use super::by_cost::ByCost;
use super::doc_measurer::Measures;
use super::measured_docs::MeasuredDocs;
use super::reader::{Reader, distinct_steps};
use super::{Bucket, Buckets, Deadline, RankContext, ScoreDetail, Untyped};
use crate::docset::{DocId, DocSet, with_later};
use crate::query::{Paths, Reach, Step, Summaries, Summary};

/// How a rule measures one document along one path.
pub(super) trait PathCost {
    /// The cost of the document that `reader` has read, along the steps given as places in the
    /// reader; `None` if the document cannot be read that way.
    fn cost(&self, reader: &Reader<'_>, path: &[(usize, Step)]) -> Option<u32>;
    /// The cost of a document by its measures, along the steps given as places among those measured.
    fn cost_of_measures(&self, measures: &Measures<'_>, path: &[(usize, Step)]) -> Option<u32>;
    /// The cost of a document of which a summary is known, for a path of one step; the step is at
    /// the start of the query.
    fn cost_of_summary(&self, summary: &Summary, step: Step) -> Option<u32> {
        let _ = (summary, step);
        None
    }
    /// The same for each summary there is.
    fn costs_of_summaries(&self, summaries: &Summaries, step: Step) -> Vec<Option<u32>> {
        let kinds = summaries.kinds().iter();
        kinds.map(|kind| self.cost_of_summary(kind, step)).collect()
    }
    /// The verdict for a cost.
    fn detail(&self, cost: u32) -> ScoreDetail;
    /// Looks at a part of each document that tell the best ones apart before the whole document is
    /// read; each reaches further than the one before.
    fn glances(&self) -> Vec<Glance> {
        Vec::new()
    }
}

/// A part of a document, and what it tells.
pub(super) struct Glance {
    /// Attributes read; `None` for all.
    pub(super) fields: Option<Vec<bool>>,
    /// Positions read.
    pub(super) positions: u32,
    /// A cost below this one is what reading the whole document gives; without such a cost, the
    /// whole document costs at least this.
    pub(super) certain_below: u32,
}

impl Glance {
    fn reach(&self) -> Reach<'_> {
        Reach {
            fields: self.fields.as_deref(),
            positions: self.positions,
        }
    }
}

/// Up to this number of documents, all are read whole at once; tests have few and glance at them.
const FEW_DOCS: usize = if cfg!(test) { 0 } else { 32 };

/// Where costs come from.
enum Source<'r> {
    /// Summaries, all looked at already.
    Summaries,
    Measures(Rc<MeasuredDocs>),
    Reader(Box<Reader<'r>>),
}

impl Source<'_> {
    fn index_of(&self, step: &Step) -> Option<usize> {
        match self {
            Self::Summaries => None,
            Self::Measures(measured) => measured.index_of(step),
            Self::Reader(reader) => reader.index_of(step),
        }
    }
}

/// Buckets by ascending cost.
pub(super) struct CostBuckets<'r, R> {
    rule: R,
    deadline: &'r Deadline,
    paths: Paths,
    source: Source<'r>,
    /// Steps of each path as places in the source.
    places: Vec<Vec<(usize, Step)>>,
    /// Documents of each path, if there are several.
    members: Option<Vec<DocSet>>,
    glances: std::vec::IntoIter<Glance>,
    /// Documents whose cost is not certain yet; `None` once all have been read.
    uncertain: Option<Vec<DocId>>,
    /// Costs below this one are complete.
    complete_below: u32,
    by_cost: ByCost,
}

impl<'r, R: PathCost> CostBuckets<'r, R> {
    /// A document counts with its cheapest path, the first one of several.
    pub(super) fn new(
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
        rule: R,
    ) -> Self {
        let of_words = context.word_summaries(universe, paths);
        let by_cost = match &of_words {
            Some(of) => by_summary(&rule, &of.summaries, of.step, &universe.and_not(&of.beside)),
            None => ByCost::default(),
        };
        // Those that are not summarised.
        let universe = of_words.as_ref().map_or(universe, |of| &of.beside);
        let source = if universe.is_empty() {
            Source::Summaries
        } else {
            match context.measured.of(context, paths, universe.len()) {
                Some(measured) => {
                    measured.prepare(context, universe);
                    Source::Measures(measured)
                }
                None => Source::Reader(Box::new(Reader::new(context, distinct_steps(paths)))),
            }
        };
        let places = paths
            .iter()
            .map(|path| {
                path.iter()
                    .filter_map(|s| Some((source.index_of(s)?, *s)))
                    .collect()
            })
            .collect();
        let members = (paths.len() > 1).then(|| {
            paths
                .iter()
                .take_while(|_| !context.deadline.poll())
                .map(|path| context.path_docs(path, universe))
                .collect()
        });
        let is_glanced = matches!(source, Source::Reader(_))
            && universe.len() > FEW_DOCS
            && !context.matching.corpus.has_short_documents();
        let glances = if is_glanced {
            rule.glances()
        } else {
            Vec::new()
        };
        Self {
            rule,
            deadline: context.deadline,
            paths: paths.clone(),
            source,
            places,
            members,
            glances: glances.into_iter(),
            uncertain: (!universe.is_empty()).then(|| universe.iter().collect()),
            complete_below: 0,
            by_cost,
        }
    }

    /// Reads the documents that are not certain yet, further than before.
    fn read_on(&mut self, docs: Vec<DocId>) {
        let Some(glance) = self.glances.next() else {
            for (doc, later) in with_later(docs.iter().copied()) {
                if self.deadline.poll() {
                    return;
                }
                if let Source::Measures(measured) = &self.source {
                    later.for_each(|later| measured.expect(later));
                }
                if let (Some((cost, path)), _) = self.measure(doc, Reach::ALL) {
                    self.put(doc, cost, path);
                }
            }
            return;
        };
        let mut uncertain = Vec::new();
        for doc in docs {
            if self.deadline.poll() {
                return;
            }
            match self.measure(doc, glance.reach()) {
                (Some((cost, path)), is_whole) if is_whole || cost < glance.certain_below => {
                    self.put(doc, cost, path);
                }
                (None, true) => {}
                _ => uncertain.push(doc),
            }
        }
        self.complete_below = glance.certain_below;
        self.uncertain = Some(uncertain);
    }

    fn put(&mut self, doc: DocId, cost: u32, path: u32) {
        let measured = self.by_cost.of(cost);
        measured.docs.push(doc);
        if self.places.len() > 1 {
            measured.paths.push(path);
        }
    }

    /// The cost of the best path of a document and the place of that path; and whether the whole
    /// document was read.
    fn measure(&mut self, doc: DocId, reach: Reach<'_>) -> (Option<(u32, u32)>, bool) {
        let (rule, places, members) = (&self.rule, &self.places, self.members.as_deref());
        match &mut self.source {
            Source::Summaries => (None, true),
            Source::Measures(measured) => {
                let best = measured.give(doc, |measures| {
                    let cost = |path: &[_]| rule.cost_of_measures(measures, path);
                    best_path(doc, places, members, cost)
                });
                (best, true)
            }
            Source::Reader(reader) => {
                let is_whole = reader.read(doc, reach);
                let cost = |path: &[_]| rule.cost(reader, path);
                (best_path(doc, places, members, cost), is_whole)
            }
        }
    }
}

/// The least cost over the paths that a document is a member of, and the first path with it.
fn best_path(
    doc: DocId,
    places: &[Vec<(usize, Step)>],
    members: Option<&[DocSet]>,
    cost: impl Fn(&[(usize, Step)]) -> Option<u32>,
) -> Option<(u32, u32)> {
    let mut best: Option<(u32, u32)> = None;
    for (at, path) in places.iter().enumerate() {
        let is_member = |members: &[DocSet]| members.get(at).is_some_and(|docs| docs.contains(doc));
        if !members.is_none_or(is_member) {
            continue;
        }
        if let Some(cost) = cost(path)
            && best.is_none_or(|(least, _)| cost < least)
        {
            best = Some((cost, at as u32));
        }
    }
    best
}

/// The documents of a path of one step by the costs of their summaries.
fn by_summary(
    rule: &impl PathCost,
    summaries: &Summaries,
    step: Step,
    universe: &DocSet,
) -> ByCost {
    let costs = rule.costs_of_summaries(summaries, step);
    let mut by_cost = ByCost::default();
    summaries.for_each(universe, |doc, code| {
        if let Some(cost) = costs[code] {
            by_cost.of(cost).docs.push(doc);
        }
    });
    by_cost
}

impl<R: PathCost> Buckets for CostBuckets<'_, R> {
    fn next_bucket(&mut self) -> Option<Bucket> {
        loop {
            if (self.by_cost.least()).is_some_and(|cost| cost < self.complete_below) {
                break;
            }
            let Some(docs) = self.uncertain.take() else {
                break;
            };
            self.read_on(docs);
        }
        let (cost, mut measured) = self.by_cost.pop_least()?;
        if !matches!(self.source, Source::Summaries) {
            // Some were summarised, or known from an earlier rule, and others read later.
            measured.docs.sort_unstable();
        }
        let used = measured.paths.iter().map(|path| *path as usize);
        let paths = used_paths(&self.paths, used);
        Some(Bucket {
            docs: DocSet::from_sorted(measured.docs),
            paths,
            detail: self.rule.detail(cost),
            is_best: cost == 0,
            untyped: Untyped::of(cost == 0),
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

/// One bucket with everything, for a rule that has nothing to tell apart in the whole index.
pub(super) struct OneBucket(Option<Bucket>);

impl OneBucket {
    /// The bucket that comes and then nothing; none if there are no documents.
    pub(super) fn new(docs: &DocSet, paths: Paths, detail: ScoreDetail) -> Self {
        Self((!docs.is_empty()).then(|| Bucket {
            docs: docs.clone(),
            paths,
            detail,
            is_best: true,
            untyped: Untyped::FromHere,
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
