//! Searches that are stopped after so many questions whether they are: every question is tried.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    IndexView, QueryConfigs, SimilarRequest, Stop, search, search_facet_values, search_similar,
};
use crate::federation::{FederatedRequest, federated_search};
use crate::request::{SearchError, SearchRequest, SearchSource};
use crate::testing::TestIndex;

fn films() -> TestIndex {
    let documents: Vec<Value> = (0..40)
        .map(|id| {
            json!({
                "id": id,
                "title": format!("dark river {}", "night ".repeat(id % 3)),
                "kind": id % 4,
                "mood": (["calm", "wild"])[id % 2],
                "_vectors": {"plain": [id % 10, 1.0]},
            })
        })
        .collect();
    let settings = json!({
        "filterableAttributes": ["kind", "mood"],
        "sortableAttributes": ["kind"],
        "embedders": {"plain": {"source": "userProvided", "dimensions": 2}},
    });
    TestIndex::new(settings, &documents)
}

/// The answer without what differs each time.
fn stable(answer: &[u8]) -> Value {
    let mut answer: Value = serde_json::from_slice(answer).expect("JSON");
    let members = answer.as_object_mut().expect("an object");
    members.remove("requestUid");
    members.remove("processingTimeMs");
    answer
}

/// Stops a search at each of its questions: until it is told to stop too late to matter, it must
/// fail, and it must never answer with less.
fn stopped_everywhere(answer: impl Fn(Stop) -> Result<Vec<u8>, SearchError>) -> u32 {
    let whole = stable(&answer(Stop::default()).expect("an answer"));
    for n in 0.. {
        match answer(Stop::after_questions(n)) {
            Err(error) => assert_eq!(error.code, "aborted"),
            Ok(answer) => {
                assert_eq!(stable(&answer), whole);
                return n;
            }
        }
    }
    unreachable!("invariant: a search asks a number of times")
}

#[test]
fn a_stopped_search_fails_and_never_answers_with_less() {
    let index = films();
    let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
    let requests = [
        json!({"q": "dark night", "facets": ["kind"], "showRankingScore": true}),
        json!({"q": "", "sort": ["kind:desc"], "distinct": "kind", "hitsPerPage": 2}),
        json!({"q": "river", "filter": "kind > 1", "attributesToHighlight": ["title"]}),
        json!({"q": "river", "vector": [3, 1], "hybrid": {"embedder": "plain"}}),
        json!({"vector": [3, 1], "hybrid": {"embedder": "plain", "semanticRatio": 1.0}}),
    ];
    for request in requests {
        let n_questions = stopped_everywhere(|stop| {
            let mut request: SearchRequest =
                serde_json::from_value(request.clone()).expect("a request");
            request.stop = stop;
            search(&view, &request)
        });
        assert!(n_questions > 3, "{request} asked {n_questions} times");
    }
}

#[test]
fn a_stopped_federation_facet_search_or_search_for_similar_documents_fails() {
    let index = films();
    let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
    stopped_everywhere(|stop| {
        let search = json!({"q": "dark", "facetName": "mood"});
        let facet = serde_json::from_value(search.clone()).expect("a request");
        let mut search: SearchRequest = serde_json::from_value(search).expect("a request");
        search.stop = stop;
        search_facet_values(&view, &facet, &search)
    });
    stopped_everywhere(|stop| {
        let request = json!({"id": "7", "embedder": "plain"});
        let mut request: SimilarRequest = serde_json::from_value(request).expect("a request");
        request.stop = stop;
        search_similar(&view, &request)
    });
    let sources: BTreeMap<String, &dyn SearchSource> =
        BTreeMap::from([("films".to_owned(), &view as &dyn SearchSource)]);
    let query = |q: &str| json!({"indexUid": "films", "search": {"q": q}});
    stopped_everywhere(|stop| {
        let request = json!({"federation": {}, "queries": [query("dark"), query("night")]});
        let mut request: FederatedRequest = serde_json::from_value(request).expect("a request");
        request.stop = stop;
        federated_search(&sources, &request, None).map_err(|error| error.error)
    });
}
