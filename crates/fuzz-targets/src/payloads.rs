//! Any bytes of any format become one JSON object a line, or one string where they list identifiers, or are
//! refused.

use serval_payload::{Format, Input, to_ndjson};

/// Rewrites a body; the first byte chooses its format.
pub fn payloads(bytes: &[u8]) {
    let Some((first, body)) = bytes.split_first() else {
        return;
    };
    let delimiter = *b",;\t|".get(usize::from(*first) >> 6).unwrap_or(&b',');
    let format = match (first, first % 3) {
        (255, _) => Format::Ids,
        (_, 0) => Format::Json,
        (_, 1) => Format::Ndjson,
        _ => Format::Csv { delimiter },
    };
    let mut lines = Vec::new();
    match to_ndjson(Input::Bytes(body), format, &mut lines) {
        Ok(n_documents) => {
            let text = std::str::from_utf8(&lines).expect("lines are UTF-8");
            assert_eq!(text.lines().count() as u64, n_documents);
            for line in text.lines() {
                let document: serde_json::Value = serde_json::from_str(line).expect("JSON");
                assert!(document.is_object() || format == Format::Ids && document.is_string());
            }
        }
        Err(error) => assert_ne!(error.code(), "internal"),
    }
}
