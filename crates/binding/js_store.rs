//! `NativeStore`: the durable store, one JSON string in and one JSON string out per call.

use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use napi::Env;
use napi::bindgen_prelude::{Buffer, Object, Result, ToNapiValue};
use napi_derive::napi;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use serval_store::{
    BatchStart, CurrentBatch, FinishedBatch, NewTask, ReadTx, Store, StoreError, TaskFilter,
    Timestamp, WriteTx,
};

use crate::any_length::AnyLength;
use crate::outcome::Failure;
use crate::runtime::{Lane, Settler, promise, promise_on};

/// What an operation on the store gives.
pub(crate) type StoreResult<T> = std::result::Result<T, StoreError>;

/// The open store of a data folder. Methods resolve to `{ok}` or `{error}`; after `close` they
/// answer `{error}`.
#[napi]
pub struct NativeStore {
    store: Arc<RwLock<Option<Store>>>,
}

fn to_json<T: Serialize>(value: &T) -> StoreResult<String> {
    Ok(serde_json::to_string(value)?)
}

fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> StoreResult<T> {
    Ok(serde_json::from_str(text)?)
}

#[napi]
impl NativeStore {
    /// Opens or creates the store of the folder `path`; fails when another process holds it.
    #[napi(ts_return_type = "Promise<{ ok: NativeStore } | { error: JsFailure }>")]
    pub fn open<'e>(env: &'e Env, path: String) -> Result<Object<'e>> {
        promise_on(env, Lane::Long, move || {
            let store = Store::open(&PathBuf::from(path))?;
            Ok::<_, Failure>(NativeStore {
                store: Arc::new(RwLock::new(Some(store))),
            })
        })
    }

    /// Adds a task, with its small payload if it has one. Long details may be given apart, as the
    /// bytes of their JSON. The outcome is the task without its details, which the caller knows.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn enqueue<'e>(
        &self,
        env: &'e Env,
        task_json: String,
        payload: Option<String>,
        details: Option<Buffer>,
    ) -> Result<Object<'e>> {
        let payload = payload.map(String::into_bytes);
        let details = details.map(|bytes| bytes.to_vec());
        self.write(env, move |tx| {
            let mut new = NewTask {
                payload,
                ..from_json(&task_json)?
            };
            if let Some(bytes) = &details {
                new.details = Some(serde_json::from_slice(bytes)?);
            }
            let mut task = tx.enqueue(&new)?;
            task.details = None;
            to_json(&task)
        })
    }

    /// One task, or `null`.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn task<'e>(&self, env: &'e Env, uid: u32) -> Result<Object<'e>> {
        self.read(env, move |tx| to_json(&tx.task(uid)?))
    }

    /// One page of tasks that match the filter.
    #[napi(ts_return_type = "Promise<{ ok: string | Buffer } | { error: JsFailure }>")]
    pub fn tasks<'e>(&self, env: &'e Env, filter_json: String) -> Result<Object<'e>> {
        self.read(env, move |tx| {
            let page = to_json(&tx.tasks(&from_json(&filter_json)?)?)?;
            Ok(AnyLength::from(page))
        })
    }

    /// Uids of all tasks that match, as ranges.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn matching_tasks<'e>(&self, env: &'e Env, filter_json: String) -> Result<Object<'e>> {
        self.read(env, move |tx| {
            let filter: TaskFilter = from_json(&filter_json)?;
            to_json(&tx.matching_tasks(&filter)?)
        })
    }

    /// Tasks that wait, oldest first, after the uid `after`.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn queued_tasks<'e>(
        &self,
        env: &'e Env,
        after: Option<u32>,
        limit: u32,
    ) -> Result<Object<'e>> {
        self.read(env, move |tx| to_json(&tx.queued_tasks(after, limit)?))
    }

    /// Contents, details and inline payloads of the given tasks; no details of changes of settings.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn runnable_tasks<'e>(&self, env: &'e Env, uids: Vec<u32>) -> Result<Object<'e>> {
        self.read(env, move |tx| to_json(&tx.runnable_tasks(&uids)?))
    }

    /// The details of the given tasks, but for changes of settings.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn endable_tasks<'e>(&self, env: &'e Env, uids: Vec<u32>) -> Result<Object<'e>> {
        self.read(env, move |tx| to_json(&tx.endable_tasks(&uids)?))
    }

    /// The uid that the next task will get.
    #[napi(ts_return_type = "Promise<{ ok: number } | { error: JsFailure }>")]
    pub fn next_task_uid<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        self.read(env, |tx| tx.next_task_uid())
    }

    /// How many tasks the store holds.
    #[napi(ts_return_type = "Promise<{ ok: number } | { error: JsFailure }>")]
    pub fn count_tasks<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        self.read(env, |tx| tx.n_tasks().map(|n_tasks| n_tasks as f64))
    }

    /// How many tasks there are: `{statuses, types, indexes}`.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn task_counts<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        self.read(env, |tx| to_json(&tx.task_counts()?))
    }

    /// Uid and start of the batch that would run next.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn next_batch<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        self.read(env, |tx| to_json(&tx.next_batch()?))
    }

    /// Lays the running batch over the answers; `null` takes it away.
    ///
    /// JSON: `{uid, startedAt, tasks: [uid], details, stats, strategy}`.
    #[napi(ts_return_type = "{ ok: null } | { error: JsFailure }")]
    pub fn set_current_batch(&self, batch_json: Option<String>) -> crate::outcome::Outcome<()> {
        let batch = batch_json.map(|text| current_batch(&text)).transpose();
        crate::outcome::Outcome(batch.map_err(Failure::from).map(|batch| {
            if let Ok(guard) = self.store.read()
                && let Some(store) = guard.as_ref()
            {
                store.set_current(batch);
            }
        }))
    }

    /// Ends a batch in one transaction; the outcome is `{uid, finishedAt}`.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn finish_batch<'e>(&self, env: &'e Env, batch_json: String) -> Result<Object<'e>> {
        self.write(env, move |tx| {
            let batch: FinishedBatch = from_json(&batch_json)?;
            to_json(&tx.finish_batch(&batch)?)
        })
    }

    /// Lets the failed tasks of a type wait again; the outcome is how many there were.
    #[napi(ts_return_type = "Promise<{ ok: number } | { error: JsFailure }>")]
    pub fn reopen_failed<'e>(&self, env: &'e Env, kind: String) -> Result<Object<'e>> {
        self.write(env, move |tx| tx.reopen_failed(&kind).map(|n| n as f64))
    }

    /// One batch, or `null`.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn batch<'e>(&self, env: &'e Env, uid: u32) -> Result<Object<'e>> {
        self.read(env, move |tx| to_json(&tx.batch(uid)?))
    }

    /// One page of batches that match the filter.
    #[napi(ts_return_type = "Promise<{ ok: string | Buffer } | { error: JsFailure }>")]
    pub fn batches<'e>(&self, env: &'e Env, filter_json: String) -> Result<Object<'e>> {
        self.read(env, move |tx| {
            let page = to_json(&tx.batches(&from_json(&filter_json)?)?)?;
            Ok(AnyLength::from(page))
        })
    }

    /// The index registry, by uid.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn indexes<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        self.read(env, |tx| to_json(&tx.indexes()?))
    }

    /// The JSON under a key, or `null`.
    #[napi(ts_return_type = "Promise<{ ok: string | null } | { error: JsFailure }>")]
    pub fn record<'e>(&self, env: &'e Env, namespace: String, key: String) -> Result<Object<'e>> {
        self.read(env, move |tx| tx.record(&namespace, &key))
    }

    /// All of a namespace as JSON: `[[key, value]]`, by key.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn records<'e>(&self, env: &'e Env, namespace: String) -> Result<Object<'e>> {
        self.read(env, move |tx| {
            let records = tx
                .records(&namespace)?
                .into_iter()
                .map(|(key, json)| RawValue::from_string(json).map(|value| (key, value)));
            to_json(&records.collect::<std::result::Result<Vec<_>, _>>()?)
        })
    }

    /// Stores the values of JSON `[[key, value]]` under their keys: all of them or none.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn put_records<'e>(
        &self,
        env: &'e Env,
        namespace: String,
        records_json: String,
    ) -> Result<Object<'e>> {
        self.write(env, move |tx| {
            let records: Vec<(String, Box<RawValue>)> = from_json(&records_json)?;
            for (key, value) in &records {
                tx.put_record(&namespace, key, value.get())?;
            }
            Ok(())
        })
    }

    /// Removes a key; `false` when it was not there.
    #[napi(ts_return_type = "Promise<{ ok: boolean } | { error: JsFailure }>")]
    pub fn delete_record<'e>(
        &self,
        env: &'e Env,
        namespace: String,
        key: String,
    ) -> Result<Object<'e>> {
        self.write(env, move |tx| tx.delete_record(&namespace, &key))
    }

    /// Bytes of the database: `{total, used}`.
    #[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
    pub fn sizes<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        self.read(env, |tx| {
            let sizes = tx.sizes()?;
            Ok(json!({ "total": sizes.total, "used": sizes.used }).to_string())
        })
    }

    /// Waits for the calls already made, then frees the files and the lock.
    #[napi(ts_return_type = "Promise<{ ok: null } | { error: JsFailure }>")]
    pub fn close<'e>(&self, env: &'e Env) -> Result<Object<'e>> {
        let store = Arc::clone(&self.store);
        promise_on(env, Lane::Long, move || {
            let taken = store.write().map_or(None, |mut guard| guard.take());
            drop(taken);
            Ok::<_, Failure>(())
        })
    }
}

impl NativeStore {
    /// What other parts of the addon need to work on it.
    pub(crate) fn handle(&self) -> Arc<RwLock<Option<Store>>> {
        Arc::clone(&self.store)
    }

    fn write<'e, T>(
        &self,
        env: &'e Env,
        operation: impl FnOnce(&WriteTx<'_>) -> StoreResult<T> + Send + 'static,
    ) -> Result<Object<'e>>
    where
        T: ToNapiValue + Send + 'static,
    {
        self.promised(env, |store, settler| {
            store.write(operation, move |result| settler.settle(result));
        })
    }

    fn read<'e, T>(
        &self,
        env: &'e Env,
        operation: impl FnOnce(&ReadTx<'_>) -> StoreResult<T> + Send + 'static,
    ) -> Result<Object<'e>>
    where
        T: ToNapiValue + Send + 'static,
    {
        self.promised(env, |store, settler| {
            store.read(operation, move |result| settler.settle(result));
        })
    }

    /// Gives the store and what settles the promise to `call`, unless the store is closed.
    fn promised<'e, T>(
        &self,
        env: &'e Env,
        call: impl FnOnce(&Store, Settler<T>),
    ) -> Result<Object<'e>>
    where
        T: ToNapiValue + Send + 'static,
    {
        let (settler, promise) = promise(env)?;
        match self.store.read().ok().as_ref().and_then(|s| s.as_ref()) {
            Some(store) => call(store, settler),
            None => settler.settle(Err(StoreError::Closed)),
        }
        Ok(promise)
    }
}

fn current_batch(text: &str) -> StoreResult<CurrentBatch> {
    let json: Value = from_json(text)?;
    let uid = json["uid"].as_u64().and_then(|uid| u32::try_from(uid).ok());
    let started_at = json["startedAt"].as_str().and_then(Timestamp::parse);
    let (Some(uid), Some(started_at)) = (uid, started_at) else {
        return Err(StoreError::Invalid(
            "a batch needs `uid` and `startedAt`".to_owned(),
        ));
    };
    let tasks: Vec<u32> = serde_json::from_value(json["tasks"].clone())?;
    let raw = |key: &str| RawValue::from_string(json[key].to_string());
    let strategy = json["strategy"].as_str().unwrap_or_default();
    let start = BatchStart { uid, started_at };
    Ok(CurrentBatch::new(
        start,
        tasks,
        &raw("details")?,
        &raw("stats")?,
        strategy,
    ))
}
