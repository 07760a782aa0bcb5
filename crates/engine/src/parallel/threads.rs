//! Threads that help with one piece of work, and end with it.
//!
//! # Cost
//! Each is started anew: some tens of microseconds.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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
    let mut results: Vec<(usize, T)> = together(n_helpers, work, &work)
        .into_iter()
        .flatten()
        .collect();
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// What this thread makes `here`, and what up to so many others make `there` meanwhile. A panic of
/// one goes on here.
pub(super) fn together<T: Send>(
    n_helpers: usize,
    here: impl FnOnce() -> T,
    there: &(impl Fn() -> T + Sync),
) -> Vec<T> {
    if n_helpers == 0 {
        return vec![here()];
    }
    thread::scope(|scope| {
        let start = |number| {
            let thread = thread::Builder::new().name(format!("serval-helper-{number}"));
            thread.spawn_scoped(scope, there).ok()
        };
        let helpers: Vec<_> = (0..n_helpers).filter_map(start).collect();
        let mut results = vec![here()];
        for helper in helpers {
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
