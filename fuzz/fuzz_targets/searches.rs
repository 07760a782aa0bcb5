//! Any request is answered or refused; an answer holds no more hits than asked for, each once, and
//! with a filter exactly those that the filter alone finds.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use serval_engine::docset::DocSet;
use serval_engine::index::{Index, IndexOptions};
use serval_engine::search::{IndexView, QueryConfigs, SearchRequest, search};

const DOCUMENTS: u32 = 60;

fn view() -> &'static IndexView {
    static VIEW: OnceLock<(tempfile::TempDir, Index, IndexView)> = OnceLock::new();
    let (_, _, view) = VIEW.get_or_init(|| {
        let folder = tempfile::tempdir_in("/dev/shm").expect("a folder");
        let options = IndexOptions {
            indexing_memory_bytes: 15_000_000,
            indexing_threads: 1,
            cache_bytes: 1 << 20,
        };
        let index = Index::create(&folder.path().join("index"), Some("id"), options).expect("made");
        let lines: String = (0..DOCUMENTS).map(|id| format!("{}\n", document(id))).collect();
        let batch = json!({"batchUid": 1, "operations": [
            {"taskUid": 1, "type": "settingsUpdate", "settings": {
                "filterableAttributes": ["genre", "year", "_geo"], "sortableAttributes": ["year", "title"],
                "synonyms": {"film": ["movie"]}, "stopWords": ["the"]}},
            {"taskUid": 2, "type": "documentAdditionOrUpdate", "method": "replace",
             "primaryKey": null, "payload": {"inline": lines}, "skipCreation": false},
        ]});
        let batch = serde_json::from_value(batch).expect("a batch");
        index.apply_batch(&batch, &|_, _| Ok(DocSet::empty())).expect("applied");
        let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
        (folder, index, view)
    });
    view
}

fn document(id: u32) -> Value {
    const WORDS: [&str; 12] = [
        "night", "knight", "the", "shadow", "été", "東京", "movie", "don't", "well-known", "a", "train", "x",
    ];
    let word = |n: u32| WORDS[(id * 7 + n * n + id / 3) as usize % WORDS.len()];
    json!({
        "id": id,
        "title": format!("{} {} {}", word(1), word(2), word(3)),
        "overview": (0..id % 9).map(word).collect::<Vec<_>>().join(" "),
        "genre": if id % 4 == 0 { json!(["drama", id % 3]) } else { json!("comedy") },
        "year": if id % 11 == 0 { Value::Null } else { json!(1990 + id % 30) },
        "_geo": {"lat": id % 80, "lng": id % 160},
    })
}

fn found(request: &Value) -> Option<Vec<u64>> {
    let request: SearchRequest = serde_json::from_value(request.clone()).ok()?;
    let answer = search(view(), &request).ok()?;
    let answer: Value = serde_json::from_slice(&answer).expect("answers are JSON");
    let hits = answer["hits"].as_array().expect("a list of hits").iter();
    Some(hits.map(|hit| hit["id"].as_u64().expect("an id")).collect())
}

fuzz_target!(|text: &str| {
    let mut parts = text.split('\n');
    let mut next = || parts.next().unwrap_or_default();
    let (query, filter, sort, more) = (next(), next(), next(), next());
    let mut request = json!({"q": query, "limit": 1000});
    if !filter.is_empty() {
        request["filter"] = json!(filter);
    }
    if !sort.is_empty() {
        request["sort"] = json!([sort]);
    }
    for (name, value) in serde_json::from_str(more).unwrap_or_else(|_| serde_json::Map::new()) {
        request[name] = value;
    }
    let Some(hits) = found(&request) else { return };
    let limit = request["limit"].as_u64().or(request["hitsPerPage"].as_u64()).unwrap_or(1000);
    assert!(hits.len() as u64 <= limit.max(20));
    let mut distinct = hits.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), hits.len(), "a document is found twice: {request}");
    if more.is_empty() && !filter.is_empty() {
        let allowed = found(&json!({"filter": filter, "limit": 1000})).expect("the filter is good");
        let without = found(&json!({"q": query, "limit": 1000})).expect("a query is never refused");
        let mut expected: Vec<u64> = without.into_iter().filter(|id| allowed.contains(id)).collect();
        expected.sort_unstable();
        assert_eq!(distinct, expected, "{request}");
    }
});
