//! Jobs on their way to the threads of a pool.
//!
//! The thread that adds a job is the one that serves every request, so it does as little as can be:
//! it wakes one thread at most, however many jobs it adds before that one runs. A thread that finds
//! more jobs than its own wakes the next. Threads without a job sleep at once; they do not look
//! around for a while first, which on few cores takes the time of those that work.
//!
//! # Invariants
//! While jobs wait and threads sleep, one of these is on its way: `is_waking` is set only with a
//! wake that no thread has followed yet.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What a thread of a pool does next.
pub type Job = Box<dyn FnOnce() + Send>;

/// Jobs in the order in which they were added.
#[derive(Default)]
pub struct JobQueue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    n_sleeping: usize,
    /// Whether a thread was woken that does not run yet.
    is_waking: bool,
    /// Whether there is no thread that could ever run a job.
    is_refusing: bool,
}

impl JobQueue {
    /// Adds a job; it is dropped where there is no thread to run it.
    pub fn add(&self, job: Job) {
        let mut state = self.state();
        if state.is_refusing {
            drop(state);
            drop(job);
            return;
        }
        state.jobs.push_back(job);
        self.wake_one(state);
    }

    /// Takes the oldest job; waits for one.
    pub fn take(&self) -> Job {
        let mut state = self.state();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                if !state.jobs.is_empty() {
                    self.wake_one(state);
                }
                return job;
            }
            state.n_sleeping += 1;
            state = self
                .wake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.n_sleeping -= 1;
            state.is_waking = false;
        }
    }

    /// Drops all jobs, now and later.
    pub fn refuse(&self) {
        let mut state = self.state();
        state.is_refusing = true;
        let jobs = std::mem::take(&mut state.jobs);
        drop(state);
        drop(jobs);
    }

    /// Wakes a thread if one sleeps and none is on its way.
    fn wake_one(&self, mut state: MutexGuard<'_, State>) {
        let wakes = state.n_sleeping > 0 && !state.is_waking;
        state.is_waking |= wakes;
        drop(state);
        if wakes {
            self.wake.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
