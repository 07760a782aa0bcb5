//! Pinned documents among the hits of several indexes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{FederatedRequest, federated_search};
use crate::request::SearchSource;
use crate::rules::{AppliedRules, SearchRules};
use crate::search::{IndexView, QueryConfigs};
use crate::testing::TestIndex;

/// Films and songs with their rules.
struct Library {
    films: IndexView,
    songs: IndexView,
    rules: SearchRules,
    _indexes: [TestIndex; 2],
}

impl Library {
    fn new(rules: Value) -> Self {
        let index = |documents: &[Value]| {
            TestIndex::new(json!({"filterableAttributes": ["genre"]}), documents)
        };
        let films = index(&[
            json!({"id": 1, "title": "night train", "genre": "drama"}),
            json!({"id": 2, "title": "night plane", "genre": "comedy"}),
            json!({"id": 3, "title": "day boat", "genre": "comedy"}),
            json!({"id": 4, "title": "day ferry", "genre": "horror"}),
        ]);
        let songs = index(&[
            json!({"id": 11, "title": "night song"}),
            json!({"id": 12, "title": "night noise", "genre": "horror"}),
            json!({"id": 13, "title": "day song"}),
        ]);
        let view = |index: &TestIndex| IndexView::new(index.snapshot(), &QueryConfigs::default());
        let set = serde_json::from_value(json!({ "rules": rules })).expect("a set of rules");
        Self {
            films: view(&films),
            songs: view(&songs),
            rules: SearchRules::new(set),
            _indexes: [films, songs],
        }
    }

    fn answer(&self, federation: Value, queries: &[(&str, &str)]) -> Value {
        let query = |(uid, text): &(&str, &str)| json!({"indexUid": uid, "search": {"q": text}});
        let queries: Vec<Value> = queries.iter().map(query).collect();
        let request = json!({"federation": federation, "queries": queries});
        let request: FederatedRequest = serde_json::from_value(request).expect("a request");
        let sources: BTreeMap<String, &dyn SearchSource> = BTreeMap::from([
            ("films".to_owned(), &self.films as &dyn SearchSource),
            ("songs".to_owned(), &self.songs),
        ]);
        let rules = AppliedRules {
            rules: &self.rules,
            now_ms: 0.0,
        };
        let answer = federated_search(&sources, &request, Some(&rules)).expect("an answer");
        serde_json::from_slice(&answer).expect("an answer is JSON")
    }
}

fn members<'a>(answer: &'a Value, name: &str) -> Vec<&'a Value> {
    let hits = answer["hits"].as_array().expect("hits").iter();
    hits.filter_map(|hit| hit.get(name)).collect()
}

fn pin(id: u32, position: u32) -> Value {
    json!({"id": id.to_string(), "position": position})
}

#[test]
fn a_hit_with_a_distinct_value_of_a_pin_of_another_index_is_left_out() {
    let library = Library::new(json!([{"pins": [pin(4, 1)]}]));
    let answer = library.answer(
        json!({"distinct": "genre"}),
        &[("films", "night"), ("songs", "night")],
    );
    let genres = members(&answer, "genre");
    assert!(genres.contains(&&json!("horror")));
    let different: BTreeSet<String> = genres.iter().map(ToString::to_string).collect();
    assert_eq!(different.len(), genres.len(), "{answer}");
    let n_hits = members(&answer, "id").len();
    assert_eq!(answer["estimatedTotalHits"], json!(n_hits), "{answer}");
}

#[test]
fn pins_go_by_their_rules_whichever_index_they_are_of_and_whichever_query_meets_them() {
    let library = Library::new(json!([
        {"precedence": 2, "pins": [pin(2, 0)]},
        {"precedence": 1, "pins": [pin(13, 0), pin(3, 2)]},
        {"precedence": 0, "words": "day", "pins": [pin(3, 0)]},
    ]));
    let queries = [("films", "night"), ("films", "day"), ("songs", "song")];
    let answer = library.answer(json!({}), &queries);
    assert_eq!(members(&answer, "id")[..3], [3, 13, 2], "{answer}");
}
