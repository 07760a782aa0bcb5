//! What searches cost while documents change, in processor time of the thread that searches, so that
//! other work on the machine does not show. Searches are interleaved with changes at a fixed ratio.
//!
//! `cargo run --release -p serval-engine --example updates -- INDEX NDJSON QUERIES [RATIO]`: the folder
//! of an index, which is changed; documents of it, one a line; texts to search for, one a line; and
//! how many searches come for each changed document (10).

#![allow(clippy::print_stdout, reason = "this is what it is for")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use serval_engine::batch::{Batch, OperationError};
use serval_engine::docset::DocSet;
use serval_engine::index::{Index, IndexOptions, Snapshot};
use serval_engine::request::SearchRequest;
use serval_engine::search::{IndexView, QueryConfigs, search};

const DOCUMENTS: usize = 500;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [index, documents, queries, ..] = &arguments[..] else {
        eprintln!("which index, documents and queries?");
        return;
    };
    let ratio = arguments.get(3).and_then(|n| n.parse().ok()).unwrap_or(10);
    let started = cpu_time();
    let index = Index::open(Path::new(index), IndexOptions::default()).expect("an index");
    println!("opened: {:?} of CPU", cpu_time() - started);
    let documents = fs::read_to_string(documents).expect("documents");
    let documents: Vec<Value> = documents
        .lines()
        .take(DOCUMENTS)
        .map(|line| serde_json::from_str(line).expect("a document"))
        .collect();
    let queries = fs::read_to_string(queries).expect("queries");
    let queries: Vec<&str> = queries.lines().collect();
    let configs = QueryConfigs::default();

    let run = |name: &str, ratio: Option<usize>| {
        let (mut searches, mut batches) = (Vec::new(), Vec::new());
        for (n, query) in queries.iter().enumerate() {
            if let Some(ratio) = ratio
                && n % ratio == 0
            {
                let document = documents[n / ratio % documents.len()].clone();
                batches.push(timed(|| change(&index, document, n)));
            }
            searches.push(timed(|| answer(&index, &configs, query)));
        }
        println!("{name}: searches {}", summary(searches));
        if !batches.is_empty() {
            println!("{name}: batches of one document {}", summary(batches));
        }
    };
    run("first", None);
    run("without changes", None);
    run("with changes", Some(ratio));
    run("without changes, again", None);
    println!("{} segments", index.snapshot().n_segments());
}

/// Changes a document; every other time it gets a word that no other has.
fn change(index: &Index, mut document: Value, n: usize) {
    if n.is_multiple_of(2) {
        let text = document["place"].as_str().unwrap_or_default().to_owned();
        document["place"] = json!(format!("{text} zq{n}x"));
    }
    let operation = json!({
        "taskUid": n, "type": "documentAdditionOrUpdate", "method": "replace",
        "payload": {"inline": format!("{document}\n")},
    });
    let batch: Batch =
        serde_json::from_value(json!({"batchUid": n, "operations": [operation]})).expect("a batch");
    let no_filter = |_: &Snapshot, _: &Value| Ok::<_, OperationError>(DocSet::empty());
    index.apply_batch(&batch, &no_filter).expect("applied");
}

fn answer(index: &Index, configs: &QueryConfigs, query: &str) {
    let view = IndexView::new(index.snapshot(), configs);
    let body = json!({ "q": query }).to_string();
    let request: SearchRequest = serde_json::from_str(&body).expect("a request");
    search(&view, &request).expect("an answer");
}

fn timed(job: impl FnOnce()) -> Duration {
    let started = cpu_time();
    job();
    cpu_time() - started
}

fn summary(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    format!(
        "{}: p50 {:?}, p90 {:?}, p99 {:?}, most {:?}, mean {mean:?}",
        times.len(),
        at(50),
        at(90),
        at(99),
        at(100),
    )
}

/// Processor time of this thread where the system tells it, elsewhere the time of day.
#[cfg(target_os = "linux")]
fn cpu_time() -> Duration {
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
    }
    const THREAD_CPU: i32 = 3;
    let mut time = Timespec {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: the function writes one value of this layout (64-bit Linux) and keeps nothing.
    unsafe { clock_gettime(THREAD_CPU, &raw mut time) };
    Duration::new(time.seconds as u64, time.nanoseconds as u32)
}

#[cfg(not(target_os = "linux"))]
fn cpu_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
