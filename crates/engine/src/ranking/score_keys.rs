//! Compares hits of different searches by the verdicts of their rules.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ScoreDetail, global_score};
use crate::settings::Direction;

/// What a hit is compared by: rules that rank fold into one weighted number, others stand alone.
/// Servers tell each other the keys of their hits as JSON.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ScoreKeys(Vec<Key>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Key {
    #[serde(alias = "vectorSort")]
    WeightedScore(f64),
    Sort {
        asc: bool,
        value: Value,
    },
    GeoSort {
        asc: bool,
        distance: Option<f64>,
    },
}

impl ScoreKeys {
    /// The keys of the verdicts on a hit, in the order of the rules.
    pub(crate) fn new(details: &[ScoreDetail], weight: f64) -> Self {
        let mut keys = Vec::new();
        let mut ranked: Vec<&ScoreDetail> = Vec::new();
        for detail in details {
            let key = match detail {
                ScoreDetail::Sort {
                    direction, value, ..
                } => Key::Sort {
                    asc: *direction == Direction::Asc,
                    value: value.clone(),
                },
                ScoreDetail::GeoSort {
                    direction,
                    distance,
                    ..
                } => Key::GeoSort {
                    asc: *direction == Direction::Asc,
                    distance: *distance,
                },
                ranks => {
                    ranked.push(ranks);
                    continue;
                }
            };
            if !ranked.is_empty() {
                keys.push(Key::WeightedScore(global_score(ranked.drain(..)) * weight));
            }
            keys.push(key);
        }
        if !ranked.is_empty() {
            keys.push(Key::WeightedScore(global_score(ranked) * weight));
        }
        Self(keys)
    }

    /// Which of two hits comes first: the greater one.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        for (a, b) in self.0.iter().zip(&other.0) {
            let order = a.compare(b);
            if order != Ordering::Equal {
                return order;
            }
        }
        self.0.len().cmp(&other.0.len())
    }
}

impl Key {
    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::WeightedScore(a), Self::WeightedScore(b)) if (a - b).abs() <= f64::EPSILON => {
                Ordering::Equal
            }
            (Self::WeightedScore(a), Self::WeightedScore(b)) => a.total_cmp(b),
            (Self::Sort { asc, value: a }, Self::Sort { value: b, .. }) => {
                compare_values(a, b, *asc)
            }
            (Self::GeoSort { asc, distance: a }, Self::GeoSort { distance: b, .. }) => {
                compare_distances(*a, *b, *asc)
            }
            (Self::WeightedScore(score), _) if *score == 0.0 => Ordering::Less,
            (Self::WeightedScore(_), _) => Ordering::Greater,
            (_, Self::WeightedScore(score)) if *score == 0.0 => Ordering::Greater,
            (_, Self::WeightedScore(_)) => Ordering::Less,
            _ => Ordering::Equal,
        }
    }
}

const fn directed(order: Ordering, asc: bool) -> Ordering {
    if asc { order.reverse() } else { order }
}

/// Numbers come before texts, and nothing comes last, in both directions.
fn compare_values(a: &Value, b: &Value, asc: bool) -> Ordering {
    let kind = |value: &Value| match value {
        Value::Number(_) => 2,
        Value::String(_) => 1,
        _ => 0,
    };
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
            directed(a.total_cmp(&b), asc)
        }
        (Value::String(a), Value::String(b)) => directed(a.cmp(b), asc),
        _ => kind(a).cmp(&kind(b)),
    }
}

fn compare_distances(a: Option<f64>, b: Option<f64>, asc: bool) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => directed(a.total_cmp(&b), asc),
        _ => a.is_some().cmp(&b.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Rank;

    #[test]
    fn keys_read_from_what_another_server_wrote_compare_as_its_own() {
        let details = |rank, value: i32| {
            [
                ScoreDetail::Words(Rank { rank, max: 4 }),
                ScoreDetail::Sort {
                    attribute: None,
                    direction: Direction::Asc,
                    value: Value::from(value),
                },
                ScoreDetail::GeoSort {
                    target: (0.0, 0.0),
                    direction: Direction::Desc,
                    point: None,
                    distance: Some(2.5),
                },
            ]
        };
        let keys = |rank, value| ScoreKeys::new(&details(rank, value), 0.5);
        let sent = serde_json::to_string(&keys(2, 7)).expect("keys are JSON");
        assert_eq!(
            sent,
            r#"[{"weightedScore":0.25},{"sort":{"asc":true,"value":7}},{"geoSort":{"asc":false,"distance":2.5}}]"#
        );
        let read: ScoreKeys = serde_json::from_str(&sent).expect("keys");
        assert_eq!(read, keys(2, 7));
        assert_eq!(read.compare(&keys(2, 8)), Ordering::Greater);
        let near: ScoreKeys = serde_json::from_str(r#"[{"vectorSort":0.25}]"#).expect("keys");
        assert_eq!(near, ScoreKeys(vec![Key::WeightedScore(0.25)]));
    }
}
