//! Every syntax error, word for word and with its columns.

use serde_json::json;
use serval_filter::{parse, parse_json, parse_required};

const OPERATION: &str = "Was expecting an operation `=`, `!=`, `>=`, `>`, `<=`, `<`, `IN`, \
    `NOT IN`, `TO`, `EXISTS`, `NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, \
    `IS NOT EMPTY`, `CONTAINS`, `NOT CONTAINS`, `STARTS WITH`, `NOT STARTS WITH`, `_geoRadius`, \
    `_geoBoundingBox` or `_geoPolygon`";
const NO_VALUE: &str = "Was expecting a value but instead got nothing.";

/// Asserts the message and the columns of the error of `text`.
#[track_caller]
fn assert_error(text: &str, message: &str, columns: &str) {
    let error = parse(text).expect_err("the filter is refused");
    assert_eq!(error.to_string(), format!("{message}\n{columns} {text}"));
}

#[track_caller]
fn assert_no_operation(text: &str) {
    let shown = text.escape_debug();
    let columns = format!("1:{}", text.chars().count() + 1);
    assert_error(text, &format!("{OPERATION} at `{shown}`."), &columns);
}

#[track_caller]
fn assert_reserved(text: &str, word: &str, columns: &str) {
    let message = format!(
        "Was expecting a value but instead got `{word}`, which is a reserved keyword. To use \
         `{word}` as a field name or a value, surround it by quotes."
    );
    assert_error(text, &message, columns);
}

#[track_caller]
fn assert_trailing(text: &str, rest: &str, columns: &str) {
    let message = format!(
        "Found unexpected characters at the end of the filter: `{rest}`. You probably forgot an \
         `OR` or an `AND` rule."
    );
    assert_error(text, &message, columns);
}

#[test]
fn a_missing_value_is_shown_where_it_should_be() {
    for (text, columns) in [
        ("genre =", "8:8"),
        ("genre =    ", "12:12"),
        ("genre == drama", "8:8"),
        ("genre = (drama)", "9:9"),
        ("genre STARTS WITH", "18:18"),
        ("genre CONTAINS", "15:15"),
        ("year 1 TO ", "11:11"),
    ] {
        assert_error(text, NO_VALUE, columns);
    }
}

#[test]
fn a_bad_value_is_shown_up_to_the_next_syntax() {
    for (text, value, columns) in [
        ("genre = 🐻", "🐻", "9:10"),
        ("genre = 🐻 AND year < 2000", "🐻", "9:10"),
        ("genre = @drama", "@drama", "9:15"),
        ("genre = {x}=y", "{x}", "9:12"),
    ] {
        let message = format!("Was expecting a value but instead got `{value}`.");
        assert_error(text, &message, columns);
    }
}

#[test]
fn a_reserved_word_needs_quotes() {
    assert_reserved("genre = AND", "AND", "9:12");
    assert_reserved("AND genre = a", "AND", "1:4");
    assert_reserved("genre = a AND OR year = 3", "OR", "15:17");
    assert_reserved("NOT OR EXISTS", "OR", "5:7");
    assert_reserved("EXISTS = 3", "EXISTS", "1:7");
    assert_reserved("genre = IN", "IN", "9:11");
    assert_reserved("genre CONTAINS WITH", "WITH", "16:20");
}

#[test]
fn a_condition_needs_an_operation() {
    for text in [
        "genre",
        "\"genre\"",
        "'OR'",
        "3",
        "genre drama",
        "= drama",
        "genre NOT = drama",
        "year TO 3",
        "year 1 TO",
        "year 1 to 3",
        "year 100 TO1000",
        "genre NULL",
        "genre NOT NULL",
        "genre IS",
        "genre IS NOT",
        "genre IS null",
        "genre IS EXISTS",
        "genre NOT EXIST",
        "genre STARTS dr",
        "genre WITH dr",
        "not genre = drama",
        "'a\\q' = 1",
    ] {
        assert_no_operation(text);
    }
    let nothing = format!("{OPERATION} but instead got nothing.");
    assert_error("NOT", &nothing, "4:4");
    assert_error("genre = drama AND", &nothing, "18:18");
    assert_error("genre = drama OR ", &nothing, "18:18");
}

#[test]
fn text_after_the_filter_is_shown() {
    assert_trailing("genre = a year = 3", "year = 3", "11:19");
    assert_trailing("genre = a 'b'", "\\'b\\'", "11:14");
    assert_trailing("genre EXISTS = 3", " = 3", "13:17");
    assert_trailing("genre IS NULL = 3", " = 3", "14:18");
    assert_trailing("(genre = a) (year = 3)", "(year = 3)", "13:23");
    assert_trailing("genre = a ORyear = 3", "ORyear = 3", "11:21");
    assert_trailing("genre = a or year = 3", "or year = 3", "11:22");
    assert_trailing("path = a/b", "/b", "9:11");
    assert_trailing("genre = a)", ")", "10:11");
    assert_trailing("genre EXISTSAND year = 1", "AND year = 1", "13:25");
}

#[test]
fn quotes_and_parentheses_must_close() {
    let missing = |shown: &str, delimiter: char| {
        format!("Expression `{shown}` is missing the following closing delimiter: `{delimiter}`.")
    };
    assert_error("genre = 'drama", &missing("\\'drama", '\''), "9:15");
    assert_error("genre = \"drama", &missing("\\\"drama", '"'), "9:15");
    assert_error("'genre = drama", &missing("\\'genre = drama", '\''), "1:15");
    assert_error("a = 1 OR (year >= 3", &missing("(year >= 3", ')'), "10:20");
    assert_error("genre IN ['a, b", &missing("\\'a, b", '\''), "11:16");
}

#[test]
fn escapes_must_be_readable() {
    let incomplete = "The filter is incomplete and requires Unknown additional bytes to be parsed.";
    assert_error(r#"genre = "\x""#, incomplete, "1:13");
    let number = r"Found an invalid escaped sequence number: `\\xzz`.";
    assert_error(r"genre = '\xzz'", number, "10:14");
    assert_error(r"genre = 'a\q'", r"Malformed value: `a\\q`.", "10:13");
    assert_error(r"genre = 'a\", r"Malformed value: `a\\`.", "10:12");
}

#[test]
fn lists_hold_values_between_brackets() {
    assert_error(
        "genre IN a, b]",
        "Expected `[` after `IN` keyword.",
        "10:15",
    );
    let not_closed = "Expected matching `]` after the list of field names given to `IN[`";
    assert_error("genre IN [a, b", not_closed, "15:15");
    assert_error("genre NOT IN [a,", not_closed, "17:17");
    let bad = |shown| {
        format!(
            "Expected only comma-separated field names inside `IN[..]` but instead found `{shown}`."
        )
    };
    assert_error("genre IN [a, 'b' > 2]", &bad("> 2]"), "18:22");
    assert_error("genre IN [a, AND]", &bad("AND]"), "14:18");
}

#[test]
fn nesting_is_limited() {
    let message = "The filter exceeded the maximum depth limit. Try rewriting the filter so that \
        it contains fewer nested conditions.";
    let nested = |n: usize| format!("{}x = 1{}", "(".repeat(n), ")".repeat(n));
    assert!(parse(&nested(36)).is_ok());
    assert_error(&nested(37), message, "38:80");
    assert_error(&nested(250), message, "38:506");
    assert!(parse(&format!("{}x = 1", "NOT ".repeat(147))).is_ok());
    assert_error(&format!("{}x = 1", "NOT ".repeat(200)), message, "597:806");
    assert!(parse(&"(".repeat(1_000_000)).is_err());
    assert!(parse(&"NOT ".repeat(300_000)).is_err());
}

#[test]
fn another_kind_of_json_value_is_refused() {
    let cases = [
        (json!(true), "expected String, Array, found: true"),
        (json!({"a": 5}), "expected String, Array, found: {\"a\":5}"),
        (json!([1]), "expected String, [String], found: 1"),
        (
            json!(["a = ", null]),
            "expected String, [String], found: null",
        ),
        (json!([["a = 1", 5]]), "expected String, found: 5"),
        (json!([[["a = 1"]]]), "expected String, found: [\"a = 1\"]"),
    ];
    for (value, detail) in cases {
        let error = parse_json(&value).expect_err("the filter is refused");
        let message = format!("Invalid syntax for the filter parameter: `{detail}`.");
        assert_eq!((error.to_string(), error.span()), (message, None));
    }
}

#[test]
fn an_error_in_an_array_shows_the_string_it_is_in() {
    let error = parse_json(&json!(["a = 1", ["b ="]])).expect_err("the filter is refused");
    assert_eq!(error.to_string(), format!("{NO_VALUE}\n4:4 b ="));
}

#[test]
fn a_required_filter_is_neither_null_nor_empty() {
    for value in [json!(""), json!([]), json!([[""]])] {
        let error = parse_required(&value).expect_err("the filter is refused");
        assert_eq!(error.to_string(), "Sending an empty filter is forbidden.");
    }
    let error = parse_required(&json!(null)).expect_err("the filter is refused");
    assert_eq!(
        error.to_string(),
        "Invalid syntax for the filter parameter: `expected String, Array, found: null`."
    );
    assert!(parse_required(&json!(["a = 1"])).is_ok());
}
