//! Bytes of an answer on their way to a `Buffer` of JavaScript.

use std::ptr;

use napi::bindgen_prelude::{Buffer, Result, ToNapiValue};
use napi::{check_status, sys};

/// Up to this many bytes are copied. Handing memory over costs JavaScript a hook for the end of the
/// environment and a message back to the loop when the buffer is collected: as much as to copy this.
const COPIED_BYTES: usize = 32 * 1024;

/// Bytes that become a `Buffer`: small ones by copying, large ones without.
pub struct AnswerBytes(Vec<u8>);

impl From<Vec<u8>> for AnswerBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl ToNapiValue for AnswerBytes {
    unsafe fn to_napi_value(env: sys::napi_env, Self(bytes): Self) -> Result<sys::napi_value> {
        if bytes.len() > COPIED_BYTES {
            // SAFETY: `env` is the environment this function was called with, on its own thread.
            return unsafe { Buffer::to_napi_value(env, Buffer::from(bytes)) };
        }
        let mut value = ptr::null_mut();
        let (length, data) = (bytes.len(), bytes.as_ptr().cast());
        // SAFETY: as above; `data` is valid for `length` bytes, which are copied before it returns.
        check_status!(unsafe {
            sys::napi_create_buffer_copy(env, length, data, ptr::null_mut(), &mut value)
        })?;
        Ok(value)
    }
}
