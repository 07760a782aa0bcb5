//! Every refusal, word for word, from memory and from a file.

use std::io::Write;

use serval_payload::{Format, Input, PayloadError, to_ndjson};

const CSV: Format = Format::Csv { delimiter: b',' };

fn refusal(format: Format, payload: &str) -> PayloadError {
    let from_bytes = to_ndjson(Input::Bytes(payload.as_bytes()), format, &mut Vec::new())
        .expect_err("the payload is refused");
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(payload.as_bytes())
        .expect("the payload is written");
    let from_file = to_ndjson(Input::File(file.path()), format, &mut Vec::new())
        .expect_err("the payload is refused");
    assert_eq!(from_bytes.to_string(), from_file.to_string());
    from_bytes
}

#[track_caller]
fn assert_malformed(format: Format, payload: &str, message: &str) {
    let error = refusal(format, payload);
    assert_eq!(error.to_string(), message);
    assert_eq!(error.code(), "malformed_payload");
}

#[track_caller]
fn assert_json_cause(format: Format, payload: &str, cause: &str) {
    let message = format!(
        "The `{format}` payload provided is malformed. `Couldn't serialize document value: {cause}`."
    );
    assert_malformed(format, payload, &message);
}

const NOT_DOCUMENTS: &str = "data are neither an object nor a list of objects";

#[test]
fn no_bytes_is_a_missing_payload() {
    for (format, name) in [
        (Format::Json, "json"),
        (Format::Ndjson, "ndjson"),
        (CSV, "csv"),
    ] {
        let error = refusal(format, "");
        assert_eq!(error.to_string(), format!("A {name} payload is missing."));
        assert_eq!(error.code(), "missing_payload");
    }
}

#[test]
fn a_broken_json_payload_is_told_with_its_place() {
    let cases = [
        (
            r#"[{"id":1},{1:2}]"#,
            "key must be a string at line 1 column 12",
        ),
        (
            r#"[{"id":1},{"id":"#,
            "EOF while parsing a value at line 1 column 16",
        ),
        ("hello", "expected value at line 1 column 1"),
        ("   ", "EOF while parsing a value at line 1 column 3"),
        (r#"[{"id":1},]"#, "trailing comma at line 1 column 11"),
        (
            r#"[{"id":1}"#,
            "EOF while parsing a list at line 1 column 9",
        ),
        (
            r#"[{"id":1} {"id":2}]"#,
            "expected `,` or `]` at line 1 column 11",
        ),
        (
            "{\"id\":1}\n{\"id\":2}\n",
            "trailing characters at line 2 column 1",
        ),
        ("[{\"id\":1}]\n]", "trailing characters at line 2 column 1"),
        ("[", "EOF while parsing a list at line 1 column 1"),
        (r#"{"a":tru}"#, "expected ident at line 1 column 9"),
        (r#""abc"#, "EOF while parsing a string at line 1 column 4"),
        (r#"{"a":1e999}"#, "number out of range at line 1 column 10"),
        (
            r#"{"a":"\ud800"}"#,
            "unexpected end of hex escape at line 1 column 13",
        ),
        (
            "{\"a\":\"b\nc\"}",
            "control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0",
        ),
    ];
    for (payload, cause) in cases {
        assert_json_cause(Format::Json, payload, cause);
    }
}

#[test]
fn json_that_is_not_documents_is_told_so() {
    for payload in [
        r#""x""#,
        "12",
        "null",
        "true",
        r#"["a","b"]"#,
        r#"[{"id":1},5]"#,
        "[[]]",
    ] {
        assert_json_cause(Format::Json, payload, NOT_DOCUMENTS);
    }
    for payload in ["5", "{}\n[1]", "\"a\""] {
        assert_json_cause(Format::Ndjson, payload, NOT_DOCUMENTS);
    }
}

#[test]
fn ndjson_lines_are_counted_from_the_start_of_the_payload() {
    assert_json_cause(
        Format::Ndjson,
        "{\"id\":1}\n{\"id\":2\n{\"id\":3}\n",
        "expected `,` or `}` at line 3 column 1",
    );
    let good = "{\"id\":1}\n".repeat(100_000);
    assert_json_cause(
        Format::Ndjson,
        &format!("{good}{{\"id\":}}"),
        "expected value at line 100001 column 7",
    );
}

#[test]
fn nesting_stops_at_the_limit_of_the_decoder() {
    let nested = |n: usize| format!("{{\"a\":{}{}}}", "[".repeat(n), "]".repeat(n));
    let mut out = Vec::new();
    let deepest = nested(126);
    assert!(to_ndjson(Input::Bytes(deepest.as_bytes()), Format::Ndjson, &mut out).is_ok());
    for payload in [nested(127), nested(1_000_000)] {
        assert_json_cause(
            Format::Ndjson,
            &payload,
            "recursion limit exceeded at line 1 column 132",
        );
    }
    let inside_array = format!("[{}]", nested(126));
    assert_json_cause(
        Format::Json,
        &inside_array,
        "recursion limit exceeded at line 1 column 132",
    );
}

#[test]
fn invalid_utf_8_is_malformed_in_every_format() {
    let cases: [(Format, &[u8]); 3] = [
        (Format::Json, b"{\"a\":\"\xff\"}"),
        (Format::Ndjson, b"{\"\xc3\":1}"),
        (CSV, b"a\n\xff\n"),
    ];
    for (format, payload) in cases {
        let error = to_ndjson(Input::Bytes(payload), format, &mut Vec::new())
            .expect_err("the payload is refused");
        assert_eq!(error.code(), "malformed_payload", "{error}");
    }
}

#[test]
fn csv_rows_of_another_length_are_told_with_their_place() {
    assert_malformed(
        CSV,
        "id,a,b\n1,x,y\n2,x\n",
        "The `csv` payload provided is malformed: `CSV error: record 2 (line: 3, byte: 13): found \
         record with 2 fields, but the previous record has 3 fields`.",
    );
}

#[test]
fn csv_cells_that_are_not_of_their_type_are_told_with_their_row() {
    assert_malformed(
        CSV,
        "id:number,n:number\n1,2\n2,abc\n",
        "The `csv` payload provided is malformed: `Error parsing number \"abc\" at line 2: invalid \
         float literal`.",
    );
    assert_malformed(
        CSV,
        "id:number,b:boolean\n1,yes\n",
        "The `csv` payload provided is malformed: `Error parsing boolean \"yes\" at line 1: \
         provided string was not `true` or `false``.",
    );
}

#[test]
fn a_file_that_is_not_there_is_an_internal_error() {
    let input = Input::File(std::path::Path::new("/nowhere/payload.ndjson"));
    let error = to_ndjson(input, Format::Json, &mut Vec::new()).expect_err("there is no file");
    assert_eq!(error.code(), "internal");
}
