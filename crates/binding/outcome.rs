//! Results that cross to JavaScript as data: `{ok: value}` or `{error: {code, message}}`.
//!
//! Errors are not thrown from here, because an error thrown by an addon carries no code of ours.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{Object, Result, ToNapiValue};
use napi::{Env, sys};
use napi_derive::napi;

/// Why a call failed, as JavaScript sees it.
#[napi(object)]
pub struct JsFailure {
    /// Stable id from the error table.
    pub code: String,
    /// Text for people.
    pub message: String,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Stable id from the error table.
    pub code: Cow<'static, str>,
    /// Text for people.
    pub message: String,
}

impl Failure {
    /// A failure with a code of the table.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
        }
    }

    /// A failure that the caller could not have caused.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new("internal", message)
    }

    /// The failure of a closure that panicked.
    pub fn from_panic(panic: &(dyn std::any::Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Self::internal(text.unwrap_or_else(|| "unknown".to_owned()))
    }
}

impl From<serval_store::StoreError> for Failure {
    fn from(error: serval_store::StoreError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        serval_store::StoreError::from(error).into()
    }
}

/// What a call gives before it is on its way to JavaScript.
pub type Answer<T> = std::result::Result<T, Failure>;

/// A result on its way to JavaScript.
pub struct Outcome<T>(pub Answer<T>);

impl<T> Outcome<T> {
    /// What a call on the JavaScript thread gives; a panic becomes `internal`. It must not leave
    /// the addon: it would end the process.
    pub fn of(call: impl FnOnce() -> Answer<T>) -> Self {
        let caught = catch_unwind(AssertUnwindSafe(call));
        Self(caught.unwrap_or_else(|panic| Err(Failure::from_panic(panic.as_ref()))))
    }
}

impl<T: ToNapiValue> ToNapiValue for Outcome<T> {
    unsafe fn to_napi_value(env: sys::napi_env, value: Self) -> Result<sys::napi_value> {
        let mut object = Object::new(&Env::from_raw(env))?;
        match value.0 {
            Ok(ok) => object.set("ok", ok)?,
            Err(Failure { code, message }) => {
                object.set(
                    "error",
                    JsFailure {
                        code: code.into_owned(),
                        message,
                    },
                )?;
            }
        }
        // SAFETY: `env` is the environment this function was called with, on its own thread.
        unsafe { Object::to_napi_value(env, object) }
    }
}
