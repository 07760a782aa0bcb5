//! Decompression of zstd, for runtimes that have none.

use std::sync::{Arc, Mutex, PoisonError};

use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Result};
use napi_derive::napi;
use serval_payload::ZstdStream;

use crate::outcome::Failure;
use crate::runtime::{Lane, promise_on};

/// A zstd stream in the course of decompression. Its calls must wait for each other.
#[napi]
pub struct NativeZstdDecoder {
    stream: Arc<Mutex<ZstdStream>>,
}

#[napi]
impl NativeZstdDecoder {
    /// A stream of which nothing was read yet.
    #[napi(constructor)]
    pub fn new() -> Result<Self> {
        let stream =
            ZstdStream::new().map_err(|error| napi::Error::from_reason(error.to_string()))?;
        Ok(Self {
            stream: Arc::new(Mutex::new(stream)),
        })
    }

    /// Adds compressed bytes, if any, and gives the next decompressed ones, at most 256 KiB. As
    /// many as that mean that there may be more without further bytes.
    #[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
    pub fn decode<'e>(&self, env: &'e Env, bytes: Option<Buffer>) -> Result<Object<'e>> {
        let stream = Arc::clone(&self.stream);
        let bytes: Option<Vec<u8>> = bytes.map(|buffer| buffer.to_vec());
        promise_on(env, Lane::Quick, move || {
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            stream.push(&bytes.unwrap_or_default());
            let output = stream.pull();
            output
                .map(Buffer::from)
                .map_err(|error| Failure::new("bad_request", error.to_string()))
        })
    }

    /// Whether the stream may end here.
    #[napi(getter)]
    pub fn is_complete(&self) -> bool {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.is_complete()
    }
}
