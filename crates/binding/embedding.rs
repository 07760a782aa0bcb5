//! What the engine asks JavaScript for while it indexes: vectors of texts.
//!
//! The indexing thread sends texts to a callback and waits on a channel; JavaScript answers by
//! [`answer_embedding`] with the number of the request.
//!
//! # Invariants
//! 1. A request is answered once: by JavaScript, or with an error when the environment ends, since
//!    the callback that is dropped then refuses.
//! 2. The JavaScript thread never waits for an indexing thread.
//!
//! # Cost
//! Texts cross as one JSON text, vectors come back as the raw bytes of their numbers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use napi::Status;
use napi::bindgen_prelude::{Buffer, FnArgs, Function, Result};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use serde_json::{Value, json};
use serval_engine::vectors::{
    DocumentTemplate, DocumentTemplates, Embedding, EmbeddingError, EmbeddingSource, TemplateField,
};
use serval_template::{Field, Globals, Template, TemplateError};

type Vectors = std::result::Result<Vec<Vec<f32>>, EmbeddingError>;
/// The number of a request, and its JSON.
pub type Asked = FnArgs<(u32, String)>;
/// Called with the number of a request and its JSON; a weak reference, so that it does not keep
/// the process alive.
type Callback = ThreadsafeFunction<Asked, (), Asked, Status, false, true>;

static WAITING: LazyLock<Mutex<HashMap<u32, Sender<Vectors>>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU32 = AtomicU32::new(0);

/// How often a waiting thread looks whether the environment is still there.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Asks JavaScript for vectors.
struct JsEmbeddingSource {
    callback: Callback,
}

impl EmbeddingSource for JsEmbeddingSource {
    fn embed(&self, embedder: &str, settings_json: &str, texts: Vec<String>) -> Vectors {
        let failed = |message: String| EmbeddingError::new(message);
        let settings: Value =
            serde_json::from_str(settings_json).map_err(|error| failed(error.to_string()))?;
        let request = json!({ "embedder": embedder, "settings": settings, "texts": texts });
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = bounded(1);
        waiting().insert(number, sender);
        let mode = ThreadsafeFunctionCallMode::NonBlocking;
        let status = self
            .callback
            .call((number, request.to_string()).into(), mode);
        let gone = || failed("the process is ending".to_owned());
        if status != Status::Ok {
            waiting().remove(&number);
            return Err(gone());
        }
        loop {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(vectors) => return vectors,
                Err(RecvTimeoutError::Timeout) if !self.callback.aborted() => {}
                Err(_) => {
                    waiting().remove(&number);
                    return Err(gone());
                }
            }
        }
    }
}

fn waiting() -> std::sync::MutexGuard<'static, HashMap<u32, Sender<Vectors>>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers a request of the embedding callback: with the numbers of all vectors one after the
/// other, in the order of bytes of this machine, or with the reason why there are none.
#[napi]
pub fn answer_embedding(
    number: u32,
    dimensions: u32,
    numbers: Option<Buffer>,
    failure: Option<String>,
) {
    let Some(sender) = waiting().remove(&number) else {
        return;
    };
    let answer = match (numbers, failure) {
        (Some(bytes), None) => Ok(vectors_of(&bytes, dimensions as usize)),
        (_, failure) => Err(EmbeddingError::new(failure.unwrap_or_default())),
    };
    // The thread that asked may have given up.
    let _ = sender.send(answer);
}

fn vectors_of(bytes: &[u8], dimensions: usize) -> Vec<Vec<f32>> {
    let row_bytes = dimensions.max(1) * size_of::<f32>();
    let rows = bytes.chunks_exact(row_bytes);
    rows.map(|row| {
        let numbers = row.chunks_exact(size_of::<f32>());
        numbers
            .map(|number| f32::from_ne_bytes([number[0], number[1], number[2], number[3]]))
            .collect()
    })
    .collect()
}

/// What an index needs to embed documents, from a callback.
pub fn embedding_of(callback: Function<'_, Asked, ()>) -> Result<Embedding> {
    let callback = callback
        .build_threadsafe_function()
        .callee_handled::<false>()
        .weak::<true>()
        .build()?;
    Ok(Embedding {
        source: Arc::new(JsEmbeddingSource { callback }),
        templates: Arc::new(LiquidTemplates),
    })
}

struct LiquidTemplates;

struct LiquidTemplate(Template);

impl DocumentTemplates for LiquidTemplates {
    fn parse(&self, template: &str) -> std::result::Result<Box<dyn DocumentTemplate>, String> {
        match Template::parse(template) {
            Ok(template) => Ok(Box::new(LiquidTemplate(template))),
            Err(error) => Err(format!("user error: {error}")),
        }
    }
}

impl DocumentTemplate for LiquidTemplate {
    fn render(
        &self,
        document: &Value,
        fields: &[TemplateField],
    ) -> std::result::Result<String, String> {
        let fields = fields.iter().map(|field| Field {
            name: &field.name,
            is_searchable: field.is_searchable,
        });
        let globals = Globals::document(document, fields);
        let rendered = self.0.render(&globals);
        rendered.map_err(|error: TemplateError| error.to_string())
    }
}
