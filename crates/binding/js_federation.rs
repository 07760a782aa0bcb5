//! Queries over several indexes that become one list of hits.

use std::collections::BTreeMap;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{ClassInstance, Object, Result};
use napi_derive::napi;
use serval_engine::federation::{self, FederatedRequest};
use serval_engine::open_indexes::OpenIndex;
use serval_engine::request::SearchSource;
use serval_engine::search::IndexView;

use crate::answer_bytes::AnswerBytes;
use crate::foreign::foreign_of;
use crate::js_index::NativeIndex;
use crate::js_rules::{NativeSearchRules, applied};
use crate::js_stop::{NativeStop, stop_of};
use crate::outcome::Failure;
use crate::runtime::{Lane, promise_on};

/// Answers a federated search over open indexes with the given uids; both are JSON. `rules` may pin
/// documents, `stop` ends it early.
#[napi(ts_return_type = "Promise<{ ok: Buffer } | { error: JsFailure }>")]
pub fn federated_search<'e>(
    env: &'e Env,
    indexes: Vec<ClassInstance<'_, NativeIndex>>,
    uids: Vec<String>,
    request: String,
    rules: Option<ClassInstance<'_, NativeSearchRules>>,
    stop: Option<&NativeStop>,
) -> Result<Object<'e>> {
    let stop = stop_of(stop);
    let rules = rules.map(|rules| rules.handle());
    let indexes: Vec<Arc<OpenIndex>> = indexes
        .iter()
        .map(|index| index.handle())
        .collect::<Result<_>>()?;
    promise_on(env, Lane::Quick, move || {
        let mut request: FederatedRequest = serde_json::from_str(&request)?;
        request.stop = stop;
        let foreign = foreign_of(request.queries.iter().map(|query| &query.search))?;
        let mut views: Vec<IndexView> = Vec::with_capacity(indexes.len());
        for index in &indexes {
            views.push(index.wake()?.view().following(foreign.clone()));
        }
        let sources: BTreeMap<String, &dyn SearchSource> = uids
            .into_iter()
            .zip(views.iter().map(|view| view as &dyn SearchSource))
            .collect();
        let rules = rules.as_deref().map(applied);
        federation::federated_search(&sources, &request, rules.as_ref())
            .map(AnswerBytes::from)
            .map_err(|error| Failure::new(error.error.code, error.message()))
    })
}
