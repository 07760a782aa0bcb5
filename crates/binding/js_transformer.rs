//! `NativeTransformer`: a model that embeds texts in this process.

use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Result};
use napi_derive::napi;
use serval_transformer::{PoolingChoice, Transformer, TransformerError};

use crate::js_stop::NativeStop;
use crate::outcome::Failure;
use crate::runtime::{Lane, promise_on};

impl From<TransformerError> for Failure {
    fn from(error: TransformerError) -> Self {
        Self::new("vector_embedding_error", error.to_string())
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
        let (model, stopped) = (Arc::clone(&self.model), stop.flag());
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
