//! Pages of documents, and single ones.

use std::io::Write;
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use super::document_writer::DocumentWriter;
use super::sort_documents::{first_sorted, sort_keys};
use crate::docset::{DocId, DocSet};
use crate::facet::{self};
use crate::index::{IndexError, Snapshot};
use crate::request::{FilterFeatures, SearchError};

const FILTER_CODE: &str = "invalid_document_filter";
const DEFAULT_LIMIT: usize = 20;

/// Which documents, and what of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentsRequest {
    /// Documents to skip.
    pub offset: usize,
    /// Documents to return at the most.
    pub limit: usize,
    /// Names or dotted paths to return, literally; everything without it.
    pub fields: Option<Vec<String>>,
    /// External ids to choose from, in any order; unknown ones are ignored.
    pub ids: Option<Vec<String>>,
    /// A filter in its JSON form.
    pub filter: Option<Value>,
    /// `attribute:asc`, `attribute:desc` or `_geoPoint(lat, lng):asc` and the like.
    pub sort: Option<Vec<String>>,
    /// Whether `_vectors` is returned.
    pub retrieve_vectors: bool,
    /// Which experimental filter operators may be used.
    pub features: FilterFeatures,
}

impl Default for DocumentsRequest {
    fn default() -> Self {
        Self {
            offset: 0,
            limit: DEFAULT_LIMIT,
            fields: None,
            ids: None,
            filter: None,
            sort: None,
            retrieve_vectors: false,
            features: FilterFeatures::default(),
        }
    }
}

/// What to return of a single document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentOptions {
    /// Names or dotted paths to return, literally; everything without it.
    pub fields: Option<Vec<String>>,
    /// Whether `_vectors` is returned.
    pub retrieve_vectors: bool,
}

/// Answers a listing with the JSON of its response: `results`, `offset`, `limit`, `total`.
/// Refusals do not ask for the index to be named.
///
/// # Errors
/// A filter or sort that is malformed or not allowed, or a document that cannot be read.
pub fn documents(snapshot: &Snapshot, request: &DocumentsRequest) -> Result<Vec<u8>, SearchError> {
    let docs = chosen(snapshot, request).map_err(unnamed)?;
    let page = page(snapshot, request, &docs).map_err(unnamed)?;
    let fields = request.fields.as_deref();
    let writer = DocumentWriter::new(snapshot, fields, request.retrieve_vectors);
    let mut out = b"{\"results\":[".to_vec();
    for (at, id) in page.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        writer.write(id, &mut out)?;
    }
    let (offset, limit, total) = (request.offset, request.limit, docs.len());
    write!(
        out,
        "],\"offset\":{offset},\"limit\":{limit},\"total\":{total}}}"
    )
    .expect("invariant: writing to memory succeeds");
    Ok(out)
}

/// The JSON of the document with this external id; `None` if there is none.
///
/// # Errors
/// When the document cannot be read.
pub fn document(
    snapshot: &Snapshot,
    external_id: &str,
    options: &DocumentOptions,
) -> Result<Option<Vec<u8>>, SearchError> {
    let Some(id) = snapshot.find(external_id).map_err(IndexError::from)? else {
        return Ok(None);
    };
    let mut out = Vec::new();
    let fields = options.fields.as_deref();
    DocumentWriter::new(snapshot, fields, options.retrieve_vectors).write(id, &mut out)?;
    Ok(Some(out))
}

/// Documents that a filter in its JSON form selects, for operations on documents: the features it
/// needs were checked when it was accepted. No filter selects nothing.
///
/// # Errors
/// `invalid_document_filter`, when the filter is malformed or not allowed by the settings.
pub fn filter_docs(snapshot: &Snapshot, filter: &Value) -> Result<DocSet, SearchError> {
    let docs = filtered(snapshot, filter, &FilterFeatures::ALL)?;
    Ok(docs.unwrap_or_default())
}

/// `None` if the value is no filter at all.
pub(super) fn filtered(
    snapshot: &Snapshot,
    filter: &Value,
    features: &FilterFeatures,
) -> Result<Option<DocSet>, SearchError> {
    let parsed = serval_filter::parse_json(filter)
        .map_err(|error| SearchError::new(FILTER_CODE, error.to_string()))?;
    let evaluate = |filter| facet::filter_docs(snapshot, None, &filter, features, FILTER_CODE);
    parsed.map(evaluate).transpose()
}

/// The documents that filter and ids leave.
fn chosen(snapshot: &Snapshot, request: &DocumentsRequest) -> Result<DocSet, SearchError> {
    let filter = request.filter.as_ref();
    let passing = filter
        .map(|filter| filtered(snapshot, filter, &request.features))
        .transpose()?;
    let named = request
        .ids
        .as_ref()
        .map(|ids| -> Result<DocSet, IndexError> {
            let found = ids.iter().map(|id| snapshot.find(id));
            let found: Vec<Option<DocId>> = found.collect::<Result<_, _>>()?;
            Ok(found.into_iter().flatten().collect())
        })
        .transpose()?;
    Ok(match (passing.flatten(), named) {
        (Some(passing), Some(named)) => named.and(&passing),
        (Some(docs), None) | (None, Some(docs)) => docs,
        (None, None) => snapshot.documents().clone(),
    })
}

fn page(
    snapshot: &Snapshot,
    request: &DocumentsRequest,
    docs: &DocSet,
) -> Result<Vec<DocId>, SearchError> {
    let start = request.offset.min(docs.len());
    let window: Range<usize> = start..start.saturating_add(request.limit).min(docs.len());
    let keys = sort_keys(snapshot, request.sort.as_deref().unwrap_or_default())?;
    if keys.is_empty() {
        return Ok(docs.iter().skip(window.start).take(window.len()).collect());
    }
    Ok(first_sorted(snapshot, docs, &keys, window))
}

fn unnamed(error: SearchError) -> SearchError {
    SearchError {
        names_index: false,
        ..error
    }
}
