//! The rules by which the hits of a query are compared with those of others: those that it has in
//! the end, without the ones that repeat, that have nothing to say, or that a vector stands for.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::ranking::SortCriterion;
use crate::settings::{Direction, RankingRuleSetting};

/// What a query looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Everything,
    /// Words, of which the matching strategy drops some or none.
    Words {
        drops: bool,
    },
    Neighbours,
}

/// The rules of a query, as hits are compared by them.
pub(super) struct ComparedRules {
    pub(super) query: usize,
    pub(super) index_uid: String,
    pub(super) rules: Vec<Compared>,
    /// What was changed in `rankingRules` and `sort`.
    pub(super) changes: Vec<String>,
}

/// One rule, or neighbours of relevancy.
pub(super) struct Compared {
    pub(super) kind: Kind,
    /// First and last place among the rules that are left.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Place in the `sort` of the query.
    pub(super) sort: Option<usize>,
}

/// What a rule compares by.
pub(super) enum Kind {
    Relevancy(Vec<String>),
    Sort(String, Direction),
    GeoSort(Direction),
}

/// A place in `rankingRules`, or in the `sort` of the query.
#[derive(Clone, Copy)]
enum Place {
    Rule(usize),
    Sort(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(at) => write!(f, "#{at} in ranking rules"),
            Self::Sort(at) => write!(f, "#{at} in `query.sort`"),
        }
    }
}

/// Builds the rules of a query.
struct Builder {
    built: ComparedRules,
    /// Rules that are left so far.
    n_left: usize,
    /// What was met so far, and where.
    seen: FxHashMap<String, Place>,
    /// The rule that counts words was put before the first one about them.
    prepended: bool,
}

impl ComparedRules {
    /// The rules of a query; neighbouring rules of relevancy count as one. `sort` is none when the
    /// query has none.
    pub(super) fn new(
        query: usize,
        index_uid: &str,
        settings: &[RankingRuleSetting],
        sort: Option<&[SortCriterion]>,
        wanted: Wanted,
    ) -> Self {
        let mut builder = Builder {
            built: Self {
                query,
                index_uid: index_uid.to_owned(),
                rules: Vec::new(),
                changes: Vec::new(),
            },
            n_left: 0,
            seen: FxHashMap::default(),
            prepended: false,
        };
        for (at, rule) in settings.iter().enumerate() {
            match (rule, wanted) {
                (RankingRuleSetting::Sort, _) => builder.sort(at, sort),
                (RankingRuleSetting::Custom(name, direction), _) => {
                    if builder.is_new(
                        sorted_by(name),
                        &String::from(rule.clone()),
                        Place::Rule(at),
                    ) {
                        builder.push(Kind::Sort(name.clone(), *direction), None);
                        builder.n_left += 1;
                    }
                }
                (relevancy, Wanted::Everything) => builder.leave_out(
                    relevancy,
                    at,
                    "the query is a placeholder search (`q`: \"\")",
                ),
                (relevancy, Wanted::Words { drops }) => builder.words(relevancy, at, drops),
                (relevancy, Wanted::Neighbours) => builder.neighbours(relevancy, at),
            }
        }
        builder.built
    }
}

/// What tells a rule by the values of an attribute from one of relevancy that has its name.
fn sorted_by(attribute: &str) -> String {
    format!("{attribute}:")
}

impl Builder {
    fn push(&mut self, kind: Kind, sort: Option<usize>) {
        self.built.rules.push(Compared {
            kind,
            first: self.n_left,
            last: self.n_left,
            sort,
        });
    }

    fn change(&mut self, change: String) {
        self.built.changes.push(change);
    }

    /// Whether a rule was not there before; one that was is left out.
    fn is_new(&mut self, key: String, name: &str, place: Place) -> bool {
        let Some(earlier) = self.seen.get(&key).copied() else {
            self.seen.insert(key, place);
            return true;
        };
        self.change(format!(
            "Removed duplicate rule `{name}` at position {place} as it already appears at position {earlier}"
        ));
        false
    }

    fn sort(&mut self, at: usize, sort: Option<&[SortCriterion]>) {
        let Some(sort) = sort else {
            let place = Place::Rule(at);
            self.change(format!(
                "Removed rule `sort` at position {place} because `query.sort` is empty"
            ));
            return;
        };
        if !self.is_new("sort".to_owned(), "sort", Place::Rule(at)) {
            return;
        }
        for (place, criterion) in sort.iter().enumerate() {
            let (kind, key, name) = match criterion {
                SortCriterion::Attribute(name, direction) => (
                    Kind::Sort(name.clone(), *direction),
                    sorted_by(name),
                    format!("{name}:{}", direction.as_str()),
                ),
                SortCriterion::GeoPoint(.., direction) => (
                    Kind::GeoSort(*direction),
                    "_geo(..)".to_owned(),
                    format!("_geo(..):{}", direction.as_str()),
                ),
            };
            if self.is_new(key, &name, Place::Sort(place)) {
                self.push(kind, Some(place));
            }
        }
        self.n_left += 1;
    }

    fn leave_out(&mut self, rule: &RankingRuleSetting, at: usize, reason: &str) {
        let (name, place) = (String::from(rule.clone()), Place::Rule(at));
        self.change(format!(
            "Removed relevancy rule `{name}` at position {place} because {reason}"
        ));
    }

    /// A rule about words; the one that counts them goes before all others, if any may be missing.
    fn words(&mut self, rule: &RankingRuleSetting, at: usize, drops: bool) {
        const COUNT: &str = "words";
        let (name, place) = (String::from(rule.clone()), Place::Rule(at));
        if name == COUNT && (!drops || self.prepended) {
            let reason = match drops {
                true => "it was previously prepended",
                false => "`query.matchingStrategy` is set to `all`",
            };
            self.change(format!(
                "Removed rule `{COUNT}` at position {place} because {reason}"
            ));
            return;
        }
        if name != COUNT && drops && !self.prepended && !self.seen.contains_key(COUNT) {
            self.prepended = true;
            self.change(format!(
                "Prepended rule `{COUNT}` before first relevancy rule `{name}` at position {place}"
            ));
            self.relevancy(COUNT.to_owned());
        }
        if self.is_new(name.clone(), &name, place) {
            self.relevancy(name);
        }
    }

    /// The first rule about words stands for the one about vectors, the others go.
    fn neighbours(&mut self, rule: &RankingRuleSetting, at: usize) {
        let is_first = !self.seen.contains_key("");
        if is_first {
            self.seen.insert(String::new(), Place::Rule(at));
            self.relevancy(String::from(rule.clone()));
        } else {
            self.leave_out(rule, at, "the query is a vector search");
        }
    }

    fn relevancy(&mut self, name: String) {
        if let Some(Compared {
            kind: Kind::Relevancy(names),
            last,
            ..
        }) = self.built.rules.last_mut()
        {
            names.push(name);
            *last = self.n_left;
        } else {
            self.push(Kind::Relevancy(vec![name]), None);
        }
        self.n_left += 1;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The rules of a query on `books`.
    pub(in super::super) fn rules(
        query: usize,
        settings: &[&str],
        sort: Option<&[(&str, Direction)]>,
        wanted: Wanted,
    ) -> ComparedRules {
        let settings: Vec<RankingRuleSetting> = settings
            .iter()
            .map(|rule| (*rule).to_owned().try_into().expect("a rule"))
            .collect();
        let sort: Option<Vec<_>> = sort.map(|sort| {
            let entry = |(name, direction): &(&str, _)| {
                SortCriterion::Attribute((*name).to_owned(), *direction)
            };
            sort.iter().map(entry).collect()
        });
        ComparedRules::new(query, "books", &settings, sort.as_deref(), wanted)
    }

    #[test]
    fn rules_about_words_are_those_of_the_matching_strategy() {
        let names = |rules: &ComparedRules| match &rules.rules[0].kind {
            Kind::Relevancy(names) => names.join(" "),
            _ => String::new(),
        };
        let late = rules(
            0,
            &["typo", "sort", "words", "typo"],
            None,
            Wanted::Words { drops: true },
        );
        assert_eq!(names(&late), "words typo");
        assert_eq!(late.changes.len(), 4);
        let all = Wanted::Words { drops: false };
        assert_eq!(names(&rules(0, &["words", "typo"], None, all)), "typo");
    }
}
