//! `NativeDocumentLines`: the documents of an index in compressed pieces of bounded size.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;
use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Result};
use napi_derive::napi;
use serval_engine::fetch::DocumentLines;
use serval_engine::request::FilterFeatures;

use crate::js_index::NativeIndex;
use crate::outcome::Failure;
use crate::runtime::{Lane, promise_on};

/// Fast: the other side waits, and its network is rarely slower.
const LEVEL: u32 = 3;

/// Chosen documents of one moment of an index.
#[napi]
pub struct NativeDocumentLines {
    lines: Arc<Mutex<DocumentLines>>,
    n_documents: u32,
}

/// Chooses documents by a filter in its JSON form, all when it is `null`.
#[napi(ts_return_type = "Promise<{ ok: NativeDocumentLines } | { error: JsFailure }>")]
pub fn document_lines<'e>(
    env: &'e Env,
    index: &NativeIndex,
    filter_json: String,
) -> Result<Object<'e>> {
    let open = index.handle()?;
    promise_on(env, Lane::Quick, move || {
        let filter: Option<serde_json::Value> = serde_json::from_str(&filter_json)?;
        let snapshot = open.wake()?.index.snapshot();
        let lines = DocumentLines::new(snapshot, filter.as_ref(), &FilterFeatures::ALL)?;
        Ok::<_, Failure>(NativeDocumentLines {
            n_documents: u32::try_from(lines.n_documents()).unwrap_or(u32::MAX),
            lines: Arc::new(Mutex::new(lines)),
        })
    })
}

/// One piece: NDJSON, compressed with gzip.
#[napi(object, object_from_js = false)]
pub struct JsDocumentPiece {
    /// How many documents it holds; 0 after the last one.
    pub documents: f64,
    /// The compressed lines.
    pub bytes: Buffer,
}

#[napi]
impl NativeDocumentLines {
    /// How many documents were chosen.
    #[napi(getter)]
    pub fn n_documents(&self) -> u32 {
        self.n_documents
    }

    /// The next piece, of so many bytes before compression at the most but at least one document.
    #[napi(ts_return_type = "Promise<{ ok: JsDocumentPiece } | { error: JsFailure }>")]
    pub fn next<'e>(&self, env: &'e Env, max_bytes: f64) -> Result<Object<'e>> {
        let lines = Arc::clone(&self.lines);
        promise_on(env, Lane::Long, move || {
            let mut out = GzEncoder::new(Vec::new(), Compression::new(LEVEL));
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            let documents = lines.write_next(max_bytes as u64, &mut out)?;
            out.flush()?;
            Ok::<_, Failure>(JsDocumentPiece {
                documents: documents as f64,
                bytes: out.finish()?.into(),
            })
        })
    }
}
