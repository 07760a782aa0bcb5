//! What filters parse to, shown by their canonical text.

use serde_json::json;
use serval_filter::{Filter, Operator, Span, Word, parse, parse_json};

#[track_caller]
fn parsed(text: &str) -> Filter {
    parse(text)
        .expect("the filter is accepted")
        .expect("the filter is not empty")
}

#[track_caller]
fn assert_canonical(text: &str, canonical: &str) {
    assert_eq!(parsed(text).to_string(), canonical);
}

#[test]
fn every_operator_has_a_canonical_text() {
    for (text, canonical) in [
        ("a=1", r#""a" = "1""#),
        ("a != 'x y'", r#""a" != "x y""#),
        ("a >= -3.5", r#""a" >= "-3.5""#),
        ("a<b", r#""a" < "b""#),
        (" a\n<=\tb ", r#""a" <= "b""#),
        ("a 1 TO 2", r#""a" "1" TO "2""#),
        ("a IN[ b,'c' , ]", r#""a" IN ["b", "c"]"#),
        ("a IN []", r#""a" IN []"#),
        ("a NOT IN [b]", r#"NOT ("a" IN ["b"])"#),
        ("a EXISTS", r#""a" EXISTS"#),
        ("a NOT  EXISTS ", r#"NOT ("a" EXISTS)"#),
        ("a IS NULL", r#""a" IS NULL"#),
        ("a IS NOT EMPTY", r#"NOT ("a" IS EMPTY)"#),
        ("a CONTAINS'b'", r#""a" CONTAINS "b""#),
        ("a NOT CONTAINS b", r#"NOT ("a" CONTAINS "b")"#),
        ("a STARTS WITH b", r#""a" STARTS WITH "b""#),
        ("a NOT STARTS WITH b", r#"NOT ("a" STARTS WITH "b")"#),
        ("_geoRadius( 1 ,2,  3e4 )", "_geoRadius(1, 2, 3e4)"),
        ("_geoRadius(1, 2, 3, 100)", "_geoRadius(1, 2, 3, 100)"),
        (
            "_geoBoundingBox([1,.5],[-1,+2.])",
            "_geoBoundingBox([1, .5], [-1, +2.])",
        ),
        (
            "_geoPolygon([0,0],[0,1],[1,1],)",
            "_geoPolygon([0, 0], [0, 1], [1, 1])",
        ),
        ("_vectors EXISTS", "_vectors EXISTS"),
        ("_vectors.e NOT EXISTS", r#"NOT (_vectors."e" EXISTS)"#),
        (
            "_vectors.'e'.fragments.f EXISTS",
            r#"_vectors."e".fragments."f" EXISTS"#,
        ),
        (
            "_vectors.e.userProvided EXISTS",
            r#"_vectors."e".userProvided EXISTS"#,
        ),
        (
            "_foreign( a , b > 1 AND c = d )",
            r#"_foreign("a", ("b" > "1") AND ("c" = "d"))"#,
        ),
    ] {
        assert_canonical(text, canonical);
        assert_canonical(canonical, canonical);
    }
}

#[test]
fn not_binds_tighter_than_and_which_binds_tighter_than_or() {
    assert_canonical(
        "NOT a = 1 AND b = 2 OR c = 3",
        r#"((NOT ("a" = "1")) AND ("b" = "2")) OR ("c" = "3")"#,
    );
    assert_canonical(
        "NOT (a = 1 OR b = 2)",
        r#"NOT (("a" = "1") OR ("b" = "2"))"#,
    );
    assert_canonical("((a = 1))AND(b = 2)", r#"("a" = "1") AND ("b" = "2")"#);
}

#[test]
fn two_nots_cancel_out() {
    assert_canonical("NOT NOT a = 1", r#""a" = "1""#);
    assert_canonical("NOT a IS NOT NULL", r#""a" IS NULL"#);
    assert_canonical("NOT NOT (NOT a NOT EXISTS)", r#""a" EXISTS"#);
}

#[test]
fn quoted_words_are_unescaped_and_may_be_keywords() {
    let filter = parsed(r#"'d\'art' = "\u{1F43B}\x41 \\ 'AND'""#);
    let Filter::Condition {
        attribute,
        operator: Operator::Equal(value),
    } = &filter
    else {
        panic!("a comparison");
    };
    assert_eq!((attribute.text(), value.text()), ("d'art", r"🐻A \ 'AND'"));
    assert!(attribute.quoted());
    assert_canonical("\"OR\" = 'NOT'", r#""OR" = "NOT""#);
    assert_canonical("or = null", r#""or" = "null""#);
    assert_canonical("北京.é = ٣", r#""北京.é" = "٣""#);
}

#[test]
fn words_know_their_columns_without_quotes() {
    let filter = parsed("été = 1 AND  'b c' EXISTS");
    let spans: Vec<_> = filter.attributes().map(Word::span).collect();
    assert_eq!(
        spans,
        [Span { start: 1, end: 4 }, Span { start: 15, end: 18 }]
    );
    let canonical = filter.canonical();
    let spans: Vec<_> = canonical.attributes().map(Word::span).collect();
    assert_eq!(
        spans,
        [Span { start: 3, end: 6 }, Span { start: 21, end: 24 }]
    );
    assert_eq!(
        canonical
            .attributes()
            .nth(1)
            .map(|word| word.with_context("bad"))
            .as_deref(),
        Some("bad\n21:24 (\"été\" = \"1\") AND (\"b c\" EXISTS)")
    );
}

#[test]
fn keywords_behind_feature_toggles_are_found_with_their_columns() {
    let line = |word: Option<&Word>| word.map(|word| word.with_context("off"));
    assert_eq!(
        line(parsed("kind NOT CONTAINS oo").contains_keyword()).as_deref(),
        Some("off\n10:18 kind NOT CONTAINS oo")
    );
    assert_eq!(
        line(parsed("_vectors.e EXISTS").vectors_keyword()).as_deref(),
        Some("off\n1:9 _vectors.e EXISTS")
    );
    assert_eq!(
        line(parsed("a = 1 OR _foreign(b, c CONTAINS d)").foreign_keyword()).as_deref(),
        Some("off\n10:18 a = 1 OR _foreign(b, c CONTAINS d)")
    );
    assert!(
        parsed("_foreign(b, c CONTAINS d)")
            .contains_keyword()
            .is_some()
    );
    assert!(parsed("kind STARTS WITH oo").contains_keyword().is_none());
}

#[test]
fn attributes_are_those_of_this_index_in_order() {
    let filter = parsed("a = 1 OR NOT (b IN [1] AND _foreign(c, d = 1)) OR a EXISTS");
    let names: Vec<_> = filter.attributes().map(Word::text).collect();
    assert_eq!(names, ["a", "b", "c", "a"]);
}

#[test]
fn an_array_is_a_conjunction_and_an_inner_array_a_choice() {
    let canonical = |value| {
        let filter = parse_json(&value).expect("the filter is accepted");
        filter.map(|filter| filter.to_string())
    };
    assert_eq!(canonical(json!(["a = 1"])).as_deref(), Some(r#""a" = "1""#));
    assert_eq!(
        canonical(json!([
            "a = 1 OR a = 2",
            ["b = 3", "", "c = 4"],
            [],
            ["d = 5"]
        ]))
        .as_deref(),
        Some(r#"(("a" = "1") OR ("a" = "2")) AND (("b" = "3") OR ("c" = "4")) AND ("d" = "5")"#)
    );
    for nothing in [
        json!(null),
        json!(""),
        json!("  "),
        json!([]),
        json!([[]]),
        json!([[""], " "]),
    ] {
        assert_eq!(canonical(nothing), None);
    }
}

#[test]
fn words_of_an_array_keep_the_string_they_came_from() {
    let filter = parse_json(&json!(["a = 1", ["b = 2", " c = 3"]])).expect("accepted");
    let lines: Vec<_> = filter
        .iter()
        .flat_map(Filter::attributes)
        .map(|word| word.with_context("bad"))
        .collect();
    assert_eq!(
        lines,
        ["bad\n1:2 a = 1", "bad\n1:2 b = 2", "bad\n2:3  c = 3"]
    );
}

#[test]
fn chains_and_lists_may_be_as_long_as_wanted() {
    let chain = vec!["a = 1"; 100_000].join(" OR ");
    assert!(matches!(parsed(&chain), Filter::Or(parts) if parts.len() == 100_000));
    let list = format!("a IN [{}]", vec!["'é'"; 100_000].join(","));
    let filter = parsed(&list).canonical();
    assert!(matches!(
        filter,
        Filter::Condition { operator: Operator::In(values), .. } if values.len() == 100_000
    ));
}
