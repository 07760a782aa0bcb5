//! Threads that help with one piece of work, and end with it.
//!
//! # Cost
//! Each is started anew: some tens of microseconds.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle};

/// The results of jobs, given by their places, in this order; done by one thread for each core, or for
/// each job if these are fewer. This thread takes part; where no other can be started, it does
/// everything. A panic of a job goes on here.
pub(crate) fn side_by_side<T: Send>(n_jobs: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let places = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let taken = places.take_while(|at| *at < n_jobs);
        taken.map(|at| (at, job(at))).collect::<Vec<(usize, T)>>()
    };
    let n_helpers = n_cores().min(n_jobs).saturating_sub(1);
    let results = with_helpers(&work, |helpers| {
        helpers.start(n_helpers);
        work()
    });
    in_order(results.into_iter().flatten())
}

/// Results that several threads have numbered, in the order of their numbers.
pub(crate) fn in_order<T>(numbered: impl Iterator<Item = (usize, T)>) -> Vec<T> {
    let mut numbered: Vec<(usize, T)> = numbered.collect();
    numbered.sort_unstable_by_key(|(number, _)| *number);
    numbered.into_iter().map(|(_, result)| result).collect()
}

/// Other threads that do the same work, started when it is wanted.
pub(super) struct Helpers<'scope, 'env, T, W> {
    scope: &'scope Scope<'scope, 'env>,
    work: &'env W,
    started: Vec<ScopedJoinHandle<'scope, T>>,
}

impl<'scope, T: Send + 'scope, W: Fn() -> T + Sync> Helpers<'scope, '_, T, W> {
    /// Starts so many more; fewer where the system gives none.
    pub(super) fn start(&mut self, n: usize) {
        let start = |number| {
            let thread = thread::Builder::new().name(format!("serval-helper-{number}"));
            thread.spawn_scoped(self.scope, self.work).ok()
        };
        self.started.extend((0..n).filter_map(start));
    }
}

/// What this thread makes `here`, and what each helper makes that it has started. A panic of one goes
/// on here.
pub(super) fn with_helpers<'env, T: Send, W: Fn() -> T + Sync>(
    work: &'env W,
    here: impl for<'scope> FnOnce(&mut Helpers<'scope, 'env, T, W>) -> T,
) -> Vec<T> {
    thread::scope(|scope| {
        let mut helpers = Helpers {
            scope,
            work,
            started: Vec::new(),
        };
        let mut results = vec![here(&mut helpers)];
        for helper in helpers.started {
            results.push(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    })
}

/// Processors of this machine that this process may use.
pub(super) fn n_cores() -> usize {
    static N_CORES: OnceLock<usize> = OnceLock::new();
    *N_CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let squares: Vec<usize> = (0..100).map(|at| at * at).collect();
        assert_eq!(side_by_side(100, |at| at * at), squares);
        assert_eq!(side_by_side(0, |at| at), Vec::<usize>::new());
    }

    /// The jobs wait for each other: one after the other they would never end.
    #[test]
    fn as_many_jobs_run_at_once_as_there_are_cores() {
        let n_jobs = n_cores();
        let all = Barrier::new(n_jobs);
        side_by_side(n_jobs, |_| all.wait());
    }

    #[test]
    #[should_panic(expected = "job 3 failed")]
    fn the_panic_of_a_job_goes_on() {
        side_by_side(8, |at| assert!(at != 3, "job {at} failed"));
    }
}
