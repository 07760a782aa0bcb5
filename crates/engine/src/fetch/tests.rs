//! Listings of a real index.

use serde_json::{Value, json};

use super::{DocumentLines, DocumentOptions, document, documents, filter_docs};
use crate::request::{FilterFeatures, SearchError};
use crate::testing::TestIndex;

fn tools() -> TestIndex {
    TestIndex::new(
        json!({
            "filterableAttributes": ["kind", "price", "stock.shelf"],
            "sortableAttributes": ["price", "name", "stock", "_geo"],
            "displayedAttributes": ["name"],
        }),
        &[
            json!({"id": 1, "name": "hammer", "kind": "hand", "price": 12.5, "stock": {"shelf": "A", "count": 4}}),
            json!({"id": 2, "name": "drill", "kind": "power", "price": 89, "stock": {"shelf": "B", "count": 0}, "_geo": {"lat": 1, "lng": 1}}),
            json!({"id": 3, "name": "saw", "kind": "hand", "price": "15", "stock": {"shelf": "A", "count": 9}}),
            json!({"id": "k-4", "name": "vice", "kind": "bench", "price": 60, "stock": {"count": 1}}),
            json!({"id": 5, "name": "lathe", "kind": "power", "price": null, "_geo": {"lat": 1, "lng": 1.000_001}}),
        ],
    )
}

fn listed(index: &TestIndex, request: Value) -> Result<Value, SearchError> {
    let request = serde_json::from_value(request).unwrap();
    let answer = documents(&index.snapshot(), &request)?;
    Ok(serde_json::from_slice(&answer).unwrap())
}

fn ids(index: &TestIndex, mut request: Value) -> String {
    request["fields"] = json!(["id"]);
    let answer = listed(index, request).unwrap();
    let ids: Vec<String> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["id"].to_string())
        .collect();
    format!("{} of {}", ids.join(" "), answer["total"])
}

#[test]
fn a_page_is_a_window_of_the_order_of_the_index() {
    let index = tools();
    assert_eq!(ids(&index, json!({})), r#"1 2 3 "k-4" 5 of 5"#);
    assert_eq!(ids(&index, json!({"offset": 1, "limit": 2})), "2 3 of 5");
    assert_eq!(ids(&index, json!({"limit": 0})), " of 5");
    assert_eq!(ids(&index, json!({"offset": 50})), " of 5");
    let answer = documents(
        &index.snapshot(),
        &serde_json::from_value(json!({"limit": 0})).unwrap(),
    );
    assert_eq!(
        answer.unwrap(),
        br#"{"results":[],"offset":0,"limit":0,"total":5}"#
    );
}

#[test]
fn ids_and_filter_both_narrow_the_page() {
    let index = tools();
    assert_eq!(
        ids(&index, json!({"ids": ["k-4", "1", "99", "1"]})),
        r#"1 "k-4" of 2"#
    );
    assert_eq!(ids(&index, json!({"ids": []})), " of 0");
    assert_eq!(
        ids(&index, json!({"ids": ["1", "2"], "filter": "kind = hand"})),
        "1 of 1"
    );
    assert_eq!(ids(&index, json!({"filter": "", "limit": 1})), "1 of 5");
    assert_eq!(
        ids(
            &index,
            json!({"filter": [["kind = hand", "kind = bench"], "price > 14"]})
        ),
        r#"3 "k-4" of 2"#
    );
}

#[test]
fn sorted_pages_put_numbers_before_texts_before_nothing() {
    let index = tools();
    assert_eq!(
        ids(&index, json!({"sort": ["price:asc"]})),
        r#"1 "k-4" 2 3 5 of 5"#
    );
    assert_eq!(
        ids(
            &index,
            json!({"sort": ["price:desc"], "offset": 1, "limit": 3})
        ),
        r#""k-4" 1 3 of 5"#
    );
    assert_eq!(
        ids(&index, json!({"sort": ["stock.count:asc"]})),
        r#"2 "k-4" 1 3 5 of 5"#
    );
    assert_eq!(
        ids(&index, json!({"sort": ["stock.none:asc", "name:desc"]})),
        r#""k-4" 3 5 1 2 of 5"#
    );
    assert_eq!(
        ids(
            &index,
            json!({"sort": ["_geoPoint(0,0):desc", "name:desc"]})
        ),
        r#"5 2 "k-4" 3 1 of 5"#
    );
}

#[test]
fn fields_select_literally_and_keep_the_order_of_the_document() {
    let index = tools();
    let snapshot = index.snapshot();
    let one = |id: &str, options: Value| {
        let options: DocumentOptions = serde_json::from_value(options).unwrap();
        let found = document(&snapshot, id, &options).unwrap();
        found.map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let whole =
        r#"{"id":5,"name":"lathe","kind":"power","price":null,"_geo":{"lat":1,"lng":1.000001}}"#;
    assert_eq!(one("5", json!({})).unwrap(), whole);
    assert_eq!(
        one("1", json!({"fields": ["stock.shelf", "id"]})).unwrap(),
        r#"{"id":1,"stock":{"shelf":"A"}}"#
    );
    assert_eq!(one("1", json!({"fields": ["*"]})).unwrap(), "{}");
    assert_eq!(one("1", json!({"fields": []})).unwrap(), "{}");
    assert_eq!(
        one("1", json!({"fields": ["nope"], "retrieveVectors": true})).unwrap(),
        r#"{"_vectors":{}}"#
    );
    assert_eq!(
        one("k-4", json!({"fields": ["id"], "retrieveVectors": true})).unwrap(),
        r#"{"id":"k-4","_vectors":{}}"#
    );
    assert_eq!(one("99", json!({})), None);
}

#[test]
fn vectors_show_only_on_demand() {
    let index = tools();
    index.add(&[json!({"id": 6, "_vectors": {"mine": [1, 2]}, "name": "rasp"})]);
    let snapshot = index.snapshot();
    let read = |retrieve_vectors| {
        let options = DocumentOptions {
            retrieve_vectors,
            ..DocumentOptions::default()
        };
        String::from_utf8(document(&snapshot, "6", &options).unwrap().unwrap()).unwrap()
    };
    assert_eq!(read(false), r#"{"id":6,"name":"rasp"}"#);
    assert_eq!(
        read(true),
        r#"{"id":6,"name":"rasp","_vectors":{"mine":[1,2]}}"#
    );
}

#[test]
fn refusals_quote_the_filter_as_given_and_do_not_name_the_index() {
    let index = tools();
    let refused = |request: Value| {
        let error = listed(&index, request).unwrap_err();
        assert!(!error.names_index);
        (error.code, error.message)
    };
    assert_eq!(
        refused(json!({"filter": "name = saw"})),
        (
            "invalid_document_filter",
            "Attribute `name` is not filterable. Available filterable attribute patterns are: \
             `kind`, `price`, `stock.shelf`.\n1:5 name = saw"
                .to_owned()
        )
    );
    assert_eq!(
        refused(json!({"filter": 3})),
        (
            "invalid_document_filter",
            "Invalid syntax for the filter parameter: `expected String, Array, found: 3`."
                .to_owned()
        )
    );
    assert_eq!(
        refused(json!({"filter": "kind CONTAINS a"})).0,
        "feature_not_enabled"
    );
    assert_eq!(
        refused(json!({"sort": ["kind:asc"]})),
        (
            "invalid_document_sort",
            "Attribute `kind` is not sortable. Available sortable attributes are: `name, \
             <..hidden-attributes>`."
                .to_owned()
        )
    );
    assert_eq!(
        refused(json!({"sort": ["price:up"]})),
        (
            "invalid_document_sort",
            "Invalid syntax for the sort parameter: expected expression ending by `:asc` or \
             `:desc`, found `price:up`."
                .to_owned()
        )
    );
}

#[test]
fn a_deletion_by_filter_takes_the_documents_selected() {
    let index = tools();
    index.apply(json!({"type": "documentDeletion", "filter": ["kind = hand"]}));
    assert_eq!(ids(&index, json!({})), r#"2 "k-4" 5 of 3"#);
    let none = filter_docs(&index.snapshot(), &json!([]));
    assert_eq!(none.unwrap().len(), 0);
}

/// Pieces of at most so many bytes, as text.
fn pieces(lines: &mut DocumentLines, max_bytes: u64) -> Vec<String> {
    let mut pieces = Vec::new();
    loop {
        let mut out = Vec::new();
        match lines.write_next(max_bytes, &mut out) {
            Ok(0) => return pieces,
            Ok(n_lines) => {
                let text = String::from_utf8(out).expect("JSON");
                assert_eq!(text.lines().count() as u64, n_lines);
                pieces.push(text);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn lines_of_documents_are_whole_in_order_and_cut_into_pieces_of_bounded_size() {
    let index = tools();
    let new = |filter: Option<&Value>| {
        DocumentLines::new(index.snapshot(), filter, &FilterFeatures::ALL).expect("allowed")
    };
    let mut all = Vec::new();
    new(None).write_all(&mut all).expect("written");
    let all = String::from_utf8(all).expect("JSON");
    assert_eq!(all.lines().count(), new(None).n_documents());
    let listing = listed(&index, json!({"limit": 100, "retrieveVectors": false})).expect("listed");
    let first: Value = serde_json::from_str(all.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["id"], listing["results"][0]["id"]);
    for max_bytes in [0, 1, 60, 150, 1 << 20] {
        let pieces = pieces(&mut new(None), max_bytes);
        assert_eq!(pieces.concat(), all, "{max_bytes}");
        for piece in &pieces {
            assert!(piece.lines().count() == 1 || piece.len() as u64 <= max_bytes);
        }
    }
}

#[test]
fn lines_hold_the_vectors_of_documents_that_have_some() {
    let vectors = json!({"v": {"embeddings": [[0.5, 1.0]], "regenerate": false}});
    let index = TestIndex::new(
        json!({"embedders": {"v": {"source": "userProvided", "dimensions": 2}}}),
        &[
            json!({"id": 1, "_vectors": vectors, "name": "a"}),
            json!({"id": 2, "_vectors": {"v": null}}),
        ],
    );
    let lines = DocumentLines::new(index.snapshot(), None, &FilterFeatures::ALL);
    let mut out = Vec::new();
    lines
        .expect("allowed")
        .write_all(&mut out)
        .expect("written");
    let text = String::from_utf8(out).expect("JSON");
    let documents: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let embeddings = &documents[0]["_vectors"]["v"]["embeddings"];
    assert_eq!(embeddings, &json!([[0.5, 1.0]]));
    assert_eq!(documents[0]["name"], "a");
    assert_eq!(documents.len(), 2);
}
