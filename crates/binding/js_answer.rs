//! Finished answers that are put together, ordered anew or compressed.

use napi::Env;
use napi::bindgen_prelude::{Buffer, BufferSlice, Object, Result};
use napi_derive::napi;
use serval_engine::federation::{self, GatherRequest};
use serval_engine::search;
use serval_payload::{Encoding, compress};

use crate::answer_bytes::AnswerBytes;
use crate::outcome::Failure;
use crate::runtime::{Lane, promise_on};

/// One answer of parts in a row, whose memory can be freed like that of others.
#[napi(ts_return_type = "Buffer")]
pub fn join_answer(parts: Vec<BufferSlice<'_>>) -> AnswerBytes {
    let mut joined = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in &parts {
        joined.extend_from_slice(part);
    }
    AnswerBytes::from(joined)
}

/// Puts the answers of several servers together to one; all are JSON.
#[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
pub fn gather_answers<'e>(
    env: &'e Env,
    request: Buffer,
    answers: Vec<Buffer>,
) -> Result<Object<'e>> {
    let request = request.to_vec();
    let answers: Vec<Vec<u8>> = answers.iter().map(|answer| answer.to_vec()).collect();
    promise_on(env, Lane::Quick, move || {
        let request: GatherRequest = serde_json::from_slice(&request)?;
        let gathered = federation::gather(&request, &answers)?;
        Ok::<_, Failure>(AnswerBytes::from(gathered))
    })
}

/// The documents of the hits of an answer that are not pinned, each as JSON.
#[napi(ts_return_type = "Promise<{ ok: Array<string> } | { error: JsFailure }>")]
pub fn unpinned_documents<'e>(env: &'e Env, answer: Buffer) -> Result<Object<'e>> {
    let answer = answer.to_vec();
    promise_on(env, Lane::Quick, move || {
        Ok::<_, Failure>(search::unpinned_documents(&answer)?)
    })
}

/// An answer with the hits that are not pinned in a new order.
#[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
pub fn reorder_hits<'e>(env: &'e Env, answer: Buffer, order: Vec<u32>) -> Result<Object<'e>> {
    let answer = answer.to_vec();
    promise_on(env, Lane::Quick, move || {
        let order: Vec<usize> = order.into_iter().map(|place| place as usize).collect();
        Ok::<_, Failure>(AnswerBytes::from(search::reordered(&answer, &order)?))
    })
}

/// Compresses an answer by a content encoding of HTTP: `zstd`, `gzip` or `deflate`.
#[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
pub fn compress_answer<'e>(env: &'e Env, answer: Buffer, encoding: String) -> Result<Object<'e>> {
    let answer = answer.to_vec();
    promise_on(env, Lane::Quick, move || {
        let encoding = Encoding::of_name(&encoding)
            .ok_or_else(|| Failure::internal(format!("no encoding is called {encoding}")))?;
        Ok::<_, Failure>(AnswerBytes::from(compress(&answer, encoding)?))
    })
}
