//! How long one search takes in the engine, by class of query, from the request to the bytes of
//! the answer, on one thread. Each sample answers all queries of the class: its items per second are queries per second.
//! Run with `cargo bench -p serval-engine --bench search`.

use std::sync::LazyLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use serval_engine::index::Index;
use serval_engine::request::SearchRequest;
use serval_engine::search::{self, IndexView, QueryConfigs};
use tempfile::TempDir;

mod corpus;

fn main() {
    divan::main();
}

struct Films {
    index: Index,
    configs: QueryConfigs,
    _folder: TempDir,
}

static FILMS: LazyLock<Films> = LazyLock::new(|| {
    let (folder, index) = corpus::new_index();
    let settings = json!({
        "searchableAttributes": ["title", "overview", "genres"],
        "filterableAttributes": ["genres", "year"],
        "sortableAttributes": ["year"],
    });
    let change = json!({"type": "settingsUpdate", "settings": settings});
    corpus::apply(&index, &corpus::batch(change));
    corpus::apply(&index, &corpus::addition(&corpus::documents()));
    Films {
        index,
        configs: QueryConfigs::default(),
        _folder: folder,
    }
});

/// The classes: name, what every request of it has, and the texts searched for.
const CLASSES: [(&str, &str, &[&str]); 14] = [
    (
        "word_common",
        "{}",
        &["love", "young", "world", "family", "man"],
    ),
    (
        "word_rare",
        "{}",
        &["godfather", "kubrick", "samurai", "submarine"],
    ),
    (
        "words_two_three",
        "{}",
        &["star wars", "lord of rings", "space station crew"],
    ),
    (
        "words_ten",
        "{}",
        &[
            "a young man in love with the girl next door",
            "the story of a family that lives in a small",
        ],
    ),
    (
        "words_all",
        r#"{"matchingStrategy":"all"}"#,
        &["young detective murder", "war love soldier", "alien planet"],
    ),
    ("prefix", "{}", &["g", "st", "ame", "the godf", "star w"]),
    (
        "typo_one",
        "{}",
        &["godfathr", "samurei", "submarne", "advanture"],
    ),
    (
        "typo_two",
        "{}",
        &["adventuure stroy", "investigatoin", "extraordnarie"],
    ),
    (
        "phrase",
        "{}",
        &["\"new york\"", "\"falls in love\"", "\"high school\""],
    ),
    ("no_result", "{}", &["qzxwvkjhg", "bcdfghjklm"]),
    (
        "highlight_crop",
        r#"{"attributesToHighlight":["*"],"attributesToCrop":["*"],"cropLength":12}"#,
        &["love story", "godfather", "space war"],
    ),
    (
        "placeholder_facets",
        r#"{"facets":["genres","year"]}"#,
        &[""],
    ),
    (
        "filter",
        r#"{"filter":"genres = Drama AND year >= 2000"}"#,
        &["love", "war", ""],
    ),
    ("sort", r#"{"sort":["year:desc"]}"#, &["", "love", "the"]),
];

fn requests(class: &str) -> Vec<Vec<u8>> {
    let (_, fields, texts) = CLASSES
        .iter()
        .find(|(name, ..)| *name == class)
        .expect("a class");
    texts
        .iter()
        .map(|text| {
            let mut request: Value = serde_json::from_str(fields).expect("an object");
            request["q"] = json!(text);
            request.to_string().into_bytes()
        })
        .collect()
}

#[divan::bench(args = CLASSES.map(|(name, ..)| name))]
fn search_class(bencher: Bencher<'_, '_>, class: &str) {
    let films = &*FILMS;
    let requests = requests(class);
    bencher
        .counter(ItemsCount::new(requests.len()))
        .bench_local(|| {
            for request in &requests {
                let request: SearchRequest = serde_json::from_slice(request).expect("a request");
                let view = IndexView::new(films.index.snapshot(), &films.configs);
                black_box(search::search(&view, &request).expect("an answer"));
            }
        });
}
