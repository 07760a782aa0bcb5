//! Searches by class, from the request to the bytes of the answer, and reading of documents.

use std::hint::black_box;

use serde_json::{Value, json};
use serval_engine::fetch::{DocumentsRequest, documents};
use serval_engine::request::SearchRequest;
use serval_engine::search::{IndexView, QueryConfigs, search, search_facet_values};

use crate::films::films;
use crate::index_of_films::IndexOfFilms;
use crate::meter::Meter;

/// The classes: name, what every request of it has, and the texts searched for.
const CLASSES: [(&str, &str, &[&str]); 22] = [
    (
        "search.word_common",
        "{}",
        &["love", "young", "world", "family"],
    ),
    (
        "search.word_rare",
        "{}",
        &["godfather", "kubrick", "samurai"],
    ),
    (
        "search.words_two_three",
        "{}",
        &["star wars", "lord of rings", "space station crew"],
    ),
    (
        "search.words_ten",
        "{}",
        &["a young man in love with the girl next door"],
    ),
    (
        "search.words_all",
        r#"{"matchingStrategy":"all"}"#,
        &["young detective murder", "war love"],
    ),
    ("search.prefix", "{}", &["g", "st", "ame", "the godf"]),
    (
        "search.typo_one",
        "{}",
        &["godfathr", "samurei", "submarne"],
    ),
    (
        "search.typo_two",
        "{}",
        &["adventuure stroy", "investigatoin"],
    ),
    (
        "search.phrase",
        "{}",
        &["\"new york\"", "\"falls in love\""],
    ),
    ("search.no_result", "{}", &["qzxwvkjhg", "bcdfghjklm"]),
    ("search.placeholder", "{}", &[""]),
    (
        "search.highlight",
        r#"{"attributesToHighlight":["*"],"showMatchesPosition":true}"#,
        &["love story", "space war"],
    ),
    (
        "search.crop",
        r#"{"attributesToCrop":["*"],"cropLength":12}"#,
        &["love story", "space war"],
    ),
    (
        "search.facets",
        r#"{"facets":["genres","year"]}"#,
        &["", "love"],
    ),
    (
        "search.filter",
        r#"{"filter":"genres = Drama AND year >= 2000"}"#,
        &["love", "war", ""],
    ),
    (
        "search.sort",
        r#"{"sort":["year:desc","title:asc"]}"#,
        &["", "love"],
    ),
    ("search.distinct", r#"{"distinct":"decade"}"#, &["", "love"]),
    (
        "search.geo_filter",
        r#"{"filter":"_geoRadius(48.8, 2.3, 3000000)"}"#,
        &["", "love"],
    ),
    (
        "search.geo_sort",
        r#"{"sort":["_geoPoint(48.8, 2.3):asc"]}"#,
        &["", "love"],
    ),
    (
        "search.scores",
        r#"{"showRankingScoreDetails":true,"limit":100}"#,
        &["love story"],
    ),
    (
        "search.vectors",
        r#"{"vector":[],"hybrid":{"embedder":"plain","semanticRatio":1}}"#,
        &[""],
    ),
    (
        "search.hybrid",
        r#"{"vector":[],"hybrid":{"embedder":"plain"}}"#,
        &["love", "war"],
    ),
];

/// Counts them.
pub(crate) fn count(meter: &mut Meter) {
    let of_films = IndexOfFilms::new();
    of_films.add(&films());
    of_films.index.compact().expect("merged");
    let configs = QueryConfigs::default();
    let view = || IndexView::new(of_films.index.snapshot(), &configs);
    for (name, fields, texts) in CLASSES {
        let requests: Vec<Value> = texts.iter().map(|text| request(fields, text)).collect();
        meter.repeat(name, || {
            for request in &requests {
                let request: SearchRequest =
                    serde_json::from_value(request.clone()).expect("a request");
                black_box(search(&view(), &request).expect("an answer"));
            }
        });
    }
    facet_values(meter, &view);
    let page: DocumentsRequest =
        serde_json::from_value(json!({"offset": 1000, "limit": 200})).expect("a request");
    meter.repeat("fetch.documents", || {
        documents(&of_films.index.snapshot(), &page).expect("documents")
    });
}

fn facet_values(meter: &mut Meter, view: &dyn Fn() -> IndexView) {
    let facet = json!({"facetName": "genres", "facetQuery": "d"});
    let facet = serde_json::from_value(facet).expect("a request");
    let all: SearchRequest = serde_json::from_value(json!({"q": "love"})).expect("a request");
    meter.repeat("search.facet_values", || {
        search_facet_values(&view(), &facet, &all).expect("an answer")
    });
}

/// A request; one with an empty vector gets one.
fn request(fields: &str, text: &str) -> Value {
    let mut request: Value = serde_json::from_str(fields).expect("an object");
    request["q"] = json!(text);
    if request.get("vector").is_some() {
        let vector: Vec<f64> = (0..16).map(|at| f64::from(at % 5) / 5.0).collect();
        request["vector"] = json!(vector);
    }
    request
}
