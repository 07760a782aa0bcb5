//! Whole documents: which attributes are formatted, kept, and where matches are reported.

use serde_json::{Map, Value, json};
use serval_format::{
    DocumentFormatter, FormatPlan, FormatRequest, Markers, MatchWords, Selection,
    retrieved_attributes, write_selected,
};
use serval_text::{Locale, Tokenizer};

/// A request as a test states it; the rest is the default.
#[derive(Default)]
struct Ask<'a> {
    highlight: &'a [&'a str],
    crop: &'a [&'a str],
    crop_length: Option<usize>,
    retrieve: Option<&'a [&'a str]>,
    displayed: Option<&'a [&'a str]>,
}

fn owned(list: &[&str]) -> Vec<String> {
    list.iter().map(|item| (*item).to_owned()).collect()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("not an object: {other}"),
    }
}

/// Dotted names of a document, parents before children.
fn names(document: &Map<String, Value>) -> Vec<String> {
    fn visit(value: &Value, path: &str, names: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    let path = if path.is_empty() {
                        key.clone()
                    } else {
                        format!("{path}.{key}")
                    };
                    if !names.contains(&path) {
                        names.push(path.clone());
                    }
                    visit(value, &path, names);
                }
            }
            Value::Array(array) => array.iter().for_each(|value| visit(value, path, names)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    visit(&Value::Object(document.clone()), "", &mut found);
    found
}

fn formatted(document: &Value, words: &MatchWords, ask: &Ask<'_>) -> Option<String> {
    let document = object(document.clone());
    let fields = names(&document);
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let (highlight, crop) = (owned(ask.highlight), owned(ask.crop));
    let retrieve = ask.retrieve.map(owned);
    let displayed = ask
        .displayed
        .map_or(Selection::All, |list| Selection::of(&owned(list)));
    let plan = FormatPlan::new(&FormatRequest {
        highlight: &highlight,
        crop: &crop,
        crop_length: ask.crop_length.unwrap_or(10),
        retrieve: retrieve.as_deref(),
        displayed: &displayed,
        fields: &fields,
    })?;
    let tokenizer = Tokenizer::default();
    let any = |_: &str| -> &'static [Locale] { &[] };
    let mut out = Vec::new();
    DocumentFormatter::new(&tokenizer, words, Markers::default(), &any)
        .write_formatted(&document, &plan, &mut out);
    Some(String::from_utf8(out).expect("JSON is text"))
}

fn positions(document: &Value, words: &MatchWords, displayed: &Selection) -> Value {
    let tokenizer = Tokenizer::default();
    let any = |_: &str| -> &'static [Locale] { &[] };
    let mut out = Vec::new();
    DocumentFormatter::new(&tokenizer, words, Markers::default(), &any).write_matches_position(
        &object(document.clone()),
        displayed,
        &mut out,
    );
    serde_json::from_slice(&out).expect("valid JSON")
}

fn prefix(word: &str) -> MatchWords {
    let mut words = MatchWords::default();
    words.add_prefix(word, word.chars().count(), 0..1);
    words
}

fn grain() -> Value {
    json!({"id": 1, "title": "Winter wheat", "year": 2023, "tags": ["wheat", "farm winter"],
        "data": {"grade": "winter A", "weight": 75.5, "deep": [{"note": "winter"}]},
        "ok": true, "none": null, "empty": {}, "list": []})
}

#[test]
fn a_star_formats_every_displayed_attribute_and_numbers_become_texts() {
    let expected = json!({"id": "1", "title": "<em>Winter</em> wheat", "year": "2023",
        "tags": ["wheat", "farm <em>winter</em>"],
        "data": {"grade": "<em>winter</em> A", "weight": "75.5", "deep": [{"note": "<em>winter</em>"}]},
        "ok": true, "none": null, "empty": {}, "list": []});
    let ask = Ask {
        highlight: &["*"],
        retrieve: Some(&["id"]),
        ..Ask::default()
    };
    assert_eq!(
        formatted(&grain(), &prefix("winter"), &ask),
        Some(expected.to_string())
    );
}

#[test]
fn formatted_holds_formatted_and_retrieved_attributes() {
    let ask = Ask {
        highlight: &["title"],
        retrieve: Some(&["year", "ok"]),
        ..Ask::default()
    };
    assert_eq!(
        formatted(&grain(), &prefix("winter"), &ask).as_deref(),
        Some(r#"{"title":"<em>Winter</em> wheat","year":"2023","ok":true}"#)
    );
    let ask = Ask {
        highlight: &["title"],
        retrieve: Some(&[]),
        ..Ask::default()
    };
    assert_eq!(
        formatted(&grain(), &prefix("winter"), &ask).as_deref(),
        Some(r#"{"title":"<em>Winter</em> wheat"}"#)
    );
    let ask = Ask {
        highlight: &["title"],
        ..Ask::default()
    };
    let all = formatted(&grain(), &prefix("winter"), &ask).expect("formatted");
    assert!(
        all.contains(r#""data":{"grade":"winter A","weight":"75.5""#),
        "{all}"
    );
}

#[test]
fn without_a_valid_attribute_there_is_no_formatted_part() {
    for highlight in [&["nowhere"][..], &["title.name"], &[]] {
        let ask = Ask {
            highlight,
            ..Ask::default()
        };
        assert_eq!(formatted(&grain(), &prefix("winter"), &ask), None);
    }
    let hidden = Ask {
        highlight: &["tags"],
        displayed: Some(&["id"]),
        ..Ask::default()
    };
    assert_eq!(formatted(&grain(), &prefix("winter"), &hidden), None);
    let colon = Ask {
        crop: &[":3"],
        ..Ask::default()
    };
    assert_eq!(formatted(&grain(), &prefix("winter"), &colon), None);
    let nothing = Ask {
        highlight: &["*"],
        displayed: Some(&[]),
        ..Ask::default()
    };
    assert_eq!(formatted(&grain(), &prefix("winter"), &nothing), None);
}

#[test]
fn a_star_means_displayed_attributes_only() {
    let cats = json!({"id": 852, "cattos": "pésti", "mother": "pésti"});
    let ask = Ask {
        highlight: &["father", "mother", "*"],
        retrieve: Some(&["father", "mother"]),
        displayed: Some(&["id", "cattos"]),
        ..Ask::default()
    };
    assert_eq!(
        formatted(&cats, &prefix("pesti"), &ask).as_deref(),
        Some(r#"{"id":"852","cattos":"<em>pésti</em>"}"#)
    );
}

#[test]
fn options_of_parents_and_children_are_merged() {
    let doggos = json!({"doggo": {"name": "bobby the big dog", "age": "bobby is old now"}});
    let ask = Ask {
        highlight: &["doggo"],
        crop: &["doggo.name:2"],
        ..Ask::default()
    };
    assert_eq!(
        formatted(&doggos, &prefix("bobby"), &ask).as_deref(),
        Some(r#"{"doggo":{"name":"<em>bobby</em> the…","age":"<em>bobby</em> is old now"}}"#)
    );
}

#[test]
fn crop_lengths_come_from_the_attribute_or_the_request_and_later_ones_win() {
    let text = json!({"a": "one two three four", "b": "one two three four", "n": 1234567});
    let cases: [(&[&str], &str); 5] = [
        (&["a:2"], r#"{"a":"one two…"}"#),
        (&["a"], r#"{"a":"one two three…"}"#),
        (&["a:x"], r#"{"a":"one two three…"}"#),
        (
            &["*:1", "b:2"],
            r#"{"a":"one…","b":"one two…","n":"1234567"}"#,
        ),
        (
            &["a:1", "*:2"],
            r#"{"a":"one two…","b":"one two…","n":"1234567"}"#,
        ),
    ];
    for (crop, expected) in cases {
        let ask = Ask {
            crop,
            crop_length: Some(3),
            retrieve: Some(&[]),
            ..Ask::default()
        };
        assert_eq!(
            formatted(&text, &MatchWords::default(), &ask).as_deref(),
            Some(expected)
        );
    }
}

#[test]
fn every_text_inside_an_object_is_cropped_on_its_own() {
    let shapes = json!({"list": ["one two three", "seven eight nine"],
        "obj": {"a": "alpha beta gamma", "b": ["zeta eta theta", {"c": "kappa lambda mu"}]}});
    let ask = Ask {
        crop: &["obj:2", "list:2"],
        ..Ask::default()
    };
    assert_eq!(
        formatted(&shapes, &MatchWords::default(), &ask).as_deref(),
        Some(
            r#"{"list":["one two…","seven eight…"],"obj":{"a":"alpha beta…","b":["zeta eta…",{"c":"kappa lambda…"}]}}"#
        )
    );
    let ask = Ask {
        crop: &["obj.b:2"],
        retrieve: Some(&[]),
        ..Ask::default()
    };
    assert_eq!(
        formatted(&shapes, &MatchWords::default(), &ask).as_deref(),
        Some(r#"{"obj":{"b":["zeta eta…",{"c":"kappa lambda…"}]}}"#)
    );
}

#[test]
fn a_key_with_a_dot_is_an_attribute_of_its_own() {
    let dotted = json!({"id": 1, "dotted.key": "kept winter"});
    let ask = Ask {
        highlight: &["dotted.key"],
        retrieve: Some(&[]),
        ..Ask::default()
    };
    assert_eq!(
        formatted(&dotted, &prefix("winter"), &ask).as_deref(),
        Some(r#"{"dotted.key":"kept <em>winter</em>"}"#)
    );
}

#[test]
fn matches_are_reported_by_path_with_the_indices_of_arrays() {
    let birds = json!({"id": 1, "title": "Blue bird", "text": "A bird, blue as the sky; bluebirds too",
        "tags": ["blue", "not this", "bird blue"],
        "deep": {"a": {"b": "blue"}, "list": [{"c": "bird"}, {"c": "blue bird"}]}, "n": 42, "both": "blue 42"});
    assert_eq!(
        positions(&birds, &prefix("blu"), &Selection::All),
        json!({"both": [{"start": 0, "length": 3}], "deep.a.b": [{"start": 0, "length": 3}],
            "deep.list.c": [{"start": 0, "length": 3, "indices": [1]}],
            "tags": [{"start": 5, "length": 3, "indices": [2]}],
            "text": [{"start": 8, "length": 3}, {"start": 25, "length": 3}],
            "title": [{"start": 0, "length": 3}]})
    );
    assert_eq!(
        positions(&birds, &prefix("42"), &Selection::All),
        json!({"both": [{"start": 5, "length": 2}], "n": [{"start": 0, "length": 2}]})
    );
    let shown = Selection::of(&owned(&["deep.a", "n"]));
    assert_eq!(
        positions(&birds, &prefix("blu"), &shown),
        json!({"deep.a.b": [{"start": 0, "length": 3}]})
    );
    assert_eq!(
        positions(&birds, &MatchWords::default(), &Selection::All),
        json!({})
    );
}

#[test]
fn nested_selection_keeps_matching_members_and_drops_what_becomes_empty() {
    let document = object(
        json!({"id": 1, "doggos": [{"name": "bobby", "age": 2}, {"age": 3}, "stray"],
        "cat": {"name": "tom", "toys": {"ball": 1}}, "dotted.key": "x", "tags": []}),
    );
    let select = |paths: &[&str]| {
        let mut out = Vec::new();
        write_selected(&document, &Selection::of(&owned(paths)), &mut out);
        String::from_utf8(out).expect("JSON is text")
    };
    assert_eq!(select(&["doggos.name"]), r#"{"doggos":[{"name":"bobby"}]}"#);
    assert_eq!(
        select(&["cat.toys.ball", "id"]),
        r#"{"id":1,"cat":{"toys":{"ball":1}}}"#
    );
    assert_eq!(select(&["cat.nothing", "id.x"]), "{}");
    assert_eq!(
        select(&["dotted.key", "tags"]),
        r#"{"dotted.key":"x","tags":[]}"#
    );
    assert_eq!(select(&["dotted"]), "{}");
    assert_eq!(select(&[]), "{}");
    assert_eq!(
        select(&["id", "*"]),
        serde_json::to_string(&document).expect("JSON")
    );
}

#[test]
fn retrieved_attributes_are_those_displayed_under_the_same_name() {
    let displayed = Selection::of(&owned(&["id", "title", "author.name"]));
    let retrieve = |wanted: &[&str]| retrieved_attributes(&displayed, Some(&owned(wanted)));
    assert_eq!(retrieve(&["author"]), Selection::Only(vec![]));
    assert_eq!(
        retrieve(&["author.born", "title"]),
        Selection::Only(owned(&["title"]))
    );
    assert_eq!(retrieve(&["x", "*"]), displayed);
    assert_eq!(retrieved_attributes(&displayed, None), displayed);
    assert_eq!(retrieved_attributes(&Selection::All, None), Selection::All);
}
