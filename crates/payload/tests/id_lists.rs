//! Lists of identifiers, from memory and from a file.

use std::io::Write;

use serval_payload::{Format, Input, PayloadError, to_ndjson};

fn lines(list: &str) -> Result<(u64, String), PayloadError> {
    let read = |input: Input<'_>| {
        let mut out = Vec::new();
        let n_ids = to_ndjson(input, Format::Ids, &mut out)?;
        Ok((n_ids, String::from_utf8(out).expect("lines are text")))
    };
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(list.as_bytes())
        .expect("the list is written");
    let from_file = read(Input::File(file.path()));
    let from_bytes = read(Input::Bytes(list.as_bytes()));
    assert_eq!(
        from_bytes.as_ref().map_err(ToString::to_string),
        from_file.as_ref().map_err(ToString::to_string)
    );
    from_bytes
}

fn refusal(list: &str) -> (&'static str, String) {
    let error = lines(list).expect_err("the list is refused");
    (error.code(), error.to_string())
}

#[test]
fn every_id_is_a_line_whatever_kind_it_is() {
    let list = r#" [ "a", 7, "7", "é\n\u0041", null, true, {"b":[1]} , [ ] ] "#;
    let expected = r#""a"
"7"
"7"
"é\nA"
"null"
"true"
"{\"b\":[1]}"
"[ ]"
"#;
    assert_eq!(lines(list).expect("a list"), (8, expected.to_owned()));
    assert_eq!(lines("[]").expect("a list"), (0, String::new()));
}

#[test]
fn integers_keep_their_digits_and_other_numbers_take_the_form_of_ecmascript() {
    let list = "[9007199254740993, 18446744073709551615, -5, 1.0, -0, -0.0, 1e3, 1.5, 1e-7, 1e21, \
                18446744073709551616, 2.5e-8, 1e20]";
    let expected = [
        "9007199254740993",
        "18446744073709551615",
        "-5",
        "1",
        "0",
        "0",
        "1000",
        "1.5",
        "1e-7",
        "1e+21",
        "18446744073709552000",
        "2.5e-8",
        "100000000000000000000",
    ]
    .map(|id| format!("\"{id}\"\n"));
    assert_eq!(lines(list).expect("a list").1, expected.concat());
}

#[test]
fn what_is_no_json_is_worded_by_serde_json_whatever_it_would_have_been() {
    for (text, cause) in [
        ("[1, 2", "EOF while parsing a list at line 1 column 5"),
        ("[1,\n2,]", "trailing comma at line 2 column 3"),
        ("[1] x", "trailing characters at line 1 column 5"),
        ("{\"a\":", "EOF while parsing a value at line 1 column 5"),
        ("[1e999]", "number out of range at line 1 column 6"),
        ("[1, [1e999]]", "number out of range at line 1 column 10"),
        (
            "[\"\\ud800\"]",
            "unexpected end of hex escape at line 1 column 9",
        ),
        ("  ", "EOF while parsing a value at line 1 column 2"),
    ] {
        let message = format!("The json payload provided is malformed. `{cause}`.");
        assert_eq!(refusal(text), ("malformed_payload", message));
    }
}

#[test]
fn what_is_no_list_is_told_by_its_kind() {
    for (text, cause) in [
        (
            "\"doggo\"",
            "string \"doggo\", expected a sequence at line 1 column 7",
        ),
        ("{\"a\": 1}", "map, expected a sequence at line 1 column 0"),
        ("null", "null, expected a sequence at line 1 column 4"),
        ("12", "integer `12`, expected a sequence at line 1 column 2"),
    ] {
        let message = format!("Json deserialize error: invalid type: {cause}");
        assert_eq!(refusal(text), ("bad_request", message));
    }
}

#[test]
fn no_byte_at_all_is_a_missing_payload() {
    let message = "A json payload is missing.".to_owned();
    assert_eq!(refusal(""), ("missing_payload", message));
}
