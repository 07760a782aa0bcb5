//! The streaming reader against `serde_json` on random payloads.

use std::io::Write;

use proptest::prelude::*;
use serde_json::{Map, Value};
use serval_payload::{Format, Input, to_ndjson};

fn converted(format: Format, payload: &[u8]) -> Result<(u64, Vec<u8>), String> {
    let mut out = Vec::new();
    match to_ndjson(Input::Bytes(payload), format, &mut out) {
        Ok(n_docs) => Ok((n_docs, out)),
        Err(error) => Err(error.to_string()),
    }
}

fn documents_of(lines: &[u8]) -> Vec<Value> {
    let lines = std::str::from_utf8(lines).expect("lines are UTF-8");
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".{0,3}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    prop::collection::vec((".{0,3}", json_value()), 0..6)
        .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()))
}

proptest! {
    #[test]
    fn an_array_of_documents_comes_out_equal(documents in prop::collection::vec(document(), 0..8)) {
        let payload = serde_json::to_vec_pretty(&documents).expect("documents serialize");
        let (n_docs, lines) = converted(Format::Json, &payload).expect("the payload is accepted");
        prop_assert_eq!(n_docs, documents.len() as u64);
        let decoded: Vec<Value> = serde_json::from_slice(&payload).expect("the payload is JSON");
        prop_assert_eq!(documents_of(&lines), decoded);
    }

    #[test]
    fn any_json_like_text_is_accepted_exactly_when_serde_json_decodes_it(
        payload in r#"[ \n]?\[?(\{|\}|\[|\]|,|:|"a"|"b\\n"|"\\u0061"|1|-0\.5|true|nul|null| |\n|é){0,14}[ \]\}]?"#
    ) {
        let decoded: Result<Vec<Map<String, Value>>, _> = serde_json::from_str(&payload);
        let decoded = decoded.or_else(|_| serde_json::from_str(&payload).map(|one| vec![one]));
        let converted = converted(Format::Json, payload.as_bytes());
        match (decoded, converted) {
            (Ok(documents), Ok((_, lines))) => {
                let documents: Vec<_> = documents.into_iter().map(Value::Object).collect();
                prop_assert_eq!(documents_of(&lines), documents);
            }
            (Err(_), Err(_)) => {}
            (decoded, converted) => prop_assert!(false, "{decoded:?} but {converted:?}"),
        }
    }

    #[test]
    fn a_damaged_stream_is_refused_with_the_words_of_serde_json(
        documents in prop::collection::vec(document(), 1..5),
        place in any::<prop::sample::Index>(),
        byte in prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\",:\\ \n0".to_vec())],
    ) {
        let mut payload = Vec::new();
        for document in &documents {
            serde_json::to_writer_pretty(&mut payload, document).expect("documents serialize");
        }
        let place = place.index(payload.len());
        payload[place] = byte;
        let mut stream = serde_json::Deserializer::from_slice(&payload).into_iter::<Map<String, Value>>();
        let fault = stream.find_map(Result::err);
        match (fault, converted(Format::Ndjson, &payload)) {
            (None, Ok(_)) => {}
            (Some(fault), Err(message)) if !fault.is_data() => {
                let fault = fault.to_string();
                prop_assert!(fault.len() > 138 || message.contains(&fault), "{message} but {fault}");
            }
            (Some(_), Err(message)) => prop_assert!(message.contains("data are neither"), "{message}"),
            (fault, converted) => prop_assert!(false, "{fault:?} but {converted:?}"),
        }
    }

    #[test]
    fn a_damaged_array_is_refused_with_the_words_of_serde_json(
        documents in prop::collection::vec(document(), 0..4),
        place in any::<prop::sample::Index>(),
        byte in prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\",:\\ \n0".to_vec())],
    ) {
        let mut payload = serde_json::to_vec_pretty(&documents).expect("documents serialize");
        let place = place.index(payload.len());
        payload[place] = byte;
        prop_assume!(payload.starts_with(b"["));
        let decoded = serde_json::from_slice::<Vec<Map<String, Value>>>(&payload);
        match (decoded, converted(Format::Json, &payload)) {
            (Ok(documents), Ok((n_docs, _))) => prop_assert_eq!(n_docs, documents.len() as u64),
            (Err(fault), Err(message)) if !fault.is_data() => {
                let fault = fault.to_string();
                prop_assert!(fault.len() > 138 || message.contains(&fault), "{message} but {fault}");
            }
            (Err(_), Err(message)) => prop_assert!(message.contains("data are neither"), "{message}"),
            (fault, converted) => prop_assert!(false, "{fault:?} but {converted:?}"),
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(payload in prop::collection::vec(any::<u8>(), 1..200)) {
        for format in [Format::Json, Format::Ndjson, Format::Csv { delimiter: b',' }] {
            if let Ok((n_docs, lines)) = converted(format, &payload) {
                prop_assert_eq!(documents_of(&lines).len() as u64, n_docs);
            }
        }
    }

    #[test]
    fn csv_cells_come_out_as_they_went_in(
        rows in prop::collection::vec(prop::collection::vec("[a-z,\"\n é]{1,8}", 3), 0..6)
    ) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["a", "b", "c"]).expect("memory is written");
        for row in &rows {
            writer.write_record(row).expect("memory is written");
        }
        let payload = writer.into_inner().expect("memory is written");
        let (_, lines) = converted(Format::Csv { delimiter: b',' }, &payload).expect("accepted");
        let expected: Vec<_> = rows.iter().map(|row| {
            Value::Object(["a", "b", "c"].iter().zip(row)
                .map(|(name, cell)| (name.to_string(), Value::from(cell.as_str()))).collect())
        }).collect();
        prop_assert_eq!(documents_of(&lines), expected);
    }
}

#[test]
fn a_failing_writer_is_an_io_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let error = to_ndjson(Input::Bytes(b"{}"), Format::Json, &mut Full).expect_err("disk full");
    assert_eq!(error.code(), "internal");
}
