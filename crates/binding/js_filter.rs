//! `checkFilter`: reads a filter without an index, to refuse broken ones before they are enqueued.

use napi_derive::napi;
use serde_json::Value;
use serval_engine::request::{FilterFeatures, check_features};

use crate::outcome::{Failure, Outcome};

/// Whether a filter, given as JSON, holds a condition that can be read: `{ok: null}`, or the
/// `{error}` to show. With the experimental features that are on, as JSON, operators of the others
/// are refused, too. Costs a few microseconds, so it runs on the spot.
#[napi(ts_return_type = "{ ok: null } | { error: JsFailure }")]
pub fn check_filter(filter_json: String, features_json: Option<String>) -> Outcome<()> {
    Outcome::of(|| check(&filter_json, features_json.as_deref()))
}

fn check(filter_json: &str, features_json: Option<&str>) -> Result<(), Failure> {
    let filter: Value = serde_json::from_str(filter_json)?;
    let filter = serval_filter::parse_required(&filter)
        .map_err(|error| Failure::new(error.code(), error.to_string()))?;
    if let Some(features) = features_json {
        let features: FilterFeatures = serde_json::from_str(features)?;
        check_features(&filter, &features)?;
    }
    Ok(())
}
