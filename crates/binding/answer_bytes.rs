//! Bytes of an answer on their way to a `Buffer` of JavaScript.

use std::ptr;

use napi::bindgen_prelude::{Buffer, JsValue, Result, ToNapiValue, Unknown};
use napi::{Env, check_status, sys};
use napi_derive::napi;

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
            let value = unsafe { Buffer::to_napi_value(env, Buffer::from(bytes)) }?;
            // SAFETY: as above; the value was just made, and nobody else has tagged it.
            check_status!(unsafe { sys::napi_type_tag_object(env, value, &LARGE_ANSWER) })?;
            return Ok(value);
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

/// Marks the buffers that `free_answer` may free: those that own their memory, which is an answer.
const LARGE_ANSWER: sys::napi_type_tag = sys::napi_type_tag {
    lower: 0x8c1d_0f5e_2b7a_4936,
    upper: 0x5e72_91c4_d60b_48af,
};

/// Frees the memory of an answer that nobody reads any more; the buffer is empty after it. Does
/// nothing to small answers and other values.
///
/// Left to the garbage collector, some dozens of large answers are enough for it to mark the whole
/// heap, to free memory that it holds nothing of itself.
#[napi]
pub fn free_answer(env: &Env, answer: Unknown<'_>) -> Result<()> {
    let (env, answer) = (env.raw(), answer.raw());
    let mut is_answer = false;
    // SAFETY: both belong to the environment of this thread, and the place is writable.
    let status =
        unsafe { sys::napi_check_object_type_tag(env, answer, &LARGE_ANSWER, &mut is_answer) };
    if status != sys::Status::napi_ok || !is_answer {
        return Ok(());
    }
    let mut memory = ptr::null_mut();
    // SAFETY: as above; a value with the tag is a buffer, and what is not asked for may be null.
    check_status!(unsafe {
        sys::napi_get_typedarray_info(
            env,
            answer,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
            &mut memory,
            ptr::null_mut(),
        )
    })?;
    // SAFETY: as above; what JavaScript reads of a detached buffer is empty.
    check_status!(unsafe { sys::napi_detach_arraybuffer(env, memory) })?;
    Ok(())
}
