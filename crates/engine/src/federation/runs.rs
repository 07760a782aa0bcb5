//! The searches of a federation, side by side.

use std::time::Instant;

use super::request::FederatedRequest;
use crate::parallel::side_by_side;
use crate::ranking::Timings;
use crate::request::{PageWindow, SearchError, SearchRequest, SearchSource};
use crate::rules::Pinned;
use crate::search::{Demand, Executed, execute};

/// A query to run.
pub(super) struct Run<'s, 'p> {
    /// Its place in the request.
    pub(super) at: usize,
    /// Its index.
    pub(super) source: &'s dyn SearchSource,
    /// The documents that are pinned in that index.
    pub(super) pinned: &'p Pinned,
}

/// How a query ended, and where its time went.
pub(super) type Ran<'s> = (Result<Executed<'s>, SearchError>, Timings);

/// Runs queries, as requests, side by side, for at most `reach` hits of each; what they find comes
/// in the order of `runs`.
pub(super) fn run_all<'s>(
    request: &FederatedRequest,
    queries: &[SearchRequest],
    runs: &[Run<'s, '_>],
    reach: usize,
    started: Instant,
) -> Vec<Ran<'s>> {
    let window = request.federation.window();
    let is_measured = request.federation.show_performance_details;
    side_by_side(runs.len(), |place| {
        let Run { at, source, pinned } = &runs[place];
        let most = source.settings().pagination.max_total_hits;
        let demand = Demand {
            page: PageWindow {
                offset: 0,
                limit: reach.min(most),
            },
            is_exhaustive: window.is_exhaustive(),
            with_scores: true,
            left_out: pinned.left_out(),
        };
        let timings = Timings::new(is_measured, "search");
        let executed = timings.time("execute local search", || {
            execute(*source, &queries[*at], &demand, (started, &timings))
        });
        (executed, timings)
    })
}
