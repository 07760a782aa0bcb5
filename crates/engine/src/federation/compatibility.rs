//! Whether the hits of queries can be compared: their rules must be of the same kinds in the same
//! places, as far as both go. Messages count places among the rules that a query has in the end, and
//! tell what was changed.

use super::compared_rules::{Compared, ComparedRules, Kind};
use crate::request::SearchError;
use crate::settings::Direction;

impl ComparedRules {
    /// Of two that compare, the one that more can be compared with; of equals the later one.
    pub(super) fn or_stricter(self, earlier: Self) -> Self {
        if earlier.rules.len() > self.rules.len() {
            earlier
        } else {
            self
        }
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
        if self.changes.is_empty() {
            return String::new();
        }
        let mut notes = format!(
            "  - note: The ranking rules of query #{} were modified during canonicalization:\n",
            self.query
        );
        for (number, change) in (1..).zip(&self.changes) {
            notes.push_str(&format!("    {number}. {change}\n"));
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

#[cfg(test)]
mod tests {
    use super::super::compared_rules::{Wanted, tests::rules};
    use super::*;

    fn refusal(earlier: &ComparedRules, later: &ComparedRules) -> Option<String> {
        earlier.check(later).err().map(|error| error.message)
    }

    const WORDS: Wanted = Wanted::Words { drops: true };

    /// Places are those among the rules that are left, and the notes say which are not.
    #[test]
    fn what_is_left_of_the_rules_is_compared() {
        let settings = ["words", "sort", "typo"];
        let up = rules(
            0,
            &settings,
            Some(&[("year", Direction::Asc)]),
            Wanted::Everything,
        );
        let down = rules(
            1,
            &settings,
            Some(&[("name", Direction::Desc)]),
            Wanted::Everything,
        );
        let note = |query: usize| {
            format!(
                "  - note: The ranking rules of query #{query} were modified during canonicalization:\n    \
                 1. Removed relevancy rule `words` at position #0 in ranking rules because the query is a placeholder search (`q`: \"\")\n    \
                 2. Removed relevancy rule `typo` at position #2 in ranking rules because the query is a placeholder search (`q`: \"\")\n"
            )
        };
        let expected = format!(
            "The results of queries #0 and #1 are incompatible: \n  \
             1. `queries[0].sort[0]`, `books.rankingRules[0]`: ascending sort rule(s) on field `year`\n  \
             2. `queries[1].sort[0]`, `books.rankingRules[0]`: descending sort rule(s) on field `name`\n  \
             - cannot compare two sort rules in opposite directions\n{}{}",
            note(0),
            note(1),
        );
        assert_eq!(refusal(&up, &down), Some(expected));
    }

    /// A rule that repeats an earlier one sorts nothing, so that nothing is compared by it.
    #[test]
    fn repeated_rules_are_not_compared() {
        let by_year: &[_] = &[("year", Direction::Asc)];
        let custom = rules(0, &["sort", "year:desc"], Some(by_year), WORDS);
        let twice: &[_] = &[("year", Direction::Asc), ("name", Direction::Asc)];
        assert_eq!(
            refusal(&custom, &rules(1, &["sort"], Some(twice), WORDS)),
            None
        );
        let notes = "  - note: The ranking rules of query #0 were modified during canonicalization:\n    \
             1. Removed duplicate rule `year:desc` at position #1 in ranking rules as it already appears at position #0 in `query.sort`\n";
        assert_eq!(custom.notes(), notes);
    }

    /// A search by vectors has one rule of relevancy, even without words.
    #[test]
    fn neighbours_compare_with_words_but_not_with_a_sort() {
        let near = rules(0, &["words", "typo", "sort"], None, Wanted::Neighbours);
        assert_eq!(refusal(&near, &rules(1, &["typo"], None, WORDS)), None);
        let sorted = rules(
            1,
            &["sort"],
            Some(&[("year", Direction::Asc)]),
            Wanted::Everything,
        );
        let refused = refusal(&near, &sorted).expect("a refusal");
        assert!(
            refused.contains("cannot compare a relevancy rule with a sort rule"),
            "{refused}"
        );
    }

    #[test]
    fn the_stricter_of_two_stays_and_of_equals_the_later() {
        let sort: &[_] = &[("year", Direction::Asc)];
        let strict = rules(0, &["words", "sort"], Some(sort), WORDS);
        let kept = rules(1, &["words"], None, WORDS).or_stricter(strict);
        assert_eq!(kept.query, 0);
        assert_eq!(
            rules(2, &["words", "sort"], Some(sort), WORDS)
                .or_stricter(kept)
                .query,
            2
        );
    }
}
