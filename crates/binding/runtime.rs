//! The bridge between JavaScript promises and Rust threads.
//!
//! A call makes a promise and a [`Settler`], hands the settler to a Rust thread, and returns the
//! promise at once. Whoever ends the work settles it, from any thread; a settler that is dropped
//! unused settles its promise with `internal`, so that no promise hangs.
//!
//! ```text
//! #[napi] fn search(&self, env: &Env, request: String) -> Result<Object> {   // JavaScript thread
//!     let index = Arc::clone(&self.index);
//!     promise_on(env, Lane::Quick, move || index.search(&request))           // pool thread
//! }
//! ```
//!
//! # Lanes
//! Three pools of threads that are started with their first job: [`Lane::Quick`] for reads of
//! microseconds to milliseconds, [`Lane::Long`] for payloads and batches, which would otherwise
//! keep the reads waiting, and [`Lane::Models`] for what batches wait for. Node's own four threads
//! and any async runtime stay out of it.
//!
//! # Cost
//! One thread hop each way; see [`crate::job_queue`] for the way there and [`crate::dispatch`] for
//! the way back.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use napi::Env;
use napi::bindgen_prelude::{Object, Result, ToNapiValue};

use crate::dispatch::Sender as PromiseSender;
use crate::job_queue::JobQueue;
use crate::outcome::{Answer, Failure, Outcome};

/// Which pool a job runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Reads: as many threads as the machine has cores.
    Quick,
    /// Payloads and batches: two threads.
    Long,
    /// Reading models and embedding documents with them: two threads, which may start others.
    Models,
}

const N_LONG_THREADS: usize = 2;
const N_MODEL_THREADS: usize = 2;

/// Ends one promise, from any thread.
pub struct Settler<T: ToNapiValue + Send + 'static> {
    sender: Option<PromiseSender>,
    value: PhantomData<fn(T)>,
}

impl<T: ToNapiValue + Send + 'static> Settler<T> {
    /// Resolves the promise with `{ok}` or `{error}`.
    pub fn settle<E: Into<Failure>>(mut self, result: std::result::Result<T, E>) {
        self.resolve(result.map_err(Into::into));
    }

    fn resolve(&mut self, result: Answer<T>) {
        if let Some(sender) = self.sender.take() {
            sender.send(Outcome(result));
        }
    }
}

impl<T: ToNapiValue + Send + 'static> Drop for Settler<T> {
    fn drop(&mut self) {
        self.resolve(Err(Failure::internal(
            "the call was dropped before it ended",
        )));
    }
}

/// A promise of an outcome, and what ends it. Must be called on the JavaScript thread.
pub fn promise<T>(env: &Env) -> Result<(Settler<T>, Object<'_>)>
where
    T: ToNapiValue + Send + 'static,
{
    let (sender, promise) = PromiseSender::new(env)?;
    Ok((
        Settler {
            sender: Some(sender),
            value: PhantomData,
        },
        promise,
    ))
}

/// Runs `job` on a pool thread and promises its result; a panic becomes `internal`.
pub fn promise_on<T, E>(
    env: &Env,
    lane: Lane,
    job: impl FnOnce() -> std::result::Result<T, E> + Send + 'static,
) -> Result<Object<'_>>
where
    T: ToNapiValue + Send + 'static,
    E: Into<Failure>,
{
    let (settler, promise) = promise(env)?;
    spawn(lane, move || {
        let caught = catch_unwind(AssertUnwindSafe(|| job().map_err(Into::into)));
        settler.settle(caught.unwrap_or_else(|panic| Err(Failure::from_panic(panic.as_ref()))));
    });
    Ok(promise)
}

/// Runs `job` on a pool thread. A job must not panic; a panic ends only that thread's loop turn.
pub fn spawn(lane: Lane, job: impl FnOnce() + Send + 'static) {
    static QUICK: OnceLock<Arc<JobQueue>> = OnceLock::new();
    static LONG: OnceLock<Arc<JobQueue>> = OnceLock::new();
    static MODELS: OnceLock<Arc<JobQueue>> = OnceLock::new();
    let pool = match lane {
        Lane::Quick => QUICK.get_or_init(|| start_pool("serval-quick", n_cores())),
        Lane::Long => LONG.get_or_init(|| start_pool("serval-long", N_LONG_THREADS)),
        Lane::Models => MODELS.get_or_init(|| start_pool("serval-models", N_MODEL_THREADS)),
    };
    pool.add(Box::new(job));
}

fn n_cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

fn start_pool(name: &str, n_threads: usize) -> Arc<JobQueue> {
    let queue = Arc::new(JobQueue::new(n_threads));
    let mut n_started = 0;
    for number in 0..n_threads {
        let jobs = Arc::clone(&queue);
        let body = move || {
            loop {
                let _ = catch_unwind(AssertUnwindSafe(jobs.take(number)));
            }
        };
        let thread = std::thread::Builder::new().name(format!("{name}-{number}"));
        n_started += usize::from(thread.spawn(body).is_ok());
    }
    if n_started == 0 {
        // A refused job settles itself when it is dropped.
        queue.refuse();
    }
    queue
}
