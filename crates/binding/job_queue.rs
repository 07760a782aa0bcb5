//! Jobs on their way to the threads of a pool.
//!
//! The thread that adds a job is the one that serves every request, so it does as little as can be:
//! it wakes one thread at most, however many jobs it adds before that one runs. A thread that finds
//! more jobs than its own wakes the next. Threads without a job sleep at once; they do not look
//! around for a while first, which on few cores takes the time of those that work. The thread that
//! fell asleep last is woken first: the caches of its core and the memory that its allocator and its
//! compressors keep are still warm, and where one thread is enough the others' stay untouched.
//!
//! # Invariants
//! While jobs wait and threads sleep, one of these is on its way: `is_waking` is set only with a
//! wake that no thread has followed yet.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What a thread of a pool does next.
pub type Job = Box<dyn FnOnce() + Send>;

/// Jobs in the order in which they were added.
pub struct JobQueue {
    state: Mutex<State>,
    /// What each thread waits for.
    wakes: Box<[Condvar]>,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Threads that sleep, the last one to fall asleep at the end.
    sleeping: Vec<usize>,
    /// Whether a thread was woken that does not run yet.
    is_waking: bool,
    /// Whether there is no thread that could ever run a job.
    is_refusing: bool,
}

impl JobQueue {
    /// No jobs, for so many threads.
    pub fn new(n_threads: usize) -> Self {
        Self {
            state: Mutex::default(),
            wakes: (0..n_threads).map(|_| Condvar::new()).collect(),
        }
    }

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

    /// Takes the oldest job for a thread, by its number; waits for one.
    pub fn take(&self, thread: usize) -> Job {
        let mut state = self.state();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                if !state.jobs.is_empty() {
                    self.wake_one(state);
                }
                return job;
            }
            state.sleeping.push(thread);
            state = self.wakes[thread]
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            // Nobody took it out if it woke by itself.
            state.sleeping.retain(|sleeping| *sleeping != thread);
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
        if state.is_waking {
            return;
        }
        let Some(thread) = state.sleeping.pop() else {
            return;
        };
        state.is_waking = true;
        drop(state);
        self.wakes[thread].notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
