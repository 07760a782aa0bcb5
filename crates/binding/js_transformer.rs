//! `NativeTransformer`: a model that embeds texts in this process.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Result};
use napi_derive::napi;
use serval_transformer::{PoolingChoice, Transformer, TransformerError};

use crate::outcome::Failure;
use crate::runtime::{Lane, promise_on};

impl From<TransformerError> for Failure {
    fn from(error: TransformerError) -> Self {
        Self::new("vector_embedding_error", error.to_string())
    }
}

/// Ends the calls of `NativeTransformer.embed` that it was given to.
#[napi]
pub struct NativeStop {
    stopped: Arc<AtomicBool>,
}

#[napi]
impl NativeStop {
    /// Nothing is stopped yet.
    #[napi(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self {
            stopped: Arc::default(),
        }
    }

    /// Ends the calls soon; they resolve to `{error}`.
    #[napi]
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// A model in memory.
#[napi]
pub struct NativeTransformer {
    model: Arc<Transformer>,
}

#[napi]
impl NativeTransformer {
    /// Reads the model in a folder. `pooling` is that of the embedder's settings.
    #[napi(ts_return_type = "Promise<{ ok: NativeTransformer } | { error: JsFailure }>")]
    pub fn load<'e>(env: &'e Env, folder: String, pooling: String) -> Result<Object<'e>> {
        promise_on(env, Lane::Models, move || {
            let pooling = match pooling.as_str() {
                "forceMean" => PoolingChoice::ForceMean,
                "forceCls" => PoolingChoice::ForceCls,
                _ => PoolingChoice::UseModel,
            };
            let model = Arc::new(Transformer::load(Path::new(&folder), pooling)?);
            Ok::<_, Failure>(Self { model })
        })
    }

    /// Numbers of a vector.
    #[napi(getter)]
    pub fn dimensions(&self) -> u32 {
        u32::try_from(self.model.dimensions()).unwrap_or(u32::MAX)
    }

    /// The vectors of texts as the bytes of their numbers, one vector after the other, in the order
    /// of bytes of this machine. Documents are embedded by so many threads; with 0, the text of a
    /// query is embedded where searches run.
    #[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
    pub fn embed<'e>(
        &self,
        env: &'e Env,
        texts: Vec<String>,
        threads: u32,
        stop: &NativeStop,
    ) -> Result<Object<'e>> {
        let (model, stopped) = (Arc::clone(&self.model), Arc::clone(&stop.stopped));
        let lane = match threads {
            0 => Lane::Quick,
            _ => Lane::Models,
        };
        promise_on(env, lane, move || {
            let vectors = model.embed(&texts, threads as usize, &stopped)?;
            let numbers = vectors.into_iter().flatten();
            let bytes: Vec<u8> = numbers.flat_map(f32::to_ne_bytes).collect();
            Ok::<_, Failure>(Buffer::from(bytes))
        })
    }
}
