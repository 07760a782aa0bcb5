//! `checkFilter`: reads a filter without an index, to refuse broken ones before they are enqueued.

use napi_derive::napi;
use serde_json::Value;

use crate::outcome::{Failure, Outcome};

/// Whether a filter, given as JSON, holds a condition that can be read: `{ok: null}`, or the
/// `{error}` to show. Costs a few microseconds, so it runs on the spot.
#[napi(ts_return_type = "{ ok: null } | { error: JsFailure }")]
pub fn check_filter(filter_json: String) -> Outcome<()> {
    Outcome::of(|| check(&filter_json))
}

fn check(filter_json: &str) -> Result<(), Failure> {
    let filter: Value = serde_json::from_str(filter_json)?;
    match serval_filter::parse_required(&filter) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::new(error.code(), error.to_string())),
    }
}
