//! Long documents are shown as they are, whether they are decompressed for an answer or kept from others.

use serde_json::{Value, json};

use super::{IndexView, QueryConfigs, search};
use crate::index::Snapshot;
use crate::testing::TestIndex;

const N_DOCUMENTS: u32 = 8;

/// A document of some ten kilobytes that is hard to compress.
fn long(id: u32, version: u32) -> Value {
    let seed = u64::from(id * 100 + version + 1);
    let word = |n: u64| {
        format!(
            "w{:x}",
            (n * seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
        )
    };
    let text: Vec<String> = (1..1500).map(word).collect();
    json!({"id": id, "title": format!("common version{version}"), "text": text.join(" ")})
}

fn index() -> TestIndex {
    let documents: Vec<Value> = (0..N_DOCUMENTS).map(|id| long(id, 0)).collect();
    TestIndex::new(json!({"searchableAttributes": ["title"]}), &documents)
}

/// The hits of a search, as they are written.
fn hits(snapshot: &Snapshot, request: &Value) -> Vec<u8> {
    let view = IndexView::new(snapshot.clone(), &QueryConfigs::default());
    let request = serde_json::from_value(request.clone()).expect("a request");
    let mut json = search(&view, &request).expect("an answer");
    let tail = json.windows(9).position(|bytes| bytes == b"],\"query\"");
    json.truncate(tail.expect("the query follows the hits"));
    json
}

fn requests() -> [Value; 3] {
    [
        json!({"q": "common"}),
        json!({"q": "common", "attributesToHighlight": ["title"], "showRankingScore": true}),
        json!({"q": "common", "attributesToRetrieve": ["text", "id"], "offset": 1}),
    ]
}

fn shown_as_by_an_index_opened_anew(index: &TestIndex) {
    for request in requests() {
        let expected = hits(&index.opened_anew(), &request);
        for _ in 0..3 {
            assert_eq!(hits(&index.snapshot(), &request), expected, "{request}");
        }
    }
}

#[test]
fn they_are_shown_the_same_again_and_after_changes() {
    let index = index();
    shown_as_by_an_index_opened_anew(&index);
    assert!(index.snapshot().long_document_bytes() > 8 * 10_000);
    index.add(&[long(3, 1), long(20, 1)]);
    shown_as_by_an_index_opened_anew(&index);
    index.apply(json!({"type": "documentDeletion", "ids": ["0", "20"]}));
    shown_as_by_an_index_opened_anew(&index);
    index.compact();
    shown_as_by_an_index_opened_anew(&index);
}

#[test]
fn what_is_shown_once_is_not_kept() {
    let index = index();
    let snapshot = index.snapshot();
    hits(&snapshot, &json!({"q": "common"}));
    assert_eq!(snapshot.long_document_bytes(), 0);
    hits(&snapshot, &json!({"q": "common", "limit": 2}));
    let two = snapshot.long_document_bytes();
    assert!((20_000..30_000).contains(&two), "{two}");
}

#[test]
fn what_is_read_without_a_search_is_not_kept() {
    let snapshot = index().snapshot();
    for doc in (0..3).flat_map(|_| snapshot.documents().iter()) {
        snapshot.document(doc).expect("a document");
    }
    assert_eq!(snapshot.long_document_bytes(), 0);
}

#[test]
fn they_go_with_their_segment_and_searches_of_before_bring_none_back() {
    let index = index();
    index.add(&[long(20, 0)]);
    let request = json!({"q": "common"});
    let before = index.snapshot();
    let shown = hits(&before, &request);
    hits(&before, &request);
    assert!(before.long_document_bytes() > 9 * 10_000);
    index.compact();
    let now = index.snapshot();
    assert_eq!(now.long_document_bytes(), 0);
    for _ in 0..3 {
        assert_eq!(hits(&before, &request), shown);
    }
    assert_eq!(now.long_document_bytes(), 0);
    for _ in 0..3 {
        assert_eq!(hits(&now, &request), shown);
    }
    assert!(now.long_document_bytes() > 9 * 10_000);
}
