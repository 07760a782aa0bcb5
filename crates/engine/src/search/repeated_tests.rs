//! An answer that is given again is the one that a search would give: whatever was written, merged or
//! set in between.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::remembered_tests::{QUERIES, Step, step};
use super::{IndexView, QueryConfigs, recall, search, search_remembering};
use crate::index::Snapshot;
use crate::request::SearchRequest;
use crate::rules::{AppliedRules, SearchRules};
use crate::testing::TestIndex;

fn view_of(snapshot: &Snapshot) -> IndexView {
    IndexView::new(snapshot.clone(), &QueryConfigs::default())
}

/// The answer of the snapshot, remembered or not, and remembered from now on.
fn answer(snapshot: &Snapshot, request: &Value) -> Value {
    let text = request.to_string();
    let json = recall(snapshot, &text).unwrap_or_else(|| {
        let request: SearchRequest = serde_json::from_str(&text).expect("a request");
        search_remembering(&view_of(snapshot), "films", (&text, &request), None).expect("an answer")
    });
    serde_json::from_slice(&json).expect("an answer is JSON")
}

/// The answer of the snapshot, whose hits are written anew though it may be remembered.
fn written_again(snapshot: &Snapshot, request: &Value) -> Value {
    let text = request.to_string();
    let request = serde_json::from_str(&text).expect("a request");
    let json = search_remembering(&view_of(snapshot), "films", (&text, &request), None);
    serde_json::from_slice(&json.expect("an answer")).expect("an answer is JSON")
}

fn is_remembered(snapshot: &Snapshot, request: &Value) -> bool {
    let text = request.to_string();
    recall(snapshot, &text).is_some() || snapshot.page_of(&text).is_some()
}

/// Without what is different in each answer.
fn comparable(mut answer: Value) -> Value {
    let members = answer.as_object_mut().expect("an answer is an object");
    assert!(members.shift_remove("requestUid").is_some());
    assert!(members.shift_remove("processingTimeMs").is_some());
    answer
}

fn requests() -> impl Iterator<Item = Value> {
    QUERIES.iter().flat_map(|query| {
        [
            json!({"q": query, "limit": 5}),
            json!({"q": query, "attributesToHighlight": ["*"], "attributesToCrop": ["title:2"]}),
            json!({"q": query, "showMatchesPosition": true, "facets": ["*"], "page": 2, "hitsPerPage": 2}),
            json!({"q": query, "attributesToRetrieve": ["id"], "showRankingScore": true}),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn answers_given_again_are_those_of_the_snapshot(
        steps in proptest::collection::vec(step(), 1..10),
    ) {
        let index = TestIndex::new(json!({}), &[]);
        let mut earlier: Option<Snapshot> = None;
        for step in steps {
            match step {
                Step::Apply(operation) => index.apply(operation),
                Step::Compact => index.compact(),
            }
            let now = index.snapshot();
            let anew = view_of(&index.opened_anew());
            for request in requests() {
                let parsed = serde_json::from_value(request.clone()).expect("a request");
                let json = search(&anew, &parsed).expect("an answer");
                let expected = comparable(serde_json::from_slice(&json).expect("JSON"));
                prop_assert_eq!(&comparable(answer(&now, &request)), &expected);
                prop_assert_eq!(&comparable(answer(&now, &request)), &expected);
                let is_found = now.page_of(&request.to_string()).is_some();
                prop_assert_eq!(is_found, request.get("showRankingScore").is_none());
                prop_assert_eq!(&comparable(written_again(&now, &request)), &expected);
                // A search that began before the commit neither finds nor leaves answers.
                if let Some(before) = &earlier {
                    answer(before, &request);
                    written_again(before, &request);
                    prop_assert_eq!(&comparable(answer(&now, &request)), &expected);
                }
            }
            earlier = Some(now);
        }
    }
}

fn films() -> TestIndex {
    let documents = [
        json!({"id": 1, "title": "dark river", "year": 1999}),
        json!({"id": 2, "title": "the dark night", "year": 2004}),
    ];
    TestIndex::new(json!({"filterableAttributes": ["year"]}), &documents)
}

#[test]
fn only_the_same_request_is_answered_again() {
    let snapshot = films().snapshot();
    let request = json!({"q": "dark", "filter": "year < 2000"});
    assert!(!is_remembered(&snapshot, &request));
    assert_eq!(answer(&snapshot, &request)["estimatedTotalHits"], 1);
    assert!(is_remembered(&snapshot, &request));
    assert_eq!(answer(&snapshot, &request)["estimatedTotalHits"], 1);
    assert!(!is_remembered(&snapshot, &json!({"q": "dark"})));
    assert!(!is_remembered(
        &snapshot,
        &json!({"q": "dark", "filter": "year < 2005"})
    ));
}

#[test]
fn what_is_of_one_request_alone_is_not_remembered() {
    let snapshot = films().snapshot();
    let own = [
        json!({"q": "dark", "showPerformanceDetails": true}),
        json!({"q": "dark", "metadataOf": "films"}),
    ];
    for request in own {
        answer(&snapshot, &request);
        assert!(!is_remembered(&snapshot, &request), "{request}");
    }
}

#[test]
fn an_answer_that_was_cut_off_is_not_remembered() {
    let index = films();
    index.apply(json!({"type": "settingsUpdate", "settings": {"searchCutoffMs": 0}}));
    let request = json!({"q": "dark"});
    answer(&index.snapshot(), &request);
    assert!(!is_remembered(&index.snapshot(), &request));
}

#[test]
fn an_answer_to_which_rules_apply_is_not_remembered() {
    let snapshot = films().snapshot();
    let set = serde_json::from_value(json!({"rules": []})).expect("no rules are a set of rules");
    let rules = AppliedRules {
        rules: &SearchRules::new(set),
        now_ms: 0.0,
    };
    let (text, request) = (r#"{"q":"dark"}"#, SearchRequest::default());
    search_remembering(&view_of(&snapshot), "films", (text, &request), Some(&rules))
        .expect("an answer");
    assert!(recall(&snapshot, text).is_none());
}

#[test]
fn a_page_that_is_written_again_gives_distances_and_a_number_of_its_own() {
    let documents = [
        json!({"id": 1, "title": "dark river", "_geo": {"lat": 48.1, "lng": 11.5}}),
        json!({"id": 2, "title": "the dark night", "_geo": {"lat": 52.5, "lng": 13.4}}),
    ];
    let index = TestIndex::new(json!({"sortableAttributes": ["_geo"]}), &documents);
    let snapshot = index.snapshot();
    let request = json!({"q": "dark", "sort": ["_geoPoint(50, 12):asc"]});
    let [first, again] = [(); 2].map(|()| written_again(&snapshot, &request));
    assert!(first["hits"][0]["_geoDistance"].is_number());
    assert_ne!(first["requestUid"], again["requestUid"]);
    assert_eq!(comparable(again), comparable(first));
}
