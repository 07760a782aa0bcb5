//! An answer on its way to a string of JavaScript.

use std::ptr;

use napi::bindgen_prelude::{Result, ToNapiValue};
use napi::{check_status, sys};
use serval_engine::search::AnswerText;

/// JSON that becomes a string: in units that JavaScript takes as they are, made where the answer was.
pub struct AnswerString(AnswerText);

impl From<Vec<u8>> for AnswerString {
    fn from(json: Vec<u8>) -> Self {
        Self(AnswerText::of(json))
    }
}

impl ToNapiValue for AnswerString {
    unsafe fn to_napi_value(env: sys::napi_env, Self(text): Self) -> Result<sys::napi_value> {
        let mut value = ptr::null_mut();
        // SAFETY: `env` is the environment this function was called with, on its own thread; the
        // text is valid for its length, and copied before it returns.
        let status = unsafe {
            match &text {
                AnswerText::Latin1(bytes) => {
                    let (data, len) = (bytes.as_ptr().cast(), bytes.len() as isize);
                    sys::napi_create_string_latin1(env, data, len, &mut value)
                }
                AnswerText::Utf16(units) => {
                    let (data, len) = (units.as_ptr(), units.len() as isize);
                    sys::napi_create_string_utf16(env, data, len, &mut value)
                }
            }
        };
        check_status!(status)?;
        Ok(value)
    }
}
