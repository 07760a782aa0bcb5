//! How long it takes to index documents and to commit one more.
//!
//! Corpus: the NDJSON file named by `SERVAL_BENCH_NDJSON` (documents with an `id`), or 5,000
//! generated documents of about 60 words. Every iteration works in a new directory under the
//! system's temporary one; a slow disk shows in the single-document figure, which is mostly syncs.
//! Run with `cargo bench -p serval-engine --bench indexing`.

use std::path::PathBuf;

use divan::Bencher;
use serde_json::json;
use serval_engine::docset::DocSet;
use serval_engine::index::{Index, IndexOptions, Snapshot};
use serval_engine::indexing::{Batch, OperationError};

const GENERATED: usize = 5_000;
const WORDS: usize = 20_000;

fn main() {
    divan::main();
}

fn corpus() -> String {
    if let Some(path) = std::env::var_os("SERVAL_BENCH_NDJSON") {
        return std::fs::read_to_string(PathBuf::from(path)).expect("the corpus is readable");
    }
    let mut state = 42_u64;
    let mut word = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let uniform = (state >> 33) as f64 / f64::from(u32::MAX >> 1);
        format!(
            "word{}",
            (uniform * uniform * uniform * WORDS as f64) as usize
        )
    };
    (0..GENERATED)
        .map(|id| {
            let title: Vec<String> = (0..6).map(|_| word()).collect();
            let text: Vec<String> = (0..54).map(|_| word()).collect();
            let document = json!({"id": id, "title": title.join(" "), "text": text.join(" ")});
            format!("{document}\n")
        })
        .collect()
}

fn batch(text: &str) -> Batch {
    serde_json::from_value(json!({"batchUid": 1, "operations": [{
        "taskUid": 1, "type": "documentAdditionOrUpdate", "method": "replace",
        "payload": {"inline": text},
    }]}))
    .expect("a batch")
}

fn no_filter(_: &Snapshot, _: &serde_json::Value) -> Result<DocSet, OperationError> {
    Ok(DocSet::empty())
}

fn new_index() -> (tempfile::TempDir, Index) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let index =
        Index::create(directory.path(), Some("id"), IndexOptions::default()).expect("a new index");
    (directory, index)
}

/// Everything from text to a committed, readable index.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn index_the_corpus(bencher: Bencher<'_, '_>) {
    let batch = batch(&corpus());
    bencher.with_inputs(new_index).bench_refs(|(_, index)| {
        index.apply_batch(&batch, &no_filter).expect("indexed");
    });
}

/// One document replaced in an index that holds the corpus, until it is durable and readable.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn commit_one_document(bencher: Bencher<'_, '_>) {
    let (_directory, index) = new_index();
    index
        .apply_batch(&batch(&corpus()), &no_filter)
        .expect("indexed");
    let one = batch(r#"{"id":1,"title":"a changed title","text":"a changed text"}"#);
    bencher.bench_local(|| index.apply_batch(&one, &no_filter).expect("indexed"));
}
