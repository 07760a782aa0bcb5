//! What well-formed payloads become.

use std::io::Write;

use serval_payload::{DocumentLines, Format, Input, document_lines, to_ndjson};

const CSV: Format = Format::Csv { delimiter: b',' };

#[track_caller]
fn assert_lines(format: Format, payload: &str, lines: &[&str]) {
    let mut out = Vec::new();
    let n_docs = to_ndjson(Input::Bytes(payload.as_bytes()), format, &mut out)
        .expect("the payload is accepted");
    let out = String::from_utf8(out).expect("lines are UTF-8");
    assert_eq!(out.lines().collect::<Vec<_>>(), lines);
    assert_eq!(n_docs, lines.len() as u64);
}

#[test]
fn ndjson_documents_are_separated_by_any_white_space_or_nothing() {
    let documents = ["{\"id\":1}", "{\"id\":2}", "{\"id\":3}"];
    assert_lines(
        Format::Ndjson,
        "\n{\"id\":1}\n\n  {\"id\":2}  \r\n{\"id\":3}",
        &documents,
    );
    assert_lines(
        Format::Ndjson,
        "{\"id\":1}{\"id\":2} {\"id\":3}",
        &documents,
    );
    assert_lines(Format::Ndjson, "\n\n", &[]);
}

#[test]
fn json_is_an_array_of_objects_or_one_object() {
    assert_lines(
        Format::Json,
        " [ {\"a\" : 1 } ,\n{ } ] ",
        &["{\"a\":1}", "{}"],
    );
    assert_lines(
        Format::Json,
        "{\n  \"a\": [1, {\"b\": null}]\n}\n",
        &["{\"a\":[1,{\"b\":null}]}"],
    );
    assert_lines(Format::Json, "[ ]", &[]);
}

#[test]
fn escapes_key_order_and_usual_numbers_stay_as_written() {
    let line = r#"{"z":1.0,"a":-12,"b":18446744073709551615,"":"\u00e9\ud83d\ude00 é"}"#;
    assert_lines(Format::Json, line, &[line]);
}

#[test]
fn other_numbers_take_their_shortest_decimal_form() {
    let line = r#"{"a":1e3,"b":-0,"c":100000000000000000000,"d":0.10}"#;
    let usual = r#"{"a":1000.0,"b":-0.0,"c":1e+20,"d":0.1}"#;
    assert_lines(Format::Json, line, &[usual]);
}

#[test]
fn of_equal_keys_the_last_value_stays_at_the_first_place() {
    assert_lines(
        Format::Json,
        r#"{"id":1,"a":1,"b":2,"a":[3]}"#,
        &[r#"{"id":1,"a":[3],"b":2}"#],
    );
    assert_lines(
        Format::Json,
        r#"[{"o":{"x":1,"x":{"y":1,"y":2}},"o":{"x":1,"x":{"y":1,"y":3}}}]"#,
        &[r#"{"o":{"x":{"y":3}}}"#],
    );
    assert_lines(Format::Json, r#"{"a":1,"\u0061":2}"#, &[r#"{"\u0061":2}"#]);
}

#[test]
fn repeated_keys_are_found_in_large_objects_too() {
    let members: Vec<_> = (0..1000).map(|i| format!("\"k{}\":{i}", i % 999)).collect();
    let kept: Vec<_> = (0..999)
        .map(|i| format!("\"k{i}\":{}", if i == 0 { 999 } else { i }))
        .collect();
    let line = format!("{{{}}}", kept.join(","));
    assert_lines(
        Format::Ndjson,
        &format!("{{{}}}", members.join(" , ")),
        &[&line],
    );
}

#[test]
fn csv_cells_are_texts_unless_the_header_says_otherwise() {
    assert_lines(
        CSV,
        "id,title,year\n1,\"Le Jour, se lève\",1939\n",
        &[r#"{"id":"1","title":"Le Jour, se lève","year":"1939"}"#],
    );
    assert_lines(
        CSV,
        "id:number,r:number,b:boolean,when:date\n1, 7.5,true,x\n2,1e2, false ,y\n",
        &[
            r#"{"id":1,"r":7.5,"b":true,"when:date":"x"}"#,
            r#"{"id":2,"r":100.0,"b":false,"when:date":"y"}"#,
        ],
    );
}

#[test]
fn csv_keeps_spaces_quoted_line_ends_and_quotes_but_empty_cells_are_null() {
    assert_lines(CSV, "id,t\r\n1, x \r\n", &[r#"{"id":"1","t":" x "}"#]);
    assert_lines(CSV, "t\n\"a \"\"b\"\"\nc\"\n", &[r#"{"t":"a \"b\"\nc"}"#]);
    assert_lines(
        CSV,
        "id:number,t,n:number,b:boolean\n1,,,\n",
        &[r#"{"id":1,"t":null,"n":null,"b":null}"#],
    );
    assert_lines(CSV, "id,title\n", &[]);
}

#[test]
fn csv_takes_another_delimiter() {
    assert_lines(
        Format::Csv { delimiter: b'\t' },
        "a\tb\n1,2\t3\n",
        &[r#"{"a":"1,2","b":"3"}"#],
    );
}

#[test]
fn a_file_larger_than_the_read_buffer_gives_the_same_lines_as_memory() {
    let text = "x".repeat(700);
    let documents: Vec<_> = (0..3000)
        .map(|i| format!("{{ \"id\": {i}, \"text\": \"{text}\" }}"))
        .collect();
    let huge = format!("{{\"text\":\"{}\"}}", "y ".repeat(600_000));
    let payload = format!("[{},{huge},{{\"last\":1}}]", documents.join(",\n"));
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(payload.as_bytes())
        .expect("the payload is written");
    let (mut from_bytes, mut from_file) = (Vec::new(), Vec::new());
    let n_docs = to_ndjson(
        Input::Bytes(payload.as_bytes()),
        Format::Json,
        &mut from_bytes,
    );
    assert_eq!(n_docs.expect("the payload is accepted"), 3002);
    let n_docs = to_ndjson(Input::File(file.path()), Format::Json, &mut from_file);
    assert_eq!(n_docs.expect("the payload is accepted"), 3002);
    assert!(from_bytes == from_file);
}

#[test]
fn document_lines_give_offset_and_bytes_of_every_line() {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(b"{\"a\":1}\n\n{}\n{\"b\":2}")
        .expect("the lines are written");
    let mut lines = document_lines(file.path()).expect("the file opens");
    let mut seen = Vec::new();
    while let Some(line) = lines.next_line().expect("the file is read") {
        seen.push((
            line.offset,
            String::from_utf8_lossy(line.bytes).into_owned(),
        ));
    }
    let expected = [(0, "{\"a\":1}"), (9, "{}"), (12, "{\"b\":2}")];
    assert_eq!(
        seen,
        expected.map(|(offset, line)| (offset, line.to_owned()))
    );
    assert_eq!(
        DocumentLines::new(&b""[..])
            .next_line()
            .expect("memory is read"),
        None
    );
}
