//! Compares hits of different searches by the verdicts of their rules.

use std::cmp::Ordering;

use serde_json::Value;

use super::{ScoreDetail, global_score};
use crate::settings::Direction;

/// What a hit is compared by: rules that rank fold into one weighted number, others stand alone.
#[derive(Debug, PartialEq)]
pub(crate) struct ScoreKeys(Vec<Key>);

#[derive(Debug, PartialEq)]
enum Key {
    Score(f64),
    Value(Value, Direction),
    Distance(Option<f64>, Direction),
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
                } => Key::Value(value.clone(), *direction),
                ScoreDetail::GeoSort {
                    direction,
                    distance,
                    ..
                } => Key::Distance(*distance, *direction),
                ranks => {
                    ranked.push(ranks);
                    continue;
                }
            };
            if !ranked.is_empty() {
                keys.push(Key::Score(global_score(ranked.drain(..)) * weight));
            }
            keys.push(key);
        }
        if !ranked.is_empty() {
            keys.push(Key::Score(global_score(ranked) * weight));
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
            (Self::Score(a), Self::Score(b)) if (a - b).abs() <= f64::EPSILON => Ordering::Equal,
            (Self::Score(a), Self::Score(b)) => a.total_cmp(b),
            (Self::Value(a, direction), Self::Value(b, _)) => compare_values(a, b, *direction),
            (Self::Distance(a, direction), Self::Distance(b, _)) => {
                compare_distances(*a, *b, *direction)
            }
            (Self::Score(score), _) if *score == 0.0 => Ordering::Less,
            (Self::Score(_), _) => Ordering::Greater,
            (_, Self::Score(score)) if *score == 0.0 => Ordering::Greater,
            (_, Self::Score(_)) => Ordering::Less,
            _ => Ordering::Equal,
        }
    }
}

fn directed(order: Ordering, direction: Direction) -> Ordering {
    match direction {
        Direction::Asc => order.reverse(),
        Direction::Desc => order,
    }
}

/// Numbers come before texts, and nothing comes last, in both directions.
fn compare_values(a: &Value, b: &Value, direction: Direction) -> Ordering {
    let kind = |value: &Value| match value {
        Value::Number(_) => 2,
        Value::String(_) => 1,
        _ => 0,
    };
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
            directed(a.total_cmp(&b), direction)
        }
        (Value::String(a), Value::String(b)) => directed(a.cmp(b), direction),
        _ => kind(a).cmp(&kind(b)),
    }
}

fn compare_distances(a: Option<f64>, b: Option<f64>, direction: Direction) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => directed(a.total_cmp(&b), direction),
        _ => a.is_some().cmp(&b.is_some()),
    }
}
