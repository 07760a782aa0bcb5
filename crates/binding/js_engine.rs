//! `NativeEngine`: makes and opens indexes.

use std::path::PathBuf;

use napi::Env;
use napi::bindgen_prelude::{Object, Result};
use napi_derive::napi;
use serval_engine::index::{IndexOptions, SearchMemory, Shared, last_commit as read_last_commit};
use serval_engine::indexing::upgrade_index;
use serval_engine::storage::file_sizes as read_file_sizes;

use crate::free_memory;
use crate::js_index::NativeIndex;
use crate::js_stop::{NativeStop, stop_of};
use crate::open_indexes::OPEN;
use crate::outcome::Failure;
use crate::runtime::{Lane, promise_on};

/// Limits of an engine.
#[napi(object)]
pub struct JsEngineOptions {
    /// Bytes for building segments before they are written.
    pub max_indexing_memory: Option<f64>,
    /// Threads that index a batch.
    pub max_indexing_threads: Option<u32>,
    /// Bytes in which the searches of all indexes remember things; by their documents unless given.
    pub max_search_memory: Option<f64>,
    /// Bytes that this may be at most, for all of them, where it goes by documents.
    pub search_memory_ceiling: Option<f64>,
}

/// Makes and opens indexes with the same limits.
#[napi]
pub struct NativeEngine {
    options: IndexOptions,
    shared: Shared,
}

#[napi]
impl NativeEngine {
    /// `options`: memory in bytes for building segments and for cached sets of documents.
    #[napi(constructor)]
    pub fn new(options: JsEngineOptions) -> Self {
        free_memory::start();
        let bytes = |given: Option<f64>, default: usize| given.map_or(default, |n| n as usize);
        let default = IndexOptions::default();
        let indexing = bytes(options.max_indexing_memory, default.indexing_memory_bytes);
        let (search_memory, together) =
            match (options.max_search_memory, options.search_memory_ceiling) {
                (Some(bytes), _) => (SearchMemory::exactly(bytes as usize), bytes as usize),
                (None, Some(ceiling)) => {
                    let ceiling = ceiling as usize;
                    (SearchMemory::default().under(ceiling), ceiling)
                }
                (None, None) => (SearchMemory::default(), usize::MAX),
            };
        Self {
            options: IndexOptions {
                indexing_memory_bytes: indexing,
                indexing_threads: options
                    .max_indexing_threads
                    .map_or(default.indexing_threads, |n| n as usize),
                search_memory,
            },
            shared: Shared::new(together),
        }
    }

    /// Makes an empty index in a folder that does not exist yet.
    #[napi(ts_return_type = "Promise<{ ok: NativeIndex } | { error: JsFailure }>")]
    pub fn create_index<'e>(&self, env: &'e Env, folder: String) -> Result<Object<'e>> {
        let (options, shared) = (self.options, self.shared.clone());
        promise_on(env, Lane::Quick, move || {
            let index = OPEN.create(folder, options, &shared)?;
            Ok::<_, Failure>(NativeIndex::from(index))
        })
    }

    /// Opens the index in a folder.
    #[napi(ts_return_type = "Promise<{ ok: NativeIndex } | { error: JsFailure }>")]
    pub fn open_index<'e>(&self, env: &'e Env, folder: String) -> Result<Object<'e>> {
        let (options, shared) = (self.options, self.shared.clone());
        promise_on(env, Lane::Quick, move || {
            let index = OPEN.open(folder, options, &shared)?;
            Ok::<_, Failure>(NativeIndex::from(index))
        })
    }

    /// Brings the index in a folder, which is not open, to the present format; the outcome tells
    /// whether it was of an older one.
    #[napi(ts_return_type = "Promise<{ ok: boolean } | { error: JsFailure }>")]
    pub fn upgrade_index<'e>(
        &self,
        env: &'e Env,
        folder: String,
        stop: &NativeStop,
    ) -> Result<Object<'e>> {
        let options = self.options;
        let stop = stop_of(Some(stop));
        promise_on(env, Lane::Long, move || {
            let was_outdated = upgrade_index(&PathBuf::from(folder), options, &stop)?;
            Ok::<_, Failure>(was_outdated)
        })
    }
}

/// What the last commit of the index in a folder says, whatever its format, as JSON:
/// `{formatVersion, isOutdated, primaryKey, lastBatch}`.
#[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
pub fn last_commit<'e>(env: &'e Env, folder: String) -> Result<Object<'e>> {
    promise_on(env, Lane::Quick, move || {
        let meta = read_last_commit(&PathBuf::from(folder))?;
        let commit = serde_json::json!({
            "formatVersion": meta.format_version,
            "isOutdated": meta.is_outdated(),
            "primaryKey": meta.primary_key,
            "lastBatch": meta.last_batch,
        });
        Ok::<_, Failure>(commit.to_string())
    })
}

/// Bytes of all files under a folder by the ends of their names, as JSON.
#[napi(ts_return_type = "Promise<{ ok: string } | { error: JsFailure }>")]
pub fn file_sizes<'e>(env: &'e Env, folder: String) -> Result<Object<'e>> {
    promise_on(env, Lane::Quick, move || {
        let sizes = read_file_sizes(&PathBuf::from(folder));
        Ok::<_, Failure>(serde_json::to_string(&sizes)?)
    })
}

/// How many searches of this process were cut off by their time limit.
#[napi]
pub fn degraded_searches() -> f64 {
    serval_engine::search::n_degraded_searches() as f64
}
