//! `NativeIndex`: one open index; requests come as JSON text, answers go as JSON bytes.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{ClassInstance, Function, Null, Object, Result, ToNapiValue};
use napi_derive::napi;
use serval_engine::batch::OperationError;
use serval_engine::docset::DocSet;
use serval_engine::facet::FacetSearchRequest;
use serval_engine::fetch::{self, DocumentsRequest, FieldsRequest};
use serval_engine::index::{BatchProgress, BatchStep, IndexError, Snapshot};
use serval_engine::open_indexes::{AwakeIndex, IndexCounts, OpenIndex};
use serval_engine::request::{SearchError, SearchRequest};
use serval_engine::search::{self, SimilarRequest};

use crate::answer_bytes::AnswerBytes;
use crate::answer_string::AnswerString;
use crate::any_length::AnyLength;
use crate::embedding::{Asked, embedding_of};
use crate::foreign::foreign_of;
use crate::js_rules::{NativeSearchRules, applied};
use crate::js_stop::{NativeStop, stop_of};
use crate::open_indexes::OPEN;
use crate::outcome::{Answer, Failure};
use crate::runtime::{Lane, promise_on};

/// An open index. Methods resolve to `{ok}` or `{error}`; after `close` they answer `{error}`.
#[napi]
pub struct NativeIndex {
    open: Option<Arc<OpenIndex>>,
}

/// The index that is open in a folder, in whichever thread; the folder must be spelled as when the
/// index was opened.
#[napi]
pub fn opened_index(folder: String) -> Option<NativeIndex> {
    OPEN.find(&folder).map(NativeIndex::from)
}

#[napi]
impl NativeIndex {
    /// Answers a search; both are JSON. `uid` is the name of the index in messages; `rules` may pin
    /// documents, `stop` ends the search early.
    #[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
    pub fn search<'e>(
        &self,
        env: &'e Env,
        uid: String,
        request: String,
        rules: Option<ClassInstance<'_, NativeSearchRules>>,
        stop: Option<&NativeStop>,
    ) -> Result<Object<'e>> {
        self.search_as::<AnswerBytes>(env, (uid, request), rules, stop)
    }

    /// The same for who parses the answer at once.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn search_text<'e>(
        &self,
        env: &'e Env,
        uid: String,
        request: String,
        rules: Option<ClassInstance<'_, NativeSearchRules>>,
        stop: Option<&NativeStop>,
    ) -> Result<Object<'e>> {
        self.search_as::<AnswerString>(env, (uid, request), rules, stop)
    }

    /// The answer to a search for which no rules apply, given at once, if the same request was
    /// answered since the last commit and is remembered.
    #[napi(ts_return_type = "Buffer | null")]
    pub fn recall(&self, request: String) -> Option<AnswerBytes> {
        self.recalled(&request).map(AnswerBytes::from)
    }

    /// The same for who parses the answer at once.
    #[napi(ts_return_type = "string | null")]
    pub fn recall_text(&self, request: String) -> Option<AnswerString> {
        self.recalled(&request).map(AnswerString::from)
    }

    /// Answers a search for facet values; both are JSON.
    #[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
    pub fn facet_search<'e>(
        &self,
        env: &'e Env,
        request: String,
        stop: Option<&NativeStop>,
    ) -> Result<Object<'e>> {
        let stop = stop_of(stop);
        self.read(env, move |open| {
            let facet: FacetSearchRequest = serde_json::from_str(&request)?;
            let mut search: SearchRequest = serde_json::from_str(&request)?;
            search.stop = stop;
            let answer = search::search_facet_values(&open.view(), &facet, &search)?;
            Ok(AnswerBytes::from(answer))
        })
    }

    /// Answers a search for similar documents; both are JSON.
    #[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
    pub fn similar<'e>(
        &self,
        env: &'e Env,
        request: String,
        stop: Option<&NativeStop>,
    ) -> Result<Object<'e>> {
        let stop = stop_of(stop);
        self.read(env, move |open| {
            let mut request: SimilarRequest = serde_json::from_str(&request)?;
            request.stop = stop;
            Ok(AnswerBytes::from(search::search_similar(
                &open.view(),
                &request,
            )?))
        })
    }

    /// Answers a listing of documents; both are JSON.
    #[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
    pub fn documents<'e>(&self, env: &'e Env, request: String) -> Result<Object<'e>> {
        self.read(env, move |open| {
            let request: DocumentsRequest = serde_json::from_str(&request)?;
            let answer = fetch::documents(&open.index.snapshot(), &request)?;
            Ok(AnswerBytes::from(answer))
        })
    }

    /// Answers a listing of fields; both are JSON.
    #[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
    pub fn fields<'e>(&self, env: &'e Env, request: String) -> Result<Object<'e>> {
        self.read(env, move |open| {
            let request: FieldsRequest = serde_json::from_str(&request)?;
            let answer = fetch::fields(&open.index.snapshot(), &request)?;
            Ok(AnswerBytes::from(answer))
        })
    }

    /// Merges all segments into one without removed documents.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn compact<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        let open = self.handle()?;
        promise_on(env, Lane::Long, move || {
            open.wake()?.index.compact()?;
            Ok::<_, Failure>(Null)
        })
    }

    /// One document as JSON, `null` if there is none. `options`: `{fields?, retrieveVectors?}`.
    #[napi(ts_return_type = "Promise<{ ok: Buffer | null } | { error: JsFailure }>")]
    pub fn document<'e>(
        &self,
        env: &'e Env,
        id: String,
        options: Option<String>,
    ) -> Result<Object<'e>> {
        self.read(env, move |open| {
            let options = serde_json::from_str(options.as_deref().unwrap_or("{}"))?;
            let document = fetch::document(&open.index.snapshot(), &id, &options)?;
            Ok(document.map(AnswerBytes::from))
        })
    }

    /// Applies a batch of operations in one commit; JSON in, a JSON list of results out.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn apply_batch<'e>(&self, env: &'e Env, batch: String) -> Result<Object<'e>> {
        let open = self.handle()?;
        promise_on(env, Lane::Long, move || {
            let batch = serde_json::from_str(&batch)?;
            let results = open.wake()?.index.apply_batch(&batch, &deleted_docs)?;
            Ok::<_, Failure>(serde_json::to_string(&results)?)
        })
    }

    /// Asks a batch to stop; `applyBatch` then answers with the code `aborted`.
    #[napi]
    pub fn abort_batch(&self, batch_uid: u32) {
        if let Some(open) = &self.open {
            open.abort_batch(batch_uid.into());
        }
    }

    /// Says that another batch is to come: merges of large segments are left to it.
    #[napi]
    pub fn expect_more(&self, batch_uid: u32) {
        if let Some(open) = &self.open {
            open.expect_more(batch_uid.into());
        }
    }

    /// How far the running batch is: a JSON list of steps; `null` without one.
    #[napi]
    pub fn batch_progress(&self) -> Option<String> {
        let awake = self.open.as_ref()?.at_hand()?;
        let progress = awake.index.batch_progress()?;
        Some(steps(progress).to_string())
    }

    /// How long the steps of the running or last batch took: a JSON list of `[name, ms]`.
    #[napi]
    pub fn batch_trace(&self) -> String {
        let awake = self.open.as_ref().and_then(|open| open.at_hand());
        let trace = awake.map(|awake| awake.index.batch_trace());
        let steps = trace.unwrap_or_default().into_iter();
        let steps = steps.map(|(step, micros)| (step.name(), micros as f64 / 1000.0));
        serde_json::json!(steps.collect::<Vec<_>>()).to_string()
    }

    /// Sets who makes vectors of texts: `embed` is called with the number of a request and its
    /// JSON, `{embedder, settings, texts}`, and answers by `answerEmbedding`.
    #[napi(ts_args_type = "embed: (number: number, request: string) => void")]
    pub fn set_embedding(&self, embed: Function<'_, Asked, ()>) -> Result<()> {
        let embedding = embedding_of(embed)?;
        self.handle()?.set_embedding(embedding);
        Ok(())
    }

    /// What the index knows of itself, as JSON.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn info<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        self.read(env, |open| Ok(info(&open.index.snapshot()).to_string()))
    }

    /// What is counted in the index, as JSON; one that rests is not opened for it.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn counts<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        let open = self.handle()?;
        promise_on(env, Lane::Quick, move || {
            let counts = open.counts()?;
            Ok::<_, Failure>(counts_json(&counts).to_string())
        })
    }

    /// All settings, as JSON.
    #[napi(ts_return_type = "Promise<{ ok: string | Buffer } | { error: JsFailure }>")]
    pub fn settings<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        self.read(env, |open| {
            let settings = serde_json::to_string(open.index.snapshot().settings())?;
            Ok(AnyLength::from(settings))
        })
    }

    /// The settings as JSON, without the words that they list.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn settings_without_words<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        self.read(env, |open| {
            let settings = open.index.snapshot().settings().without_words();
            Ok(serde_json::to_string(&settings)?)
        })
    }

    /// The uids of the indexes that foreign keys lead to, given at once; none after `close`.
    #[napi]
    pub fn foreign_uids(&self) -> Vec<String> {
        let open = self.open.as_ref();
        open.map(|open| open.foreign_uids()).unwrap_or_default()
    }

    /// Lets the files go once the calls already made have ended. Whoever is the last to hold the index
    /// waits for its merges; that is never the JavaScript thread.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn close<'e>(&mut self, env: &'e Env) -> Result<Object<'e>> {
        let open = self.open.take();
        promise_on(env, Lane::Long, move || {
            drop(open);
            Ok::<_, Failure>(Null)
        })
    }

    /// What other parts of the addon need to work on it.
    pub(crate) fn handle(&self) -> Result<Arc<OpenIndex>> {
        self.open
            .clone()
            .ok_or_else(|| napi::Error::from_reason("the index is closed"))
    }

    fn recalled(&self, request: &str) -> Option<Vec<u8>> {
        let awake = self.open.as_ref()?.at_hand()?;
        search::recall(&awake.index.snapshot(), request)
    }

    fn search_as<'e, T>(
        &self,
        env: &'e Env,
        (uid, text): (String, String),
        rules: Option<ClassInstance<'_, NativeSearchRules>>,
        stop: Option<&NativeStop>,
    ) -> Result<Object<'e>>
    where
        T: From<Vec<u8>> + ToNapiValue + Send + 'static,
    {
        let stop = stop_of(stop);
        let rules = rules.map(|rules| rules.handle());
        self.read(env, move |open| {
            let mut request: SearchRequest = serde_json::from_str(&text)?;
            request.stop = stop;
            let rules = rules.as_deref().map(applied);
            let view = open.view().following(foreign_of([&request])?);
            let request = (text.as_str(), &request);
            search::search_remembering(&view, &uid, request, rules.as_ref())
                .map(T::from)
                .map_err(|error| named(error, &uid))
        })
    }

    fn read<'e, T>(
        &self,
        env: &'e Env,
        job: impl FnOnce(&AwakeIndex) -> Answer<T> + Send + 'static,
    ) -> Result<Object<'e>>
    where
        T: ToNapiValue + Send + 'static,
    {
        let open = self.handle()?;
        promise_on(env, Lane::Quick, move || {
            let awake = open.wake()?;
            job(&awake)
        })
    }
}

impl From<Arc<OpenIndex>> for NativeIndex {
    fn from(open: Arc<OpenIndex>) -> Self {
        Self { open: Some(open) }
    }
}

fn info(snapshot: &Snapshot) -> serde_json::Value {
    let meta = snapshot.meta();
    serde_json::json!({
        "primaryKey": meta.primary_key,
        "numberOfDocuments": snapshot.documents().len(),
        "lastBatch": meta.last_batch,
    })
}

fn counts_json(counts: &IndexCounts) -> serde_json::Value {
    serde_json::json!({
        "numberOfDocuments": counts.n_documents,
        "numberOfEmbeddings": counts.n_embeddings,
        "numberOfEmbeddedDocuments": counts.n_embedded_documents,
        "fieldDistribution": counts.field_distribution,
    })
}

/// The step of a batch and, where it counts documents, these.
fn steps(progress: BatchProgress) -> serde_json::Value {
    let BatchProgress {
        step,
        finished,
        total,
    } = progress;
    let mut steps = vec![serde_json::json!({
        "currentStep": step.name(),
        "finished": step.place(),
        "total": BatchStep::N_IN_SEQUENCE,
    })];
    if total > 0 {
        steps.push(serde_json::json!({
            "currentStep": "document", "finished": finished, "total": total,
        }));
    }
    steps.into()
}

/// Documents that a deletion or edition by filter selects.
fn deleted_docs(
    snapshot: &Snapshot,
    filter: &serde_json::Value,
) -> std::result::Result<DocSet, OperationError> {
    let refused = |error: SearchError| OperationError::new(error.code, error.message);
    fetch::filter_docs(snapshot, filter).map_err(refused)
}

fn named(error: SearchError, uid: &str) -> Failure {
    let message = if error.names_index {
        format!("Index `{uid}`: {}", error.message)
    } else {
        error.message
    };
    Failure::new(error.code, message)
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        Self::new(error.code, error.message)
    }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}
