//! Whether the hits of queries can be compared: their rules must be of the same kinds in the same
//! places, as far as both go.

use crate::ranking::SortCriterion;
use crate::request::SearchError;
use crate::settings::{Direction, RankingRuleSetting};

/// The rules of a query, as hits are compared by them.
pub(super) struct ComparedRules {
    query: usize,
    index_uid: String,
    rules: Vec<Compared>,
    /// What was left out because nothing is searched for: name and place in `rankingRules`.
    removed: Vec<(String, usize)>,
}

struct Compared {
    kind: Kind,
    /// First and last place in `rankingRules`.
    first: usize,
    last: usize,
    /// Place in the `sort` of the query.
    sort: Option<usize>,
}

enum Kind {
    Relevancy(Vec<String>),
    Sort(String, Direction),
    GeoSort(Direction),
}

impl Kind {
    fn compares_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Relevancy(_), Self::Relevancy(_)) => true,
            (Self::Sort(_, a), Self::Sort(_, b)) | (Self::GeoSort(a), Self::GeoSort(b)) => a == b,
            _ => false,
        }
    }
}

impl ComparedRules {
    /// The rules of a query; neighbouring rules of relevancy count as one.
    pub(super) fn new(
        query: usize,
        index_uid: &str,
        settings: &[RankingRuleSetting],
        sort: &[SortCriterion],
        has_query: bool,
    ) -> Self {
        let mut this = Self {
            query,
            index_uid: index_uid.to_owned(),
            rules: Vec::new(),
            removed: Vec::new(),
        };
        for (at, rule) in settings.iter().enumerate() {
            match rule {
                RankingRuleSetting::Sort => this.sort(at, sort),
                RankingRuleSetting::Custom(name, direction) => {
                    let kind = Kind::Sort(name.clone(), *direction);
                    this.push(kind, at, None);
                }
                relevancy if has_query => this.relevancy(String::from(relevancy.clone()), at),
                relevancy => this.removed.push((String::from(relevancy.clone()), at)),
            }
        }
        this
    }

    fn push(&mut self, kind: Kind, at: usize, sort: Option<usize>) {
        self.rules.push(Compared {
            kind,
            first: at,
            last: at,
            sort,
        });
    }

    fn sort(&mut self, at: usize, sort: &[SortCriterion]) {
        for (place, criterion) in sort.iter().enumerate() {
            let kind = match criterion {
                SortCriterion::Attribute(name, direction) => Kind::Sort(name.clone(), *direction),
                SortCriterion::GeoPoint(.., direction) => Kind::GeoSort(*direction),
            };
            self.push(kind, at, Some(place));
        }
    }

    fn relevancy(&mut self, name: String, at: usize) {
        if let Some(Compared {
            kind: Kind::Relevancy(names),
            last,
            ..
        }) = self.rules.last_mut()
        {
            names.push(name);
            *last = at;
        } else {
            self.push(Kind::Relevancy(vec![name]), at, None);
        }
    }

    /// Whether everything that can be compared with this can be compared with the other, too.
    pub(super) fn compares_like(&self, other: &Self) -> bool {
        let like = |(a, b): (&Compared, &Compared)| a.kind.compares_like(&b.kind);
        self.rules.len() == other.rules.len() && self.rules.iter().zip(&other.rules).all(like)
    }

    /// Checks that hits of both queries can be compared.
    ///
    /// # Errors
    /// The first pair of rules that cannot.
    pub(super) fn check(&self, other: &Self) -> Result<(), SearchError> {
        let pairs = self.rules.iter().zip(&other.rules);
        let Some((mine, its, reason)) = pairs
            .filter_map(|(a, b)| Some((a, b, incompatible(&a.kind, &b.kind)?)))
            .next()
        else {
            return Ok(());
        };
        let message = format!(
            "The results of queries #{} and #{} are incompatible: \n  1. {}\n  2. {}\n  - {reason}\n{}{}",
            self.query,
            other.query,
            self.describe(mine),
            other.describe(its),
            self.notes(),
            other.notes(),
        );
        Err(SearchError::new(
            "invalid_multi_search_query_ranking_rules",
            message,
        ))
    }

    fn describe(&self, rule: &Compared) -> String {
        let Self {
            query, index_uid, ..
        } = self;
        let source = rule
            .sort
            .map_or_else(String::new, |place| format!(".sort[{place}]"));
        let places = if rule.first == rule.last {
            format!("[{}]", rule.first)
        } else {
            format!("[{}..={}]", rule.first, rule.last)
        };
        let what = match &rule.kind {
            Kind::Relevancy(names) => format!("relevancy rule(s) {}", names.join(", ")),
            Kind::Sort(name, direction) => {
                format!("{} sort rule(s) on field `{name}`", adjective(*direction))
            }
            Kind::GeoSort(direction) => format!("{} geo sort rule(s)", adjective(*direction)),
        };
        format!("`queries[{query}]{source}`, `{index_uid}.rankingRules{places}`: {what}")
    }

    fn notes(&self) -> String {
        if self.removed.is_empty() {
            return String::new();
        }
        let mut notes = format!(
            "  - note: The ranking rules of query #{} were modified during canonicalization:\n",
            self.query
        );
        for (number, (name, at)) in (1..).zip(&self.removed) {
            notes.push_str(&format!(
                "    {number}. Removed relevancy rule `{name}` at position #{at} in ranking rules \
                 because the query is a placeholder search (`q`: \"\")\n"
            ));
        }
        notes
    }
}

const fn adjective(direction: Direction) -> &'static str {
    match direction {
        Direction::Asc => "ascending",
        Direction::Desc => "descending",
    }
}

fn incompatible(a: &Kind, b: &Kind) -> Option<&'static str> {
    match (a, b) {
        (Kind::Relevancy(_), Kind::Relevancy(_)) => None,
        (Kind::Sort(_, a), Kind::Sort(_, b)) => {
            (a != b).then_some("cannot compare two sort rules in opposite directions")
        }
        (Kind::GeoSort(a), Kind::GeoSort(b)) => {
            (a != b).then_some("cannot compare two geosort rules in opposite directions")
        }
        (Kind::Relevancy(_), Kind::Sort(..)) | (Kind::Sort(..), Kind::Relevancy(_)) => {
            Some("cannot compare a relevancy rule with a sort rule")
        }
        (Kind::Relevancy(_), Kind::GeoSort(_)) | (Kind::GeoSort(_), Kind::Relevancy(_)) => {
            Some("cannot compare a relevancy rule with a geosort rule")
        }
        (Kind::Sort(..), Kind::GeoSort(_)) | (Kind::GeoSort(_), Kind::Sort(..)) => {
            Some("cannot compare a sort rule with a geosort rule")
        }
    }
}
