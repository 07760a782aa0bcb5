//! `checkFunction`: compiles a function that edits documents, to refuse broken ones before they are
//! enqueued.

use napi::Env;
use napi::bindgen_prelude::{Object, Result};
use napi_derive::napi;
use serval_engine::edition::{self, CheckError};

use crate::outcome::Failure;
use crate::runtime::{Lane, promise_on};

/// Resolves to `{ok: null}` when a function can be compiled, else to the `{error}` to show.
#[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
pub fn check_function(env: &Env, text: String) -> Result<Object<'_>> {
    promise_on(env, Lane::Quick, move || {
        edition::check_function(&text).map_err(|error| match error {
            CheckError::Broken(message) => Failure::new("bad_request", message),
            CheckError::Thread(error) => Failure::internal(error.to_string()),
        })
    })
}
