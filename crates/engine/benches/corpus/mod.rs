//! What the benchmarks index: the 36,273 films of the demo, or the NDJSON file (documents with an
//! `id`) that `SERVAL_BENCH_NDJSON` names.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use serval_engine::batch::{Batch, OperationError};
use serval_engine::docset::DocSet;
use serval_engine::index::{Index, IndexOptions, Snapshot};
use tempfile::TempDir;

const FILMS: &str = "../../demo/movies.ndjson.gz";

/// The documents, one a line.
pub(crate) fn documents() -> String {
    let mut text = String::new();
    match std::env::var_os("SERVAL_BENCH_NDJSON") {
        Some(path) => {
            File::open(Path::new(&path)).and_then(|mut file| file.read_to_string(&mut text))
        }
        None => {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILMS);
            File::open(path).and_then(|file| GzDecoder::new(file).read_to_string(&mut text))
        }
    }
    .expect("the corpus is readable");
    text
}

/// A batch of one operation, given without `taskUid`.
pub(crate) fn batch(mut operation: Value) -> Batch {
    operation["taskUid"] = json!(1);
    serde_json::from_value(json!({"batchUid": 1, "operations": [operation]})).expect("a batch")
}

/// The batch that adds documents or replaces them.
pub(crate) fn addition(lines: &str) -> Batch {
    batch(json!({
        "type": "documentAdditionOrUpdate", "method": "replace", "payload": {"inline": lines},
    }))
}

/// An empty index in a folder that goes away with the first value.
pub(crate) fn new_index() -> (TempDir, Index) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let index =
        Index::create(folder.path(), Some("id"), IndexOptions::default()).expect("a new index");
    (folder, index)
}

/// Applies a batch that deletes nothing by filter.
pub(crate) fn apply(index: &Index, batch: &Batch) {
    index.apply_batch(batch, &no_filter).expect("applied");
}

fn no_filter(_: &Snapshot, _: &Value) -> Result<DocSet, OperationError> {
    Ok(DocSet::empty())
}
