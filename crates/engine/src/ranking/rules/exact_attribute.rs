//! The first half of `exactness`: an attribute that is the query, then one that starts with it.
//!
//! Only terms that can match as typed are looked at, from the first term of the query on without a
//! gap. Each of their words must stand, in some attribute, where it stands in the query; then an
//! attribute that holds them all decides. Both looks are independent, as in the reference engine.

use crate::docset::{DocId, DocSet, with_later};
use crate::query::{
    Classes, FieldId, Node, Occurrence, Paths, Reach, Scanner, Slot, SlotIdx, Step, Summaries,
    Summary, TypedPlace, bucketed,
};
use crate::ranking::by_document::OneBucket;
use crate::ranking::{
    Bucket, Buckets, DocWords, MatchType, RankContext, RankingRule, ScoreDetail, Untyped,
};

/// Longest attribute, in words, whose length is known to this rule.
const MAX_COUNTED_WORDS: u32 = 30;

/// Tells exact attributes from those that start with the query, and from the rest.
pub(in crate::ranking) struct ExactAttributeRule;

impl RankingRule for ExactAttributeRule {
    fn name(&self) -> &'static str {
        "exact attribute"
    }

    fn start<'r>(
        &'r self,
        context: &'r RankContext<'r>,
        universe: &DocSet,
        paths: &Paths,
    ) -> Box<dyn Buckets + 'r> {
        let Some(wanted) = Wanted::new(context, paths) else {
            let detail = ScoreDetail::ExactAttribute(MatchType::NoExactMatch);
            return Box::new(OneBucket::new(universe, paths.clone(), detail));
        };
        let mut found: [Vec<DocId>; 3] = Default::default();
        if let Some((summaries, _)) = context.summaries(universe, paths, true) {
            let kinds = summaries.kinds();
            summaries.for_each(universe, |doc, code| {
                found[match_kind(&kinds[code])].push(doc);
            });
        } else {
            let mut judge = Judge::new(context, &wanted);
            let mut candidates = universe.clone();
            for word in &wanted.words {
                candidates = candidates.and(&context.matching.corpus.word_docs(&word.text));
            }
            let in_place = docs_in_place(context, &candidates.and(universe), paths);
            if let Some((in_place, n_terms)) = in_place {
                candidates = in_place;
                judge.is_likely = n_terms == wanted.words.len();
            }
            for doc in universe {
                if context.deadline.poll() {
                    break;
                }
                let kind = if candidates.contains(doc) {
                    judge.judge(doc)
                } else {
                    2
                };
                found[kind].push(doc);
            }
        }
        let buckets: Vec<Bucket> = MATCH_TYPES
            .into_iter()
            .zip(found)
            .filter(|(_, docs)| !docs.is_empty())
            .map(|(kind, docs)| Bucket {
                docs: DocSet::from_sorted(docs),
                paths: paths.clone(),
                detail: ScoreDetail::ExactAttribute(kind),
                is_best: kind == MatchType::ExactMatch,
                untyped: match kind {
                    MatchType::NoExactMatch => Untyped::FromHere,
                    _ => Untyped::Behind,
                },
            })
            .collect();
        Box::new(Listed(buckets.into_iter()))
    }

    fn tells_by_summaries(&self) -> bool {
        true
    }

    fn costs_of_summaries(
        &self,
        context: &RankContext<'_>,
        paths: &Paths,
        summaries: &Summaries,
        _step: Step,
    ) -> Option<Vec<Option<u32>>> {
        let can_be_exact = Wanted::new(context, paths).is_some();
        let cost = |kind| {
            Some(if can_be_exact {
                match_kind(kind) as u32
            } else {
                0
            })
        };
        Some(summaries.kinds().iter().map(cost).collect())
    }

    fn detail_of_summary(
        &self,
        _context: &RankContext<'_>,
        _paths: &Paths,
        summary: &Summary,
        _step: Step,
    ) -> Option<ScoreDetail> {
        Some(ScoreDetail::ExactAttribute(
            MATCH_TYPES[match_kind(summary)],
        ))
    }
}

/// What the rule says of the documents of each bucket.
const MATCH_TYPES: [MatchType; 3] = [
    MatchType::ExactMatch,
    MatchType::MatchesStart,
    MatchType::NoExactMatch,
];

/// The place of a summary among the buckets.
const fn match_kind(summary: &Summary) -> usize {
    match summary.typed {
        TypedPlace::Alone => 0,
        TypedPlace::First => 1,
        TypedPlace::Elsewhere => 2,
    }
}

/// The documents of `candidates` in which every term that can match as typed may stand where the query has it, by what
/// earlier rules measured, and how many terms these are; `None` if that says nothing.
fn docs_in_place(
    context: &RankContext<'_>,
    candidates: &DocSet,
    paths: &Paths,
) -> Option<(DocSet, usize)> {
    let [path] = &paths[..] else { return None };
    let measured = context.measured.known(path)?;
    let is_exact_place = |at: u16| bucketed(at) == at;
    let mut steps = Vec::new();
    for step in path {
        let node = context.graph.node(step.node);
        if !is_exact_place(node.first) {
            return None;
        }
        if can_be_exact(node, step) {
            steps.push(measured.index_of(step)?);
        }
    }
    measured.prepare(context, candidates);
    let stands = |doc: &DocId| {
        measured.give(*doc, |measures| {
            steps.iter().all(|step| measures.distance(*step) == Some(0))
        })
    };
    let docs = with_later(candidates.iter()).map(|(doc, later)| {
        later.into_iter().for_each(|later| measured.expect(later));
        doc
    });
    let in_place = docs.filter(stands).collect();
    Some((DocSet::from_sorted(in_place), steps.len()))
}

struct Listed(std::vec::IntoIter<Bucket>);

impl Buckets for Listed {
    fn next_bucket(&mut self) -> Option<Bucket> {
        self.0.next()
    }
}

struct WantedWord {
    text: String,
    position: u16,
}

/// The words of the query that can match as typed.
struct Wanted {
    words: Vec<WantedWord>,
    /// Positions of the query that they span.
    length: u32,
}

impl Wanted {
    /// `None` if no attribute can be the query.
    fn new(context: &RankContext<'_>, paths: &Paths) -> Option<Self> {
        let graph = context.graph;
        let mut by_id = std::collections::BTreeMap::new();
        for step in paths.iter().flatten() {
            let node = graph.node(step.node);
            if can_be_exact(node, step) {
                by_id.entry(*node.ids.start()).or_insert(node);
            }
        }
        let is_gapless = by_id
            .keys()
            .enumerate()
            .all(|(at, id)| at == usize::from(*id));
        if by_id.is_empty() || !is_gapless {
            return None;
        }
        let mut wanted = Self {
            words: Vec::new(),
            length: 0,
        };
        for node in by_id.values() {
            wanted.length += u32::from(node.last - node.first) + 1;
            let exact = node
                .derivations
                .iter()
                .find(|d| d.class == Classes::EXACT)?;
            if let crate::query::Form::Phrase(phrase) = exact.form {
                let placed = context.matching.phrase_at(phrase).placed();
                wanted.words.extend(placed.map(|(offset, word)| WantedWord {
                    text: word.to_owned(),
                    position: bucketed(node.first.saturating_add(offset as u16)),
                }));
            } else {
                let (text, position) = (node.text.clone(), bucketed(node.first));
                wanted.words.push(WantedWord { text, position });
            }
        }
        Some(wanted)
    }
}

/// Whether documents can match the step as it was typed.
pub(super) fn can_be_exact(node: &Node, step: &Step) -> bool {
    let mut derivations = node.derivations.iter();
    step.classes.intersects(Classes::EXACT)
        && !node.is_ngram()
        && derivations.any(|derivation| derivation.class == Classes::EXACT)
}

struct Judge<'r> {
    read: &'r DocWords,
    scanner: Box<dyn Scanner + 'r>,
    /// What the scanner looks for, as slots of the query.
    slots: Vec<SlotIdx>,
    searched: Option<&'r [bool]>,
    /// Slot of the query and wanted position of each word.
    words: Vec<(SlotIdx, u16)>,
    /// Positions in which words can be where the query has them.
    reach: u32,
    /// Whether most documents judged have the words where the query has them.
    is_likely: bool,
    length: u32,
    occurrences: Vec<Occurrence>,
}

impl<'r> Judge<'r> {
    fn new(context: &'r RankContext<'r>, wanted: &Wanted) -> Self {
        let matching = context.matching;
        let mut slots: Vec<SlotIdx> = Vec::new();
        let mut words = Vec::new();
        for word in &wanted.words {
            let slot = matching
                .word_slot(&word.text)
                .expect("invariant: words matched as typed are slots");
            if !slots.contains(&slot) {
                slots.push(slot);
            }
            words.push((slot, word.position));
        }
        let looked_for: Vec<Slot> = slots
            .iter()
            .map(|slot| matching.slots[usize::from(*slot)].clone())
            .collect();
        Self {
            read: &context.words,
            scanner: matching.corpus.scanner(&looked_for),
            slots,
            searched: context.matching.searched.as_deref(),
            reach: words
                .iter()
                .map(|(_, at)| u32::from(*at) + 1)
                .max()
                .unwrap_or(0),
            words,
            is_likely: false,
            length: wanted.length,
            occurrences: Vec::new(),
        }
    }

    /// 0 for an exact attribute, 1 for one that starts with the query, 2 for neither.
    fn judge(&mut self, doc: DocId) -> usize {
        if !self.read_known(doc) {
            let start = Reach {
                positions: self.reach,
                ..Reach::ALL
            };
            if !self.is_likely {
                self.scan(doc, start);
                if !self.is_in_place() {
                    return 2;
                }
            }
            self.scan(doc, Reach::ALL);
        }
        if !self.is_in_place() {
            return 2;
        }
        let seen = &self.occurrences;
        let mut fields: Vec<FieldId> = seen.iter().map(|seen| seen.field).collect();
        fields.dedup();
        fields.retain(|field| {
            let is_there = |slot| seen.iter().any(|o| o.slot == slot && o.field == *field);
            self.searched.is_none_or(|mask| mask[usize::from(*field)])
                && self.words.iter().all(|(slot, _)| is_there(*slot))
        });
        let kinds = fields.into_iter().map(|field| {
            let length = self.scanner.field_length(doc, field, self.length + 1);
            usize::from(length != self.length || length > MAX_COUNTED_WORDS)
        });
        kinds.min().unwrap_or(2)
    }

    /// Takes what other rules have read; false if they have not.
    fn read_known(&mut self, doc: DocId) -> bool {
        let (occurrences, slots) = (&mut self.occurrences, &self.slots);
        occurrences.clear();
        self.read.give(doc, |seen| {
            occurrences.extend(seen.iter().filter(|seen| slots.contains(&seen.slot)));
        })
    }

    fn scan(&mut self, doc: DocId, reach: Reach<'_>) {
        self.scanner
            .occurrences_within(doc, reach, &mut self.occurrences);
        for seen in &mut self.occurrences {
            seen.slot = self.slots[usize::from(seen.slot)];
        }
    }

    /// Whether each word stands, in some attribute, where the query has it.
    fn is_in_place(&self) -> bool {
        let stands = |slot, position| {
            let mut seen = self.occurrences.iter();
            seen.any(|o| o.slot == slot && bucketed(o.position) == position)
        };
        let mut words = self.words.iter();
        words.all(|(slot, position)| stands(*slot, *position))
    }
}
