//! Where the time of a search went, for `performanceDetails`.
//!
//! A step is named by its path, `search > keyword ranking > typo`; its time includes that of the
//! steps below it. What is done several times is added up. Nothing is measured unless asked for.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

/// The times of one search.
#[derive(Debug)]
pub struct Timings(Option<RefCell<Steps>>);

#[derive(Debug, Default)]
struct Steps {
    /// The step under way and those around it.
    path: String,
    spent: Vec<(String, Duration)>,
}

impl Timings {
    /// Measures if `wanted`; all steps are parts of the first one, `root`.
    #[must_use]
    pub fn new(wanted: bool, root: &str) -> Self {
        Self(wanted.then(|| {
            RefCell::new(Steps {
                path: root.to_owned(),
                spent: Vec::new(),
            })
        }))
    }

    /// Measures nothing.
    #[must_use]
    pub const fn off() -> Self {
        Self(None)
    }

    /// Does a part of the work.
    pub fn time<T>(&self, step: &str, work: impl FnOnce() -> T) -> T {
        let Some(steps) = &self.0 else {
            return work();
        };
        let (outer, at) = steps.borrow_mut().enter(step);
        let started = Instant::now();
        let done = work();
        let mut steps = steps.borrow_mut();
        steps.spent[at].1 += started.elapsed();
        steps.path.truncate(outer);
        done
    }

    /// Adds the times of another measurement of the same search, made beside this one.
    pub fn add(&self, other: Self) {
        let (Some(steps), Some(other)) = (&self.0, other.0) else {
            return;
        };
        let mut steps = steps.borrow_mut();
        for (path, spent) in other.into_inner().spent {
            let at = steps.place(path);
            steps.spent[at].1 += spent;
        }
    }

    /// The times as an object: first what happened `before`, in milliseconds, then the whole since
    /// `started` and its parts. `None` when nothing was measured.
    #[must_use]
    pub fn details(&self, before: &Map<String, Value>, started: Instant) -> Option<Value> {
        let steps = self.0.as_ref()?.borrow();
        let mut details = Map::new();
        for (step, millis) in before {
            let millis = millis.as_f64().filter(|millis| *millis >= 0.0);
            let spent = Duration::try_from_secs_f64(millis.unwrap_or(0.0) / 1e3);
            details.insert(step.clone(), shown(spent.unwrap_or_default()));
        }
        details.insert(steps.path.clone(), shown(started.elapsed()));
        for (step, spent) in &steps.spent {
            details.insert(step.clone(), shown(*spent));
        }
        Some(Value::Object(details))
    }
}

impl Steps {
    /// Goes into a step: the length of the path around it, and its place.
    fn enter(&mut self, step: &str) -> (usize, usize) {
        let outer = self.path.len();
        self.path.push_str(" > ");
        self.path.push_str(step);
        let at = self.place(self.path.clone());
        (outer, at)
    }

    /// The place of a step, a new one at the end.
    fn place(&mut self, path: String) -> usize {
        let known = self.spent.iter().position(|(known, _)| *known == path);
        known.unwrap_or_else(|| {
            self.spent.push((path, Duration::ZERO));
            self.spent.len() - 1
        })
    }
}

/// Two decimals and the unit that fits.
fn shown(spent: Duration) -> Value {
    Value::from(format!("{spent:.2?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(details: &Value) -> Vec<&str> {
        let members = details.as_object().expect("an object").keys();
        members.map(String::as_str).collect()
    }

    #[test]
    fn steps_are_named_by_their_path_and_added_up() {
        let timings = Timings::new(true, "search");
        for _ in 0..2 {
            timings.time("ranking", || timings.time("typo", || ()));
        }
        timings.time("format", || ());
        let before = Map::from_iter([("wait in queue".to_owned(), Value::from(1.5))]);
        let details = timings.details(&before, Instant::now()).expect("measured");
        let expected = [
            "wait in queue",
            "search",
            "search > ranking",
            "search > ranking > typo",
            "search > format",
        ];
        assert_eq!(names(&details), expected);
        assert_eq!(details["wait in queue"], "1.50ms");
    }

    #[test]
    fn durations_have_two_decimals_and_a_unit() {
        assert_eq!(shown(Duration::from_nanos(295_290)), "295.29µs");
        assert_eq!(shown(Duration::from_micros(1_230)), "1.23ms");
        assert_eq!(shown(Duration::from_millis(2_500)), "2.50s");
    }

    #[test]
    fn nothing_is_measured_unless_asked_for() {
        let timings = Timings::off();
        assert_eq!(timings.time("ranking", || 7), 7);
        assert_eq!(timings.details(&Map::new(), Instant::now()), None);
    }
}
