//! JSON on its way to JavaScript that is mostly short, but may be of megabytes.

use napi::bindgen_prelude::{Result, ToNapiValue};
use napi::sys;

use crate::answer_bytes::AnswerBytes;

/// From this many bytes on, reading a text takes the event loop more than a millisecond.
const LONG_BYTES: usize = 64 * 1024;

/// JSON that becomes a string, ready to be parsed, or a `Buffer` where it is long: another thread
/// can be given that without a copy.
pub enum AnyLength {
    /// Becomes a string.
    Short(String),
    /// Becomes a `Buffer`.
    Long(AnswerBytes),
}

impl From<String> for AnyLength {
    fn from(json: String) -> Self {
        if json.len() < LONG_BYTES {
            Self::Short(json)
        } else {
            Self::Long(json.into_bytes().into())
        }
    }
}

impl ToNapiValue for AnyLength {
    unsafe fn to_napi_value(env: sys::napi_env, json: Self) -> Result<sys::napi_value> {
        // SAFETY: `env` is the environment this function was called with, on its own thread.
        unsafe {
            match json {
                Self::Short(text) => String::to_napi_value(env, text),
                Self::Long(bytes) => AnswerBytes::to_napi_value(env, bytes),
            }
        }
    }
}
