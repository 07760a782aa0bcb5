//! What rules say of a document, and the one number it adds up to.

use serde_json::{Map, Value, json};

use crate::settings::Direction;

/// A place among `max` ones; `max` is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// From 1 (worst) to `max`; 0 only when nothing is known.
    pub rank: u32,
    /// The best rank.
    pub max: u32,
}

impl Rank {
    /// The rank of a cost that can be at most `max_cost`.
    #[must_use]
    pub const fn of_cost(cost: u32, max_cost: u32) -> Self {
        Self {
            rank: (max_cost + 1).saturating_sub(cost),
            max: max_cost + 1,
        }
    }

    fn score(self) -> f64 {
        f64::from(self.rank) / f64::from(self.max)
    }
}

/// How a whole attribute matches the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchType {
    /// An attribute holds the query and nothing else.
    ExactMatch,
    /// An attribute starts with the query.
    MatchesStart,
    /// Neither.
    NoExactMatch,
}

impl MatchType {
    const fn rank(self) -> Rank {
        let rank = match self {
            Self::ExactMatch => 3,
            Self::MatchesStart => 2,
            Self::NoExactMatch => 1,
        };
        Rank { rank, max: 3 }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::ExactMatch => "exactMatch",
            Self::MatchesStart => "matchesStart",
            Self::NoExactMatch => "noExactMatch",
        }
    }
}

/// The verdict of one rule on one document.
#[derive(Clone, Debug, PartialEq)]
pub enum ScoreDetail {
    /// Query words kept.
    Words(Rank),
    /// Typos: how many, and how many there could be.
    Typo {
        /// Typos of the document.
        count: u32,
        /// The most there could be.
        max: u32,
    },
    /// Closeness of query words.
    Proximity(Rank),
    /// Importance of the attributes.
    AttributeRank(Rank),
    /// Places of the words.
    WordPosition(Rank),
    /// How a whole attribute matches.
    ExactAttribute(MatchType),
    /// Words matched as typed.
    ExactWords {
        /// Of the document.
        matching: u32,
        /// The most there could be.
        max: u32,
    },
    /// A value the document was sorted by.
    Sort {
        /// The attribute, `None` if it is not displayed.
        attribute: Option<String>,
        /// The direction.
        direction: Direction,
        /// A number, a text or null.
        value: Value,
    },
    /// A distance the document was sorted by.
    GeoSort {
        /// Latitude and longitude asked for.
        target: (f64, f64),
        /// The direction.
        direction: Direction,
        /// Latitude and longitude of the document.
        point: Option<(f64, f64)>,
        /// Metres between them.
        distance: Option<f64>,
    },
    /// The similarity to a vector; `None` for a document without one.
    Vector {
        /// From 0 to 1.
        similarity: Option<f32>,
    },
    /// The time was up before this rule.
    Skipped,
    /// A search rule put it there; nothing else was asked.
    Pin {
        /// The position that the rule gives.
        position: usize,
    },
}

impl ScoreDetail {
    /// The share of the rule in the global score; `None` for rules that only sort.
    #[must_use]
    pub const fn rank(&self) -> Option<Rank> {
        match self {
            Self::Words(rank)
            | Self::Proximity(rank)
            | Self::AttributeRank(rank)
            | Self::WordPosition(rank) => Some(*rank),
            Self::Typo { count, max } => Some(Rank::of_cost(*count, *max)),
            Self::ExactAttribute(kind) => Some(kind.rank()),
            Self::ExactWords { matching, max } => Some(Rank {
                rank: *matching + 1,
                max: *max + 1,
            }),
            Self::Skipped => Some(Rank { rank: 0, max: 1 }),
            Self::Sort { .. } | Self::GeoSort { .. } | Self::Vector { .. } | Self::Pin { .. } => {
                None
            }
        }
    }
}

/// Folds ranks so that an earlier one always outweighs the later ones, into 0..=1. A similarity
/// stands for all of them.
#[must_use]
pub fn global_score<'d>(details: impl IntoIterator<Item = &'d ScoreDetail>) -> f64 {
    let (mut rank, mut max) = (1.0, 1.0);
    for detail in details {
        if let ScoreDetail::Vector { similarity } = detail {
            return f64::from(similarity.unwrap_or(0.0));
        }
        let Some(more) = detail.rank() else { continue };
        rank = f64::max(rank - 1.0, 0.0) * f64::from(more.max) + f64::from(more.rank);
        max *= f64::from(more.max);
    }
    rank / max
}

/// `_rankingScoreDetails`. With `joined_attribute`, the two halves of the `attribute` rule are
/// shown as one.
#[must_use]
pub fn details_to_json(details: &[ScoreDetail], joined_attribute: bool) -> Map<String, Value> {
    let mut object = Map::new();
    let mut order = 0;
    let mut rest = details.iter().peekable();
    while let Some(detail) = rest.next() {
        let (name, mut value) = describe(detail, order);
        match (detail, rest.peek()) {
            (ScoreDetail::AttributeRank(_), Some(position @ ScoreDetail::WordPosition(_)))
                if joined_attribute =>
            {
                let joined = joined_attribute_json(detail, position, order);
                rest.next();
                object.insert("attribute".into(), joined);
                order += 1;
                continue;
            }
            (ScoreDetail::ExactAttribute(kind), Some(words @ ScoreDetail::ExactWords { .. })) => {
                value = exactness_json(*kind, words, order);
                rest.next();
            }
            _ => {}
        }
        object.insert(name, value);
        order += 1;
    }
    object
}

fn joined_attribute_json(rank: &ScoreDetail, position: &ScoreDetail, order: usize) -> Value {
    json!({
        "order": order,
        "attributeRankingOrderScore": global_score([rank]),
        "queryWordDistanceScore": global_score([position]),
        "score": global_score([rank, position]),
    })
}

fn exactness_json(kind: MatchType, words: &ScoreDetail, order: usize) -> Value {
    let mut value = json!({"order": order, "matchType": kind.as_str()});
    if kind == MatchType::NoExactMatch {
        if let ScoreDetail::ExactWords { matching, max } = words {
            value["matchingWords"] = json!(matching);
            value["maxMatchingWords"] = json!(max);
        }
        value["score"] = json!(global_score([&ScoreDetail::ExactAttribute(kind), words]));
    } else {
        value["score"] = json!(kind.rank().score());
    }
    value
}

fn describe(detail: &ScoreDetail, order: usize) -> (String, Value) {
    match detail {
        ScoreDetail::Words(rank) => (
            "words".into(),
            json!({"order": order, "matchingWords": rank.rank, "maxMatchingWords": rank.max,
                   "score": rank.score()}),
        ),
        ScoreDetail::Typo { count, max } => (
            "typo".into(),
            json!({"order": order, "typoCount": count, "maxTypoCount": max,
                   "score": Rank::of_cost(*count, *max).score()}),
        ),
        ScoreDetail::Proximity(rank) => scored("proximity", *rank, order),
        ScoreDetail::AttributeRank(rank) => scored("attributeRank", *rank, order),
        ScoreDetail::WordPosition(rank) => scored("wordPosition", *rank, order),
        ScoreDetail::ExactAttribute(kind) => (
            "exactness".into(),
            json!({"order": order, "matchType": kind.as_str(), "score": kind.rank().score()}),
        ),
        ScoreDetail::ExactWords { matching, max } => (
            "exactness".into(),
            json!({"order": order, "matchingWords": matching, "maxMatchingWords": max,
                   "score": global_score([detail])}),
        ),
        ScoreDetail::Sort {
            attribute: Some(name),
            direction,
            value,
        } => (
            format!("{name}:{}", direction.as_str()),
            json!({"order": order, "value": value}),
        ),
        ScoreDetail::Sort {
            attribute: None, ..
        } => (
            format!("<hidden-rule-{order}>"),
            json!({"order": order, "value": "<hidden>"}),
        ),
        ScoreDetail::GeoSort {
            target: (lat, lng),
            direction,
            point,
            distance,
        } => (
            format!("_geoPoint({lat}, {lng}):{}", direction.as_str()),
            json!({"order": order, "value": point.map(|(lat, lng)| json!({"lat": lat, "lng": lng})),
                   "distance": distance}),
        ),
        ScoreDetail::Vector { similarity } => (
            "vectorSort".into(),
            json!({"order": order, "similarity": similarity.map(f64::from)}),
        ),
        ScoreDetail::Skipped => ("skipped".into(), json!({"order": order})),
        ScoreDetail::Pin { position } => {
            ("pin".into(), json!({"order": order, "position": position}))
        }
    }
}

fn scored(name: &str, rank: Rank, order: usize) -> (String, Value) {
    (name.into(), json!({"order": order, "score": rank.score()}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_rule_outweighs_all_later_ones() {
        let details = [
            ScoreDetail::Words(Rank { rank: 2, max: 2 }),
            ScoreDetail::Typo { count: 0, max: 2 },
            ScoreDetail::Proximity(Rank { rank: 3, max: 4 }),
            ScoreDetail::AttributeRank(Rank { rank: 1, max: 1 }),
            ScoreDetail::WordPosition(Rank { rank: 17, max: 21 }),
            ScoreDetail::ExactAttribute(MatchType::NoExactMatch),
            ScoreDetail::ExactWords {
                matching: 2,
                max: 2,
            },
        ];
        assert!((global_score(&details) - 0.949_07).abs() < 1e-5);
    }

    #[test]
    fn both_halves_of_exactness_are_shown_as_one() {
        let details = [
            ScoreDetail::ExactAttribute(MatchType::NoExactMatch),
            ScoreDetail::ExactWords {
                matching: 2,
                max: 2,
            },
        ];
        let text = Value::from(details_to_json(&details, false)).to_string();
        assert!(text.starts_with(
            r#"{"exactness":{"order":0,"matchType":"noExactMatch","matchingWords":2,"maxMatchingWords":2,"score":0.333"#
        ));
    }
}
