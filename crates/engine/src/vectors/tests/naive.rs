//! Searches by vectors compared with reading all documents.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Fixture, add};

#[derive(Clone, Debug)]
struct Point {
    vectors: Vec<Vec<i8>>,
    kind: u8,
}

fn points() -> impl Strategy<Value = Vec<Point>> {
    let vector = proptest::collection::vec(-3..=3_i8, 3);
    let point = (proptest::collection::vec(vector, 0..3), 0..3_u8)
        .prop_map(|(vectors, kind)| Point { vectors, kind });
    proptest::collection::vec(point, 1..40)
}

fn similarity(a: &[i8], b: &[i8]) -> f64 {
    let dot = |a: &[i8], b: &[i8]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    if norms == 0.0 {
        return 1.0;
    }
    (1.0 + dot(a, b) / norms) / 2.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A filtered search by vectors gives the scores of a search through all documents, with those
    /// without vectors last, whatever part of the documents came first or was replaced.
    #[test]
    fn a_filtered_vector_search_equals_a_naive_one(
        points in points(),
        query in proptest::collection::vec(-3..=3_i8, 3),
        n_first in 0..40_usize,
        kind in 0..3_u8,
    ) {
        let settings = json!({
            "embedders": {"e": {"source": "userProvided", "dimensions": 3}},
            "filterableAttributes": ["kind"],
        });
        let fixture = Fixture::new(settings);
        let document = |(id, point): (usize, &Point)| {
            json!({"id": id, "kind": point.kind, "_vectors": {"e": point.vectors}})
        };
        let documents: Vec<Value> = points.iter().enumerate().map(document).collect();
        let stale: Vec<Value> = documents.iter().take(n_first).cloned().map(|mut document| {
            document["_vectors"]["e"] = json!([1, 1, 1]);
            document
        }).collect();
        fixture.succeed(add("replace", &stale));
        fixture.succeed(add("replace", &documents));
        let answer = fixture.answer(json!({
            "hybrid": {"embedder": "e", "semanticRatio": 1.0}, "vector": query, "limit": 7,
            "filter": format!("kind = {kind}"), "showRankingScore": true,
        }));
        let mut expected: Vec<f64> = points
            .iter()
            .filter(|point| point.kind == kind)
            .map(|point| {
                let similarities = point.vectors.iter().map(|vector| similarity(&query, vector));
                similarities.fold(0.0, f64::max)
            })
            .collect();
        prop_assert_eq!(&answer["estimatedTotalHits"], &json!(expected.len()));
        expected.sort_by(|a, b| b.total_cmp(a));
        expected.truncate(7);
        let hits = answer["hits"].as_array().expect("hits");
        prop_assert_eq!(hits.len(), expected.len());
        for (hit, expected) in hits.iter().zip(expected) {
            let score = hit["_rankingScore"].as_f64().expect("a score");
            prop_assert!((score - expected).abs() < 1e-5, "{} {}", hit, expected);
        }
    }
}
