//! Filters, counts and facet search on a real index, case by case.

use std::time::Instant;

use serde_json::{Value, json};

use super::{FacetSearchRequest, allowed, facet_search, facets, filter_docs};
use crate::docset::{DocId, DocSet};
use crate::index::Snapshot;
use crate::request::FilterFeatures;
use crate::testing::TestIndex;

/// Documents that a filter text selects, or the message of its refusal.
pub(super) fn filtered(snapshot: &Snapshot, filter: &str) -> Result<Vec<DocId>, String> {
    let filter = serval_filter::parse(filter).unwrap().unwrap().canonical();
    let docs = filter_docs(
        snapshot,
        None,
        &filter,
        &FilterFeatures::ALL,
        "invalid_search_filter",
    );
    docs.map(|docs| docs.iter().collect())
        .map_err(|error| error.message)
}

/// Those of some documents that a filter that may wait lets pass.
pub(super) fn waited(snapshot: &Snapshot, filter: &str, docs: &DocSet) -> Vec<DocId> {
    let filter = serval_filter::parse(filter).unwrap().unwrap().canonical();
    let features = FilterFeatures::ALL;
    let allowed = allowed(snapshot, None, filter, &features, "invalid_search_filter").unwrap();
    allowed.among(docs).iter().collect()
}

fn articles() -> TestIndex {
    TestIndex::new(
        json!({"filterableAttributes": ["kind", "price", "note", "tags", "absent", "_geo"]}),
        &[
            json!({"id": 0, "kind": "book", "price": 10, "note": null, "tags": ["old", 3]}),
            json!({"id": 1, "kind": "Film", "price": "10", "note": "", "_geo": {"lat": 1, "lng": 179}}),
            json!({"id": 2, "kind": ["book", "game"], "price": [5, 50], "note": {}}),
            json!({"id": 3, "note": [null], "tags": [], "_geo": {"lat": -1, "lng": -179}}),
        ],
    )
}

#[test]
fn an_attribute_no_document_has_matches_nothing_even_when_unequal() {
    let index = articles();
    let index = &index.snapshot();
    assert_eq!(filtered(index, "absent != 1"), Ok(vec![]));
    assert_eq!(filtered(index, "NOT absent = 1"), Ok(vec![0, 1, 2, 3]));
    assert_eq!(filtered(index, "absent NOT EXISTS"), Ok(vec![0, 1, 2, 3]));
    assert_eq!(filtered(index, "_vectors = 3"), Ok(vec![]));
}

#[test]
fn numbers_match_in_any_spelling_and_texts_only_in_their_own() {
    let index = articles();
    let index = &index.snapshot();
    assert_eq!(filtered(index, "price = 10.0"), Ok(vec![0]));
    assert_eq!(filtered(index, "price = 10"), Ok(vec![0, 1]));
    assert_eq!(filtered(index, "price 4 TO 6"), Ok(vec![2]));
    assert_eq!(filtered(index, "price > inf"), Ok(vec![]));
    assert_eq!(filtered(index, "kind NOT IN []"), Ok(vec![0, 1, 2, 3]));
}

#[test]
fn boxes_may_cross_the_date_line_and_circles_do() {
    let index = articles();
    let index = &index.snapshot();
    assert_eq!(
        filtered(index, "_geoBoundingBox([2, -178], [-2, 178])"),
        Ok(vec![1, 3])
    );
    assert_eq!(
        filtered(index, "_geoBoundingBox([2, 178], [-2, -178])"),
        Ok(vec![])
    );
    assert_eq!(
        filtered(index, "_geoRadius(0, 180, 160000)"),
        Ok(vec![1, 3])
    );
    assert_eq!(
        filtered(index, "NOT _geoRadius(1, 179, 1)"),
        Ok(vec![0, 2, 3])
    );
}

#[test]
fn refusals_tell_what_is_wrong_and_where() {
    let index = articles();
    let index = &index.snapshot();
    let patterns = "`_geo`, `absent`, `kind`, `note`, `price`, `tags`";
    let cases = [
        (
            "kind = book AND secret = x",
            format!(
                "Attribute `secret` is not filterable. Available filterable attribute patterns \
                 are: {patterns}.\n25:31 (\"kind\" = \"book\") AND (\"secret\" = \"x\")"
            ),
        ),
        (
            "_geoPolygon([0,0],[0,1],[1,1])",
            format!(
                "Attribute `_geojson` is not filterable. Available filterable attribute patterns \
                 are: {patterns}.\n14:15 _geoPolygon([0, 0], [0, 1], [1, 1])"
            ),
        ),
        (
            "_geoBoundingBox([51, 3], [-91, 2])",
            "Bad latitude `-91`. Latitude must be contained between -90 and 90 degrees.\n27:30 \
             _geoBoundingBox([51, 3], [-91, 2])"
                .to_owned(),
        ),
        (
            "_geoBoundingBox([51, 3], [50, -181])",
            "Bad longitude `-181`. Longitude must be contained between -180 and 180 degrees. Hint: \
             try using `179` instead.\n31:35 _geoBoundingBox([51, 3], [50, -181])"
                .to_owned(),
        ),
        (
            "_geoBoundingBox([50, 3], [51, 2])",
            "The top latitude `50` is below the bottom latitude `51`.\n31:32 _geoBoundingBox([50, \
             3], [51, 2])"
                .to_owned(),
        ),
        (
            "_geoRadius(1, 2, 3, 2)",
            "Invalid resolution `2`. Resolution must be between 3 and 1000.\n21:22 _geoRadius(1, \
             2, 3, 2)"
                .to_owned(),
        ),
        (
            "_vectors.main EXISTS",
            "The embedder `main` does not exist. This index does not have any configured \
             embedders.\n11:15 _vectors.\"main\" EXISTS"
                .to_owned(),
        ),
    ];
    for (filter, message) in cases {
        assert_eq!(filtered(index, filter), Err(message), "{filter}");
    }
    let reached = filtered(index, "kind = nothing AND _geoRadius(91, 0, 1)");
    assert_eq!(
        reached,
        Ok(vec![]),
        "an empty intersection stops before later faults"
    );
}

#[test]
fn rules_refuse_operators_and_places_they_do_not_enable() {
    let rule = |features: Value| {
        let settings = json!({"filterableAttributes": [
            {"attributePatterns": ["price", "_geo"], "features": features},
        ]});
        TestIndex::new(settings, &[json!({"id": 0, "price": 1})])
    };
    let comparison = rule(json!({"filter": {"equality": false, "comparison": true}}));
    let message = "Filter operator `=` is not allowed for the attribute `price`.\n  - Note: \
                   allowed operators: OR, AND, NOT, <, >, <=, >=, TO, IS EMPTY, IS NULL, EXISTS.\n  \
                   - Note: field `price` matched rule #0 in `filterableAttributes`\n  - Hint: \
                   enable equality in rule #0 by modifying the features.filter object\n  - Hint: \
                   prepend another rule matching `price` with appropriate filter features before \
                   rule #0";
    assert_eq!(
        filtered(&comparison.snapshot(), "price IN [1]"),
        Err(message.to_owned())
    );
    assert_eq!(filtered(&comparison.snapshot(), "price < 2"), Ok(vec![0]));
    let place = filtered(&comparison.snapshot(), "_geoRadius(1, 2, 3)").unwrap_err();
    assert_eq!(
        place,
        "Attribute `_geo/_geojson` is not filterable. Available filterable attribute patterns \
         are: `_geo`, `price`.\n12:13 _geoRadius(1, 2, 3)"
    );
    let nothing = rule(json!({"filter": {"equality": false, "comparison": false}}));
    assert_eq!(
        filtered(&nothing.snapshot(), "price = 1").unwrap_err(),
        "Attribute `price` is not filterable. This index does not have configured filterable \
         attributes.\n2:7 \"price\" = \"1\""
    );
    let star = TestIndex::new(
        json!({"filterableAttributes": ["*"]}),
        &[json!({"id": 0, "a": 1})],
    );
    assert!(
        filtered(&star.snapshot(), "a = 1").is_err(),
        "a plain star is no pattern"
    );
}

fn counted(snapshot: &Snapshot, names: &[&str]) -> (String, String) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let facets = facets(snapshot, &names, snapshot.documents()).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(facets.distribution), text(facets.stats))
}

#[test]
fn facets_list_nested_names_values_as_first_spelled_and_extremes() {
    let settings = json!({"filterableAttributes": ["colour", "dim", "brand.name", "absent"]});
    let index = TestIndex::new(
        settings,
        &[
            json!({"id": 0, "colour": "red", "dim": {"w": 10, "h": 2.5}, "brand": {"name": "Acme"}}),
            json!({"id": 1, "colour": "Red", "dim": {"w": 20}, "other": 1}),
            json!({"id": 2, "colour": ["blue", "red", "RED"], "dim": {"w": "15"}, "ok": true}),
            json!({"id": 3, "colour": "", "brand": [{"name": "acme"}, {"name": "Zed"}]}),
        ],
    );
    let index = index.snapshot();
    assert_eq!(
        counted(&index, &["*"]),
        (
            concat!(
                r#"{"brand.name":{"Acme":2,"Zed":1},"colour":{"blue":1,"red":3},"dim":{},"#,
                r#""dim.h":{"2.5":1},"dim.w":{"10":1,"20":1,"15":1}}"#
            )
            .to_owned(),
            r#"{"dim.h":{"min":2.5,"max":2.5},"dim.w":{"min":10.0,"max":20.0}}"#.to_owned(),
        )
    );
    assert_eq!(
        counted(&index, &["dim.*"]).0,
        r#"{"dim.h":{"2.5":1},"dim.w":{"10":1,"20":1,"15":1}}"#
    );
    assert_eq!(counted(&index, &["other", "absent", "ok"]).0, "{}");
}

#[test]
fn facet_search_finds_values_by_their_beginning_in_order() {
    let search = |index: &TestIndex, query: Option<&str>| {
        let request = FacetSearchRequest {
            facet_name: "city".to_owned(),
            facet_query: query.map(str::to_owned),
        };
        let snapshot = index.snapshot();
        let answer = facet_search(&snapshot, &request, snapshot.documents(), Instant::now());
        let answer: Value = serde_json::from_slice(&answer.unwrap()).unwrap();
        answer["facetHits"].to_string()
    };
    let cities: Vec<Value> = ["Lisbon", "Lille", "Lima", "Málaga", "lima"]
        .iter()
        .enumerate()
        .map(|(id, city)| json!({"id": id, "city": [city, 7]}))
        .collect();
    let index = TestIndex::new(json!({"filterableAttributes": ["city"]}), &cities);
    assert_eq!(
        search(&index, Some("LI")),
        r#"[{"value":"Lille","count":1},{"value":"Lima","count":2},{"value":"Lisbon","count":1}]"#
    );
    assert_eq!(
        search(&index, Some("malaxa")),
        r#"[{"value":"Málaga","count":1}]"#
    );
    let faceting = json!({"sortFacetValuesBy": {"city": "count"}, "maxValuesPerFacet": 2});
    let by_count = TestIndex::new(
        json!({"filterableAttributes": ["city"], "faceting": faceting}),
        &cities,
    );
    assert_eq!(
        search(&by_count, None),
        r#"[{"value":"Lima","count":2},{"value":"Málaga","count":1}]"#
    );
}

#[test]
fn facet_search_shows_the_spelling_of_the_first_document_and_counts_show_that_of_a_candidate() {
    let settings = json!({"filterableAttributes": ["colour", "size"]});
    let documents = ["Red", "red", "RED"].map(|colour| json!({"colour": colour}));
    let documents = documents.into_iter().enumerate().map(|(id, mut document)| {
        document["id"] = json!(id);
        document
    });
    let index = TestIndex::new(settings, &documents.collect::<Vec<_>>());
    let snapshot = index.snapshot();
    let request = FacetSearchRequest {
        facet_name: "colour".to_owned(),
        facet_query: Some("r".to_owned()),
    };
    let candidates = DocSet::from_sorted(vec![1, 2]);
    let answer = facet_search(&snapshot, &request, &candidates, Instant::now()).unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(
        answer["facetHits"].to_string(),
        r#"[{"value":"Red","count":2}]"#
    );
    let counts = facets(&snapshot, &["colour".to_owned()], &candidates).unwrap();
    assert_eq!(counts.distribution, br#"{"colour":{"red":2}}"#);
}

/// A point, a square, a line, a square with a hole, and nothing.
fn shapes() -> TestIndex {
    let polygon = |rings: Value| json!({"type": "Polygon", "coordinates": rings});
    TestIndex::new(
        json!({"filterableAttributes": ["_geojson", "_geo", "name"]}),
        &[
            json!({"id": 0, "_geojson": {"type": "Point", "coordinates": [3.05, 50.62]}}),
            json!({"id": 1, "_geojson": polygon(json!([[[2, 48], [3, 48], [3, 49], [2, 49], [2, 48]]]))}),
            json!({"id": 2, "_geojson": {"type": "LineString", "coordinates": [[4, 50], [5, 51]]}}),
            json!({"id": 3, "_geojson": polygon(json!([
                [[10, 10], [20, 10], [20, 20], [10, 20], [10, 10]],
                [[12, 12], [18, 12], [18, 18], [12, 18], [12, 12]],
            ]))}),
            json!({"id": 4, "_geojson": null}),
            json!({"id": 5, "_geo": {"lat": 15, "lng": 15}}),
        ],
    )
}

#[test]
fn polygons_select_the_shapes_that_they_touch_or_hold() {
    let index = shapes();
    let index = &index.snapshot();
    let cases = [
        (
            "_geoPolygon([50, 2], [51, 2], [51, 4], [50, 4])",
            vec![0, 2],
        ),
        (
            "_geoPolygon([47, 1], [50, 1], [50, 4], [47, 4])",
            vec![1, 2],
        ),
        (
            "_geoPolygon([48.4, 2.4], [48.4, 2.6], [48.6, 2.5])",
            vec![1],
        ),
        ("_geoPolygon([14, 14], [14, 16], [16, 15])", vec![]),
        ("_geoPolygon([0, 0], [0, 40], [40, 40], [40, 0])", vec![3]),
        (
            "NOT _geoPolygon([0, 0], [0, 40], [40, 40], [40, 0])",
            vec![0, 1, 2, 4, 5],
        ),
    ];
    for (filter, expected) in cases {
        assert_eq!(filtered(index, filter), Ok(expected), "{filter}");
    }
}

#[test]
fn circles_and_boxes_select_shapes_beside_points() {
    let index = shapes();
    let index = &index.snapshot();
    let cases = [
        ("_geoRadius(50.62, 3.05, 10)", vec![0]),
        ("_geoRadius(48.5, 2.5, 1000)", vec![1]),
        ("_geoRadius(15, 15, 1000)", vec![5]),
        ("_geoRadius(15, 15, 350000, 500)", vec![3, 5]),
        ("_geoBoundingBox([51, 4], [50, 3])", vec![0, 2]),
        ("_geoBoundingBox([16, 16], [14, 14])", vec![5]),
        ("_geoBoundingBox([16, 3], [14, 179])", vec![]),
        ("_geoBoundingBox([60, 30], [0, 0])", vec![0, 1, 2, 3, 5]),
    ];
    for (filter, expected) in cases {
        assert_eq!(filtered(index, filter), Ok(expected), "{filter}");
    }
}

#[test]
fn shapes_are_indexed_when_they_become_filterable_and_follow_their_documents() {
    let point = |id: u32, lng: f64| json!({"id": id, "_geojson": {"type": "Point", "coordinates": [lng, 1]}});
    let index = TestIndex::new(json!({}), &[point(0, 1.0), point(1, 50.0), point(2, 1.0)]);
    index.apply(
        json!({"type": "settingsUpdate", "settings": {"filterableAttributes": ["_geojson"]}}),
    );
    let near = "_geoPolygon([0, 0], [0, 2], [2, 2], [2, 0])";
    assert_eq!(filtered(&index.snapshot(), near), Ok(vec![0, 2]));
    index.add(&[point(1, 1.0), point(2, 50.0)]);
    assert_eq!(filtered(&index.snapshot(), near), Ok(vec![0, 1]));
}

#[test]
fn coordinates_are_numbers_in_other_filters() {
    let index = TestIndex::new(
        json!({"filterableAttributes": ["_geo"]}),
        &[
            json!({"id": 0, "_geo": {"lat": 50.5, "lng": 3}}),
            json!({"id": 1, "_geo": {"lat": "45.75", "lng": "4.85"}}),
            json!({"id": 2, "_geo": null}),
        ],
    );
    let index = &index.snapshot();
    assert_eq!(filtered(index, "_geo.lat > 50"), Ok(vec![0]));
    assert_eq!(filtered(index, "_geo.lat = 45.75"), Ok(vec![1]));
    assert_eq!(filtered(index, "_geo.lng 3 TO 4.9"), Ok(vec![0, 1]));
    assert_eq!(filtered(index, "_geo.lat NOT EXISTS"), Ok(vec![2]));
}
