//! Rankings that were once wrong, each reduced to a few documents.

use serde_json::{Value, json};

use super::{IndexView, KeywordSearch, QueryConfigs};
use crate::query::{Corpus, QueryConfig, Removal};
use crate::ranking::{Deadline, Timings};
use crate::request::SearchRequest;
use crate::settings::IndexSettings;
use crate::testing::{MemoryCorpus, TestIndex};

/// A search of which only the order of the documents matters, numbered from 1.
struct Search<'s> {
    settings: Value,
    documents: Value,
    removal: Removal,
    searched: Option<&'s str>,
}

impl Search<'_> {
    fn of(settings: Value, documents: Value) -> Self {
        Self {
            settings,
            documents,
            removal: Removal::Last,
            searched: None,
        }
    }

    fn order(&self, query: &str) -> Vec<u32> {
        let delta = self.settings.as_object().expect("settings are an object");
        let settings = IndexSettings::default()
            .apply(delta)
            .expect("valid settings")
            .0;
        let documents = self.documents.as_array().expect("documents are a list");
        let corpus = MemoryCorpus::new(settings.clone(), documents);
        let searched = self.searched.map(|name| {
            let fields = 0..corpus.n_fields() as u16;
            fields
                .map(|field| corpus.field_name(field) == name)
                .collect()
        });
        let search = KeywordSearch {
            text: query,
            locales: &[],
            removal: self.removal,
            filter: None,
            searched,
            sort: &[],
            offset: 0,
            limit: 100,
            with_scores: true,
            threshold: None,
            deadline: &Deadline::never(),
            timings: &Timings::off(),
            same_value: None,
        };
        let outcome = search.run(&corpus, &QueryConfig::new(&settings));
        outcome.ranking.hits.iter().map(|hit| hit.doc + 1).collect()
    }
}

#[test]
fn a_frequent_word_may_be_dropped_while_a_more_frequent_one_before_it_is_kept() {
    let documents = json!([
        {"t": "north wind brings cold rain"},
        {"t": "wind brings cold rain"},
        {"t": "north brings cold rain"},
        {"t": "north wind cold rain"},
        {"t": "north wind brings rain"},
        {"t": "north wind brings cold"},
        {"t": "north wind brings"},
        {"t": "north wind"},
        {"t": "north"},
        {"t": "cold rain"},
    ]);
    let search = Search {
        removal: Removal::Frequency,
        ..Search::of(json!({}), documents)
    };
    assert_eq!(search.order("north wind brings cold rain"), [1, 3, 2]);
}

#[test]
fn a_phrase_that_starts_with_a_stop_word_is_placed_by_its_first_word() {
    let documents = json!([{"t": "gold rush"}, {"t": "the gold rush"}, {"t": "the rush"}]);
    let search = Search::of(json!({"stopWords": ["the"]}), documents);
    assert_eq!(search.order("\"the gold rush\""), [2, 1]);
}

#[test]
fn joined_numbers_stand_for_longer_words_with_letters_when_numbers_take_no_typos() {
    let documents = json!([{"t": "20245a"}, {"t": "20245"}, {"t": "202451"}]);
    let settings = json!({"typoTolerance": {"disableOnNumbers": true}});
    let search = Search {
        removal: Removal::Nothing,
        ..Search::of(settings, documents)
    };
    assert_eq!(search.order("20 245"), [1]);
}

#[test]
fn by_attribute_a_word_is_cut_where_both_parts_share_an_attribute() {
    let documents = json!([{"t": "flower of the sun"}, {"t": "sun", "u": "flower"}]);
    let search = Search::of(json!({"proximityPrecision": "byAttribute"}), documents);
    assert_eq!(search.order("sunflower"), [1]);
}

#[test]
fn by_attribute_one_occurrence_is_enough_for_a_repeated_word() {
    let documents = json!([{"t": "knock"}, {"t": "knock knock"}, {"t": "door"}]);
    let search = Search::of(json!({"proximityPrecision": "byAttribute"}), documents);
    assert_eq!(search.order("\"knock knock\""), [2, 1]);
}

#[test]
fn a_synonym_outside_the_searched_attributes_brings_no_words_near() {
    let documents = json!([
        {"body": "couch cover", "tags": "sofa cover x cover x x sofa"},
        {"body": "x", "tags": "sofa x cover"},
    ]);
    let far = json!([
        {"body": "couch cover", "tags": "cover x x x x sofa"},
        {"body": "x", "tags": "sofa x cover"},
    ]);
    let settings = json!({"synonyms": {"sofa": ["couch"]}, "rankingRules": ["proximity"]});
    let near = Search {
        searched: Some("tags"),
        ..Search::of(settings.clone(), documents)
    };
    assert_eq!(near.order("sofa cover "), [1, 2]);
    let far = Search {
        searched: Some("tags"),
        ..Search::of(settings, far)
    };
    assert_eq!(far.order("sofa cover "), [2, 1]);
}

#[test]
fn a_word_found_only_where_typos_are_off_is_no_typo_of_another() {
    let documents = json!([
        {"name": "x x lantern", "sku": "lantarn"},
        {"name": "x lantern", "sku": "x"},
    ]);
    let settings = json!({
        "typoTolerance": {"disableOnAttributes": ["sku"]},
        "rankingRules": ["wordPosition"],
    });
    let search = Search::of(settings, documents);
    assert_eq!(search.order("lantern "), [2, 1]);
}

/// `animated` is `a animated` joined, with a typo: alone it stands for both words of the query.
#[test]
fn a_crop_prefers_a_word_that_stands_for_two_words_of_the_query() {
    let text = "The Little Whirlwind is a 1941 animated short subject, part of the Mickey Mouse \
                series. The film was directed by Riley Thomson, and animated by Ward Kimball, \
                Fred Moore, Ken Muse";
    let index = TestIndex::new(json!({}), &[json!({"id": 0, "t": text})]);
    let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
    let request = json!({
        "q": "a animated", "attributesToCrop": ["t"], "attributesToHighlight": ["t"], "cropLength": 12,
    });
    let request: SearchRequest = serde_json::from_value(request).expect("a request");
    let answer = super::search(&view, &request).expect("an answer");
    let answer: Value = serde_json::from_slice(&answer).expect("JSON");
    assert_eq!(
        answer["hits"][0]["_formatted"]["t"],
        "…was directed by Riley Thomson, and <em>animated</em> by Ward Kimball, Fred Moore…"
    );
}

/// Without kana a query counts as Chinese, until somebody says what it is.
#[test]
fn a_query_of_ideographs_finds_japanese_text_when_japanese_is_named() {
    let documents = [
        json!({"id": 1, "title_ja": "図書館で本を読む"}),
        json!({"id": 2, "title_zh": "图书馆的书"}),
        json!({"id": 3, "title_ja": "新しい図書館"}),
    ];
    let found = |settings: Value, request: Value| -> Vec<Value> {
        let index = TestIndex::new(settings, &documents);
        let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
        let request: SearchRequest = serde_json::from_value(request).expect("a request");
        let answer = super::search(&view, &request).expect("an answer");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let hits = answer["hits"].as_array().expect("hits").iter();
        hits.map(|hit| hit["id"].clone()).collect()
    };
    let rules = json!({"localizedAttributes": [
        {"attributePatterns": ["*_ja"], "locales": ["jpn"]},
    ]});
    assert_eq!(found(json!({}), json!({"q": "図書館"})), [2]);
    assert_eq!(
        found(json!({}), json!({"q": "図書館", "locales": ["jpn"]})),
        [1, 3]
    );
    assert_eq!(found(rules.clone(), json!({"q": "図書館"})), [1, 3]);
    let chinese = json!({"q": "图书馆", "attributesToSearchOn": ["title_zh"]});
    assert_eq!(found(rules, chinese), [2]);
}

/// `2` stands for `x` and `3` for `y`, although `1`, which was added before them, has both.
#[test]
fn pages_of_distinct_hits_are_parts_of_one_list() {
    let documents = [
        json!({"id": 1, "t": "red x x x x x fox", "tags": ["x", "y"]}),
        json!({"id": 2, "t": "red fox", "tags": ["x"]}),
        json!({"id": 3, "t": "red x fox", "tags": ["y"]}),
        json!({"id": 4, "t": "red"}),
        json!({"id": 5, "t": "red wine"}),
    ];
    let index = TestIndex::new(json!({"filterableAttributes": ["tags"]}), &documents);
    let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
    let found = |part: Value| -> Vec<Value> {
        let mut request = json!({"q": "red fox", "distinct": "tags"});
        let members = request.as_object_mut().expect("an object");
        members.extend(part.as_object().expect("an object").clone());
        let request: SearchRequest = serde_json::from_value(request).expect("a request");
        let answer = super::search(&view, &request).expect("an answer");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let hits = answer["hits"].as_array().expect("hits").iter();
        hits.map(|hit| hit["id"].clone()).collect()
    };
    assert_eq!(found(json!({})), [2, 3, 4, 5]);
    for offset in 0..6 {
        let part = found(json!({"offset": offset, "limit": 2}));
        let whole = [2, 3, 4, 5];
        let expected: Vec<i32> = whole.into_iter().skip(offset).take(2).collect();
        assert_eq!(part, expected, "from {offset}");
    }
    assert_eq!(found(json!({"page": 2, "hitsPerPage": 3})), [5]);
}

/// `the` is in no list of words of the index, so that `the` as a prefix means `theory` alone.
#[test]
fn a_prefix_marks_what_starts_with_a_word_of_the_index() {
    let settings = json!({"stopWords": ["the", "of"], "searchableAttributes": ["t"]});
    let documents = [
        json!({"id": 1, "t": "the lord of rings"}),
        json!({"id": 2, "t": "theory", "other": "theories, theorem, the theorybook"}),
    ];
    let index = TestIndex::new(settings, &documents);
    let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
    let formatted = |query: &str| -> Vec<Value> {
        let request = json!({"q": query, "attributesToHighlight": ["*"]});
        let request: SearchRequest = serde_json::from_value(request).expect("a request");
        let answer = super::search(&view, &request).expect("an answer");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let hits = answer["hits"].as_array().expect("hits").iter();
        hits.map(|hit| hit["_formatted"].clone()).collect()
    };
    let theory = json!({
        "id": "2", "t": "<em>the</em>ory", "other": "theories, theorem, the <em>the</em>orybook",
    });
    assert_eq!(
        formatted("lord the"),
        [json!({"id": "1", "t": "the <em>lord</em> of rings"})]
    );
    assert_eq!(formatted("the"), [theory]);
    assert_eq!(
        formatted("theory"),
        [
            json!({"id": "2", "t": "<em>theory</em>", "other": "theories, theorem, the <em>theory</em>book"})
        ]
    );
}
