//! When a search is answered with what it has: its time is over, or nobody waits for it any more.
//!
//! # Invariants
//! 1. Once over, always over: a loop that stopped early is never taken for one that finished.
//! 2. Rules ask in every loop over documents and paths. One that is told to stop leaves its work
//!    half done, and the walk that called it places what is left in the order of document numbers.

use std::cell::Cell;
use std::time::Instant;

use super::Stop;

/// Polls between two looks at the clock.
const POLLS_PER_LOOK: u32 = 64;

/// The end of the time of one search.
#[derive(Debug)]
pub struct Deadline {
    end: End,
    stop: Option<Stop>,
    n_polls: Cell<u32>,
    has_ended: Cell<bool>,
}

#[derive(Debug)]
enum End {
    Never,
    At(Instant),
    #[cfg(test)]
    AfterPolls(u32),
}

impl Deadline {
    /// No end.
    #[must_use]
    pub const fn never() -> Self {
        Self::new(End::Never)
    }

    /// The end at a moment; none for `None`.
    #[must_use]
    pub const fn at(moment: Option<Instant>) -> Self {
        match moment {
            Some(moment) => Self::new(End::At(moment)),
            None => Self::never(),
        }
    }

    /// The same end, or an earlier one when it is asked for.
    #[must_use]
    pub fn or_stopped(self, stop: &Stop) -> Self {
        Self {
            stop: Some(stop.clone()),
            ..self
        }
    }

    /// The end after so many questions, whatever the clock says.
    #[cfg(test)]
    pub(crate) const fn after_polls(n: u32) -> Self {
        Self::new(End::AfterPolls(n))
    }

    const fn new(end: End) -> Self {
        Self {
            end,
            stop: None,
            n_polls: Cell::new(0),
            has_ended: Cell::new(false),
        }
    }

    /// Whether the time is over, by a look at the clock, or a stop was asked for.
    #[must_use]
    pub fn is_over(&self) -> bool {
        if self.has_ended.get() {
            return true;
        }
        let is_over = match self.end {
            End::Never => false,
            End::At(moment) => Instant::now() >= moment,
            #[cfg(test)]
            End::AfterPolls(n) => self.count() > n,
        };
        let is_over = is_over || self.stop.as_ref().is_some_and(Stop::is_stopped);
        self.has_ended.set(is_over);
        is_over
    }

    /// Whether the time is over, for loops: looks at the clock once in a while.
    #[must_use]
    pub fn poll(&self) -> bool {
        match self.end {
            #[cfg(test)]
            End::AfterPolls(_) => self.is_over(),
            End::Never | End::At(_) => {
                self.has_ended.get()
                    || (self.count().is_multiple_of(POLLS_PER_LOOK) && self.is_over())
            }
        }
    }

    /// Whether a question was answered with yes.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.has_ended.get()
    }

    fn count(&self) -> u32 {
        let n_polls = self.n_polls.get().wrapping_add(1);
        self.n_polls.set(n_polls);
        n_polls
    }
}
