//! Searches by words and vectors whose hits are to be distinct.

use serde_json::{Value, json};

use super::{IndexView, QueryConfigs, search};
use crate::testing::TestIndex;

/// A document whose vector is so many degrees from that of the query.
fn film(id: u32, tags: &[&str], title: &str, degrees: u32) -> Value {
    let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
    json!({"id": id, "tags": tags, "title": title, "_vectors": {"plain": [cos, sin]}})
}

fn ids(view: &IndexView, offset: usize, limit: usize) -> Vec<Value> {
    let request = json!({
        "q": "dark river", "vector": [1.0, 0.0], "distinct": "tags", "offset": offset, "limit": limit,
        // With such a share of vectors, words never fill the page alone.
        "hybrid": {"embedder": "plain", "semanticRatio": 0.56},
    });
    let request = serde_json::from_value(request).expect("a request");
    let answer = search(view, &request).expect("an answer");
    let answer: Value = serde_json::from_slice(&answer).expect("JSON");
    let hits = answer["hits"].as_array().expect("hits").iter();
    hits.map(|hit| hit["id"].clone()).collect()
}

#[test]
fn what_is_behind_the_hits_that_one_with_several_values_keeps_away_is_found() {
    let settings = json!({
        "filterableAttributes": ["tags"],
        "embedders": {"plain": {"source": "userProvided", "dimensions": 2}},
    });
    let documents = [
        film(0, &["a", "b"], "dark river", 180),
        film(1, &["c"], "dark", 180),
        film(2, &["a"], "sea", 60),
        film(3, &["b"], "sea", 62),
        film(4, &["d"], "sea", 64),
    ];
    let index = TestIndex::new(settings, &documents);
    let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
    let all = ids(&view, 0, 20);
    assert_eq!(all, [0, 4, 1]);
    for (offset, limit) in [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1)] {
        assert_eq!(ids(&view, offset, limit), all[offset..offset + limit]);
    }
}
